//! Code, texts that run, and patches in here-documents.

use petriflow_shell::{Connective, Nature, RedirectionKind, Word};

use crate::bases::Found;
use crate::look::{Look, glob};
use crate::{Objection, WORDS_MAX, listed, own, patch, tools};

impl Look<'_> {
    pub(crate) fn nature(&self) -> Option<Objection> {
        let roots = &self.protected().roots;
        let mentions = |text: &str| {
            roots.named_in_code(text).map(|name| Objection::mentions(&self.what, name))
        };
        match &self.command.nature {
            Nature::Plain => self.documents(),
            Nature::Deletion => {
                let found = listed::find(&self.command.words, self.bases, roots);
                self.tree(found, &self.command.words)
            }
            // It may be put together from anything in the text.
            Nature::Dynamic { .. } => self
                .mentioned()
                .or_else(|| {
                    self.walk.unknown.get_or_init(|| own::in_unknown(self.walk.text)).clone()
                })
                .or_else(|| self.search()),
            Nature::Opaque { .. } => {
                let words = self.command.words.iter().skip(1).map(|word| word.text.as_str());
                let targets = self
                    .command
                    .redirections
                    .iter()
                    .map(|redirection| redirection.target.text.as_str());
                let found = words
                    .chain(targets)
                    .find_map(|text| mentions(text).or_else(|| own::in_code(text)));
                // Without code among its words it reads it from the command before.
                let reads = self
                    .command
                    .words
                    .iter()
                    .skip(1)
                    .all(|word| word.text.starts_with('-') && word.text.len() < 3);
                let program = self.command.program().unwrap_or_default();
                let reads = reads || matches!(program, "at" | "batch");
                let piped = self.command.connective == Connective::Pipe && reads;
                found.or_else(|| self.literals()).or_else(|| {
                    if piped {
                        self.mentioned().or_else(|| {
                            self.walk.own.get_or_init(|| own::in_code(self.walk.text)).clone()
                        })
                    } else {
                        None
                    }
                })
            }
        }
    }

    /// Something protected that the whole text mentions, which is looked for once.
    fn mentioned(&self) -> Option<Objection> {
        let find = || self.protected().roots.named_in_code(self.walk.text).map(str::to_owned);
        let name = self.walk.mentioned.get_or_init(find).as_deref();
        name.map(|name| Objection::mentions(&self.what, name))
    }

    /// Texts in code that are paths to something protected.
    pub(crate) fn literals(&self) -> Option<Objection> {
        const LITERALS_MAX: usize = 200;
        const REMOVES: [&str; 6] =
            ["rmtree", "rmSync", "rm_r", "removeSync", "rimraf", "remove_dir_all"];
        let words = self.command.words.iter().skip(1);
        let targets = self.command.redirections.iter().map(|redirection| &redirection.target);
        for code in words.chain(targets) {
            let removes = REMOVES.iter().any(|name| code.text.contains(name));
            let quoted = code.text.split(['\'', '"', '`']).skip(1).step_by(2);
            for text in quoted.filter(|text| text.len() < 400).take(LITERALS_MAX) {
                let word = Word { text: text.to_owned(), dynamic: glob(text) };
                match self.bases.look(&word) {
                    Some(Found::Inside(root)) => {
                        return Some(self.protected().touches(&self.what, root));
                    }
                    Some(Found::Above(root)) if removes => {
                        return Some(self.protected().contains(&self.what, root));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// A `find` that is not known in every word.
    pub(crate) fn search(&self) -> Option<Objection> {
        let words = &self.command.words;
        let acts = |word: &Word| word.text == "-delete" || word.text.starts_with("-exec");
        if !matches!(self.command.program(), Some("find" | "gfind")) || !words.iter().any(acts) {
            return None;
        }
        self.tree(listed::find(words, self.bases, &self.protected().roots), words)
    }

    /// Here-documents with a patch, or for a program that may run them.
    pub(crate) fn documents(&self) -> Option<Objection> {
        use RedirectionKind::{HereDocument, HereString};
        let program = self.command.program().unwrap_or_default();
        let patches = matches!(program, "patch" | "apply_patch" | "applypatch" | "git" | "gpatch");
        let mut budget = WORDS_MAX;
        let documents = self.command.redirections.iter();
        let documents =
            documents.filter(|redirection| matches!(redirection.kind, HereDocument | HereString));
        let texts = documents.map(|redirection| &redirection.target);
        let words = self.command.words.iter().filter(|word| word.text.contains("*** "));
        let mut before = None;
        if patches && self.command.connective == Connective::Pipe {
            before = self.at.checked_sub(1).and_then(|at| self.walk.commands.get(at));
        }
        let before = before.into_iter().flat_map(|command| {
            command
                .words
                .iter()
                .chain(command.redirections.iter().map(|redirection| &redirection.target))
        });
        let all: Vec<&Word> = texts.chain(words).chain(before).collect();
        all.into_iter().filter(|word| patches || patch::is_patch(&word.text)).find_map(|word| {
            let text = word.text.replace("\\n", "\n");
            tools::patched(self.protected(), &self.what, &text, self.bases, &mut budget)
        })
    }
}
