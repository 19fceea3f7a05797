//! `petriflow shell`: how a command line is understood.

use std::io::Read;

use petriflow::gate::{Action, Connective as Link, Resolution, Resolver, ToolCall};
use petriflow_shell::{Command, Connective, Context, Nature, ParseError, Script, Word, parse};
use serde_json::{Value, json};

use crate::args::ShellArgs;
use crate::outcome::{Exit, Failure, Outcome};
use crate::rules;
use crate::style::Style;
use crate::text;

/// The command.
pub(crate) fn run(args: &ShellArgs) -> Outcome {
    let line = match command_line(&args.command) {
        Ok(line) => line,
        Err(failure) => return failure.into(),
    };
    let resolution = match resolution(args, &line) {
        Ok(resolution) => resolution,
        Err(outcome) => return outcome,
    };
    let parsed = parse(&line);
    let exit = if parsed.is_ok() { Exit::Clean } else { Exit::Findings };
    let stdout = match args.json {
        true => format!("{:#}\n", as_json(&line, &parsed, resolution.as_ref(), &args.tool)),
        false => human(&line, &parsed, resolution.as_ref(), &args.tool, Style::of_stdout()),
    };
    Outcome::output(stdout, exit)
}

fn command_line(given: &str) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut line = String::new();
    let limit = petriflow_shell::TEXT_MAX.saturating_add(1) as u64;
    let read = std::io::stdin().lock().take(limit).read_to_string(&mut line);
    read.map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
    Ok(line)
}

/// What a call with this command stands for under the rules, if there are any.
fn resolution(args: &ShellArgs, line: &str) -> Result<Option<Resolution>, Outcome> {
    if args.rules.is_empty() {
        return Ok(None);
    }
    let rules = rules::load(&args.rules)?;
    let mut input = serde_json::Map::new();
    input.insert(args.field.clone(), line.into());
    let call = ToolCall::new("shell", &args.tool, Value::Object(input));
    Ok(Some(rules.maps().resolve(&call)))
}

fn human(
    line: &str,
    parsed: &Result<Script, ParseError>,
    resolution: Option<&Resolution>,
    tool: &str,
    style: Style,
) -> String {
    let mut out = String::new();
    match parsed {
        Err(error) => {
            out.push_str(&format!("{} {error}\n", style.bad("not understood:")));
            let before = line.get(..error.offset()).map_or(0, |before| before.chars().count());
            if !line.contains('\n') && line.chars().count() <= text::MESSAGE_MAX {
                out.push_str(&format!("  {}\n", text::shown(line, text::MESSAGE_MAX)));
                out.push_str(&format!("  {}^\n", " ".repeat(before)));
            }
        }
        Ok(script) if script.commands.is_empty() => out.push_str("nothing runs\n"),
        Ok(script) => {
            let last = script.commands.len().saturating_sub(1);
            for (at, command) in script.commands.iter().enumerate() {
                out.push_str(&human_command(command, at == last, style));
            }
        }
    }
    if let Some(resolution) = resolution {
        out.push_str(&human_actions(resolution, tool, style));
    }
    out
}

fn human_command(command: &Command, is_last: bool, style: Style) -> String {
    let branch = if is_last { "└─" } else { "├─" };
    let bar = if is_last { "  " } else { "│ " };
    let link = link(command.connective);
    let shown = |text: &str| text::shown(text, text::MESSAGE_MAX);
    let mut out =
        format!("{branch} {}{}\n", style.faint(link), style.bold(&shown(&command.full_text())));
    let mut note = |what: &str| out.push_str(&format!("{bar}   {}\n", style.faint(what)));
    if !command.wrappers.is_empty() {
        let wrappers: Vec<String> = command.wrappers.iter().map(|w| joined(&w.words)).collect();
        note(&format!("runs `{}` through {}", shown(&command.text()), shown(&wrappers.join(", "))));
    }
    match &command.nature {
        Nature::Plain => {}
        Nature::Dynamic { what } => {
            note(&format!("could be anything: `{}` is not known", shown(what)))
        }
        Nature::Opaque { language } => {
            note(&format!("could do anything: {} code", shown(language)))
        }
        Nature::Deletion => note("deletes files by itself"),
    }
    let unknown: Vec<&str> = command.words.iter().skip(1).filter_map(unknown).collect();
    if !unknown.is_empty() {
        note(&format!("not known: {}", shown(&unknown.join(", "))));
    }
    let contexts = contexts(&command.context);
    if !contexts.is_empty() {
        note(&contexts.join(", "));
    }
    out
}

