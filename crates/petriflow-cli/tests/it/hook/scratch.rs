//! A project and a home of its own, gone when the test ends.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::{Agent, Host};

pub(super) struct Scratch {
    dir: TempDir,
}

/// What a command left behind.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) exit: i32,
}

impl Scratch {
    /// A project with these rules.
    pub(super) fn new(rules: &str) -> Self {
        let scratch = Self::empty();
        scratch.write(".petriflow/safety.rules", rules);
        scratch
    }

    /// A project without rules, and a home with nothing in it.
    pub(super) fn empty() -> Self {
        let scratch = Self { dir: tempfile::tempdir().unwrap() };
        for dir in [scratch.root(), scratch.home(), scratch.path("bin")] {
            fs::create_dir(dir).unwrap();
        }
        scratch
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The project.
    pub(super) fn root(&self) -> PathBuf {
        self.path("shop")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The directory of the state.
    pub(super) fn state(&self) -> PathBuf {
        self.home().join(".local/state/petriflow")
    }

    /// A file of the state.
    pub(super) fn state_file(&self, name: &str) -> PathBuf {
        self.state().join("gate").join(name)
    }

    /// The database as any program sees it. Closing it empties the log.
    pub(super) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.state_file("gate.db")).unwrap()
    }

    /// Writes a file of the project, or of any other place under an absolute name.
    pub(super) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(super) fn settings(&self, text: &str) {
        self.write(".petriflow/petriflow.toml", text);
    }

    /// A program on the path that prints something.
    pub(super) fn program(&self, name: &str, prints: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(self.path("bin").join(name), format!("#!/bin/sh\necho '{prints}'\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn prepare(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("XDG_") {
                command.env_remove(name);
            }
        }
        command.env_remove("COLUMNS").env("RUST_BACKTRACE", "1").env("SHELL", "/bin/sh");
        command.env("HOME", self.home()).env("PATH", self.path("bin"));
        command.current_dir(self.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// The binary, in the project.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_petriflow"));
        self.prepare(&mut command);
        command.args(args);
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    pub(super) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        fed(self.command(args), stdin)
    }

    /// Runs a command as a person does who types an answer. Only the terminal's side is seen.
    pub(super) fn in_terminal(&self, args: &[&str], typed: &str) -> Ran {
        let quoted = args.iter().map(|arg| format!(" '{arg}'")).collect::<String>();
        let line = format!("'{}'{quoted}", env!("CARGO_BIN_EXE_petriflow"));
        let mut command = Command::new("/usr/bin/script");
        self.prepare(&mut command);
        // What is typed is not shown: whether it comes before or after the question is chance.
        command.args(["-q", "-e", "-E", "never", "-c", &line, "/dev/null"]);
        let ran = fed(command, typed.as_bytes());
        Ran { stdout: ran.stdout.replace("\r\n", "\n"), ..ran }
    }

    /// A session of an agent in the project.
    pub(super) fn agent(&self, host: Host, session: &str) -> Agent<'_> {
        Agent::new(self, host, session)
    }

    /// A text without what differs from run to run: paths, digests and moments.
    pub(super) fn masked(&self, text: &str) -> String {
        let binary = fs::canonicalize(env!("CARGO_BIN_EXE_petriflow")).unwrap();
        let text = text
            .replace(env!("CARGO_BIN_EXE_petriflow"), "PETRIFLOW")
            .replace(&*binary.to_string_lossy(), "PETRIFLOW")
            .replace(&*self.dir.path().to_string_lossy(), "DIR");
        text.split_inclusive('\n').map(masked_line).collect()
    }
}

/// Digests are long and hexadecimal; moments and durations have a form of their own.
fn masked_line(line: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || "-:.".contains(character);
    let mut out = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        out.push_str(mask_of(word, behind).unwrap_or(word));
        let next = behind.find(is_word).unwrap_or(behind.len());
        let (between, after) = behind.split_at(next);
        out.push_str(between);
        rest = after;
    }
    out
}

fn mask_of(word: &str, behind: &str) -> Option<&'static str> {
    let is_hex = |word: &str| word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_stamp = word.len() >= 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let has_unit = [" ms", " s ago", " min ago"].iter().any(|unit| behind.starts_with(unit));
    if is_hex(word) {
        Some("DIGEST")
    } else if is_stamp {
        Some("MOMENT")
    } else if is_number && has_unit {
        Some("N")
    } else {
        None
    }
}

/// Runs a command to its end.
pub(super) fn fed(mut command: Command, stdin: &[u8]) -> Ran {
    let mut child = command.spawn().expect("starts");
    let mut input = child.stdin.take().expect("piped");
    // It may end without reading all of it.
    let _ = input.write_all(stdin);
    drop(input);
    Ran::from(child.wait_with_output().expect("ends"))
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
            exit: output.status.code().unwrap_or(-1),
        }
    }
}

impl Ran {
    /// All of it, for a snapshot.
    pub(super) fn shown(&self) -> String {
        let part = |name: &str, text: &str| match text.is_empty() {
            true => String::new(),
            false => format!("--- {name}\n{text}"),
        };
        let (stdout, stderr) = (part("stdout", &self.stdout), part("stderr", &self.stderr));
        format!("exit {}\n{stdout}{stderr}", self.exit)
    }
}
