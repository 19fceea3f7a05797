//! Files that are put somewhere under names of their own, or that another command lists.

use petriflow_shell::{Dynamic, Word};

use crate::bases::Found;
use crate::look::Look;
use crate::pattern::Pattern;
use crate::programs::Plan;
use crate::{Objection, listed};

impl Look<'_> {
    /// Files that land in a directory under their own names.
    pub(crate) fn puts(&self, program: &str, plan: &Plan) -> Option<Objection> {
        let puts = plan.puts.as_ref()?;
        let target = self.command.words.get(puts.target).and_then(Word::known)?;
        for source in puts.sources.iter().filter_map(|at| self.command.words.get(*at)) {
            // A copy of what guards this session changes nothing elsewhere.
            let roots = &self.protected().roots;
            let own = !puts.whole
                && self.bases.directories().len() == 1
                && matches!(self.bases.look(source), Some(Found::Inside(root)) if !roots.is_anywhere(root));
            let counts = |root: usize| !(own && roots.is_anywhere(root));
            if puts.whole
                && let Some(Found::Inside(root)) = self.kept(source, target)
                && counts(root)
            {
                return Some(self.protected().touches(&self.what, root));
            }
            let Some(text) = source.known() else {
                if let Some(root) = self.globbed(&source.text, target) {
                    return Some(self.protected().touches(&self.what, root));
                }
                continue;
            };
            let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if !matches!(name, "" | "." | "..") {
                match self.bases.look_at(&format!("{}/{name}", target.trim_end_matches('/'))) {
                    Some(Found::Inside(root)) if counts(root) => {
                        return Some(self.protected().touches(&self.what, root));
                    }
                    Some(Found::Above(root)) if program == "mv" => {
                        return Some(self.protected().contains(&self.what, root));
                    }
                    _ => {}
                }
            }
            // A link to the folder would be another way in.
            if program == "ln"
                && name.trim_start_matches('.').len() < name.len()
                && !matches!(name, "." | "..")
                && let Some(Found::Above(root)) = self.bases.look_at(text)
            {
                return Some(self.protected().contains(&self.what, root));
            }
            if let Some(root) = self.merges(text, target) {
                return Some(self.protected().touches(&self.what, root));
            }
        }
        None
    }

    /// Where a source lands that keeps its path, or what stands behind `/./`.
    fn kept(&self, source: &Word, target: &str) -> Option<Found> {
        let text = source.text.as_str();
        let path = text.split_once("/./").map_or(text, |(_, path)| path);
        let target = target.trim_end_matches('/');
        let text = format!("{target}/{}", path.trim_start_matches('/'));
        self.bases.look(&Word { text, dynamic: source.dynamic.clone() })
    }

    /// Files of a glob, one of which has the name that is protected in the target.
    fn globbed(&self, source: &str, target: &str) -> Option<usize> {
        let (folder, glob) = source.rsplit_once('/').unwrap_or((".", source));
        if folder.contains(['*', '?', '[', '$', '`', '{', '~']) {
            return None;
        }
        let glob = Pattern::new(glob, &|_| None);
        for directory in self.bases.directories() {
            let from = directory.join(folder);
            let below = self.protected().roots.below(&directory.join(target));
            let hit = below.into_iter().find(|(_, tail)| {
                let name = tail.iter().next().map(|name| name.to_string_lossy());
                name.is_some_and(|name| glob.matches(&name))
                    && std::fs::symlink_metadata(from.join(tail)).is_ok()
            });
            let same =
                crate::paths::lexical(&from) == crate::paths::lexical(&directory.join(target));
            if let Some((root, _)) = hit.filter(|_| !same) {
                return Some(root);
            }
        }
        None
    }

    /// A tree that has a file where the target has a protected one.
    pub(crate) fn merges(&self, source: &str, target: &str) -> Option<usize> {
        for directory in self.bases.directories() {
            let from = directory.join(source);
            let name = from.file_name().map(|name| name.to_owned()).unwrap_or_default();
            for into in [directory.join(target), directory.join(target).join(name)] {
                let below = self.protected().roots.below(&into);
                let hit = below.into_iter().find(|(_, tail)| {
                    !tail.as_os_str().is_empty()
                        && std::fs::symlink_metadata(from.join(tail)).is_ok()
                });
                let same = crate::paths::lexical(&from) == crate::paths::lexical(&into);
                if let Some((root, _)) = hit.filter(|_| !same) {
                    return Some(root);
                }
            }
        }
        None
    }

    /// Whether a word stands for what `xargs` reads.
    pub(crate) fn is_listed(&self, text: &str) -> bool {
        let marker = listed::marker(self.command);
        text == "input of xargs" || marker.is_some_and(|marker| text.contains(marker))
    }

    pub(crate) fn listed(&self, text: &str) -> Option<Found> {
        let marker = listed::marker(self.command).unwrap_or("{}");
        if let Some((before, after)) = text.split_once(marker) {
            // A name may be put together from what is read and what stands around it.
            let whole = before.is_empty() || before.ends_with('/');
            if !whole || after.starts_with(|c: char| c.is_alphanumeric()) {
                let text = format!("{before}$(xargs){after}");
                let dynamic = Dynamic { what: text.clone(), many: false, printed: true };
                return self.bases.look(&Word { text, dynamic: Some(dynamic) });
            }
        }
        let roots = &self.protected().roots;
        let found = listed::piped(self.walk.commands, self.at, self.bases, roots)?;
        Some(if matches!(found, Found::Above(_)) { Found::Unsure } else { found })
    }
}
