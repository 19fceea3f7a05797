//! Every entry of `corpus/shell`.

use std::fs;
use std::path::Path;

use petriflow_shell::{Command, Nature, parse};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    command: String,
    /// Texts of the commands, in order.
    expect: Option<Vec<String>>,
    /// What the fixed map makes of them.
    #[serde(default)]
    actions: Vec<String>,
    #[serde(default)]
    dynamic: bool,
    #[serde(default)]
    opaque: bool,
    #[serde(default)]
    error: bool,
    /// Nothing but `bash` actions.
    #[serde(default)]
    harmless: bool,
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/shell");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file: File = toml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        cases.extend(file.case.into_iter().map(|case| (name.clone(), case)));
    }
    cases
}

/// The map that the corpus states its actions for.
fn action(command: &Command) -> &'static str {
    match command.nature {
        Nature::Deletion => return "delete",
        Nature::Dynamic { .. } | Nature::Opaque { .. } => return "any",
        Nature::Plain => {}
    }
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    match command.program() {
        Some("rm" | "rmdir" | "unlink" | "shred") => "delete",
        Some("cp" | "rsync") => "backup",
        Some("curl" | "wget") => "fetch",
        Some("git") if words.get(1) == Some(&"push") => {
            let forces =
                |word: &&str| *word == "-f" || word.starts_with("--force") || word.starts_with('+');
            if words.iter().skip(2).any(forces) { "force-push" } else { "push" }
        }
        _ => "bash",
    }
}

#[test]
fn every_entry_of_the_corpus_is_read_as_it_says() {
    let mut failures = Vec::new();
    let cases = cases();
    for (file, case) in &cases {
        let result = parse(&case.command);
        let Ok(script) = result else {
            if !case.error {
                failures.push(format!("{file}: {:?}: {}", case.command, result.unwrap_err()));
            }
            continue;
        };
        let text = |command: &Command| {
            Some(command.text())
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| command.full_text())
        };
        let texts: Vec<String> = script.commands.iter().map(text).collect();
        let actions: Vec<&str> = script.commands.iter().map(action).collect();
        let dynamic =
            script.commands.iter().any(|command| matches!(command.nature, Nature::Dynamic { .. }));
        let opaque =
            script.commands.iter().any(|command| matches!(command.nature, Nature::Opaque { .. }));
        let agrees = !case.error
            && case.expect.as_ref() == Some(&texts)
            && case.actions == actions
            && (case.dynamic, case.opaque) == (dynamic, opaque);
        if !agrees {
            failures.push(format!(
                "{file}: {:?}: {texts:?} {actions:?} dynamic {dynamic} opaque {opaque}",
                case.command
            ));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

#[test]
fn harmless_entries_have_no_other_action_than_bash() {
    let cases = cases();
    let harmless: Vec<&Case> =
        cases.iter().map(|(_, case)| case).filter(|case| case.harmless).collect();
    assert!(harmless.len() >= 80, "{}", harmless.len());
    assert!(cases.len() >= 250, "{}", cases.len());
    for case in harmless {
        let script = parse(&case.command).unwrap();
        assert!(
            script.commands.iter().all(|command| action(command) == "bash"),
            "{:?}",
            case.command
        );
    }
}

/// A matcher of bare words must not find `rm` in the words of harmless commands that are left when
/// data words are taken away, except as part of a file's name or as an argument that is no data.
#[test]
fn words_of_printing_and_committing_programs_are_data() {
    for (_, case) in cases().iter().filter(|(_, case)| case.harmless) {
        for command in parse(&case.command).unwrap().commands {
            let data = command.data_words();
            let prints =
                matches!(command.program(), Some("echo" | "printf" | ":" | "true" | "logger"));
            if prints {
                assert_eq!(
                    data,
                    (1..command.words.len()).collect::<Vec<_>>(),
                    "{:?}",
                    case.command
                );
            }
            let commits = command.words.get(1).is_some_and(|word| word.text == "commit");
            if commits {
                let left = (0..command.words.len()).filter(|index| !data.contains(index));
                assert!(
                    left.into_iter().all(|index| !command.words[index].text.contains("rm")),
                    "{:?}",
                    case.command
                );
            }
        }
    }
}
