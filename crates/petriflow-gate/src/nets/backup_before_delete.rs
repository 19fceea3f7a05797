//! Nothing is deleted that was not backed up before.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::command::{self, Command, CommandLine, Word};
use super::paths;
use crate::{Attempt, Mapper, Meta, SkillNet, SkillNetError, ToolCall, Transition};

/// Backups remembered at once; further ones still run, and the oldest is forgotten.
const BACKUPS_MAX: u64 = 64;

/// Lets something be deleted only if it, or a directory above it, was backed up successfully before.
///
/// - Tools `backup` and `delete` with a `path`, and shell commands: `cp`, `rsync`, `tar -c` and
///   `backup` back up what they copy *from*; `rm`, `rmdir`, `unlink`, `shred`, `trash`,
///   `find -delete`, `git rm` and `git clean` delete.
/// - A backup counts when it has succeeded. A delete uses up the backups that covered it, so what is
///   written there afterwards must be backed up anew; a backup that was under way meanwhile does not
///   count for it.
/// - It counts only if it surely keeps everything somewhere else: plain options, a target outside of
///   what is saved, both paths absolute or both relative.
/// - Paths are compared as text, with `.` and `..` resolved: `/data` covers `/data/a` and not
///   `/database`. A relative path covers only relative ones, until the directory changes (`cd`).
///   Links are not followed.
/// - A delete must be a command by itself, in plain words. Whatever could hide one (expansions,
///   `sudo`, `bash -c`, `xargs`, several commands one of which deletes) is refused with that advice.
/// - Programs that delete in other ways (`make clean`, a script) are not seen.
///
/// ```
/// use petriflow_gate::{Policy, Session, Timestamp, ToolCall, ToolResult, nets};
/// use serde_json::json;
///
/// let mut session = Session::new(&Policy::new([nets::backup_before_delete()?])?);
/// let bash = |id: &str, command: &str| ToolCall::new(id, "bash", json!({ "command": command }));
/// let backup = bash("1", "cp -r /data /backup/data");
/// assert!(session.decide(&backup, Timestamp(0)).is_allowed());
/// session.result(&ToolResult::success(&backup));
/// assert!(!session.decide(&bash("2", "rm -r /database"), Timestamp(0)).is_allowed());
/// assert!(session.decide(&bash("3", "rm -r /data/old"), Timestamp(0)).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in practice: the net is fixed.
pub fn backup_before_delete() -> Result<SkillNet, SkillNetError> {
    let backup = |name: &str| Transition::auto(name).tools(["backup"]).deferred();
    SkillNet::builder("backup-before-delete")
        .places(["room", "backups", "here"])
        .initial("room", BACKUPS_MAX)
        .initial("here", 1)
        .transition(backup("backup").from(["room"]).to(["backups"]))
        .transition(
            backup("backupAgain").takes("backups", BACKUPS_MAX).puts("backups", BACKUPS_MAX),
        )
        .transition(Transition::auto("delete").from(["backups"]).to(["room"]).tools(["delete"]))
        .transition(Transition::auto("move").from(["here"]).to(["here"]).tools([CHANGE_DIRECTORY]))
        .mapper(Arc::new(CommandMapper))
        .validator(validate)
        .on_deferred_result(record)
        .label("backup-before-delete 1")
        .build()
}

/// A virtual tool: relative paths mean something else from here on.
const CHANGE_DIRECTORY: &str = "change-directory";

struct CommandMapper;

impl Mapper for CommandMapper {
    fn map<'a>(&'a self, call: &'a ToolCall) -> Cow<'a, str> {
        let Some(line) = command::of_call(call) else { return Cow::Borrowed(&call.tool) };
        Cow::Borrowed(match line {
            // It could delete something; the validator says so.
            CommandLine::Opaque => "delete",
            CommandLine::Plain(commands) => match commands.as_slice() {
                commands if commands.iter().any(deletes) => "delete",
                commands if commands.iter().any(changes_directory) => CHANGE_DIRECTORY,
                [only] if backup_of(only, call).is_some() => "backup",
                _ => &call.tool,
            },
        })
    }
}

