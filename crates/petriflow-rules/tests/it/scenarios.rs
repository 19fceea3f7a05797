//! Scenarios: how they are read and what comes of them.

use petriflow_rules::SourceFile;
use petriflow_rules::scenarios::{Report, Suite, run};

use super::{compiled, listed};

fn suite(text: &str) -> (SourceFile, Suite) {
    let file = SourceFile::new("safety.scenarios", text);
    let suite = Suite::parse(&file);
    (file, suite)
}

fn report(rules: &str, scenarios: &str) -> Report {
    let rules = compiled(rules);
    let (file, suite) = suite(scenarios);
    let problems = [suite.problems.clone(), suite.check(&file, &rules)].concat();
    assert_eq!(listed(&problems), "");
    run(&suite, &rules).unwrap()
}

/// One line for every scenario, and its failure.
fn outcome(rules: &str, scenarios: &str) -> String {
    let report = report(rules, scenarios);
    let line = |run: &petriflow_rules::scenarios::Run| {
        let steps: Vec<&str> = run.trace.iter().map(|step| step.outcome.as_str()).collect();
        let steps = steps.join(" | ");
        match &run.failure {
            None => format!("ok   {}: {steps}\n", run.name),
            Some(failure) => {
                let reasons: Vec<String> = failure
                    .reasons
                    .iter()
                    .map(|(message, rule)| {
                        let rule = rule.as_ref().map(|rule| format!("{}:{}", rule.file, rule.line));
                        format!("{message} ({})", rule.unwrap_or_default())
                    })
                    .collect();
                let (line, expected, got) = (failure.line, &failure.expected, &failure.got);
                let name = &run.name;
                let reasons: String = reasons.iter().map(|reason| format!("; {reason}")).collect();
                format!(
                    "FAIL {name}: {steps}\n     line {line}: expected {expected}, got {got}{reasons}\n"
                )
            }
        }
    };
    report.runs.iter().map(line).collect()
}

const RULES: &str = "\
require backup before delete
require human-approval before deploy
limit push to 1 per test
block rm
";

