//! `petriflow shell`: how a command line is understood.

use std::io::Read;

use petriflow::gate::{Action, Connective as Link, Resolution, Resolver, ToolCall};
use petriflow_shell::{
    Command, Connective, Context, Nature, ParseError, RedirectionKind, Script, Word, parse,
};
use serde::Serialize;
use serde_json::Value;

use crate::args::ShellArgs;
use crate::outcome::{Exit, Failure, Outcome, json};
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
        true => json(&as_json(&line, &parsed, resolution.as_ref(), &args.tool)),
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

#[derive(Serialize)]
struct JsonReport<'r> {
    version: u32,
    command: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<Vec<JsonCommand<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JsonError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Vec<JsonAction>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'r str>,
}

#[derive(Serialize)]
struct JsonError {
    message: String,
    offset: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCommand<'r> {
    text: String,
    program: Option<&'r str>,
    words: Vec<JsonWord<'r>>,
    assignments: Vec<JsonAssignment<'r>>,
    redirections: Vec<JsonRedirection<'r>>,
    connective: &'static str,
    context: Vec<&'static str>,
    wrappers: Vec<Vec<JsonWord<'r>>>,
    nature: &'static str,
    detail: Option<&'r str>,
    success_seen: bool,
    span: [usize; 2],
}

#[derive(Serialize)]
struct JsonWord<'r> {
    text: &'r str,
    unknown: Option<&'r str>,
}

#[derive(Serialize)]
struct JsonAssignment<'r> {
    name: &'r str,
    value: JsonWord<'r>,
}

#[derive(Serialize)]
struct JsonRedirection<'r> {
    fd: Option<u32>,
    kind: &'static str,
    target: JsonWord<'r>,
}

#[derive(Serialize)]
struct JsonAction {
    names: Vec<String>,
    connective: &'static str,
    detached: bool,
    part: Option<String>,
}

fn as_json<'r>(
    line: &'r str,
    parsed: &'r Result<Script, ParseError>,
    resolution: Option<&'r Resolution>,
    tool: &str,
) -> JsonReport<'r> {
    let (actions, refused) = match resolution {
        None => (None, None),
        Some(Resolution::Itself) => (Some(vec![json_action(&Action::new(tool))]), None),
        Some(Resolution::Refused(reason)) => (None, Some(reason.as_str())),
        Some(Resolution::Actions(actions)) => {
            let real = actions.iter().filter(|action| !action.tool.is_empty());
            (Some(real.map(json_action).collect()), None)
        }
    };
    let error =
        |error: &ParseError| JsonError { message: error.to_string(), offset: error.offset() };
    JsonReport {
        version: 1,
        command: line,
        commands: parsed.as_ref().ok().map(|s| s.commands.iter().map(json_command).collect()),
        error: parsed.as_ref().err().map(error),
        actions,
        refused,
    }
}

fn json_command(command: &Command) -> JsonCommand<'_> {
    let (nature, detail) = match &command.nature {
        Nature::Plain => ("plain", None),
        Nature::Dynamic { what } => ("dynamic", Some(what.as_str())),
        Nature::Opaque { language } => ("opaque", Some(language.as_str())),
        Nature::Deletion => ("deletion", None),
    };
    let redirections = command.redirections.iter().map(|redirection| JsonRedirection {
        fd: redirection.fd,
        kind: redirection_name(redirection.kind),
        target: json_word(&redirection.target),
    });
    let assignments = command.assignments.iter().map(|assignment| JsonAssignment {
        name: &assignment.name,
        value: json_word(&assignment.value),
    });
    let wrappers = command.wrappers.iter().map(|w| w.words.iter().map(json_word).collect());
    JsonCommand {
        text: command.text(),
        program: command.program(),
        words: command.words.iter().map(json_word).collect(),
        assignments: assignments.collect(),
        redirections: redirections.collect(),
        connective: connective_name(command.connective),
        context: contexts(&command.context),
        wrappers: wrappers.collect(),
        nature,
        detail,
        success_seen: !command.may_be_skipped_or_lost(),
        span: [command.span.start, command.span.end],
    }
}

fn redirection_name(kind: RedirectionKind) -> &'static str {
    match kind {
        RedirectionKind::Read => "read",
        RedirectionKind::Write => "write",
        RedirectionKind::Append => "append",
        RedirectionKind::Clobber => "clobber",
        RedirectionKind::ReadWrite => "readWrite",
        RedirectionKind::HereDocument => "hereDocument",
        RedirectionKind::HereString => "hereString",
        RedirectionKind::Duplicate => "duplicate",
    }
}

fn json_word(word: &Word) -> JsonWord<'_> {
    JsonWord { text: &word.text, unknown: unknown(word) }
}

fn json_action(action: &Action) -> JsonAction {
    JsonAction {
        names: action.names().map(str::to_owned).collect(),
        connective: match action.connective {
            Link::AfterSuccess => "afterSuccess",
            Link::AfterFailure => "afterFailure",
            Link::Regardless => "regardless",
        },
        detached: action.detached,
        part: action.text.clone(),
    }
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
