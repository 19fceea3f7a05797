//! `petriflow init`: a host that asks before every call, and first rules.

use std::path::{Path, PathBuf};

use petriflow_hosts::setup::{self, HookCommand, Scope};

use super::files;
use crate::args::{InitArgs, ModeArg};
use crate::hook::places::{self, Places};
use crate::hook::project;
use crate::outcome::{Exit, Failure, Outcome};

/// Sets a host up, or shows what that would do.
pub(crate) fn run(args: &InitArgs) -> Outcome {
    init(args).unwrap_or_else(Outcome::from)
}

/// A file that is to be written.
struct Write {
    path: PathBuf,
    before: Option<String>,
    text: String,
}

fn init(args: &InitArgs) -> Result<Outcome, Failure> {
    let scope = if args.user { Scope::User } else { Scope::Project };
    // A project is what one stands in: a directory further up has rules of its own.
    let root = std::env::current_dir().map_err(|error| Failure::new(error.to_string()))?;
    let writes = [Some(configuration(args, scope, &root)?), rules(args, scope, &root)?];
    let writes: Vec<Write> =
        writes.into_iter().flatten().filter(|w| w.before.as_ref() != Some(&w.text)).collect();
    let mut out = String::new();
    for Write { path, before, text } in &writes {
        let shown = path.display();
        if args.dry_run {
            out.push_str(&format!("would write {shown}:\n{text}\n"));
            continue;
        }
        let backup = files::replace(path, before.as_deref(), text)?;
        let kept = backup.map(|copy| format!(" (as it was: {})", copy.display()));
        out.push_str(&format!("wrote {shown}{}\n", kept.unwrap_or_default()));
    }
    if writes.is_empty() {
        out.push_str(&format!("{} is set up already; nothing was changed\n", args.host.title()));
    }
    if !args.dry_run {
        out.push_str(&next(args));
    }
    Ok(Outcome::output(out, Exit::Clean))
}

fn next(args: &InitArgs) -> String {
    format!("next: {}\nthen: petriflow doctor {}\n", setup::after_install(args.host), args.host)
}

fn configuration(args: &InitArgs, scope: Scope, root: &Path) -> Result<Write, Failure> {
    let path = files::config_path(args.host, scope, root)?;
    let before = files::read(&path)?;
    let wrong = |error: setup::SetupError| {
        Failure::new(format!("{}: {error}", path.display()))
            .hint("nothing was changed; repair the file or move it away, and try again")
    };
    let text = setup::install(args.host, before.as_deref(), &command(args)?).map_err(wrong)?;
    Ok(Write { path, before, text })
}

/// This very program, by its absolute path.
fn command(args: &InitArgs) -> Result<HookCommand, Failure> {
    let unknown = || Failure::new("the path of petriflow cannot be told as text".to_owned());
    let program = std::env::current_exe().map_err(|error| Failure::new(error.to_string()))?;
    let program = program.to_str().ok_or_else(unknown)?.to_owned();
    let mut words = vec!["hook".to_owned(), args.host.to_string()];
    if args.mode == Some(ModeArg::Shadow) {
        words.extend(["--mode".to_owned(), "shadow".to_owned()]);
    }
    if args.state.state_dir.is_some() {
        let dir = places::state_dir(&args.state).map_err(Failure::new)?;
        words.extend(["--state-dir".to_owned(), dir.to_str().ok_or_else(unknown)?.to_owned()]);
    }
    Ok(HookCommand { program, args: words })
}

/// The texts of the rules that are there.
fn rules_there(directory: &Path) -> Result<Vec<String>, Failure> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok(Vec::new()) };
    let paths = entries.flatten().map(|entry| entry.path()).filter(|path| project::is_rules(path));
    paths.filter_map(|path| files::read(&path).transpose()).collect()
}

/// First rules if there are none, and else what this host's tools are.
fn rules(args: &InitArgs, scope: Scope, root: &Path) -> Result<Option<Write>, Failure> {
    let places = Places::of_user(Vec::new());
    let directory = match scope {
        Scope::Project => Some(root.join(project::DIRECTORY)),
        Scope::User => places.user,
    };
    let directory =
        directory.ok_or_else(|| Failure::new("there is no home directory".to_owned()))?;
    let there = rules_there(&directory)?;
    let starter = setup::starter_rules(args.host);
    if there.is_empty() {
        let path = directory.join("safety.rules");
        return Ok(Some(Write { path, before: None, text: starter.to_owned() }));
    }
    // Rules of another host do not see the commands of this one, which it calls otherwise.
    let shell = setup::shell_tool(args.host);
    let path = directory.join(format!("{}.rules", args.host));
    let maps: Vec<&str> = starter.lines().filter(|line| line.starts_with("map ")).collect();
    let mut names = maps.iter().filter_map(|map| map.rsplit(' ').next());
    let says = |word: &str| there.iter().any(|text| text.split_whitespace().any(|w| w == word));
    let sees_commands = there.iter().any(|text| text.contains(&format!("map {shell}.")));
    if sees_commands || path.exists() || !names.any(says) {
        return Ok(None);
    }
    let text = format!(
        "# What the tools of {} are, for the rules beside this file.\n{}\n",
        args.host.title(),
        maps.join("\n"),
    );
    Ok(Some(Write { path, before: None, text }))
}