fn changes_directory(command: &Command) -> bool {
    ["cd", "pushd", "popd"].contains(&command.program())
}

fn deletes(command: &Command) -> bool {
    match command.program() {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" | "trash-put" => true,
        "find" => command.has_arg(|arg| {
            ["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fls"].contains(&arg)
        }),
        // Options before the subcommand (`-c alias.x=clean`) and words of other commands can do it too.
        "git" => {
            let first = command.args().first().map_or("", |word| word.text.as_str());
            let names_it = |arg: &str| {
                arg.split(|c: char| !c.is_alphanumeric())
                    .any(|word| ["rm", "clean"].contains(&word))
            };
            first.starts_with('-') || first == "submodule" || command.has_arg(names_it)
        }
        // Options that delete what was copied, or run a program of their own.
        "tar" => has_option(
            command,
            &["-I", "-F", "--use", "--check", "--to-c", "--rem", "--inf", "--rsh", "--new-vol"],
        ),
        "rsync" => has_option(command, &["-e", "--rsh", "--rem", "--del", "--rsync"]),
        _ => false,
    }
}

/// Whether an argument begins like one of these options; long ones may be abbreviated.
fn has_option(command: &Command, options: &[&str]) -> bool {
    command.has_arg(|arg| options.iter().any(|option| arg.starts_with(option)))
}

/// What a backup command copies from, if it surely copies all of it somewhere else.
fn backup_of(command: &Command, call: &ToolCall) -> Option<Vec<String>> {
    if command.args().iter().any(|word| word.is_glob) || command.redirects_output {
        return None;
    }
    let (sources, target) = match command.program() {
        "backup" => (operands(command, "")?, None),
        "cp" => split_target(operands(command, "rRapfvL")?)?,
        "rsync"
            if command.has_arg(|arg| {
                !arg.starts_with("--") && arg.starts_with('-') && arg.contains(['a', 'r'])
            }) =>
        {
            split_target(operands(command, "avrzPh")?)?
        }
        "tar" => tar_operands(command)?,
        _ => return None,
    };
    let sources: Vec<String> =
        sources.iter().map(|path| paths::normalise(path)).collect::<Option<_>>()?;
    let sources = located(call, sources).ok()?;
    if let Some(target) = target {
        let target = located(call, vec![paths::normalise(&target)?]).ok()?.pop()?;
        let is_elsewhere = |source: &String| {
            // A copy inside what is copied goes with it, one into its own directory may be itself, and
            // where only one of the two is known nothing can be told.
            let own_directory = source.rsplit_once('/').map_or(".", |(parent, _)| parent);
            source.starts_with('/') == target.starts_with('/')
                && !paths::contains(source, &target)
                && own_directory != target
        };
        let keeps_nothing = ["/dev", "/proc"].iter().any(|place| paths::contains(place, &target));
        if keeps_nothing || !sources.iter().all(is_elsewhere) {
            return None;
        }
    }
    if sources.is_empty() { None } else { Some(sources) }
}

/// The arguments that are no options; `None` if there is an option not made of these letters.
fn operands(command: &Command, letters: &str) -> Option<Vec<String>> {
    let mut operands = Vec::new();
    for Word { text, .. } in command.args() {
        match text.strip_prefix('-') {
            Some(options)
                if !options.is_empty() && options.chars().all(|c| letters.contains(c)) => {}
            Some(_) => return None,
            None => operands.push(text.clone()),
        }
    }
    Some(operands)
}

type SourcesAndTarget = (Vec<String>, Option<String>);

fn split_target(mut operands: Vec<String>) -> Option<SourcesAndTarget> {
    let target = operands.pop()?;
    if operands.is_empty() { None } else { Some((operands, Some(target))) }
}

