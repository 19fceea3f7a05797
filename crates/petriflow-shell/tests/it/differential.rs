//! Against a real bash: whatever it runs must have been listed, or the text called unclear.
//!
//! Generated texts run in an empty temporary directory with a `PATH` of stubs that only write their
//! name to a log, beside a few harmless programs that run others. No absolute path, no change of
//! `PATH` and no way around it (`env -i`, `command -p`) is ever generated.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use petriflow_shell::{Nature, parse};

use crate::generated;

const STUBS: [&str; 6] = ["rm", "cp", "git", "curl", "ls", "dd"];
const RUNNERS: [&str; 9] =
    ["env", "xargs", "find", "nice", "timeout", "nohup", "cat", "sh", "stdbuf"];

/// Generates texts. Every choice is small, so that constructs meet each other.
struct Generator<'u, 'b> {
    u: &'u mut Unstructured<'b>,
    depth: usize,
}

impl Generator<'_, '_> {
    fn pick<'c>(&mut self, choices: &[&'c str]) -> Result<&'c str> {
        self.u.choose(choices).copied()
    }

    /// A program's name, perhaps written oddly.
    fn name(&mut self) -> Result<String> {
        let name = self.pick(&STUBS)?;
        let (head, tail) = name.split_at(1);
        Ok(match self.u.int_in_range(0..=13)? {
            0 => format!("\\{name}"),
            1 => format!("{head}''{tail}"),
            2 => format!("\"{name}\""),
            3 => format!("{head}\\\n{tail}"),
            4 => format!("$'{name}'"),
            5 => format!("{{{name},a}}"),
            6 => format!("$'\\x{:02x}'{tail}", head.as_bytes()[0]),
            7 => format!("{head}\"{tail}\""),
            8 => format!("{head}$E{tail}"),
            _ => name.to_owned(),
        })
    }

    fn variable(&mut self) -> Result<&'static str> {
        self.pick(&["X", "Y", "Z"])
    }

    /// Something at the place of a program.
    fn program(&mut self) -> Result<String> {
        let variable = self.variable()?;
        let name = self.pick(&STUBS)?;
        Ok(match self.u.int_in_range(0..=49)? {
            0 => format!("${variable}"),
            1 => format!("\"${variable}\""),
            2 => format!("${{{variable}}}"),
            3 => format!("${{{variable}:-{name}}}"),
            4 => format!("${{{variable}:+{name}}}"),
            5 => format!("${{{variable}-{name}}}"),
            6 => format!("$(echo {name})"),
            7 => format!("`echo {name}`"),
            8 => "f".to_owned(),
            9 => "\"$@\"".to_owned(),
            _ => self.name()?,
        })
    }

    fn word(&mut self) -> Result<String> {
        if self.depth > 4 {
            return Ok("a".to_owned());
        }
        Ok(match self.u.int_in_range(0..=17)? {
            0 => format!("$({})", self.list()?),
            1 => format!("\"$({})\"", self.list()?),
            2 => format!("${{X:-$({})}}", self.list()?),
            3 => format!("<({})", self.list()?),
            4 => format!("$((1+$({} >&2; echo 1)))", self.simple()?),
            5 => format!("'{}'", self.pick(&["$(rm x)", "`cp`", "; git", "| ls", "# a"])?),
            6 => format!("\"{}\"", self.pick(&["\\$(rm x)", "\\`cp\\`", "; git", "| ls", "# a"])?),
            7 => format!("a{}", self.pick(&["#rm", "\\;rm", "\\&", "';'cp", "\\\n"])?),
            8 => "$X".to_owned(),
            9 => "{a,b}".to_owned(),
            _ => self.pick(&["a", "b", "-f", "x=1", "=", "~", "*"])?.to_owned(),
        })
    }

    fn simple(&mut self) -> Result<String> {
        let mut text = String::new();
        if self.u.ratio(1, 8)? {
            let variable = self.variable()?;
            text.push_str(&format!("{variable}={} ", self.pick(&STUBS)?));
        }
        text.push_str(&self.program()?);
        for _ in 0..self.u.int_in_range(0..=2)? {
            text.push(' ');
            text.push_str(&self.word()?);
        }
        if self.u.ratio(1, 8)? {
            text.push_str(self.pick(&[
                " >out",
                " 2>&1",
                " </dev/null",
                " <<<a",
                " >>out 2>&1",
                " &>out",
            ])?);
        }
        Ok(text)
    }

    fn assignment(&mut self) -> Result<String> {
        let variable = self.variable()?;
        let name = self.pick(&STUBS)?;
        Ok(match self.u.int_in_range(0..=13)? {
            0 => format!("{variable}='{name} a'"),
            1 => format!("{variable}+={name}"),
            2 => format!("{variable}=$X"),
            3 => format!("{variable}=\"$(echo {name})\""),
            4 => format!("read {variable} <<< {name}"),
            5 => format!("printf -v {variable} {name}"),
            6 => format!("declare {variable}={name}"),
            7 => format!("export {variable}={name}"),
            8 => format!("unset {variable}"),
            9 => format!("set -- {name} a"),
            10 => format!(": ${{{variable}:={name}}}"),
            11 => format!("{variable}=({name} a)"),
            _ => format!("{variable}={name}"),
        })
    }

    fn quoted(&self, text: &str) -> String {
        format!("'{}'", text.replace('\'', "'\\''"))
    }

    fn wrapped(&mut self) -> Result<String> {
        let simple = self.simple()?;
        let list = self.list()?;
        let quoted = self.quoted(&list);
        Ok(match self.u.int_in_range(0..=19)? {
            0 => format!("env A=1 {simple}"),
            1 => format!("nice -n 1 {simple}"),
            2 => format!("timeout 5 {simple}"),
            3 => format!("nohup {simple}"),
            4 => format!("echo a | xargs {simple}"),
            5 => format!("echo {} | xargs -I% {simple} %", self.pick(&STUBS)?),
            6 => format!("find . -maxdepth 0 -exec {simple} \\;"),
            7 => format!("bash -c {quoted}"),
            8 => format!("sh -ec {quoted}"),
            9 => format!("eval {quoted}"),
            10 => format!("command {simple}"),
            11 => format!("bash <<< {quoted}"),
            12 => format!("bash <<'EOF'\n{list}\nEOF\n"),
            13 => format!("cat <<EOF\n$({simple})\nEOF\n"),
            14 => format!("echo {quoted} | sh"),
            15 => format!("trap {quoted} EXIT"),
            16 => format!("env -S {}", self.quoted(&simple)),
            17 => format!("exec {simple}"),
            18 => format!("builtin eval {quoted}"),
            _ => format!("stdbuf -oL {simple}"),
        })
    }

    fn compound(&mut self) -> Result<String> {
        let a = self.list()?;
        let b = self.list()?;
        Ok(match self.u.int_in_range(0..=17)? {
            0 => format!("({a}\n)"),
            1 => format!("{{ {a}\n}}"),
            2 => format!("if {a}\nthen {b}\nfi"),
            3 => format!("if false; then :; else {b}\nfi"),
            4 => format!("while {a}\ndo {b}\nbreak; done"),
            5 => format!("for X in {} a; do {b}\ndone", self.pick(&STUBS)?),
            6 => format!("case a in b) {a}\n;; *) {b}\n;; esac"),
            7 => format!("f() {{ {a}\n}}"),
            8 => format!("f() {{ {a}\n}}; f {}", self.pick(&STUBS)?),
            9 => format!("! {{ {a}\n}}"),
            10 => format!("[[ -n $({}) || a == a ]] && {{ {b}\n}}", self.simple()?),
            11 => format!("shopt -s expand_aliases\nalias g={}\ng a\n", self.quoted("rm a")),
            12 => format!("for ((i=0;i<1;i++)); do {a}\ndone"),
            13 => format!("time {a}"),
            14 => format!("until {a}\ndo break; done"),
            15 => format!("coproc {{ {a}\n}}\nwait"),
            16 => format!("{{ {a}\n}} | {{ {b}\n}}"),
            _ => format!("{{ {a}\n}} & wait"),
        })
    }

    fn command(&mut self) -> Result<String> {
        if self.depth > 4 {
            return self.simple();
        }
        self.depth += 1;
        let command = match self.u.int_in_range(0..=9)? {
            0..=3 => self.simple(),
            4 | 5 => self.assignment(),
            6 | 7 => self.wrapped(),
            _ => self.compound(),
        };
        self.depth -= 1;
        command
    }

    fn list(&mut self) -> Result<String> {
        let mut text = self.command()?;
        for _ in 0..self.u.int_in_range(0..=2)? {
            let joint = if text.ends_with('\n') {
                ""
            } else {
                self.pick(&[" && ", " || ", "; ", "\n", " | ", "; ", " # rm\n"])?
            };
            text.push_str(joint);
            text.push_str(&self.command()?);
        }
        Ok(text)
    }
}

