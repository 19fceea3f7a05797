//! Files that are put somewhere under names of their own, or that another command lists.

use petriflow_shell::{Dynamic, Word};

use crate::bases::Found;
use crate::look::Look;
use crate::programs::Plan;
use crate::{Objection, listed};

impl Look<'_> {
    /// Files that land in a directory under their own names.
    pub(crate) fn puts(&self, program: &str, plan: &Plan) -> Option<Objection> {
        let puts = plan.puts.as_ref()?;
        let target = self.command.words.get(puts.target).and_then(Word::known)?;
        for source in puts.sources.iter().filter_map(|at| self.command.words.get(*at)) {
            let Some(text) = source.known() else { continue };
            let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if !matches!(name, "" | "." | "..") {
                match self.bases.look_at(&format!("{}/{name}", target.trim_end_matches('/'))) {
                    Some(Found::Inside(root)) => {
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
