//! The rules and settings that hold for a session: the user's and the project's.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use petriflow::rules::syntax::{Document, StatementKind};
use petriflow::rules::{SourceFile, parse};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The directory in a project.
pub(crate) const DIRECTORY: &str = ".petriflow";
/// The settings file in it.
pub(crate) const SETTINGS: &str = "petriflow.toml";

/// Largest file that is read.
const BYTES_MAX: u64 = 8 << 20;

/// Where rules are looked for.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// The user's own directory of rules, if the user has a home.
    pub(crate) user: Option<PathBuf>,
    /// Rules files given on the command line, in place of all others.
    pub(crate) rules: Vec<PathBuf>,
}

/// What holds for a session.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) settings: Settings,
    pub(crate) files: Vec<SourceFile>,
    /// How many of the files, the first ones, are the user's.
    pub(crate) user_files: usize,
    /// Where the rules files are.
    pub(crate) paths: Vec<PathBuf>,
    /// Digest of all files that were read, rules and settings, by name and content.
    pub(crate) hash: String,
}

/// `petriflow.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    pub(crate) mode: Option<Mode>,
    pub(crate) subagents: Option<Subagents>,
    pub(crate) unreported_results: Option<Unreported>,
    pub(crate) self_protection: Option<bool>,
    pub(crate) audit_inputs: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    Enforce,
    Shadow,
}

/// Whether sub-agents use up the limits of their session or have a session of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Subagents {
    Shared,
    Own,
}

/// What a result counts as whose host does not tell whether the call succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Unreported {
    Failed,
    Succeeded,
}

impl Settings {
    /// Without what would loosen the user's own rules.
    fn no_looser(self) -> Self {
        Self {
            mode: self.mode.filter(|mode| *mode == Mode::Enforce),
            subagents: self.subagents.filter(|subagents| *subagents == Subagents::Shared),
            unreported_results: self.unreported_results.filter(|r| *r == Unreported::Failed),
            self_protection: self.self_protection.filter(|is_on| *is_on),
            audit_inputs: self.audit_inputs,
        }
    }

    /// What is set here; the rest from `other`.
    fn or(self, other: Self) -> Self {
        Self {
            mode: self.mode.or(other.mode),
            subagents: self.subagents.or(other.subagents),
            unreported_results: self.unreported_results.or(other.unreported_results),
            self_protection: self.self_protection.or(other.self_protection),
            audit_inputs: self.audit_inputs.or(other.audit_inputs),
        }
    }
}

/// The nearest directory from `from` upward that has rules of its own, or `from` itself.
///
/// # Errors
/// If there is no such directory.
pub(crate) fn root(from: &Path) -> Result<PathBuf, String> {
    // Through links, which could lead past the rules of the directories above.
    let from = from
        .canonicalize()
        .map_err(|error| format!("the working directory {}: {error}", from.display()))?;
    // A folder without rules in it does not hide those further up.
    let has_rules = |dir: &&Path| {
        let entries = fs::read_dir(dir.join(DIRECTORY)).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| is_rules(&entry.path()))
    };
    Ok(from.ancestors().find(has_rules).unwrap_or(&from).to_owned())
}

impl Places {
    /// Reads everything that holds in a project.
    pub(crate) fn load(&self, root: &Path) -> Result<Project, String> {
        if !self.rules.is_empty() {
            return self.load_given(root);
        }
        let mut digest = Sha256::new();
        let user = match &self.user {
            // The user's files are shown by their whole path, whatever the project is.
            Some(dir) => read_directory(dir, Path::new("/nowhere"), &mut digest)?,
            None => Directory::default(),
        };
        let project = read_directory(&root.join(DIRECTORY), root, &mut digest)?;
        // A repository must not loosen what its user has set up for everything.
        let settings = match user.files.is_empty() {
            true => user.settings.or(project.settings),
            false => user.settings.or(project.settings.no_looser()),
        };
        let user_files = user.files.len();
        let files = [user.files, project.files].concat();
        let paths = [user.paths, project.paths].concat();
        if files.is_empty() {
            let user = self.user.as_deref().map(|dir| format!(" nor in {}", dir.display()));
            return Err(format!(
                "no rules were found: no *.rules file in {}{}; write one, or run `petriflow init HOST` there",
                root.join(DIRECTORY).display(),
                user.unwrap_or_default(),
            ));
        }
        Ok(Project { settings, files, user_files, paths, hash: hex(digest) })
    }

