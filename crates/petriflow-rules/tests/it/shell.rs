//! Shell commands under rules: the corpus, and what connectives mean.

use std::fs;
use std::path::Path;

use petriflow_gate::{Decision, Resolution, Resolver, Session, Timestamp, ToolCall, ToolResult};
use petriflow_rules::{RuleSet, SourceFile, compile};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    command: String,
    #[serde(default)]
    actions: Vec<String>,
    #[serde(default)]
    error: bool,
    #[serde(default)]
    harmless: bool,
}

fn corpus() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/shell");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path| toml::from_str::<File>(&fs::read_to_string(path).unwrap()).unwrap().case;
    files.flat_map(read).collect()
}

fn rules(text: &str) -> RuleSet {
    compile(&[SourceFile::new("test.rules", text)]).unwrap()
}

fn bash(id: impl ToString, command: impl Into<Value>) -> ToolCall {
    ToolCall::new(id.to_string(), "bash", json!({ "command": command.into() }))
}

/// The map that the corpus states its actions for, as rules.
const BY_PROGRAM: &str = r"
map bash.command /^(rm|rmdir|unlink|shred)( |$)/ as delete
map bash.command /^(cp|rsync)( |$)/ as backup
map bash.command /^git push( .*)? (-f|--force\S*|\+\S+)( |$)/ as force-push
map bash.command /^git push( |$)/ as push
map bash.command /^(curl|wget)( |$)/ as fetch
";
const NAMES: [&str; 5] = ["delete", "backup", "force-push", "push", "fetch"];

#[test]
fn every_entry_of_the_corpus_stands_for_the_actions_it_says() {
    let rules = rules(BY_PROGRAM);
    let cases = corpus();
    assert!(cases.len() >= 250);
    for case in &cases {
        let names: Vec<String> = match rules.maps().resolve(&bash(1, case.command.as_str())) {
            Resolution::Itself => vec!["bash".into()],
            Resolution::Refused(_) => {
                assert!(case.error, "{:?} was refused", case.command);
                continue;
            }
            Resolution::Actions(actions) => actions
                .iter()
                .flat_map(|a| a.names().map(str::to_owned).collect::<Vec<_>>())
                .collect(),
        };
        assert!(!case.error, "{:?} is {names:?}", case.command);
        for expected in &case.actions {
            match expected.as_str() {
                // It could be anything, so it is everything; unless it is a program that a map is about.
                "any" => {
                    let is_all = NAMES.iter().all(|name| names.iter().any(|n| n == name));
                    let is_judged = NAMES.iter().any(|name| names.iter().any(|n| n == name));
                    assert!(is_all || is_judged, "{:?} is {names:?}", case.command);
                }
                // A bare assignment runs nothing.
                "bash" => {}
                expected => {
                    assert!(
                        names.iter().any(|name| name == expected),
                        "{:?} is {names:?}",
                        case.command
                    );
                }
            }
        }
        if case.harmless {
            assert_eq!(names, ["bash"], "{:?}", case.command);
        }
    }
}

#[test]
fn nothing_that_deletes_passes_a_block_however_it_is_mapped() {
    let by_word = "map bash.command rm as delete\nmap bash.command rmdir as delete\n\
                   map bash.command unlink as delete\nmap bash.command shred as delete\n";
    for maps in [BY_PROGRAM, by_word] {
        let policy = rules(&format!("{maps}block delete")).policy().unwrap();
        for (id, case) in corpus().iter().enumerate() {
            let decision =
                Session::new(&policy).decide(&bash(id, case.command.as_str()), Timestamp(0));
            let deletes = case.error || case.actions.iter().any(|a| a == "delete" || a == "any");
            assert!(!(deletes && decision.is_allowed()), "{:?} was allowed", case.command);
        }
    }
}

const BACKUP_FIRST: &str = "
map bash.command cp as backup
map bash.command rm as delete
require backup before delete
";

/// Decides a command in a session and ends it.
fn play(session: &mut Session, id: u32, command: &str, ok: bool) -> Decision {
    let call = bash(id, command);
    let decision = session.decide(&call, Timestamp(0));
    if decision.is_allowed() {
        session.result(&ToolResult { is_error: !ok, ..ToolResult::success(&call) });
    }
    decision
}

#[test]
fn a_deletion_may_rely_on_a_copy_only_if_it_runs_after_its_success() {
    let policy = rules(BACKUP_FIRST).policy().unwrap();
    for (command, allowed) in [
        ("cp a b; rm -rf x", false),
        ("cp a b && rm -rf x", true),
        ("cp a b || rm -rf x", false),
        ("cp a b & rm -rf x", false),
        ("cp a b | rm -rf x", false),
        ("cp a b\nrm -rf x", false),
        ("true || cp a b && rm x", false),
        ("if cp a b; then rm x; fi", false),
        ("cp a b && ls && rm x", true),
        ("cp a b && rm x && rm y", false),
        ("cp a b && rm x; rm y", false),
        ("(cp a b) && rm x", true),
        ("! cp a b && rm x", false),
        ("cp a b && sudo rm x", true),
        ("ssh host cp a b && rm x", false),
        ("echo 'do not rm'", true),
        ("git commit -m 'rm the old one'", true),
        ("docker run --rm image ls", true),
    ] {
        let decision = play(&mut Session::new(&policy), 1, command, true);
        assert_eq!(decision.is_allowed(), allowed, "{command}");
    }
}

