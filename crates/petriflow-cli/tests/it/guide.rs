//! The guides show what the commands really print.

#[cfg(unix)]
use std::{env, fs, path::PathBuf, process::Command};

use super::run;

const GUIDE: &str = include_str!("../../../../docs/analyse.md");
const CARGO_RUN: &str = "cargo run --release -- ";

#[test]
fn reports_in_the_guide_are_real() {
    let mut shown = 0;
    for (before, block) in GUIDE.split("```").zip(GUIDE.split("```").skip(2)) {
        let (Some(command), Some(report)) =
            (before.strip_prefix("sh\n"), block.strip_prefix("text\n"))
        else {
            continue;
        };
        let args: Vec<&str> =
            command.trim_end().strip_prefix(CARGO_RUN).unwrap().split(' ').collect();
        let real = run(&args, "").replace("exit 0\n--- stdout\n", "").replace("--- stderr\n", "");
        assert_eq!(real, report, "{command}");
        shown += 1;
    }
    assert_eq!(shown, 3);
}

#[test]
fn every_json_field_is_in_the_guide() {
    let json = run(&["analyse", "examples/nets/philosophers-3.pnml", "--json"], "");
    let fields = json.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next());
    let missing: Vec<&str> =
        fields.filter(|field| !GUIDE.contains(&format!("`{field}`"))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// The blocks of a guide: what stands behind the opening fence, and the content.
#[cfg(unix)]
fn blocks(guide: &str) -> impl Iterator<Item = (&str, &str)> {
    let fenced = guide.split("\n```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n'))
}

/// Files are the blocks with a name, sessions those that are called `console`.
#[cfg(unix)]
#[test]
fn the_guide_to_rules_is_what_happens() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guide");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("writable");
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_petriflow"));
    let path = env::join_paths(
        [binary.parent().expect("in a folder").to_owned()]
            .into_iter()
            .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    )
    .expect("a path");
    let mut commands = 0;
    for (kind, content) in blocks(include_str!("../../../../docs/rules.md")) {
        if let Some((_, name)) = kind.split_once(' ') {
            fs::write(folder.join(name), format!("{content}\n")).expect("writable");
        }
        if kind != "console" {
            continue;
        }
        let mut real = String::new();
        let mut last = 0;
        for command in content.lines().filter_map(|line| line.strip_prefix("$ ")) {
            real += &format!("$ {command}\n");
            if command == "echo $?" {
                real += &format!("{last}\n");
                continue;
            }
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", &format!("{command} 2>&1")]).env("PATH", &path);
            let output = shell.current_dir(&folder).output().expect("there is a shell");
            last = output.status.code().expect("ended by itself");
            real += &String::from_utf8(output.stdout).expect("UTF-8");
            commands += 1;
        }
        assert_eq!(real, format!("{content}\n"));
    }
    assert!(commands >= 10, "{commands} commands");
}

#[test]
fn every_field_of_the_reports_is_in_the_guide_to_rules() {
    let guide = include_str!("../../../../docs/rules.md");
    let reports = [
        run(&["check", "-", "--format", "json"], "limit a to 0 per session"),
        run(&["check", "-", "--format", "json"], "blok rm"),
        run(&["test", "examples/discord-bot", "--format", "json"], ""),
    ];
    for field in ["net", "fired", "trace", "failure", "states", "severity"] {
        assert!(reports.iter().any(|report| report.contains(&format!("\"{field}\":"))), "{field}");
    }
    for report in &reports[..2] {
        let fields =
            report.lines().filter_map(|line| line.trim().strip_prefix('"')?.split('"').next());
        for field in fields {
            let is_there = guide.contains(&format!("`{field}`"))
                || guide.contains(&format!("].{field}`"))
                || guide.contains(&format!("`.{field}`"));
            assert!(is_there, "{field}");
        }
    }
}
