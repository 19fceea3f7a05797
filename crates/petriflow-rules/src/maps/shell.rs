//! Shell commands in a call: each command of a command line is looked at on its own.

use std::collections::HashSet;

use petriflow_gate::{Action, Connective, ToolCall};
use petriflow_shell::{Command, Connective as Link, Nature, RedirectionKind, Script, Word, parse};
use serde_json::Value;

use super::field::FieldMaps;
use super::values::text;
use super::{Maps, earlier};

/// Stands for a part that no rule is about. No net can be built about it.
const NOBODY: &str = "";

/// What a command could be.
enum Judged {
    /// It goes by these names; `None` is the tool itself.
    Known {
        names: Vec<Option<u32>>,
        /// Names that it may go by; they forbid, and unlock nothing.
        perhaps: Vec<Option<u32>>,
    },
    /// It does nothing by itself.
    Nothing,
    /// It could be anything, and why.
    Anything(String),
}

impl Maps {
    /// What the commands in a value stand for, in order.
    pub(super) fn commands(
        &self,
        call: &ToolCall,
        field: &FieldMaps,
        value: &Value,
    ) -> Result<Vec<Action>, String> {
        let Some(line) = command_line(value)? else { return Ok(Vec::new()) };
        let Script { commands } = parse(&line).map_err(|error| {
            let line = cut(&line);
            format!("'{line}' cannot be read as a shell command: {error}. Write it more simply.")
        })?;
        let mut judged = Vec::with_capacity(commands.len());
        for command in &commands {
            judged.push(judge(field, command)?);
        }
        let is_tool = |judged: &Judged| match judged {
            Judged::Known { names, perhaps } => names.iter().chain(perhaps).all(Option::is_none),
            Judged::Nothing => true,
            Judged::Anything(_) => false,
        };
        if judged.iter().all(is_tool) {
            // Nothing but the tool itself: the call is what it says.
            return Ok(vec![Action::new(&call.tool)]);
        }
        let mut actions = Vec::with_capacity(commands.len());
        let mut tool_counted = false;
        for (command, judged) in commands.iter().zip(judged) {
            let place = place(&line, command, commands.len() == 1);
            actions.extend(self.parts(call, field, command, judged, &place, &mut tool_counted));
        }
        Ok(actions)
    }

    /// The actions of one command.
    ///
    /// Commands that no map matches are the tool itself, which counts once however many there are:
    /// it is one call. The others keep their places all the same, since what came of the last
    /// command decides what the call's success shows.
    fn parts(
        &self,
        call: &ToolCall,
        field: &FieldMaps,
        command: &Command,
        judged: Judged,
        place: &str,
        tool_counted: &mut bool,
    ) -> Vec<Action> {
        let mut own = || {
            let is_first = !std::mem::replace(tool_counted, true);
            is_first.then_some(call.tool.as_str())
        };
        let mut named = |numbers: &[Option<u32>], known: &[&str]| {
            let mut names: Vec<&str> = Vec::new();
            for number in numbers {
                let name = number.map_or_else(&mut own, |number| Some(self.name(number)));
                names.extend(name.filter(|name| !known.contains(name)));
            }
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(*name));
            names
        };
        let detached = |name: &&str, text: &str| Action::new(*name).with_text(text).detached();
        let (names, perhaps) = match judged {
            Judged::Nothing => (Vec::new(), Vec::new()),
            Judged::Known { names, perhaps } => {
                let names = named(&names, &[]);
                let perhaps = named(&perhaps, &names);
                (names, perhaps)
            }
            Judged::Anything(why) => {
                // Each of them by itself: nothing may rely on what it would unlock.
                let all: Vec<Option<u32>> =
                    [None].into_iter().chain(field.numbers().map(Some)).collect();
                let text = format!("{place}; {why}");
                return named(&all, &[]).iter().map(|name| detached(name, &text)).collect();
            }
        };
        let mut others = names.iter().skip(1);
        let mut action = Action::new(*names.first().unwrap_or(&NOBODY)).with_text(place);
        action.also.extend(others.by_ref().map(|&name| name.to_owned()));
        action.connective = match command.connective {
            Link::AfterSuccess => Connective::AfterSuccess,
            Link::AfterFailure => Connective::AfterFailure,
            Link::First | Link::Sequence | Link::Pipe | Link::Background => Connective::Regardless,
        };
        // What ran elsewhere changed nothing here.
        action.detached = command.may_be_skipped_or_lost() || command.context.remote;
        let mut actions = vec![action];
        actions.extend(perhaps.iter().map(|name| detached(name, place)));
        // A loop runs it more than once, as far as anybody knows.
        if command.context.repeated && actions.iter().any(|action| action.tool != NOBODY) {
            let again: Vec<Action> =
                actions.iter().filter(|action| action.tool != call.tool).cloned().collect();
            actions.extend(again);
        }
        actions
    }
}

