//! Every command of `corpus/protect`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::place;

pub(crate) fn groups(file: &str) -> BTreeMap<String, Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/protect").join(file);
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn commands(file: &str) -> Vec<String> {
    groups(file).into_values().flatten().map(|command| place().filled(&command)).collect()
}

#[test]
fn every_command_that_would_disarm_is_refused() {
    let commands = commands("refused.toml");
    assert!(commands.len() >= 250, "{}", commands.len());
    let passed: Vec<&String> =
        commands.iter().filter(|command| place().shell(command).is_none()).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), commands.len());
}

#[test]
fn every_ordinary_command_may_run() {
    let commands = commands("ordinary.toml");
    assert!(commands.len() >= 150, "{}", commands.len());
    let refused: Vec<(&String, String)> = commands
        .iter()
        .filter_map(|command| Some((command, place().shell(command)?.to_string())))
        .collect();
    assert!(refused.is_empty(), "{} of {}: {refused:#?}", refused.len(), commands.len());
}

#[test]
fn a_refusal_is_one_line_that_says_what_it_is_about() {
    for command in commands("refused.toml") {
        let objection = place().shell(&command).unwrap();
        assert!(!objection.message.contains('\n'), "{command}: {objection}");
        assert!(objection.message.contains('`'), "{command}: {objection}");
    }
}

/// An ordinary call costs less than 0.3 ms; the bound is wide, since tests share the machine.
#[test]
fn looking_costs_little() {
    let commands = commands("ordinary.toml");
    let begin = std::time::Instant::now();
    for command in &commands {
        let _ = place().shell(command);
    }
    let each = begin.elapsed() / u32::try_from(commands.len()).unwrap();
    eprintln!("{each:?} for a command");
    assert!(each.as_millis() < 5, "{each:?}");
}

/// The shell reader's own corpus knows nothing of PetriFlow's files.
#[test]
fn harmless_commands_of_the_shell_corpus_may_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/shell");
    let mut refused = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let file: toml::Table = toml::from_str(&text).unwrap();
        for case in file["case"].as_array().unwrap() {
            let command = case["command"].as_str().unwrap();
            let harmless = case.get("harmless").and_then(toml::Value::as_bool) == Some(true);
            // The others are only read, to see that nothing panics.
            if let Some(objection) = place().shell(command).filter(|_| harmless) {
                refused.push((command.to_owned(), objection.message));
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}
