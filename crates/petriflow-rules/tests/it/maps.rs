//! What calls stand for. The fields here hold no shell commands.

use petriflow_gate::{Resolution, Resolver, ToolCall};
use petriflow_rules::scenarios::{Player, Step};
use serde_json::{Value, json};

use super::compiled;

/// What a call of `tool` stands for under the maps of a text.
fn stands_for(rules: &str, tool: &str, input: Value) -> String {
    let call = ToolCall::new("1", tool, input);
    match compiled(rules).maps().resolve(&call) {
        Resolution::Itself => "itself".into(),
        Resolution::Refused(reason) => format!("refused: {reason}"),
        Resolution::Actions(actions) => {
            let names =
                |action: &petriflow_gate::Action| action.names().collect::<Vec<_>>().join("+");
            actions.iter().map(names).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Under maps of the tool `t`, what a call with this text in its field `f` stands for.
fn text(maps: &str, text: &str) -> String {
    stands_for(maps, "t", json!({ "f": text }))
}

/// What comes of calls, one to a line.
fn play(rules: &str, calls: &str) -> String {
    let mut player = Player::new(&compiled(rules).policy().unwrap());
    let calls = calls.lines().map(str::trim).filter(|line| !line.is_empty());
    calls
        .map(|line| format!("{line}: {}\n", player.play(&Step::parse(line).unwrap()).outcome()))
        .collect()
}

#[test]
fn the_first_map_that_matches_wins() {
    let maps = "map t.f one as first\nmap t.f /tw./ as second\nmap t.f three as third\nmap t.f /.*/ as rest";
    for (given, expected) in [
        ("one", "first"),
        ("three two one", "first"),
        ("three two", "second"),
        ("three", "third"),
        ("four", "rest"),
    ] {
        assert_eq!(text(maps, given), expected, "{given}");
    }
    // Maps on different fields do not hide each other.
    let fields = "map t.g a as first\nmap t.f b as second\nmap t.g /c/ as third";
    assert_eq!(stands_for(fields, "t", json!({"f": "b", "g": "a c"})), "first+second");
    assert_eq!(stands_for(fields, "t", json!({"f": "b", "g": "c"})), "third+second");
    assert_eq!(stands_for(fields, "t", json!({"f": "", "g": "c"})), "third");
    // A map to the tool itself takes calls out of the maps behind it.
    assert_eq!(text("map t.f x as t\nmap t.f /.*/ as rest", "x"), "itself");
}

#[test]
fn words_are_found_whole_only() {
    for (word, given, found) in [
        ("rm", "rm", true),
        ("rm", "rm -rf /", true),
        ("rm", "/bin/rm", true),
        ("rm", "sudo rm;ls", true),
        ("rm", "a-rm-b", true),
        ("rm", "rm\n", true),
        ("rm", "ls\nrm", true),
        ("rm", "(rm)", true),
        ("rm", "rm's", true),
        ("rm", "alarm", false),
        ("rm", "rmdir", false),
        ("rm", "rm_all", false),
        ("rm", "_rm", false),
        ("rm", "rm2", false),
        ("rm", "RM", false),
        ("rm", "", false),
        ("rm", "farm rm", true),
        ("rm", "rmrm", false),
        // Letters of any script are letters.
        ("rm", "érm", false),
        ("rm", "rmé", false),
        ("rm", "rm→", true),
        ("rm", "→rm", true),
        ("rm", "删rm", false),
        ("löschen", "bitte löschen!", true),
        ("schen", "löschen", false),
        ("löschen", "löschend", false),
        ("删除", "请 删除", true),
        ("删除", "请删除", false),
        // What is inside a word counts as it is.
        ("git-push", "git-push", true),
        ("git-push", "git push", false),
        ("git-push", "a git-push-b", true),
        ("a.b", "axb", false),
        ("a.b", "x.a.b.c", true),
        ("etc/passwd", "cat /etc/passwd", true),
        ("etc/passwd", "cat /etc/passwds", false),
    ] {
        let expected = if found { "hit" } else { "itself" };
        assert_eq!(text(&format!("map t.f {word} as hit"), given), expected, "{word} in {given:?}");
    }
}

#[test]
fn regexes_are_searched_for_and_a_line_end_hides_nothing() {
    for (regex, given, found) in [
        ("rm", "alarm", true),
        (r"\brm\b", "alarm", false),
        ("^rm", "sudo rm", false),
        ("rm$", "rm -rf", false),
        ("a # b", "a # b", true),
        (r"rm -rf \/", "rm -rf /etc", true),
        ("git push .*--force", "git push \\\n --force", true),
        ("git push .*--force", "git push\t--force", false),
        ("(?i)sudo", "SuDo", true),
        ("sudo", "SuDo", false),
        ("é", "café", true),
        (r"^\w+$", "löschen", true),
        ("^$", "", true),
    ] {
        let expected = if found { "hit" } else { "itself" };
        assert_eq!(
            text(&format!("map t.f /{regex}/ as hit"), given),
            expected,
            "{regex} in {given:?}"
        );
    }
}

#[test]
fn another_tool_or_field_is_not_looked_at() {
    let maps = "map t.f rm as hit";
    for (tool, input) in [
        ("u", json!({"f": "rm"})),
        ("T", json!({"f": "rm"})),
        ("t.f", json!({"f": "rm"})),
        ("t", json!({"g": "rm"})),
        ("t", json!({"F": "rm"})),
        ("t", json!({})),
        ("t", json!({"g": {"f": "rm"}})),
        ("t", json!(null)),
    ] {
        assert_eq!(stands_for(maps, tool, input.clone()), "itself", "{tool} {input}");
    }
}

#[test]
fn numbers_and_truth_values_are_looked_at_as_they_are_written() {
    for (pattern, value, found) in [
        ("true", json!(true), true),
        ("true", json!(false), false),
        ("false", json!(false), true),
        ("7", json!(7), true),
        ("7", json!(77), false),
        ("/^-7$/", json!(-7), true),
        ("/^1\\.5$/", json!(1.5), true),
        ("null", json!(null), false),
        ("/^$/", json!(null), true),
        ("/.*/", json!(null), true),
        ("rm", json!({"cmd": "rm"}), true),
        ("deep", json!({"a": [{"b": ["deep"]}]}), true),
    ] {
        let expected = if found { "hit" } else { "itself" };
        let got = stands_for(&format!("map t.f {pattern} as hit"), "t", json!({ "f": value }));
        assert_eq!(got, expected, "{pattern} in {value}");
    }
}

#[test]
fn a_list_is_looked_at_item_by_item() {
    let maps = "map t.f ls as list\nmap t.f rm as delete\nmap t.f /git push/ as push";
    for (list, expected) in [
        (json!(["rm"]), "delete"),
        // One harmless item does not hide another.
        (json!(["ls", "rm"]), "list+delete"),
        (json!(["rm", "ls"]), "delete+list"),
        (json!(["cat", "rm"]), "t+delete"),
        (json!(["cat", "cat"]), "itself"),
        (json!([]), "itself"),
        // Together the items may say what none of them says alone.
        (json!(["git", "push"]), "t+push"),
        (json!([7, true, null, "rm"]), "t+delete"),
        (json!([["rm"]]), "delete"),
        (json!([["ls", "rm"]]), "list+delete"),
        (json!({"x": "ls", "y": "rm"}), "list+delete"),
    ] {
        assert_eq!(stands_for(maps, "t", json!({ "f": list })), expected, "{list}");
    }
    insta::assert_snapshot!(play(&format!("{maps}\nblock delete\nlimit list to 1 per session"), r#"
        t {"f": ["ls", "rm"]}
        t {"f": ["ls"]}
        t {"f": ["ls"]}
        t {"f": ["cat"]}
    "#), @r#"
    t {"f": ["ls", "rm"]}: blocked by block-delete
    t {"f": ["ls"]}: allowed
    t {"f": ["ls"]}: blocked by limit-list-1
    t {"f": ["cat"]}: allowed
    "#);
}

#[test]
fn a_field_may_lie_deep_in_the_input() {
    let maps = "map t.a.b rm as hit";
    for (input, expected) in [
        (json!({"a": {"b": "rm"}}), "hit"),
        (json!({"a.b": "rm"}), "hit"),
        (json!({"a": [{"b": "ls"}, {"b": "rm"}]}), "t+hit"),
        (json!({"a": [[{"b": "rm"}]]}), "hit"),
        (json!({"a": {"b": ["rm"]}}), "hit"),
        (json!({"a": {"c": "rm"}}), "itself"),
        (json!({"b": "rm"}), "itself"),
        (json!({"a": "rm"}), "itself"),
    ] {
        assert_eq!(stands_for(maps, "t", input.clone()), expected, "{input}");
    }
    // A field whose name has a dot does not hide the one that lies deep.
    assert_eq!(stands_for(maps, "t", json!({"a.b": "ls", "a": {"b": "rm"}})), "hit");
    assert_eq!(stands_for(maps, "t", json!({"a.b": null, "a": {"b": "rm"}})), "hit");
    // The field of one action.
    let leak = "map discord.post.content secret as leak\nblock leak";
    let post = json!({"action": "post", "content": "a secret"});
    assert_eq!(stands_for(leak, "discord", post), "leak");
    // A tool may have a dot in its name.
    assert_eq!(stands_for(maps, "t.a", json!({"b": "rm"})), "hit");
    assert_eq!(
        stands_for("map fs.read.path secret as peek", "fs.read", json!({"path": "secret"})),
        "peek"
    );
}

#[test]
fn an_action_is_a_name_of_its_own_and_rules_on_the_tool_apply_too() {
    let rules = "block discord.sendMessage\nlimit discord to 2 per session";
    insta::assert_snapshot!(play(rules, r#"
        discord {"action": "sendMessage"}
        discord {"action": "read"}
        discord {"action": "sendmessage"}
        discord {"action": "read"}
        discord
        discord.sendMessage
    "#), @r#"
    discord {"action": "sendMessage"}: blocked by block-discord.sendMessage
    discord {"action": "read"}: allowed
    discord {"action": "sendmessage"}: allowed
    discord {"action": "read"}: blocked by limit-discord-2
    discord: blocked by limit-discord-2
    discord.sendMessage: blocked by block-discord.sendMessage
    "#);
    let rules = "limit discord.sendMessage to 1 per session\nrequire login before discord";
    insta::assert_snapshot!(play(rules, r#"
        discord {"action": "sendMessage"}
        login
        discord {"action": "sendMessage"}
        login
        discord {"action": "sendMessage"}
        discord {"action": "read"}
    "#), @r#"
    discord {"action": "sendMessage"}: blocked by require-login-before-discord
    login: allowed
    discord {"action": "sendMessage"}: allowed
    login: allowed
    discord {"action": "sendMessage"}: blocked by limit-discord.sendMessage-1
    discord {"action": "read"}: allowed
    "#);
}

#[test]
fn an_action_that_is_no_text_is_refused_where_rules_are_about_actions() {
    let rules = "block discord.7\nblock discord.true";
    for (action, expected) in [
        (json!("send"), "itself"),
        (json!(7), "discord+discord.7"),
        (json!(true), "discord+discord.true"),
        (json!("7"), "discord+discord.7"),
        (json!(null), "itself"),
        (
            json!(["7"]),
            "refused: discord has rules about its actions, and the action of this call is not a text.",
        ),
        (
            json!({"name": "7"}),
            "refused: discord has rules about its actions, and the action of this call is not a text.",
        ),
    ] {
        assert_eq!(stands_for(rules, "discord", json!({ "action": action })), expected, "{action}");
    }
    // Tools whose actions no rule names may do what they like.
    assert_eq!(stands_for(rules, "slack", json!({"action": ["7"]})), "itself");
    insta::assert_snapshot!(play(rules, r#"discord {"action": ["7"]}"#), @r#"discord {"action": ["7"]}: blocked"#);
}

#[test]
fn numbers_and_lines_do_not_evade_a_pattern() {
    for (pattern, value, expected) in [
        (r"/\d{4,}/", json!(1e16), "hit"),
        (r"/^1000$/", json!(1000.0), "hit"),
        (r"/^1000$/", json!(1e3), "hit"),
        (r"/^1\.5$/", json!(1.5), "hit"),
        ("/^rm /", json!("true\nrm -rf x"), "hit+t"),
        ("/x$/", json!("x\n"), "hit+t"),
        ("/^ls/", json!("ls\nrm"), "hit"),
    ] {
        let got = stands_for(&format!("map t.f {pattern} as hit"), "t", json!({ "f": value }));
        assert_eq!(got, expected, "{pattern} in {value}");
    }
    assert_eq!(stands_for("block t.5", "t", json!({"action": 5.0})), "t+t.5");
}

#[test]
fn a_mapped_call_keeps_its_action() {
    let rules = "map discord.text secret as leak\nblock discord.post\nblock leak\nlimit discord to 1 per session";
    let call = |action: &str, text: &str| {
        stands_for(rules, "discord", json!({"action": action, "text": text}))
    };
    assert_eq!(call("post", "hello"), "discord+discord.post");
    assert_eq!(call("post", "a secret"), "leak+discord.post");
    assert_eq!(call("read", "a secret"), "leak");
    assert_eq!(call("read", "hello"), "itself");
}

#[test]
fn rules_without_maps_and_dots_have_nothing_to_resolve() {
    assert!(compiled("block rm\nlimit a to 3 per b").maps().is_empty());
    assert!(!compiled("block discord.post").maps().is_empty());
    assert!(!compiled("map t.f a as b").maps().is_empty());
}

#[test]
fn what_maps_say_is_part_of_their_fingerprint() {
    let fingerprint = |rules: &str| compiled(rules).maps().fingerprint();
    let one = fingerprint("map t.f a as b\nblock b");
    assert_eq!(one, fingerprint("# a comment\nmap  t.f a as b\nblock b"));
    for other in [
        "map t.f /a/ as b\nblock b",
        "map t.g a as b\nblock b",
        "map t.f a as c\nblock c",
        "map t.f a as b\nmap t.f c as b\nblock b",
    ] {
        assert_ne!(one, fingerprint(other), "{other}");
    }
}

#[test]
fn ten_thousand_maps_are_one_table() {
    let maps: String = (0..10_000).map(|at| format!("map t.f word{at} as name{at}\n")).collect();
    assert_eq!(text(&maps, "a word9999 and a word17"), "name17");
    assert_eq!(text(&maps, "a word10000"), "itself");
}