/// The text of a command line. A list is the words of one command.
fn command_line(value: &Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(line) => Ok(Some(line.clone())),
        Value::Array(words) => {
            let quoted = words.iter().map(|word| match word {
                Value::Array(_) | Value::Object(_) | Value::Null => None,
                _ => Some(format!("'{}'", text(word).replace('\'', r"'\''"))),
            });
            let quoted: Option<Vec<String>> = quoted.collect();
            let line = quoted.map(|words| words.join(" ")).ok_or_else(no_command)?;
            // Some tools join the words, and a shell would see these.
            let is_operator = |word: &Value| {
                [";", "&&", "||", "|", "&", "\n"].iter().any(|operator| word == operator)
            };
            let ends_find = words.first().is_some_and(|first| first == "find");
            if words.iter().any(is_operator) && !ends_find {
                return Err(
                    "A list is the words of one command, and operators are none; write the \
                            command as one text."
                        .into(),
                );
            }
            Ok(Some(line))
        }
        Value::Bool(_) | Value::Number(_) => Ok(Some(text(value).into_owned())),
        Value::Object(_) => Err(no_command()),
    }
}

fn no_command() -> String {
    "The command is neither a text nor a list of words.".into()
}

/// Which maps match a command, or why it could be anything.
fn judge(field: &FieldMaps, command: &Command) -> Result<Judged, String> {
    if let Some(why) = unknown(field, command)? {
        return Ok(Judged::Anything(why));
    }
    let inner = inner_match(field, command)?;
    let (mut names, mut perhaps) = (Vec::new(), Vec::new());
    let is_known = !is_stranger(field, command)?
        && (inner.is_none() || tells_what_is_done(field, command, inner)?);
    if is_known {
        names.push(inner);
        // A subcommand is a word that the agent chooses: `curl rm` is a `curl`.
        let program = command.program().map(|program| field.first_word(program));
        let program = program.transpose()?.flatten();
        let by_regex = inner.is_some_and(|number| field.is_regex(number));
        perhaps.extend(program.filter(|_| !by_regex).map(Some));
    } else {
        // Some argument matches, or the name of a file: enough to forbid. It must not hide what the
        // command is besides, which is what its beginning says, or the tool itself.
        names.push(None);
        perhaps.push(inner);
        perhaps.extend(done(field, command)?.map(Some));
    }
    let sure = inner.filter(|_| is_known);
    perhaps.extend(possible_matches(field, command, sure).map(Some));
    for wrapper in &command.wrappers {
        let text = joined(&wrapper.words);
        let by_program = text.get(program_path_length(&text)..).unwrap_or_default();
        let (program, arguments) = by_program.split_once(' ').unwrap_or((by_program, ""));
        perhaps.extend(field.first_word(program)?.map(Some));
        perhaps.extend(field.first_argument(arguments)?.map(Some));
        perhaps.extend(field.first_regex(&text)?.map(Some));
        perhaps.extend(field.first_regex_from_start(by_program).map(Some));
    }
    // Patterns may span a wrapper and what it runs.
    if !command.wrappers.is_empty() || !command.assignments.is_empty() {
        let text = command.full_text();
        perhaps.extend(field.first_regex(&text)?.map(Some));
        perhaps.extend(field.first_regex_from_start(&text).map(Some));
    }
    let is_nothing = command.words.is_empty() && command.redirections.is_empty();
    if is_nothing && names.iter().chain(&perhaps).all(Option::is_none) {
        return Ok(Judged::Nothing);
    }
    Ok(Judged::Known { names, perhaps })
}

