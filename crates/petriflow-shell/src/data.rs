//! Which words of a command are only data: text that a known program prints, records or looks for.

use crate::command::{Command, Nature, Word, base_name};

impl Command {
    /// Indexes of the words that are data to a known printing or committing program: what `echo`
    /// prints, a commit's message, a pattern of `grep`. They say nothing about what runs.
    ///
    /// Only what is certain is listed. A substitution in such a word is a command of its own.
    pub fn data_words(&self) -> Vec<usize> {
        if !matches!(self.nature, Nature::Plain) {
            return Vec::new();
        }
        let Some((first, arguments)) = self.words.split_first() else { return Vec::new() };
        // A name with a path could be any program.
        let data = match first.known().map(|text| (text, base_name(text))) {
            Some((
                "echo" | "printf" | ":" | "true" | "false" | "logger" | "((" | "[[" | "[" | "test",
                _,
            )) => (0..arguments.len()).collect(),
            // Names that are looked up, not run. A pager could be told otherwise only by options.
            Some((
                "which" | "type" | "whereis" | "whatis" | "apropos" | "help" | "man" | "hash",
                _,
            )) if !arguments
                .iter()
                .any(|word| word.text.starts_with("-P") || word.text == "-H") =>
            {
                (0..arguments.len()).collect()
            }
            Some(("git", _)) => git(arguments),
            Some(("grep" | "egrep" | "fgrep" | "rg" | "ag" | "zgrep", _)) => pattern(arguments),
            _ => Vec::new(),
        };
        data.into_iter().map(|index: usize| index.saturating_add(1)).collect()
    }
}

/// Messages of `git commit`, `git tag`, `git stash`, `git merge` and `git notes`.
fn git(arguments: &[Word]) -> Vec<usize> {
    let Some(sub) = arguments.first().and_then(Word::known) else { return Vec::new() };
    let mut data = Vec::new();
    if sub == "grep" {
        return pattern(arguments.get(1..).unwrap_or_default())
            .into_iter()
            .map(|index| index.saturating_add(1))
            .collect();
    }
    if !matches!(sub, "commit" | "tag" | "stash" | "merge" | "notes") {
        return data;
    }
    for (index, word) in arguments.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        let before = index
            .checked_sub(1)
            .and_then(|before| arguments.get(before))
            .map_or("", |word| word.text.as_str());
        // Options behind which the message stands, alone or at the end of a cluster (`-am`).
        let takes = matches!(before, "--message" | "--file")
            || (before.starts_with('-')
                && !before.starts_with("--")
                && before.len() <= 4
                && before.ends_with(['m', 'F']));
        let holds = ["--message=", "--file="].iter().any(|option| text.starts_with(option));
        if before == "--" || text == "--" {
            break;
        }
        if (takes && index > 1) || holds {
            data.push(index);
        }
    }
    data
}

/// The pattern of a search: the value of `-e`, or the first operand.
fn pattern(arguments: &[Word]) -> Vec<usize> {
    const WITH_VALUE: [&str; 18] = [
        "-A",
        "-B",
        "-C",
        "-m",
        "-d",
        "-D",
        "-g",
        "-t",
        "-T",
        "-j",
        "-M",
        "-f",
        "--include",
        "--exclude",
        "--exclude-dir",
        "--glob",
        "--type",
        "--max-count",
    ];
    let mut data = Vec::new();
    let mut skip = false;
    let mut explicit = false;
    for (index, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        if std::mem::take(&mut skip) {
            continue;
        }
        if explicit {
            data.push(index);
            return data;
        }
        match text {
            "-e" | "--regexp" => explicit = true,
            _ if WITH_VALUE.contains(&text) => skip = true,
            _ if text.starts_with('-') && text.len() > 1 => {}
            _ => {
                data.push(index);
                return data;
            }
        }
    }
    data
}