    /// Rules of the command line, with the settings of the project and the user.
    fn load_given(&self, root: &Path) -> Result<Project, String> {
        let mut digest = Sha256::new();
        let mut read = |dir: &Path| read_settings(dir, &mut digest).map(Option::unwrap_or_default);
        let user = self.user.as_deref().map(&mut read).transpose()?.unwrap_or_default();
        // Whoever set the hook up has chosen these rules; a repository does not loosen them.
        let settings = user.or(read(&root.join(DIRECTORY))?.no_looser());
        let mut files = Vec::new();
        for path in &self.rules {
            files.push(read_rules(path, path.to_string_lossy().into_owned(), &mut digest)?);
        }
        let user_files = files.len();
        let paths = self.rules.clone();
        Ok(Project { settings, files, user_files, paths, hash: hex(digest) })
    }

    /// What of PetriFlow's own is in these places.
    pub(crate) fn protected(&self, root: &Path) -> Vec<PathBuf> {
        self.user.iter().cloned().chain([root.join(DIRECTORY)]).collect()
    }
}

#[derive(Default)]
struct Directory {
    settings: Settings,
    files: Vec<SourceFile>,
    paths: Vec<PathBuf>,
}

impl Project {
    /// Whether the project's rules would loosen the user's: by taking a field that the user's maps
    /// look at as shell commands for plain text, or by giving another name to calls of a tool that
    /// the user's rules are about.
    pub(crate) fn check_user_rules(&self) -> Result<(), String> {
        let (user, project) = self.files.split_at_checked(self.user_files).unwrap_or_default();
        if user.is_empty() || project.is_empty() {
            return Ok(());
        }
        let (users, projects) = (statements(user), statements(project));
        let is_mapped = |name: &str| {
            let is_it = |kind: &StatementKind| matches!(kind, StatementKind::Map { field, .. } if field.to_string() == name);
            users.iter().any(is_it)
        };
        let is_ruled = |tool: &str| {
            let rules = users.iter().filter(|kind| kind.is_rule());
            rules.flat_map(StatementKind::rule_names).any(|name| {
                name.text == tool
                    || name.text.strip_prefix(tool).is_some_and(|n| n.starts_with('.'))
            })
        };
        for kind in &projects {
            let loosened = match kind {
                StatementKind::Plain { field } => is_mapped(&field.to_string()),
                StatementKind::Map { field, .. } => {
                    let whole = field.to_string();
                    whole.match_indices('.').any(|(dot, _)| whole.get(..dot).is_some_and(is_ruled))
                }
                _ => false,
            };
            if loosened {
                return Err(format!(
                    "the project's rules say `{kind}`, which would loosen what the user's rules say \
                     about these calls; move it to the user's rules, or change them"
                ));
            }
        }
        Ok(())
    }
}

fn statements(files: &[SourceFile]) -> Vec<StatementKind> {
    let documents = parse(files).documents;
    documents.iter().flat_map(Document::statements).map(|s| s.kind.clone()).collect()
}