/// Why a command could be anything, if it could.
fn unknown(field: &FieldMaps, command: &Command) -> Result<Option<String>, String> {
    let every = "so it counts as every mapped command";
    if command.words.first().is_some_and(|word| word.text.contains(char::is_whitespace)) {
        return Ok(Some(format!("a program with a blank in its name is not known, {every}")));
    }
    Ok(match &command.nature {
        Nature::Plain | Nature::Deletion => None,
        Nature::Dynamic { what } => {
            let what = cut(what);
            Some(format!("`{what}` is not known before it runs, {every}; write the command itself"))
        }
        Nature::Opaque { language } => match judged_by_program(field, command)? {
            true => None,
            false => Some(format!("what {language} code does is not known, {every}")),
        },
    })
}

/// The first map that matches the command itself, without its wrappers.
fn inner_match(field: &FieldMaps, command: &Command) -> Result<Option<u32>, String> {
    let (programs, arguments) = bare_text(command);
    let mut found = earlier(field.first_word(&programs)?, field.first_argument(&arguments)?);
    found = earlier(found, field.first_regex(&command.text())?);
    found = earlier(found, field.first_regex(&command.text_by_program())?);
    if command.nature == Nature::Deletion {
        // It deletes as `rm` would, so what is said of `rm` is said of it.
        let rest = joined(command.words.get(1..).unwrap_or_default());
        found = earlier(found, field.first_match(&format!("rm -rf {rest}"))?);
    }
    Ok(found)
}

/// Whether a match tells what is done, and is not only some word that the command is given: `ls cp` is
/// no backup, however sensible it is to refuse it where copying is forbidden.
fn tells_what_is_done(
    field: &FieldMaps,
    command: &Command,
    found: Option<u32>,
) -> Result<bool, String> {
    let from_start = |number: u32| {
        let texts = [command.text(), command.text_by_program()];
        texts.iter().any(|text| field.regex_from_start(number, text))
    };
    Ok(done_by_words(field, command)? == found || found.is_some_and(from_start))
}

/// The first map that matches what is done: the program, its subcommand, or the beginning of the
/// command.
fn done(field: &FieldMaps, command: &Command) -> Result<Option<u32>, String> {
    let by_regex = earlier(
        field.first_regex_from_start(&command.text()),
        field.first_regex_from_start(&command.text_by_program()),
    );
    Ok(earlier(done_by_words(field, command)?, by_regex))
}

fn done_by_words(field: &FieldMaps, command: &Command) -> Result<Option<u32>, String> {
    let Some(program) = command.program() else { return Ok(None) };
    let mut found = field.first_word(program)?;
    let data = command.data_words();
    for (at, word) in subcommands(program, &command.words) {
        let is_name = word.text.chars().all(|c| c.is_alphanumeric() || "_-:.".contains(c));
        if is_name && word.dynamic.is_none() && !data.contains(&at) {
            found = earlier(found, field.first_argument(&word.text)?);
        }
    }
    Ok(found)
}

/// The words right behind the program that may tell what it does: `git push`, `npm run test`.
fn subcommands<'w>(program: &str, words: &'w [Word]) -> impl Iterator<Item = (usize, &'w Word)> {
    let (skipped, count) = match program {
        _ if is_interpreter(program) => match words.get(1) {
            // A module is a program of its own.
            Some(module) if program.starts_with("python") && module.text == "-m" => (2, 1),
            _ => (0, 0),
        },
        _ if OPERANDS.contains(&program) => (0, 0),
        "git" => (1, 1),
        _ => (1, 2),
    };
    let behind = words.iter().enumerate().skip(skipped);
    behind.take_while(|(_, word)| !word.text.starts_with('-')).take(count)
}

fn is_interpreter(program: &str) -> bool {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&program)
}

/// Programs whose arguments are files and texts, never something that they run.
const OPERANDS: [&str; 62] = [
    ":",
    "[",
    "[[",
    "awk",
    "basename",
    "cat",
    "case",
    "cd",
    "chgrp",
    "chmod",
    "chown",
    "cmp",
    "cp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "export",
    "false",
    "file",
    "find",
    "grep",
    "head",
    "kill",
    "less",
    "ln",
    "ls",
    "man",
    "md5sum",
    "mkdir",
    "more",
    "mv",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "realpath",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "set",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "tail",
    "tar",
    "tee",
    "test",
    "touch",
    "tr",
    "true",
    "type",
    "uniq",
    "wc",
    "which",
];

