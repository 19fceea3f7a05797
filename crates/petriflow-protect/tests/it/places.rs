//! Other directories to run in, and other things to protect.

use std::path::Path;

use petriflow_protect::Protected;
use serde_json::json;

use crate::place;

fn from(cwd: &Path, command: &str) -> bool {
    let input = json!({ "command": place().filled(command) });
    place().protected.objection("Bash", &input, cwd).is_some()
}

#[test]
fn relative_names_are_seen_from_where_the_command_runs() {
    let source = place().proj.join("src");
    for command in [
        "rm -rf ../.petriflow",
        "rm -rf ..",
        "rm ../*.rules",
        "rm -rf ../.p*",
        "echo > ../.claude/settings.json",
        "cd .. && rm -rf .petriflow",
        "git -C .. clean -fdx",
        "find .. -delete",
        "rm -rf $PWD/../.petriflow",
    ] {
        assert!(from(&source, command), "{command}");
    }
    for command in [
        "rm -rf *",
        "rm -rf .",
        "find . -delete",
        "echo > settings.json",
        "git clean -fdx",
        "git checkout .",
    ] {
        assert!(!from(&source, command), "{command}");
    }
}

#[test]
fn a_protected_directory_is_protected_from_inside() {
    let rules = place().proj.join(".petriflow");
    for command in
        ["rm *", "echo > x", "rm a.rules", "touch y", "git checkout .", "mv a.rules ..", "tee x"]
    {
        assert!(from(&rules, command), "{command}");
    }
    for command in
        ["ls", "cat a.rules", "petriflow check a.rules", "grep x *", "echo x > ../notes.md"]
    {
        assert!(!from(&rules, command), "{command}");
    }
}

#[test]
fn a_directory_elsewhere_leads_to_it_by_whole_paths_only() {
    let elsewhere = Path::new("/usr");
    for command in
        ["rm -rf @PROJ@/.petriflow", "rm -rf ~/proj", "rm -rf /", "cd ~/proj; rm -rf .petriflow"]
    {
        assert!(from(elsewhere, command), "{command}");
    }
    for command in
        ["rm -rf .petriflow", "echo > .claude/settings.json", "rm -rf *", "git clean -fdx"]
    {
        assert!(!from(elsewhere, command), "{command}");
    }
}

/// The usual case: rules in a folder, settings of one host, no file given by itself.
#[test]
fn a_folder_alone_protects_every_file_in_it() {
    let proj = &place().proj;
    let own = [proj.join(".petriflow"), proj.join(".claude/settings.json")];
    let protected = Protected::new(own, Path::new("/usr/bin/petriflow")).with_home(&place().home);
    let call = |command: &str| protected.objection("Bash", &json!({ "command": command }), proj);
    for command in [
        "rm .petriflow/a.rules",
        "rm */a.rules .petriflow/*",
        "echo > .petriflow/new",
        "rm -rf .p*",
        "sed -i s/a/b/ rulelink",
        "find . -name '*.rules' -delete",
        "rm -rf .",
        "rm \"$X\"/.petriflow/a.rules",
        "cd \"$X\" && rm a.rules",
    ] {
        assert!(call(command).is_some(), "{command}");
    }
    for command in
        ["rm -rf *", "rm *.rules", "rm safety.rules", "rm -rf src/*", "rm */x", "echo > a.rules"]
    {
        assert_eq!(call(command), None, "{command}");
    }
}

#[test]
fn nothing_protected_objects_to_nothing_but_its_own_commands() {
    let protected = Protected::new([], Path::new("/usr/bin/petriflow"));
    let call = |command: &str| {
        protected.objection("Bash", &json!({ "command": command }), Path::new("/x"))
    };
    assert_eq!(call("rm -rf .petriflow .claude"), None);
    assert!(call("petriflow trust").is_some());
    assert!(call("rm /usr/bin/petriflow").is_some());
}
