//! Where things are on this machine.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use petriflow_hosts::{Host, setup};

use super::project;
pub(crate) use super::project::Places;
use crate::args::StateArgs;

impl Places {
    /// Rules of the command line, or else the user's and the project's.
    pub(crate) fn of_user(rules: Vec<PathBuf>) -> Self {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Self { user: user_config(), rules: rules.into_iter().map(absolute).collect() }
    }
}

/// The user's home, if it is an absolute path.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

fn user_config() -> Option<PathBuf> {
    user_directory("XDG_CONFIG_HOME", ".config")
}

/// The directory of sessions and audit.
pub(crate) fn state_dir(args: &StateArgs) -> Result<PathBuf, String> {
    let given = args.state_dir.clone().map(|dir| std::path::absolute(&dir).unwrap_or(dir));
    given.or_else(|| user_directory("XDG_STATE_HOME", ".local/state")).ok_or_else(|| {
        "there is no home directory to keep the state in; give --state-dir".to_owned()
    })
}

fn user_directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(set.or_else(|| Some(home()?.join(below_home)))?.join("petriflow"))
}

/// The project of the working directory.
pub(crate) fn here() -> Result<PathBuf, String> {
    let cwd = std::env::current_dir();
    let cwd = cwd.map_err(|error| format!("the working directory cannot be found: {error}"))?;
    project::root(&cwd)
}

/// Every file from which some host reads its hooks, in a project and in the home.
pub(crate) fn host_configuration(root: &Path) -> Vec<PathBuf> {
    Host::ALL.into_iter().flat_map(|host| configuration_of(host, root)).collect()
}

/// Every file from which this host does.
pub(crate) fn configuration_of(host: Host, root: &Path) -> Vec<PathBuf> {
    let files = setup::config_files(host).into_iter();
    let home = home();
    let path = |file: setup::ConfigFile| match file.scope {
        setup::Scope::Project => Some(root.join(file.path)),
        setup::Scope::User => Some(home.as_ref()?.join(file.path)),
    };
    files.filter_map(path).collect()
}

/// What is protected in any directory: rules, and the files from which hosts read their hooks.
pub(crate) fn protected_names() -> Vec<PathBuf> {
    let files = Host::ALL.into_iter().flat_map(setup::config_files);
    let in_projects = files.filter(|file| file.scope == setup::Scope::Project);
    let names = in_projects.map(|file| PathBuf::from(file.path));
    names.chain([PathBuf::from(project::DIRECTORY)]).collect()
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