/// The settings and the rules files of a directory, in the order of their names.
fn read_directory(dir: &Path, root: &Path, digest: &mut Sha256) -> Result<Directory, String> {
    let settings = read_settings(dir, digest)?.unwrap_or_default();
    let unreadable = |error: io::Error| format!("cannot read {}: {error}", dir.display());
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Directory { settings, files: Vec::new(), paths: Vec::new() });
        }
        Err(error) => return Err(unreadable(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if is_rules(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut files = Vec::new();
    for path in &paths {
        let shown = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        files.push(read_rules(path, shown, digest)?);
    }
    Ok(Directory { settings, files, paths })
}

/// Whether a file is one of rules, by its name.
pub(crate) fn is_rules(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rules")
}

fn read_settings(dir: &Path, digest: &mut Sha256) -> Result<Option<Settings>, String> {
    let path = dir.join(SETTINGS);
    let bytes = match read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
    };
    add(digest, &path, &bytes);
    let wrong = |error: String| format!("{} is not valid: {error}", path.display());
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8 text".into()))?;
    let settings = toml::from_str(&text).map_err(|error| wrong(one_line(&error.to_string())))?;
    Ok(Some(settings))
}

fn read_rules(path: &Path, shown: String, digest: &mut Sha256) -> Result<SourceFile, String> {
    let bytes = read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    add(digest, path, &bytes);
    SourceFile::from_bytes(shown.clone(), bytes)
        .map_err(|diagnostic| format!("{shown} is not valid: {}", diagnostic.message))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(BYTES_MAX.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        let message = format!("it is larger than {} MiB", BYTES_MAX >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// With lengths, so that no two lists of files have the same digest.
fn add(digest: &mut Sha256, path: &Path, bytes: &[u8]) {
    let name = path.as_os_str().as_encoded_bytes();
    for part in [name, bytes] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user and a project, each with these files.
    fn loaded(user: &[(&str, &str)], project: &[(&str, &str)]) -> Result<Project, String> {
        let scratch = tempfile::tempdir().unwrap();
        let (home, root) = (scratch.path().join("user"), scratch.path().join("project"));
        for (dir, files) in [(&home, user), (&root.join(DIRECTORY), project)] {
            for (name, text) in files {
                fs::create_dir_all(dir).unwrap();
                fs::write(dir.join(name), text).unwrap();
            }
        }
        Places { user: Some(home), rules: Vec::new() }.load(&root)
    }

    const LOOSE: &str = "mode = \"shadow\"\nself-protection = false\nsubagents = \"own\"\nunreported-results = \"succeeded\"\n";

    #[test]
    fn rules_of_the_user_and_the_project_hold_together() {
        let project = loaded(&[("a.rules", "block a\n")], &[("b.rules", "block b\n")]).unwrap();
        let texts: Vec<&str> = project.files.iter().map(|file| file.text.as_str()).collect();
        assert_eq!(texts, ["block a\n", "block b\n"]);
        assert!(loaded(&[], &[]).unwrap_err().starts_with("no rules were found"));
    }

    #[test]
    fn a_project_may_set_itself_up_but_not_loosen_its_users_rules() {
        let own = loaded(&[], &[("b.rules", "block b\n"), (SETTINGS, LOOSE)]).unwrap();
        assert_eq!(own.settings.mode, Some(Mode::Shadow));
        let users = [("a.rules", "block a\n")];
        let other = loaded(&users, &[("b.rules", "block b\n"), (SETTINGS, LOOSE)]).unwrap();
        assert_eq!(other.settings, Settings::default());
        let loose = [("a.rules", "block a\n"), (SETTINGS, LOOSE)];
        let allowed = loaded(&loose, &[(SETTINGS, "mode = \"enforce\"\n")]).unwrap();
        assert_eq!(allowed.settings.mode, Some(Mode::Shadow));
    }

    #[test]
    fn a_project_does_not_rename_what_its_users_rules_are_about() {
        let check = |user: &str, project: &str| {
            let project = loaded(&[("a.rules", user)], &[("b.rules", project)]).unwrap();
            project.check_user_rules()
        };
        for (user, project) in [
            ("block Write", "map Write.file_path /./ as foo"),
            ("limit Bash to 3 per session", "map Bash.command /./ as foo"),
            ("require human-approval before Bash", "map Bash.command ls as foo"),
            ("block discord.post", "map discord.text /./ as foo"),
            ("map Bash.command rm as delete\nblock delete", "plain Bash.command"),
        ] {
            let error = check(user, project).unwrap_err();
            assert!(error.contains(&format!("`{project}`")), "{error}");
        }
        for (user, project) in [
            ("map Bash.command rm as delete\nblock delete", "map Bash.command ls as list"),
            ("require test before push", "map Bash.command /^make check/ as test"),
            ("block WebFetch", "map Bash.command ls as list"),
        ] {
            assert_eq!(check(user, project), Ok(()), "{project}");
        }
    }

    #[test]
    fn a_folder_without_rules_does_not_hide_those_further_up() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        let inner = top.join("packages/tool");
        fs::create_dir_all(inner.join(DIRECTORY)).unwrap();
        fs::create_dir_all(top.join(DIRECTORY)).unwrap();
        fs::write(top.join(DIRECTORY).join("a.rules"), "block a\n").unwrap();
        assert_eq!(root(&inner).unwrap(), top);
        fs::write(inner.join(DIRECTORY).join("b.rules"), "block b\n").unwrap();
        assert_eq!(root(&inner).unwrap(), inner);
        assert!(root(&top.join("nowhere")).unwrap_err().starts_with("the working directory"));
    }

    #[test]
    fn every_change_of_a_file_changes_the_digest() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join(DIRECTORY);
        fs::create_dir_all(&dir).unwrap();
        let places = Places { user: None, rules: Vec::new() };
        let hash = |name: &str, text: &str| {
            fs::write(dir.join(name), text).unwrap();
            places.load(scratch.path()).map(|project| project.hash)
        };
        let first = hash("a.rules", "block a\n").unwrap();
        assert_eq!(hash("a.rules", "block a\n").unwrap(), first);
        let mut seen = vec![first];
        for (name, text) in [
            ("a.rules", "block b\n"),
            ("b.rules", "block a\n"),
            (SETTINGS, ""),
            (SETTINGS, "mode = \"shadow\"\n"),
        ] {
            let next = hash(name, text).unwrap();
            assert!(!seen.contains(&next), "{name} {text}");
            seen.push(next);
        }
        let error = hash(SETTINGS, "mod = \"shadow\"\n").unwrap_err();
        assert!(error.contains("unknown field `mod`"), "{error}");
    }
}
