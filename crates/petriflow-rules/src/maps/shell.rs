//! Shell commands in a call: each command of a command line is looked at on its own.

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
    Known(Vec<Option<u32>>),
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
            Judged::Known(names) => names.iter().all(Option::is_none),
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
        let mut names: Vec<&str> = Vec::new();
        let mut add = |name| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        let mut own = |add: &mut dyn FnMut(_)| {
            if !std::mem::replace(tool_counted, true) {
                add(call.tool.as_str());
            }
        };
        match &judged {
            Judged::Nothing => {}
            Judged::Known(numbers) => {
                for number in numbers {
                    match number {
                        Some(number) => add(self.name(*number)),
                        None => own(&mut add),
                    }
                }
            }
            Judged::Anything(_) => {
                own(&mut add);
                field.numbers().for_each(|number| add(self.name(number)));
            }
        }
        if let Judged::Anything(why) = judged {
            // Each of them by itself: nothing may rely on what it would unlock.
            let text = format!("{place}; {why}");
            let part = |name: &&str| Action::new(*name).with_text(&text).detached();
            return names.iter().map(part).collect();
        }
        let mut names = names.into_iter();
        let mut action = Action::new(names.next().unwrap_or(NOBODY)).with_text(place);
        action.also.extend(names.map(str::to_owned));
        action.connective = match command.connective {
            Link::AfterSuccess => Connective::AfterSuccess,
            Link::AfterFailure => Connective::AfterFailure,
            Link::First | Link::Sequence | Link::Pipe | Link::Background => Connective::Regardless,
        };
        // What ran elsewhere changed nothing here.
        action.detached = command.may_be_skipped_or_lost() || command.context.remote;
        vec![action]
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
            let words: Option<Vec<String>> = quoted.collect();
            words.map(|words| Some(words.join(" "))).ok_or_else(no_command)
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
    let inner = inner_match(field, command)?;
    let why = match &command.nature {
        Nature::Plain | Nature::Deletion => None,
        Nature::Dynamic { what } => {
            let what = cut(what);
            Some(format!(
                "`{what}` is not known before it runs, so it counts as every mapped command; write the command itself"
            ))
        }
        Nature::Opaque { language } => match judged_by_program(field, command)? {
            true => None,
            false => Some(format!(
                "what {language} code does is not known, so it counts as every mapped command"
            )),
        },
    };
    if let Some(why) = why {
        return Ok(Judged::Anything(why));
    }
    let mut names = vec![inner];
    names.extend(possible_matches(field, command, inner).map(Some));
    for wrapper in &command.wrappers {
        let text = joined(&wrapper.words);
        let by_program = text.get(program_path_length(&text)..).unwrap_or_default();
        let (program, arguments) = by_program.split_once(' ').unwrap_or((by_program, ""));
        let mut found = earlier(field.first_word(program)?, field.first_argument(arguments)?);
        found = earlier(found, field.first_regex(&text)?);
        names.extend(earlier(found, field.first_regex(by_program)?).map(Some));
    }
    // Patterns may span a wrapper and what it runs.
    if !command.wrappers.is_empty() || !command.assignments.is_empty() {
        names.extend(field.first_regex(&command.full_text())?.map(Some));
    }
    let is_nothing = command.words.is_empty() && command.redirections.is_empty();
    if is_nothing && names.iter().all(Option::is_none) {
        return Ok(Judged::Nothing);
    }
    Ok(Judged::Known(names))
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

/// What bare words are looked for in: what runs, and the arguments that are no data.
fn bare_text(command: &Command) -> (String, String) {
    let data = command.data_words();
    let is_interpreter = command.program().is_some_and(|program| {
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        INTERPRETERS.contains(&name)
    });
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
    Ok(field.first_match(program)?.is_some() || field.matches_beginning(&command.text_by_program()))
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
