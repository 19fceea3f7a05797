//! `find`: what it executes, and what it deletes itself.

use super::options::{is_environment, may_be_option, split, what};
use super::runner::replace;
use super::{Opened, REPEATED, WRAPPED_MAX};
use crate::command::{Nature, Word};

/// Tests with one value: a word behind them is not an action, whatever it holds.
const WITH_VALUE: [&str; 31] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-newer",
    "-anewer",
    "-cnewer",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-perm",
    "-user",
    "-group",
    "-links",
    "-inum",
    "-printf",
    "-samefile",
    "-lname",
];

/// Most commands of one `find`.
const PARTS_MAX: usize = 64;

pub(super) fn find(words: &[Word]) -> Opened {
    let mut own = Vec::new();
    let mut commands = Vec::new();
    let mut deletes = false;
    let mut expression = false;
    let mut value = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let is_value = std::mem::take(&mut value);
        if let Some(text) = word.known() {
            match text {
                _ if is_value => {}
                "-exec" | "-execdir" | "-ok" | "-okdir" => match executed(&mut rest) {
                    // Each is a command of its own, with all that surrounds it.
                    Some(_) if commands.len() >= PARTS_MAX || words.len() > WRAPPED_MAX => {
                        return Opened::dynamic(text);
                    }
                    Some(command) => {
                        commands.push(command);
                        continue;
                    }
                    None => return Opened::dynamic(text),
                },
                "-delete" => deletes = true,
                // These write files under a name of their own.
                "-fprint" | "-fprint0" | "-fls" | "-fprintf" => return Opened::dynamic(text),
                _ => {
                    expression |= text.starts_with('-') || matches!(text, "(" | "!");
                    value = WITH_VALUE.contains(&text) || text.starts_with("-newer");
                }
            }
        } else if !certainly_no_action(word, is_value, expression) {
            return Opened::dynamic(what(word));
        }
        own.push(word.clone());
    }
    if deletes {
        let deletion = Opened::Nature(Nature::Deletion);
        if commands.is_empty() {
            return deletion;
        }
        let mut several: Vec<Opened> =
            commands.iter().map(|command| Opened::command(&own, command, REPEATED)).collect();
        several.push(deletion);
        return Opened::Several(several);
    }
    match commands.is_empty() {
        true => Opened::Plain,
        false => Opened::Several(
            commands.iter().map(|command| Opened::command(&own, command, REPEATED)).collect(),
        ),
    }
}

/// Whether a word that is not known cannot be `-exec` or `-delete`.
fn certainly_no_action(word: &Word, is_value: bool, expression: bool) -> bool {
    if is_value {
        return !word.is_many();
    }
    // `"$(echo -delete)"` is one word, and an action.
    if !word.is_many() && may_be_option(word) && !is_environment(word, &word.text) {
        return false;
    }
    // A path: quoted, or with something in front that no action begins with.
    let prefixed = !word.text.starts_with(['-', '$', '`', '(', '!']);
    !expression && (prefixed || !word.is_many())
}

/// The words up to `;` or `{} +`, with what `find` puts in marked.
fn executed<'w>(rest: &mut impl Iterator<Item = &'w Word>) -> Option<Vec<Word>> {
    let mut command: Vec<Word> = Vec::new();
    for word in rest {
        let ends = match word.known() {
            Some(";") => true,
            Some("+") => command.last().is_some_and(|last| last.text == "{}"),
            _ => false,
        };
        if ends {
            let many = word.text == "+";
            replace(&mut command, "{}", many);
            return (!command.is_empty()).then_some(command);
        }
        command.push(word.clone());
    }
    None
}

/// `fd … -x command` runs the rest of its words.
pub(super) fn fd(words: &[Word]) -> Opened {
    for (position, word) in words.iter().enumerate().skip(1) {
        let text = word.text.as_str();
        let exact = matches!(text, "-x" | "-X" | "--exec" | "--exec-batch");
        if exact && !word.is_dynamic() {
            let (own, command) = split(words, position.saturating_add(1));
            if command.is_empty() || command.iter().any(|word| word.text == ";") {
                return Opened::dynamic(text);
            }
            let mut command = command.to_vec();
            for word in command.iter_mut().filter(|word| word.text.contains('{')) {
                *word = Word::unknown(word.text.clone(), true);
            }
            command.push(Word::unknown("files found by fd", true));
            return Opened::command(own, &command, REPEATED);
        }
        let cluster = text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']);
        let unknown = word.is_many() && text.starts_with(['$', '`']);
        if cluster || unknown || text.starts_with("--ex") && !text.starts_with("--exclude") {
            return Opened::dynamic(text);
        }
    }
    Opened::Plain
}
