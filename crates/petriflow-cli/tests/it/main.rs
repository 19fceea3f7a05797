//! The real binary, from arguments and input to exit code and output.
#![expect(clippy::expect_used, reason = "helpers of tests may fail the test")]

mod check;
mod demo;
mod draw;
mod errors;
mod examples;
mod flags;
mod fmt;
mod guide;
mod hook;
mod hostile;
mod large;
mod reports;
mod scenarios;
mod shell;
mod simulate;
mod workflows;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `petriflow` at the root of the repository and shows all it did as text.
fn run(args: &[&str], stdin: &str) -> String {
    let output = output(args, stdin.as_bytes());
    let stdout = String::from_utf8(output.stdout).expect("output is UTF-8");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    let code = output.status.code().expect("ended by itself");
    let part = |name: &str, text: &str| match text.is_empty() {
        true => String::new(),
        false => format!("--- {name}\n{text}"),
    };
    format!("exit {code}\n{}{}", part("stdout", &without_memory(&stdout)), part("stderr", &stderr))
}

/// Memory depends on how the explorer stores markings, which is not what these tests are about.
fn without_memory(json: &str) -> String {
    let line = |line: &str| match line.starts_with("  \"memoryBytes\": ") {
        true => "  \"memoryBytes\": …\n".to_owned(),
        false => line.to_owned(),
    };
    json.split_inclusive('\n').map(line).collect()
}

fn output(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).spawn().expect("starts");
    let mut input = child.stdin.take().expect("piped");
    // The command may end without reading its input.
    let _ = input.write_all(stdin);
    drop(input);
    child.wait_with_output().expect("ends")
}

fn command(args: &[&str]) -> Command {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_petriflow"));
    // Help is wrapped at this width, backtraces are asked for by this variable.
    command.env_remove("COLUMNS").env("RUST_BACKTRACE", "1");
    command.current_dir(root).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A file of this name and content. Names differ between tests, which run at the same time.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

/// The text without the directory that [`file`] writes to.
fn relative(text: &str) -> String {
    text.replace(&format!("{}/", env!("CARGO_TARGET_TMPDIR")), "")
}