#[test]
fn what_happens_is_compared_with_what_is_expected() {
    insta::assert_snapshot!(outcome(RULES, r#"
scenario delete waits
  delete -> blocked by require-backup-before-delete
  delete -> blocked by require backup before delete
  backup fails -> allowed
  delete -> blocked
  backup succeeds -> allowed
  delete {"path": "/data # not a comment"} -> allowed  # a comment
scenario approval
  deploy -> asks
  deploy approved -> asks
  deploy approved -> allowed
  deploy rejected -> blocked by approve-before-deploy
  deploy rejected -> asks
scenario calls in flight
  begin b1 backup -> allowed
  delete -> blocked
  begin b2 backup -> allowed
  end b1 fails
  delete -> blocked
  end b2
  begin b2 delete -> allowed
  end b2 succeeds
scenario a tool with a name of the language
  call end -> allowed
  call begin -> allowed
  call call fails -> allowed
"#), @"
    ok   delete waits: blocked by require-backup-before-delete | blocked by require-backup-before-delete | allowed | blocked by require-backup-before-delete | allowed | allowed
    ok   approval: asks | allowed | allowed | blocked by approve-before-deploy | blocked by approve-before-deploy
    ok   calls in flight: allowed | blocked by require-backup-before-delete | allowed | ended | blocked by require-backup-before-delete | ended | allowed | ended
    ok   a tool with a name of the language: allowed | allowed | allowed
    ");
}

#[test]
fn a_failure_ends_its_scenario_and_only_that() {
    insta::assert_snapshot!(outcome(RULES, r#"
scenario expected to be allowed
  rm -> allowed
  delete -> allowed
scenario expected to be blocked
  ls -> blocked
scenario expected to be blocked by another rule
  rm -> blocked by require-backup-before-delete
scenario expected to be blocked by both
  rm -> blocked by block-rm, approve-before-deploy
scenario expected to ask
  rm -> asks
scenario a question is no refusal
  deploy -> blocked
scenario a question is no permission
  deploy -> allowed
scenario a person who says no is a refusal
  deploy rejected -> allowed
scenario and another one goes well
  ls -> allowed
"#), @"
    FAIL expected to be allowed: blocked by block-rm
         line 3: expected allowed, got blocked by block-rm; rm is blocked and cannot be called. (safety.rules:4)
    FAIL expected to be blocked: allowed
         line 6: expected blocked, got allowed
    FAIL expected to be blocked by another rule: blocked by block-rm
         line 8: expected blocked by require-backup-before-delete, got blocked by block-rm; rm is blocked and cannot be called. (safety.rules:4)
    FAIL expected to be blocked by both: blocked by block-rm
         line 10: expected blocked by block-rm, approve-before-deploy, got blocked by block-rm; rm is blocked and cannot be called. (safety.rules:4)
    FAIL expected to ask: blocked by block-rm
         line 12: expected asks, got blocked by block-rm; rm is blocked and cannot be called. (safety.rules:4)
    FAIL a question is no refusal: asks
         line 14: expected blocked, got asks; deploy requires human approval. (safety.rules:2)
    FAIL a question is no permission: asks
         line 16: expected allowed, got asks; deploy requires human approval. (safety.rules:2)
    FAIL a person who says no is a refusal: blocked by approve-before-deploy
         line 18: expected allowed, got blocked by approve-before-deploy; deploy requires human approval. (safety.rules:2)
    ok   and another one goes well: allowed
    ");
}

#[test]
fn every_line_that_cannot_be_read_is_told() {
    let (_, suite) = suite(
        r#"  backup -> allowed
Scenario capital
scenario
scenario broken lines
rules too-late.rules
backup -> allowed
  backup
  backup ->
  backup -> alowed
  backup -> maybe
  backup -> allowed twice
  backup -> blocked because
  backup -> blocked by
  backup -> blocked by ,
  backup failed -> allowed
  backup { -> allowed
  backup {"a": } -> allowed
  backup {a: 1} -> allowed
  backup ["a"] -> allowed
  backup "a" -> allowed
  {"a": 1} -> allowed
  begin
  begin b1
  begin b1 backup fails -> allowed
  end
  end b1 badly
  end b1 fails now
  call
  -> allowed
"#,
    );
    insta::assert_snapshot!(listed(&suite.problems), @r#"
    1:3 PF0301 this step belongs to no scenario | write `scenario WHAT IT SHOWS` before it
    2:1 PF0301 `Scenario` is neither `scenario` nor `rules` | did you mean `scenario`?
    3:1 PF0301 this scenario has no name | write `scenario WHAT IT SHOWS`
    5:1 PF0301 `rules` stands before the first scenario | move the line to the beginning of the file
    6:1 PF0301 `backup` is neither `scenario` nor `rules` | a line begins with `scenario`, or is a step and indented
    7:3 PF0301 nothing is expected of this call | write `-> allowed`, `-> blocked by RULE` or `-> asks` after the call
    8:12 PF0301 nothing is expected | expect `allowed`, `blocked`, `blocked by RULE` or `asks`
    9:13 PF0301 `alowed` is not expected here | did you mean `allowed`?
    10:13 PF0301 `maybe` is not expected here | expect `allowed`, `blocked`, `blocked by RULE` or `asks`
    11:21 PF0301 `twice` is not expected here | expect `allowed`, `blocked`, `blocked by RULE` or `asks`
    12:21 PF0301 `because` is not expected here | expect `allowed`, `blocked`, `blocked by RULE` or `asks`
    13:23 PF0301 `blocked by` names no rule | expect `allowed`, `blocked`, `blocked by RULE` or `asks`
    14:24 PF0301 `blocked by` names no rule | expect `allowed`, `blocked`, `blocked by RULE` or `asks`
    15:10 PF0301 `failed` is not expected here | did you mean `fails`?
    16:12 PF0301 the input is no JSON: key must be a string | names and texts of the input stand in double quotes
    17:16 PF0301 the input is no JSON: expected value | names and texts of the input stand in double quotes
    18:11 PF0301 the input is no JSON: key must be a string | names and texts of the input stand in double quotes
    19:10 PF0301 the input is not an object | write `{"field": "input"}`
    20:10 PF0301 the input is not an object | write `{"field": "input"}`
    21:3 PF0301 `{"a":` is not expected here | the tool stands before its input
    22:8 PF0301 `begin` names no call | the form is `begin ID TOOL {…} -> EXPECTED`, and later `end ID`
    23:11 PF0301 a tool is expected | the form is `begin ID TOOL {…} -> EXPECTED`, and later `end ID`
    24:19 PF0301 `fails` is not expected here | its result comes later: `end ID fails`
    25:6 PF0301 `end` names no call | the form is `end ID` or `end ID fails`
    26:10 PF0301 `badly` is not expected here | the form is `end ID` or `end ID fails`
    27:16 PF0301 `now` is not expected here | the form is `end ID` or `end ID fails`
    28:7 PF0301 a tool is expected | a call is `TOOL {"field": "input"} [fails] [approved|rejected] [-> EXPECTED]`
    29:6 PF0301 `allowed` is not expected here | a call is `TOOL {"field": "input"} [fails] [approved|rejected] [-> EXPECTED]`
    "#);
}

#[test]
fn names_of_rules_and_of_calls_in_flight_are_checked() {
    let rules = compiled(RULES);
    let (file, suite) = suite(
        "\
scenario names
  rm -> blocked by block-mr
  rm -> blocked by block rm, unheard of
  begin b1 backup -> allowed
  begin b1 backup -> allowed
  end b2
  end b1
  end b1
scenario anew
  end b1
",
    );
    assert_eq!(listed(&suite.problems), "");
    insta::assert_snapshot!(listed(&suite.check(&file, &rules)), @"
    2:20 PF0301 no rule is called `block-mr` | did you mean `block-rm`?
    3:30 PF0301 no rule is called `unheard of` | name a net as `petriflow check` lists it, or a rule as written
    5:3 PF0301 `b1` has begun already | give every call in flight a name of its own
    6:3 PF0301 no call `b2` has begun | write `begin b2 TOOL -> allowed` before it
    8:3 PF0301 no call `b1` has begun | write `begin b1 TOOL -> allowed` before it
    10:3 PF0301 no call `b1` has begun | write `begin b1 TOOL -> allowed` before it
    ");
}

#[test]
fn a_call_that_was_blocked_has_not_begun() {
    let (file, suite) =
        suite("scenario x\n  begin b1 rm -> blocked\n  begin b1 ls -> allowed\n  end b1\n");
    insta::assert_snapshot!(listed(&suite.check(&file, &compiled(RULES))), @"");
}

#[test]
fn rules_files_are_named_at_the_beginning() {
    let (_, suite) =
        suite("rules base.rules\nrules ../team rules.rules # both\n\nscenario x\n  a -> allowed\n");
    assert_eq!(suite.rules, ["base.rules", "../team rules.rules"]);
    assert_eq!(listed(&suite.problems), "");
    assert_eq!(suite.scenarios[0].line, 4);
}

#[test]
fn coverage_counts_refusals_and_transitions() {
    let report = report(
        RULES,
        "
scenario some
  delete -> blocked
  backup -> allowed
  backup -> allowed
  deploy -> asks
  push -> allowed
",
    );
    let lines: Vec<String> = report
        .coverage
        .rules
        .iter()
        .map(|rule| {
            let fired: Vec<String> =
                rule.fired.iter().map(|(name, count)| format!("{name}:{count}")).collect();
            format!(
                "{}:{} {} refused {} fired {} unfired {} untouched {}",
                rule.file,
                rule.line,
                rule.net,
                rule.refused,
                fired.join(","),
                rule.unfired().collect::<Vec<_>>().join(","),
                rule.is_untouched()
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    safety.rules:1 require-backup-before-delete refused 1 fired first:1,again:1,then:0 unfired then untouched false
    safety.rules:2 approve-before-deploy refused 1 fired approve:0 unfired approve untouched false
    safety.rules:3 limit-push-1-per-test refused 0 fired use:1,refill:0 unfired refill untouched false
    safety.rules:4 block-rm refused 0 fired  unfired  untouched true
    ");
}
