//! Files that the text itself writes: running one of them runs what nobody has looked at.

use std::collections::HashSet;

use super::Invocation;
use crate::command::{RedirectionKind, Word, base_name};

/// Programs that write the files they name.
const WRITERS: [&str; 14] = [
    "tee", "cp", "mv", "ln", "install", "dd", "curl", "wget", "rsync", "scp", "patch", "xxd",
    "base64", "openssl",
];

#[derive(Default)]
pub(super) struct Files {
    written: HashSet<String>,
    /// Something was written under a name that is not known.
    unknown: bool,
    /// Something may have ended the shell: `exit`, `exec`, `set -n`.
    pub(super) ended: bool,
}

impl Files {
    pub(super) fn note(&mut self, invocation: &Invocation) {
        use RedirectionKind::{Append, Clobber, ReadWrite, Write};
        for redirection in &invocation.redirections {
            if matches!(redirection.kind, Write | Append | Clobber | ReadWrite) {
                self.add(&redirection.target);
            }
        }
        let program = invocation.words.first().map_or("", |word| base_name(&word.text));
        if WRITERS.contains(&program) {
            invocation.words.iter().skip(1).for_each(|word| self.add(word));
        }
    }

    fn add(&mut self, word: &Word) {
        match word.known() {
            Some("/dev/null" | "/dev/stderr" | "/dev/stdout") => {}
            Some(text) => {
                let path = text.rsplit('=').next().unwrap_or(text);
                self.written.insert(base_name(path).to_owned());
            }
            None => self.unknown = true,
        }
    }

    pub(super) fn nothing_written(&self) -> bool {
        self.written.is_empty() && !self.unknown
    }

    /// Whether a program may be a file that the text has written.
    pub(super) fn may_be_written_program(&self, word: &Word) -> bool {
        // A bare name is looked for elsewhere, unless it is a builtin and not looked for at all.
        const BUILTINS: [&str; 12] = [
            "test", "[", "echo", "printf", "cd", "true", "false", "kill", "pwd", "read", "set",
            "export",
        ];
        !self.nothing_written()
            && !BUILTINS.contains(&word.text.as_str())
            && self.may_be_written(word)
    }

    /// Whether a word may name a file that the text has written.
    pub(super) fn may_be_written(&self, word: &Word) -> bool {
        match word.known() {
            Some(text) => {
                let name = base_name(text);
                !name.is_empty()
                    && (self.written.contains(name) || (self.unknown && text.contains('/')))
            }
            None => self.unknown || !self.written.is_empty(),
        }
    }

    /// Whether one of these files was written, or may have been.
    pub(super) fn any_written(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.written.contains(*name))
    }
}