/// A directory that is removed at the end.
struct Sandbox {
    root: PathBuf,
    runs: AtomicU64,
}

impl Sandbox {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root =
            std::env::temp_dir().join(format!("petriflow-shell-{}-{count}", std::process::id()));
        fs::create_dir_all(root.join("bin")).unwrap();
        for stub in STUBS {
            let path = root.join("bin").join(stub);
            let status = i32::from(stub == "curl");
            fs::write(
                &path,
                format!("#!/bin/sh\necho {stub} >> \"$PETRIFLOW_LOG\"\nexit {status}\n"),
            )
            .unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for runner in RUNNERS.iter().chain(&["bash"]) {
            if let Some(path) = program(runner) {
                symlink(path, root.join("bin").join(runner)).unwrap();
            }
        }
        Self { root, runs: AtomicU64::new(0) }
    }

    /// The stubs that bash runs for a text; `None` if it does not end in time.
    fn run(&self, bash: &Path, text: &str) -> Option<BTreeSet<String>> {
        // What an earlier text left behind in the background must not write to this one's log.
        let log = self.root.join(format!("log-{}", self.runs.fetch_add(1, Ordering::Relaxed)));
        let _ = fs::remove_dir_all(self.root.join("cwd"));
        fs::create_dir_all(self.root.join("cwd")).unwrap();
        fs::write(&log, "").unwrap();
        let mut child = Command::new(bash)
            .args(["-c", text])
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", self.root.join("cwd"))
            .env("PETRIFLOW_LOG", &log)
            .current_dir(self.root.join("cwd"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (done, finished) = mpsc::channel();
        let id = child.id();
        let waiter = std::thread::spawn(move || {
            let _ = child.wait();
            let _ = done.send(());
        });
        if finished.recv_timeout(Duration::from_secs(10)).is_err() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            let _ = waiter.join();
            return None;
        }
        let _ = waiter.join();
        let log = fs::read_to_string(log).unwrap();
        Some(log.lines().map(str::to_owned).collect())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What a text is known to run, or `None` if it is unclear.
fn listed(text: &str) -> Option<BTreeSet<String>> {
    let script = parse(text).ok()?;
    let clear = script
        .commands
        .iter()
        .all(|command| matches!(command.nature, Nature::Plain | Nature::Deletion));
    clear.then(|| {
        script.commands.iter().filter_map(|command| command.program().map(str::to_owned)).collect()
    })
}

#[test]
fn bash_runs_nothing_that_is_not_listed() {
    let Some(bash) = program("bash") else {
        eprintln!("skipped: there is no bash");
        return;
    };
    let dash = program("dash");
    let sandbox = Sandbox::new();
    let clear = AtomicU64::new(0);
    let ran_some = AtomicU64::new(0);
    generated(700, |u| {
        let text = Generator { u, depth: 0 }.list()?;
        let Some(listed) = listed(&text) else { return Ok(()) };
        clear.fetch_add(1, Ordering::Relaxed);
        let Some(ran) = sandbox.run(&bash, &text) else { return Ok(()) };
        // A host may run texts with another shell than it says.
        let other = dash.as_ref().and_then(|dash| sandbox.run(dash, &text)).unwrap_or_default();
        ran_some.fetch_add(u64::from(!ran.is_empty()), Ordering::Relaxed);
        let hidden: Vec<&String> =
            ran.union(&other).filter(|name| !listed.contains(*name)).collect();
        assert!(hidden.is_empty(), "a shell ran {hidden:?}, listed {listed:?}:\n{text}");
        Ok(())
    });
    // The test is worth nothing if everything is unclear or nothing runs.
    let (clear, ran_some) = (clear.into_inner(), ran_some.into_inner());
    eprintln!("{clear} texts were clear, bash ran something in {ran_some} of them");
    assert!(ran_some > 50, "{clear} {ran_some}");
}
