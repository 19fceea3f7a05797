//! A forbidden call, sent through the very command that a host would run.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use petriflow_hosts::setup::InstalledHook;
use petriflow_hosts::{self as hosts, Answer, Host};

/// What came of it.
pub(super) enum Probed {
    Refused { took: Duration },
    Allowed { answer: String },
    Failed { why: String },
}

/// How long the hook may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks the hook to let a protected file be overwritten.
pub(super) fn run(
    host: Host,
    hook: &InstalledHook,
    session: &str,
    root: &Path,
    file: &Path,
) -> Probed {
    let event = hosts::probe(host, session, root, file);
    let started = Instant::now();
    let answer = match answer(hook, root, &event) {
        Ok(answer) => answer,
        Err(why) => return Probed::Failed { why },
    };
    if hosts::is_refusal(host, &answer) {
        return Probed::Refused { took: started.elapsed() };
    }
    let Answer { stdout, stderr, exit } = answer;
    Probed::Allowed { answer: format!("exit {exit}: {stdout}{stderr}") }
}

fn answer(hook: &InstalledHook, root: &Path, event: &str) -> Result<Answer, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let mut child = Command::new(&hook.program)
        .args(&hook.args)
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{} does not start: {error}", hook.program))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.as_bytes()).map_err(wrong)?;
    }
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(wrong)? {
            break status;
        }
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            return Err(format!("no answer within {} seconds", PATIENCE.as_secs()));
        }
        thread::sleep(Duration::from_millis(2));
    };
    // Answers are far smaller than what a pipe holds, so they can be read afterwards.
    let (mut stdout, mut stderr) = (String::new(), String::new());
    if let (Some(mut out), Some(mut err)) = (child.stdout.take(), child.stderr.take()) {
        out.read_to_string(&mut stdout).map_err(wrong)?;
        err.read_to_string(&mut stderr).map_err(wrong)?;
    }
    let exit = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Answer { stdout, stderr, exit: exit.ok_or("it was ended by a signal")? })
}
