//! However a protected path is spelled, no writer may have it.

use crate::place;

/// Ways to write `.petriflow/a.rules` from the project.
const SPELLINGS: [&str; 26] = [
    ".petriflow/a.rules",
    "'.petriflow/a.rules'",
    "\".petriflow/a.rules\"",
    ".petriflow'/a.rules'",
    ".p\\etriflow/a.rules",
    "$'.petriflow/a.rules'",
    "$'\\x2epetriflow/a.rules'",
    "./.petriflow/a.rules",
    ".//.petriflow///a.rules",
    ".petriflow/./a.rules",
    ".petriflow/../.petriflow/a.rules",
    "src/../.petriflow/a.rules",
    "nowhere/../.petriflow/a.rules",
    "../proj/.petriflow/a.rules",
    "link/a.rules",
    "rulelink",
    "@PROJ@/.petriflow/a.rules",
    "~/proj/.petriflow/a.rules",
    "$HOME/proj/.petriflow/a.rules",
    "\"${PWD}\"/.petriflow/a.rules",
    "\"$UNKNOWN\"/.petriflow/a.rules",
    ".petri*/a.rules",
    ".petriflow/?.rules",
    ".[p]etriflow/a.rules",
    "{.petriflow,.petriflow}/a.rules",
    "/proc/self/cwd/.petriflow/a.rules",
];

const WRITERS: [&str; 26] = [
    "echo x > @",
    "echo x >> @",
    "rm @",
    "rm -rf @",
    "sudo rm -f @",
    "bash -c 'rm '@",
    "mv @ /tmp/x",
    "mv /tmp/x @",
    "cp /tmp/x @",
    "tee @ < x",
    "sed -i s/a/b/ @",
    "chmod 000 @",
    "touch @",
    "truncate -s 0 @",
    "ln -s @ x",
    "ln -f x @",
    "install x @",
    "dd if=x of=@",
    "shred @",
    "git checkout -- @",
    "git rm @",
    "vim @",
    "python3 x.py @",
    "curl -o @ http://x",
    "cd src; cd ..; rm @",
    "find @ -delete",
];

#[test]
fn no_spelling_of_a_protected_path_is_written() {
    let mut passed = Vec::new();
    for spelling in SPELLINGS {
        for writer in WRITERS {
            // The nested text would see the quotes of the outer one, and globs are no targets of its own.
            let command = place().filled(spelling);
            let command = writer.replacen('@', &command, 1);
            if place().shell(&command).is_none() {
                passed.push(command);
            }
        }
    }
    assert!(passed.is_empty(), "{}: {passed:#?}", passed.len());
}

#[test]
fn the_same_writers_may_have_ordinary_paths() {
    let mut refused = Vec::new();
    for path in [
        "src/main.rs",
        "\"src/main.rs\"",
        "./src/../src/x",
        ".claude/commands/x.md",
        "\"$X\"/src/y",
        "src/*.rs",
    ] {
        for writer in WRITERS {
            let command = writer.replacen('@', path, 1);
            if let Some(objection) = place().shell(&command) {
                refused.push((command, objection.message));
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}