/// `tar czf ARCHIVE SOURCE…`
fn tar_operands(command: &Command) -> Option<SourcesAndTarget> {
    let mut words = command.args().iter().map(|word| word.text.clone());
    let mode = words.next()?;
    let mode = mode.strip_prefix('-').unwrap_or(&mode);
    let creates =
        mode.contains('c') && mode.ends_with('f') && mode.chars().all(|c| "cvzjJf".contains(c));
    let archive = words.next()?;
    let sources: Vec<String> = words.collect();
    let plain = !sources.iter().any(|source| source.starts_with('-')) && !archive.starts_with('-');
    (creates && plain && !sources.is_empty()).then_some((sources, Some(archive)))
}

fn validate(attempt: &Attempt<'_>, meta: &mut Meta) -> Result<(), String> {
    match attempt.tool {
        "delete" => {
            let targets = deleted_by(attempt.call)?;
            use_up(meta, &targets)?;
            // A backup under way may have saved what was there before.
            let touched = |path: &str| {
                targets.iter().any(|t| paths::contains(path, t) || paths::contains(t, path))
            };
            forget_begun(meta, touched);
            Ok(())
        }
        "backup" => begin(attempt, meta),
        CHANGE_DIRECTORY => {
            let relative = |path: &str| !path.starts_with('/');
            list(meta, BACKUPS).retain(|backup| !backup.as_str().is_some_and(relative));
            forget_begun(meta, relative);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Notes what a backup saves when it begins, as `[id, path, …]`.
fn begin(attempt: &Attempt<'_>, meta: &mut Meta) -> Result<(), String> {
    let id = Value::String(attempt.call.id.clone());
    let sources = sources_of(attempt.call)?.into_iter().map(Value::String);
    let begun = list(meta, BEGUN);
    begun.push(Value::Array([id].into_iter().chain(sources).collect()));
    let surplus = begun.len().saturating_sub(BACKUPS_MAX as usize);
    begun.drain(..surplus);
    Ok(())
}

/// Takes paths out of the backups under way, so that their success does not count for them.
fn forget_begun(meta: &mut Meta, is_forgotten: impl Fn(&str) -> bool) {
    for begun in list(meta, BEGUN).iter_mut().filter_map(Value::as_array_mut) {
        let mut at: usize = 0;
        begun.retain(|path| {
            at = at.saturating_add(1);
            at == 1 || !path.as_str().is_some_and(&is_forgotten)
        });
    }
}

/// Counts what a backup that has succeeded still stands for.
fn record(attempt: &Attempt<'_>, meta: &mut Meta) {
    let is_this = |begun: &Value| begun.get(0).and_then(Value::as_str) == Some(&attempt.call.id);
    let Some(at) = list(meta, BEGUN).iter().position(is_this) else { return };
    let Value::Array(begun) = list(meta, BEGUN).remove(at) else { return };
    let backups = list(meta, BACKUPS);
    for source in begun.into_iter().skip(1) {
        backups.retain(|known| *known != source);
        backups.push(source);
    }
    let surplus = backups.len().saturating_sub(BACKUPS_MAX as usize);
    backups.drain(..surplus);
}

const BACKUPS: &str = "backups";
const BEGUN: &str = "begun";

fn list<'m>(meta: &'m mut Meta, name: &str) -> &'m mut Vec<Value> {
    let entry = meta.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    if !entry.is_array() {
        *entry = Value::Array(Vec::new());
    }
    match entry {
        Value::Array(list) => list,
        // It was made an array just now.
        _ => unreachable!("an array"),
    }
}

/// Every target must be covered; the backups that cover them are gone afterwards.
fn use_up(meta: &mut Meta, targets: &[String]) -> Result<(), String> {
    let backups = list(meta, BACKUPS);
    let covers = |backup: &Value, target: &str| {
        backup.as_str().is_some_and(|backup| paths::contains(backup, target))
    };
    if let Some(target) = targets.iter().find(|target| !backups.iter().any(|b| covers(b, target))) {
        return Err(format!(
            "'{target}' is not backed up; back it up, or a directory above it, first."
        ));
    }
    backups.retain(|backup| !targets.iter().any(|target| covers(backup, target)));
    Ok(())
}

/// What a call backs up, as normalised paths.
fn sources_of(call: &ToolCall) -> Result<Vec<String>, String> {
    let sources = match command::of_call(call) {
        Some(CommandLine::Plain(commands)) => match commands.as_slice() {
            [only] => backup_of(only, call),
            _ => None,
        },
        Some(CommandLine::Opaque) => None,
        None => path_fields(call),
    };
    located(call, sources.ok_or("the backup does not name what it saves in plain words.")?)
}

/// What a call deletes, as normalised paths.
fn deleted_by(call: &ToolCall) -> Result<Vec<String>, String> {
    const ADVICE: &str =
        "this could delete something; run the delete as a command by itself, in plain words.";
    let targets = match command::of_call(call) {
        Some(CommandLine::Plain(commands)) => match commands.as_slice() {
            [only] => targets_of(only),
            _ => None,
        },
        Some(CommandLine::Opaque) => None,
        None => path_fields(call),
    };
    let targets = targets.filter(|targets| !targets.is_empty()).ok_or(ADVICE)?;
    located(call, targets)
}

/// The operands of a delete, patterns replaced by the directory they are in.
fn targets_of(command: &Command) -> Option<Vec<String>> {
    let name = |word: &Word| {
        // Behind a pattern, `..` leads out of a directory that is not known.
        if word.is_glob && word.text.split('/').any(|part| part == "..") {
            return None;
        }
        let path = if word.is_glob { paths::literal_parent(&word.text) } else { &word.text };
        paths::normalise(path)
    };
    match command.program() {
        "find" => {
            let roots = command.args().iter().take_while(|word| !word.text.starts_with('-'));
            // Options before the roots would hide them.
            let first = command.args().first().map_or("", |word| word.text.as_str());
            if ["-L", "-H", "-P", "-D", "-O"].iter().any(|option| first.starts_with(option)) {
                return None;
            }
            let only_deletes = !command.has_arg(|arg| {
                arg.starts_with("-exec") || arg.starts_with("-ok") || arg.starts_with("-f")
            });
            let roots: Vec<String> = roots.map(name).collect::<Option<_>>()?;
            // Without a root it is the current directory.
            only_deletes.then(|| if roots.is_empty() { vec![".".into()] } else { roots })
        }
        // Where `git` works is not in its words, nor what other programs delete besides.
        "git" | "tar" | "rsync" => None,
        // `rmdir -p` deletes directories above.
        "rmdir" if command.has_arg(|arg| arg.starts_with('-')) => None,
        _ => {
            let mut options = true;
            let mut targets = Vec::new();
            for word in command.args() {
                match word.text.as_str() {
                    "--" if options => options = false,
                    option if options && option.starts_with('-') => {}
                    _ => targets.push(name(word)?),
                }
            }
            Some(targets)
        }
    }
}

/// `path` and `paths` of a plain tool.
fn path_fields(call: &ToolCall) -> Option<Vec<String>> {
    let one = call.input.get("path").into_iter();
    let many = call.input.get("paths").map(|paths| paths.as_array().map(Vec::as_slice));
    let many = match many {
        None => &[],
        Some(paths) => paths?,
    };
    one.chain(many).map(|path| paths::normalise(path.as_str()?)).collect()
}

/// Relative paths start at the call's own directory, where it names one.
fn located(call: &ToolCall, found: Vec<String>) -> Result<Vec<String>, String> {
    let fields = ["cwd", "workdir", "workingDirectory", "working_directory", "dir"];
    let mut named = fields.iter().filter_map(|field| call.input.get(field));
    let Some(directory) = named.next() else { return Ok(found) };
    let unclear = || "the directory of the call is not one absolute path.".to_owned();
    if named.any(|other| other != directory) {
        return Err(unclear());
    }
    let directory = directory.as_str().filter(|path| path.starts_with('/')).ok_or_else(unclear)?;
    let place = |path: String| match path.starts_with('/') {
        true => Some(path),
        false => paths::normalise(&format!("{directory}/{path}")),
    };
    found.into_iter().map(place).collect::<Option<_>>().ok_or_else(unclear)
}