/// Whether a program is only known by the name of a file outside the usual folders: `./ls` may be
/// anything. A pattern that matches the path itself knows it.
fn is_stranger(field: &FieldMaps, command: &Command) -> Result<bool, String> {
    let Some(first) = command.words.first() else { return Ok(false) };
    let (path, name) = first.text.split_at(program_path_length(&first.text));
    let usual =
        ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];
    if path.is_empty() || usual.contains(&path) {
        return Ok(false);
    }
    let by_path = field.first_regex(&command.text())?.is_some();
    let is_named_so = field.first_word(name)?.is_some() && !name.contains('.');
    let by_name = field.first_regex(&command.text_by_program())?.is_some();
    Ok((by_name || is_named_so) && !by_path)
}

/// What bare words are looked for in: what runs, and the arguments that are no data.
fn bare_text(command: &Command) -> (String, String) {
    let data = command.data_words();
    let is_interpreter = command.program().is_some_and(is_interpreter);
    let script = command.words.iter().skip(1).position(|word| !word.text.starts_with('-'));
    let script = script.filter(|_| is_interpreter).map(|at| at.saturating_add(1));
    let is_program = |at: usize| at == 0 || Some(at) == script;
    let numbered = command.words.iter().enumerate().filter(|(at, _)| !data.contains(at));
    let (programs, arguments): (Vec<_>, Vec<_>) = numbered.partition(|&(at, _)| is_program(at));
    let text = |(_, word): (usize, &Word)| word.text.clone();
    let targets = command.redirections.iter().filter(|r| r.kind != RedirectionKind::HereDocument);
    let mut arguments: Vec<String> = arguments.into_iter().map(text).collect();
    arguments.extend(targets.map(|redirection| redirection.target.text.clone()));
    (programs.into_iter().map(text).collect::<Vec<_>>().join(" "), arguments.join(" "))
}

/// Programs whose first argument is what runs.
const INTERPRETERS: [&str; 16] = [
    "bash", "sh", "zsh", "dash", "ksh", "fish", "python", "node", "deno", "bun", "perl", "ruby",
    "php", "lua", "source", ".",
];

/// Maps that arguments which are not known could make the command match, before the one that it
/// surely matches.
fn possible_matches(
    field: &FieldMaps,
    command: &Command,
    sure: Option<u32>,
) -> impl Iterator<Item = u32> {
    let unknown = command.words.iter().position(|word| word.dynamic.is_some()).filter(|&at| at > 0);
    let possible = unknown.map(|at| {
        let known = joined(command.words.get(..at).unwrap_or_default());
        let mut possible = field.possible(&format!("{known} "));
        if let Some((_, by_program)) = known.split_at_checked(program_path_length(&known)) {
            possible.extend(field.possible(&format!("{by_program} ")));
        }
        possible
    });
    let earlier = move |number: &u32| sure.is_none_or(|sure| *number < sure);
    possible.unwrap_or_default().into_iter().filter(earlier)
}

/// How much of a text is the path before its program's name.
fn program_path_length(text: &str) -> usize {
    let program = text.split(' ').next().unwrap_or_default();
    program.rfind('/').map_or(0, |slash| slash.saturating_add(1))
}

/// Whether a map is about the program that runs the code, and so about all that it runs: its name
/// alone matches, or a regex from the beginning of the command on.
fn judged_by_program(field: &FieldMaps, command: &Command) -> Result<bool, String> {
    let Some(program) = command.program() else { return Ok(false) };
    if !petriflow_shell::runs_what_it_is_told(program) {
        return Ok(false);
    }
    let by_text = || field.first_regex_from_start(&command.text_by_program());
    Ok(field.first_match(program)?.is_some() || by_text().is_some())
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Which part of the call it is, for refusals.
fn place(line: &str, command: &Command, is_only: bool) -> String {
    let part = cut(&command.full_text());
    if is_only { format!("in '{part}'") } else { format!("in '{}': '{part}'", cut(line)) }
}

/// Characters of a command that are shown.
const SHOWN_MAX: usize = 100;

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