fn human_actions(resolution: &Resolution, tool: &str, style: Style) -> String {
    let mut out = format!("\n{}\n", style.bold("stands for"));
    let actions = match resolution {
        Resolution::Itself => return format!("{out}  {tool}\n"),
        Resolution::Refused(reason) => {
            let reason = text::shown(reason, text::MESSAGE_MAX);
            return format!("{out}  {} {reason}\n", style.bad("refused"));
        }
        Resolution::Actions(actions) => actions,
    };
    for action in actions.iter().filter(|action| !action.tool.is_empty()) {
        let names: Vec<&str> = action.names().collect();
        let names = names.join(" and ");
        let how = match (action.connective, action.detached) {
            (_, true) => ", whose success is not seen",
            (Link::AfterSuccess, false) => ", after success of the one before",
            (Link::AfterFailure, false) => ", after failure of the one before",
            (Link::Regardless, false) => "",
        };
        let part = action.text.as_deref().unwrap_or_default();
        // The whole line is what was asked about.
        let part = part.split_once("': '").map_or(part.to_owned(), |(_, own)| format!("'{own}"));
        let part = text::shown(&part, text::MESSAGE_MAX);
        out.push_str(&format!("  {names}{how}  {}\n", style.faint(&part)));
    }
    out
}

fn as_json(
    line: &str,
    parsed: &Result<Script, ParseError>,
    resolution: Option<&Resolution>,
    tool: &str,
) -> Value {
    let mut report = serde_json::Map::new();
    let mut add = |key: &str, value: Value| {
        report.insert(key.to_owned(), value);
    };
    add("version", json!(1));
    add("command", json!(line));
    match parsed {
        Ok(script) => add("commands", script.commands.iter().map(json_command).collect()),
        Err(error) => {
            add("error", json!({ "message": error.to_string(), "offset": error.offset() }));
        }
    }
    match resolution {
        None => {}
        Some(Resolution::Itself) => add("actions", json!([json_action(&Action::new(tool))])),
        Some(Resolution::Refused(reason)) => add("refused", json!(reason)),
        Some(Resolution::Actions(actions)) => {
            let real = actions.iter().filter(|action| !action.tool.is_empty());
            add("actions", real.map(json_action).collect());
        }
    }
    Value::Object(report)
}

fn json_command(command: &Command) -> Value {
    let (nature, detail) = match &command.nature {
        Nature::Plain => ("plain", None),
        Nature::Dynamic { what } => ("dynamic", Some(what)),
        Nature::Opaque { language } => ("opaque", Some(language)),
        Nature::Deletion => ("deletion", None),
    };
    let words = |words: &[Word]| -> Value { words.iter().map(json_word).collect() };
    let redirections = command.redirections.iter().map(|redirection| {
        json!({
            "fd": redirection.fd,
            "kind": format!("{:?}", redirection.kind).to_lowercase(),
            "target": json_word(&redirection.target),
        })
    });
    let assignments = command.assignments.iter().map(
        |assignment| json!({ "name": assignment.name, "value": json_word(&assignment.value) }),
    );
    json!({
        "text": command.text(),
        "program": command.program(),
        "words": words(&command.words),
        "assignments": assignments.collect::<Vec<_>>(),
        "redirections": redirections.collect::<Vec<_>>(),
        "connective": connective_name(command.connective),
        "context": contexts(&command.context),
        "wrappers": command.wrappers.iter().map(|w| words(&w.words)).collect::<Vec<_>>(),
        "nature": nature,
        "detail": detail,
        "successSeen": !command.may_be_skipped_or_lost(),
        "span": [command.span.start, command.span.end],
    })
}

fn json_word(word: &Word) -> Value {
    json!({ "text": word.text, "unknown": word.dynamic.as_ref().map(|dynamic| &dynamic.what) })
}

fn json_action(action: &Action) -> Value {
    json!({
        "names": action.names().collect::<Vec<_>>(),
        "connective": match action.connective {
            Link::AfterSuccess => "afterSuccess",
            Link::AfterFailure => "afterFailure",
            Link::Regardless => "regardless",
        },
        "detached": action.detached,
        "part": action.text,
    })
}

fn link(connective: Connective) -> &'static str {
    match connective {
        Connective::First => "",
        Connective::AfterSuccess => "&& ",
        Connective::AfterFailure => "|| ",
        Connective::Sequence => "; ",
        Connective::Pipe => "| ",
        Connective::Background => "& ",
    }
}

fn connective_name(connective: Connective) -> &'static str {
    match connective {
        Connective::First => "first",
        Connective::AfterSuccess => "afterSuccess",
        Connective::AfterFailure => "afterFailure",
        Connective::Sequence => "sequence",
        Connective::Pipe => "pipe",
        Connective::Background => "background",
    }
}

fn contexts(context: &Context) -> Vec<&'static str> {
    let Context {
        condition,
        repeated,
        function,
        subshell,
        substitution,
        background,
        pipeline,
        negated,
        remote,
    } = *context;
    let named = [
        (condition, "condition"),
        (repeated, "loop"),
        (function, "function"),
        (subshell, "subshell"),
        (substitution, "substitution"),
        (background, "background"),
        (pipeline, "pipeline"),
        (negated, "negated"),
        (remote, "remote"),
    ];
    named.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect()
}

fn unknown(word: &Word) -> Option<&str> {
    word.dynamic.as_ref().map(|dynamic| dynamic.what.as_str())
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}
