//! `petriflow uninstall`: the host's configuration without the hook.

use petriflow_hosts::setup::{self, Scope};

use super::files;
use crate::args::UninstallArgs;
use crate::outcome::{Exit, Failure, Outcome};

/// Takes the hook out, or shows what that would do.
pub(crate) fn run(args: &UninstallArgs) -> Outcome {
    uninstall(args).unwrap_or_else(Outcome::from)
}

fn uninstall(args: &UninstallArgs) -> Result<Outcome, Failure> {
    let scope = if args.user { Scope::User } else { Scope::Project };
    let root = std::env::current_dir().map_err(|error| Failure::new(error.to_string()))?;
    let path = files::config_path(args.host, scope, &root)?;
    let shown = path.display();
    let nothing = || Outcome::output(format!("{shown} has no hook of petriflow\n"), Exit::Clean);
    let Some(before) = files::read(&path)? else { return Ok(nothing()) };
    let without = setup::uninstall(args.host, &before)
        .map_err(|error| Failure::new(format!("{shown}: {error}")))?;
    let Some(text) = without else { return Ok(nothing()) };
    if args.dry_run {
        return Ok(Outcome::output(format!("would write {shown}:\n{text}\n"), Exit::Clean));
    }
    files::replace(&path, None, &text)?;
    let text = format!("wrote {shown}: {} no longer asks petriflow\n", args.host.title());
    Ok(Outcome::output(text, Exit::Clean))
}
