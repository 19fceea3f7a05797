//! Each lint fires on its case and not on the near miss.

use petriflow_rules::{Diagnostic, KnownTools};

use super::{compiled, each, listed};

fn lints(text: &str) -> Vec<Diagnostic> {
    compiled(text).lints(None)
}

fn linted(texts: &[&str]) -> String {
    each(texts, lints)
}

fn with_tools(tools: &str, text: &str) -> String {
    let known = KnownTools::from_text("tools.txt", tools).unwrap();
    listed(&compiled(text).lints(Some(&known)))
}

#[test]
fn pf0201_the_same_rule_twice() {
    insta::assert_snapshot!(linted(&[
        "block rm\nblock  rm # again",
        "limit a to 3 per session\nlimit a to 3 per session\nlimit a to 3 per session",
        "limit a to 3 per session\nlimit a to 4 per session",
        "require a before b\nrequire b before a",
        "block rm\nblock RM",
    ]), @r"
    block rm\nblock  rm # again
      2:1 PF0201 `block rm` stands here twice | delete one of the two lines
    limit a to 3 per session\nlimit a to 3 per session\nlimit a to 3 per session
      2:1 PF0201 `limit a to 3 per session` stands here twice | delete one of the two lines
      3:1 PF0201 `limit a to 3 per session` stands here twice | delete one of the two lines
    limit a to 3 per session\nlimit a to 4 per session
      good
    require a before b\nrequire b before a
      good
    block rm\nblock RM
      good
    ");
}

#[test]
fn pf0202_pf0203_pf0209_rules_that_refuse_nothing_or_everything() {
    insta::assert_snapshot!(linted(&[
        "require a before a",
        "require a before b",
        "limit a to 3 per a",
        "limit a to 3 per b",
        "limit a to 0 per session",
        "limit a to 0 per b",
        "limit a to 0 per a",
        "limit a to 1 per session",
    ]), @"
    require a before a
      1:18 PF0202 `a` is required before itself | what is required is never refused, so this rule refuses nothing; name another tool or delete it
    require a before b
      good
    limit a to 3 per a
      1:18 PF0203 the budget of `a` is refilled by `a` itself | what refills a budget is never refused, so this rule refuses nothing; write `limit a to 3 per session`
    limit a to 3 per b
      good
    limit a to 0 per session
      1:1 PF0209 a limit of 0 never lets `a` run | write `block a`, which says so
    limit a to 0 per b
      1:1 PF0209 a limit of 0 never lets `a` run | write `block a`, which says so
    limit a to 0 per a
      1:18 PF0203 the budget of `a` is refilled by `a` itself | what refills a budget is never refused, so this rule refuses nothing; write `limit a to 0 per session`
    limit a to 1 per session
      good
    ");
}

#[test]
fn pf0204_a_map_that_never_matches_first() {
    insta::assert_snapshot!(linted(&[
        "map t.f git as a\nmap t.f git-push as b\nblock a\nblock b",
        "map t.f git-push as b\nmap t.f git as a\nblock a\nblock b",
        "map t.f git as a\nmap t.f git as a\nblock a",
        "map t.f git as a\nmap t.f git as b\nblock a\nblock b",
        "map t.f git as a\nmap t.g git as b\nblock a\nblock b",
        "map t.f git as a\nmap t.f github as b\nblock a\nblock b",
        "map t.f /.*/ as a\nmap t.f rm as b\nblock a\nblock b",
        "map t.f /^rm/ as a\nmap t.f rm as b\nblock a\nblock b",
    ]), @r"
    map t.f git as a\nmap t.f git-push as b\nblock a\nblock b
      2:9 PF0204 this map never matches first: `git` always does | the first match wins; move this line before the other
    map t.f git-push as b\nmap t.f git as a\nblock a\nblock b
      good
    map t.f git as a\nmap t.f git as a\nblock a
      2:9 PF0204 this map never matches first: `git` always does | delete it; both make the same name
    map t.f git as a\nmap t.f git as b\nblock a\nblock b
      2:9 PF0204 this map never matches first: `git` always does | delete one of the two lines
    map t.f git as a\nmap t.g git as b\nblock a\nblock b
      good
    map t.f git as a\nmap t.f github as b\nblock a\nblock b
      good
    map t.f /.*/ as a\nmap t.f rm as b\nblock a\nblock b
      2:9 PF0204 this map never matches first: `/.*/` always does | the first match wins; move this line before the other
    map t.f /^rm/ as a\nmap t.f rm as b\nblock a\nblock b
      good
    ");
}

#[test]
fn pf0205_pf0206_names_that_do_not_meet() {
    insta::assert_snapshot!(linted(&[
        "map t.f rm as delete",
        "map t.f rm as delete\nblock delete",
        "map t.f rm as delete\nmap t.f unlink as delete",
        "map t.f rm as delete\nblock delte",
        "map t.f rm as delete\nblock deploy",
        "map t.f harmless as t\nmap t.f rm as delete\nblock delete",
        "map t.f rm as delete\nblock delete.all",
        "map t.f rm as delete\nblock delete\nblock delte",
    ]), @r"
    map t.f rm as delete
      1:15 PF0205 no rule uses `delete` | write a rule about it, such as `require human-approval before delete`
    map t.f rm as delete\nblock delete
      good
    map t.f rm as delete\nmap t.f unlink as delete
      1:15 PF0205 no rule uses `delete` | write a rule about it, such as `require human-approval before delete`
    map t.f rm as delete\nblock delte
      1:15 PF0205 no rule uses `delete` | did you mean `delte`, which a rule uses?
      2:7 PF0206 no map makes a call `delte` | did you mean `delete`?
    map t.f rm as delete\nblock deploy
      1:15 PF0205 no rule uses `delete` | write a rule about it, such as `require human-approval before delete`
    map t.f harmless as t\nmap t.f rm as delete\nblock delete
      good
    map t.f rm as delete\nblock delete.all
      1:15 PF0205 no rule uses `delete` | write a rule about it, such as `require human-approval before delete`
      2:7 PF0206 no map makes a call `delete.all` | `delete` is made by a map and has no actions; write a `map` for `delete.all`
    map t.f rm as delete\nblock delete\nblock delte
      3:7 PF0206 no map makes a call `delte` | did you mean `delete`?
    ");
}

#[test]
fn pf0207_names_that_the_list_of_tools_does_not_have() {
    let tools = "bash  # a shell\ndiscord\nfs.read\n";
    insta::assert_snapshot!(with_tools(tools, "
        map bash.command rm as delete
        map bsh.command mv as move
        block delete
        block move
        block bahs
        block unheard-of
        require bash before discord
        block discord.sendMessage
        limit fs.read to 3 per bash
        shell basj.script
    "), @"
    3:13 PF0207 `bsh` is not a tool of tools.txt | did you mean `bash.command`?
    6:15 PF0207 `bahs` is neither a tool of tools.txt nor made by a map | did you mean `bash`?
    7:15 PF0207 `unheard-of` is neither a tool of tools.txt nor made by a map | name a tool of tools.txt, or make such calls with `map TOOL.FIELD PATTERN as unheard-of`
    11:15 PF0207 `basj` is not a tool of tools.txt | did you mean `bash.script`?
    ");
    insta::assert_snapshot!(with_tools(tools, "map fs.read.path secret as peek\nblock peek"), @"");
    for tools in [
        r#"["bash", "delete"]"#,
        r#"[{"name": "bash", "description": "a shell"}, "delete"]"#,
        r#"{"tools": [{"name": "bash"}, {"name": "delete"}]}"#,
        "# all of them\nbash\n\ndelete # really\r\n",
    ] {
        assert_eq!(with_tools(tools, "require bash before delete"), "", "{tools}");
        assert!(with_tools(tools, "block deploy").contains("PF0207"), "{tools}");
    }
    let wrong =
        ["", "# none", "[]", "{}", "[1]", "[", r#"{"tools": "bash"}"#, r#"[{"title": "bash"}]"#];
    let wrong =
        wrong.map(|tools| format!("{tools:20} {}", KnownTools::from_text("t", tools).unwrap_err()));
    insta::assert_snapshot!(wrong.join("\n"), @r#"
                         the list names no tool
    # none               the list names no tool
    []                   the list names no tool
    {}                   expected a list of tools
    [1]                  expected a tool's name or an object with a `name`
    [                    EOF while parsing a list at line 1 column 1
    {"tools": "bash"}    expected a list of tools
    [{"title": "bash"}]  expected a tool's name or an object with a `name`
    "#);
}

#[test]
fn pf0207_hosts_know_their_tools_and_those_of_their_servers() {
    for (host, tool, server_tool) in [
        ("claude-code", "Bash", "mcp__github__create_issue"),
        ("codex", "apply_patch", "mcp__github__create_issue"),
        ("gemini", "run_shell_command", "mcp_github_create_issue"),
        ("cursor", "Shell", "MCP:create_issue"),
    ] {
        assert!(KnownTools::HOSTS.contains(&host));
        let known = KnownTools::of_host(host).unwrap();
        let of = |text: &str| listed(&compiled(text).lints(Some(&known)));
        assert_eq!(of(&format!("block {tool}\nblock {server_tool}")), "", "{host}");
        assert!(of("block unheard-of").contains(&format!("tool of {host}")), "{host}");
    }
    assert_eq!(KnownTools::of_host("notepad"), None);
    let both = KnownTools::of_host("codex")
        .unwrap()
        .and(KnownTools::from_text("mine.txt", "deploy").unwrap());
    insta::assert_snapshot!(listed(&compiled("block deploy\nblock Bash\nblock bash").lints(Some(&both))), @"  3:7 PF0207 `bash` is neither a tool of codex or mine.txt nor made by a map | did you mean `Bash`?");
}

#[test]
fn pf0208_a_rule_on_a_tool_whose_calls_are_all_something_else() {
    insta::assert_snapshot!(linted(&[
        "map t.f /.*/ as all\nblock t\nblock all",
        "map t.f /x/ as all\nblock t\nblock all",
        "map t.f /.*/ as t\nblock t",
        "map u.f /.*/ as all\nblock t\nblock all",
    ]), @r"
    map t.f /.*/ as all\nblock t\nblock all
      2:7 PF0208 no call of `t` with a `f` is left for this rule | this map matches all of them, so they are `all`; write the rule for that name, or make the map match less
    map t.f /x/ as all\nblock t\nblock all
      good
    map t.f /.*/ as t\nblock t
      good
    map u.f /.*/ as all\nblock t\nblock all
      good
    ");
}

#[test]
fn pf0210_what_is_almost_human_approval() {
    insta::assert_snapshot!(linted(&[
        "require approval before deploy",
        "require human_approval before deploy",
        "require humanapproval before deploy",
        "require Human-Approval before deploy",
        "require human-aproval before deploy",
        "require user-confirmation before deploy",
        "require human before deploy",
        "require human-approval before deploy",
        "require review before deploy",
        "require backup before deploy",
        "map t.f ok as approval\nrequire approval before deploy",
    ]), @r"
    require approval before deploy
      1:9 PF0210 `approval` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require human_approval before deploy
      1:9 PF0210 `human_approval` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require humanapproval before deploy
      1:9 PF0210 `humanapproval` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require Human-Approval before deploy
      1:9 PF0210 `Human-Approval` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require human-aproval before deploy
      1:9 PF0210 `human-aproval` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require user-confirmation before deploy
      1:9 PF0210 `user-confirmation` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require human before deploy
      1:9 PF0210 `human` is read as a tool, and nobody is asked | did you mean `require human-approval before deploy`?
    require human-approval before deploy
      good
    require review before deploy
      good
    require backup before deploy
      good
    map t.f ok as approval\nrequire approval before deploy
      good
    ");
}

#[test]
fn pf0211_what_is_almost_a_session_or_a_time() {
    insta::assert_snapshot!(linted(&[
        "limit push to 3 per sesion",
        "limit push to 3 per Session",
        "limit push to 3 per sessions",
        "limit push to 3 per hour",
        "limit push to 3 per minutes",
        "limit push to 3 per day",
        "limit push to 3 per session",
        "limit push to 3 per test",
        "map t.f tick as hour\nlimit push to 3 per hour",
    ]), @r"
    limit push to 3 per sesion
      1:21 PF0211 `sesion` is read as a tool, whose success would refill the budget | did you mean `limit push to 3 per session`?
    limit push to 3 per Session
      1:21 PF0211 `Session` is read as a tool, whose success would refill the budget | did you mean `limit push to 3 per session`?
    limit push to 3 per sessions
      1:21 PF0211 `sessions` is read as a tool, whose success would refill the budget | did you mean `limit push to 3 per session`?
    limit push to 3 per hour
      1:21 PF0211 `hour` is read as a tool, whose success would refill the budget | there are no time windows; write `limit push to 3 per session`, or name a tool
    limit push to 3 per minutes
      1:21 PF0211 `minutes` is read as a tool, whose success would refill the budget | there are no time windows; write `limit push to 3 per session`, or name a tool
    limit push to 3 per day
      1:21 PF0211 `day` is read as a tool, whose success would refill the budget | there are no time windows; write `limit push to 3 per session`, or name a tool
    limit push to 3 per session
      good
    limit push to 3 per test
      good
    map t.f tick as hour\nlimit push to 3 per hour
      good
    ");
}

#[test]
fn pf0212_a_regex_that_matches_every_text() {
    insta::assert_snapshot!(linted(&[
        "map t.f /x*/ as a\nblock a",
        "map t.f /rm|/ as a\nblock a",
        "map t.f /(sudo )?/ as a\nblock a",
        "map t.f /.*/ as a\nblock a",
        "map t.f /x+/ as a\nblock a",
        "map t.f /^$/ as a\nblock a",
        "map t.f /rm|mv/ as a\nblock a",
    ]), @r"
    map t.f /x*/ as a\nblock a
      1:9 PF0212 `/x*/` matches every text | a part of it may be empty; write `/.*/` if every call is meant
    map t.f /rm|/ as a\nblock a
      1:9 PF0212 `/rm|/` matches every text | a part of it may be empty; write `/.*/` if every call is meant
    map t.f /(sudo )?/ as a\nblock a
      1:9 PF0212 `/(sudo )?/` matches every text | a part of it may be empty; write `/.*/` if every call is meant
    map t.f /.*/ as a\nblock a
      good
    map t.f /x+/ as a\nblock a
      good
    map t.f /^$/ as a\nblock a
      good
    map t.f /rm|mv/ as a\nblock a
      good
    ");
}

#[test]
fn pf0213_a_field_inside_the_input() {
    insta::assert_snapshot!(linted(&[
        "map bash.input.text rm as a\nblock a",
        "map bash.args.text rm as a\nblock a",
        "shell bash.tool_input.text",
        "map bash.text rm as a\nblock a",
        "map bash.input rm as a\nblock a",
        "map bash.file.name rm as a\nblock a",
    ]), @r"
    map bash.input.text rm as a\nblock a
      1:5 PF0213 `input` is looked for inside the input of `bash` | fields of the input are named directly: write `bash.text`
    map bash.args.text rm as a\nblock a
      1:5 PF0213 `args` is looked for inside the input of `bash` | fields of the input are named directly: write `bash.text`
    shell bash.tool_input.text
      1:7 PF0213 `tool_input` is looked for inside the input of `bash` | fields of the input are named directly: write `bash.text`
    map bash.text rm as a\nblock a
      good
    map bash.input rm as a\nblock a
      good
    map bash.file.name rm as a\nblock a
      good
    ");
}

#[test]
fn lints_come_in_the_order_of_the_file() {
    let text =
        "map t.f rm as delete\nlimit a to 0 per session\nblock b\nrequire b before b\nblock b\n";
    let codes: Vec<String> =
        lints(text).iter().map(|lint| format!("{}:{}", lint.span.line, lint.code)).collect();
    assert_eq!(codes, ["1:PF0205", "2:PF0209", "4:PF0202", "5:PF0201"]);
}