#[test]
fn what_a_call_unlocked_and_used_is_locked_again() {
    let policy = rules(BACKUP_FIRST).policy().unwrap();
    let mut session = Session::new(&policy);
    assert!(play(&mut session, 1, "cp a b && rm -rf x", true).is_allowed());
    assert!(!play(&mut session, 2, "rm -rf y", true).is_allowed());
    assert!(play(&mut session, 3, "cp a b && rm -rf x", false).is_allowed());
    assert!(!play(&mut session, 4, "rm -rf y", true).is_allowed());
    // A copy that may not have run, or whose success is not shown, unlocks nothing.
    for (id, command) in (10..).zip([
        "cp a b; ls",
        "cp a b | cat",
        "cp a b &",
        "ls || cp a b",
        "for f in a; do cp a b; done",
        "f() { cp a b; }; f",
        "echo $(cp a b)",
        "! cp a b",
        "$X; cp a b | true",
        // Some word that is no program.
        "ls cp",
        "touch cp",
        "cat x/cp",
        "ls > cp",
        "cat <<< cp",
        "find . -name cp",
        "git init -q cp",
        "bash cp",
        "./cp a b",
        "PATH=. cp a b",
        "env cp=1 ls",
    ]) {
        let _ = play(&mut session, id, command, true);
        assert!(!play(&mut session, id + 100, "rm -rf y", true).is_allowed(), "after {command}");
    }
    assert!(play(&mut session, 500, "ls; cp a b", true).is_allowed());
    assert!(play(&mut session, 501, "rm -rf y", true).is_allowed());
}

#[test]
fn refusals_name_the_part_and_what_is_not_known() {
    let policy = rules("map bash.command rm as delete\nblock delete").policy().unwrap();
    let reasons = |command: &str| match play(&mut Session::new(&policy), 1, command, true) {
        Decision::Blocked(refusal) => refusal.reasons[0].with_part(),
        decision => panic!("{decision:?}"),
    };
    assert_eq!(
        reasons("cp a b && rm -rf x"),
        "delete is blocked and cannot be called. (in 'cp a b && rm -rf x': 'rm -rf x')"
    );
    assert_eq!(
        reasons("$CMD x"),
        "delete is blocked and cannot be called. (in '$CMD x'; `$CMD` is not known before it runs, \
         so it counts as every mapped command; write the command itself)"
    );
}

#[test]
fn a_tool_with_maps_is_an_allow_list_that_nothing_slips_through() {
    let policy =
        rules("map bash.command /^(ls|cat)( |$)/ as look\nlimit look to 9 per session\nblock bash");
    let policy = policy.policy().unwrap();
    for (command, allowed) in [
        ("ls -la", true),
        ("ls && cat x", true),
        ("ls && make", false),
        ("ls; make", false),
        ("ls $(make)", false),
        ("ls | xargs make", false),
        ("sudo ls", true),
        ("sudo make", false),
        ("$X", false),
        ("", false),
        ("X=1 ls", true),
    ] {
        let decision = play(&mut Session::new(&policy), 1, command, true);
        assert_eq!(decision.is_allowed(), allowed, "{command}");
    }
}

#[test]
fn a_word_among_the_arguments_unlocks_only_where_it_tells_what_is_done() {
    let policy =
        rules("map bash.command test as test\nrequire test before deploy").policy().unwrap();
    for (command, unlocks) in [
        ("npm test", true),
        ("npm run test", true),
        ("cargo test --workspace", true),
        ("python3 -m test x", true),
        ("ls test", false),
        ("touch test", false),
        ("cargo build --bin test", false),
    ] {
        let mut session = Session::new(&policy);
        assert!(play(&mut session, 1, command, true).is_allowed(), "{command}");
        let deploy = ToolCall::new("2", "deploy", json!({}));
        assert_eq!(session.decide(&deploy, Timestamp(0)).is_allowed(), unlocks, "{command}");
    }
}

#[test]
fn what_is_repeated_counts_more_than_once() {
    let policy =
        rules("map bash.command rm as delete\nlimit delete to 1 per session").policy().unwrap();
    for (command, allowed) in [
        ("rm x", true),
        ("rm x; rm y", false),
        ("for f in 1 2 3; do rm $f; done", false),
        ("while true; do rm x; done", false),
        ("find . -exec rm {} \\;", false),
        ("ls | xargs -n1 rm", false),
    ] {
        let decision = play(&mut Session::new(&policy), 1, command, true);
        assert_eq!(decision.is_allowed(), allowed, "{command}");
    }
}

#[test]
fn an_argument_does_not_hide_what_the_command_is() {
    let words = "map bash.command rm as delete\nmap bash.command curl as fetch\nblock fetch";
    let regexes = r"map bash.command /\brm\b/ as delete
map bash.command /^curl( |$)/ as fetch
map bash.command /^git push .*--force/ as fetch
map bash.command /^sudo make/ as fetch
block fetch";
    for (text, command) in [
        (words, "curl x/rm"),
        (words, "curl rm"),
        (words, "sudo -u rm curl x"),
        (regexes, "curl x/rm"),
        (regexes, "git push rm $X"),
        (regexes, "sudo make rm"),
        ("map bash.command ls as look\nlimit look to 9 per session\nblock bash", "make -j8 ls"),
    ] {
        let decision = play(&mut Session::new(&rules(text).policy().unwrap()), 1, command, true);
        assert!(!decision.is_allowed(), "{command}");
    }
    let policy = rules("map bash.command rm as delete\nblock delete").policy().unwrap();
    for command in ["logger rm", "npm run rm-unused", "docker run --rm image"] {
        assert!(play(&mut Session::new(&policy), 1, command, true).is_allowed(), "{command}");
    }
}

#[test]
fn a_file_of_the_name_of_a_program_is_not_the_program() {
    let look = "map bash.command /^(ls|cat)( |$)/ as look\nlimit look to 9 per session\nblock bash";
    let policy = rules(look).policy().unwrap();
    for (command, allowed) in [
        ("/bin/ls", true),
        ("./ls", false),
        ("/tmp/cat x", false),
        ("PATH=. ls", false),
        ("'ls /../x' foo", false),
    ] {
        let decision = play(&mut Session::new(&policy), 1, command, true);
        assert_eq!(decision.is_allowed(), allowed, "{command}");
    }
    // A pattern that names the path knows the file.
    let own = "map bash.command /^\\.\\/deploy\\.sh( |$)/ as deploy\nlimit deploy to 9 per session\nblock bash";
    let policy = rules(own).policy().unwrap();
    assert!(play(&mut Session::new(&policy), 1, "./deploy.sh now", true).is_allowed());
}

#[test]
fn arguments_that_are_not_known_count_as_what_they_could_be() {
    let policy = rules("map bash.command /^git push .*--force/ as force-push\nblock force-push")
        .policy()
        .unwrap();
    for (command, allowed) in [
        ("git push origin main", true),
        ("git push --force", false),
        ("git push $FLAGS", false),
        ("git push $(echo --force)", false),
        ("F=--force; git push $F", false),
        ("git status $X", true),
        ("ls $X", true),
    ] {
        let decision = play(&mut Session::new(&policy), 1, command, true);
        assert_eq!(decision.is_allowed(), allowed, "{command}");
    }
}

#[test]
fn values_that_are_no_command_are_refused_and_lists_are_words() {
    let policy = rules("map bash.command rm as delete\nblock delete").policy().unwrap();
    for (value, allowed) in [
        (json!(["rm", "-rf", "x"]), false),
        (json!(["ls", "rm.txt"]), true),
        (json!(["bash", "-c", "rm x"]), false),
        (json!(["echo", "rm"]), true),
        (json!({"run": "rm"}), false),
        (json!([["rm"]]), false),
        (json!(["ls", ";", "rm", "x"]), false),
        (json!(["cd /tmp", "ls"]), false),
        (json!(null), true),
        (json!(5), true),
    ] {
        let call = bash(1, value.clone());
        let decision = Session::new(&policy).decide(&call, Timestamp(0));
        assert_eq!(decision.is_allowed(), allowed, "{value}");
    }
}

#[test]
fn an_input_that_is_no_object_is_refused() {
    let policy = rules("map bash.command rm as delete\nblock delete").policy().unwrap();
    let call = ToolCall::new("1", "bash", json!("rm x"));
    assert!(!Session::new(&policy).decide(&call, Timestamp(0)).is_allowed());
}

#[test]
fn fields_are_shell_by_name_or_by_declaration() {
    let command = "echo 'rm x'";
    for (text, field, allowed) in [
        ("", "command", true),
        ("plain bash.command", "command", false),
        ("", "text", false),
        ("shell bash.text", "text", true),
        ("", "script", true),
        ("", "cmd", true),
    ] {
        let text = format!("map bash.{field} rm as delete\nblock delete\n{text}");
        let policy = rules(&text).policy().unwrap();
        let call = ToolCall::new("1", "bash", json!({ field: command }));
        let decision = Session::new(&policy).decide(&call, Timestamp(0));
        assert_eq!(decision.is_allowed(), allowed, "{text}");
    }
}

#[test]
fn a_limit_on_the_tool_counts_calls_and_one_on_a_mapped_name_counts_commands() {
    let policy = rules(
        "map bash.command rm as delete\nlimit bash to 1 per session\nlimit delete to 2 per session",
    );
    let policy = policy.policy().unwrap();
    let mut session = Session::new(&policy);
    assert!(play(&mut session, 1, "ls; pwd; cd x && rm a; rm b", true).is_allowed());
    assert!(!play(&mut session, 2, "ls", true).is_allowed());
    assert!(!play(&mut session, 3, "rm c", true).is_allowed());
}
