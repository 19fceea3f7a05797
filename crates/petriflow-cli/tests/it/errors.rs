//! What cannot be analysed is refused with exit 2, and every problem is said.

use super::{file, relative, run};

/// What is said of a file with this content.
fn refused(name: &str, content: &str) -> String {
    relative(&run(&["analyse", &file(name, content)], ""))
}

#[test]
fn bad_usage() {
    let cases: [&[&str]; 9] = [
        &[],
        &["analyze"],
        &["analyse"],
        &["analyse", "a.json", "--jsn"],
        &["analyse", "a.json", "--json", "--dot"],
        &["analyse", "a.json", "--dot", "--mermaid"],
        &["analyse", "a.json", "--mermaid", "--strict"],
        &["analyse", "a.json", "--max-states", "0"],
        &["analyse", "a.json", "--threads", "many"],
    ];
    let mut report = String::new();
    for args in cases {
        report += &format!("$ petriflow{}\n{}", joined(args), run(args, ""));
    }
    insta::assert_snapshot!(report, @r"
    $ petriflow
    exit 2
    --- stderr
    Rules an AI agent cannot break: write them, check them, try them, prove them

    Usage: petriflow <COMMAND>

    Commands:
      demo         Watch an agent session go through the gate
      check        Compile and verify rules, and say what is wrong with them
      simulate     Try calls against rules
      test         Run the scenarios of policies
      fmt          Bring rules files into their one form
      draw         Draw the nets of rules
      explain      Print the page of a finding
      shell        Show how a shell command is understood
      init         Make an agent host ask PetriFlow before every tool call
      doctor       Prove that the hook is there and refuses
      uninstall    Take the hook out of an agent host's configuration
      hook         Decide one event of an agent host (the host runs this)
      status       Show where a session stands: budgets, what is unlocked, open approvals
      sessions     List the sessions, the one seen last first
      audit        Look at the log of all decisions and results
      approve      Allow a call that waits for a person (for a person, in a terminal)
      deny         Refuse a call that waits for a person (for a person, in a terminal)
      trust        Accept rules that changed while a session runs (for a person, in a terminal)
      analyse      Explore a net and report deadlocks, bounds, dead transitions and more
      completions  Print completions for a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Examples:
      petriflow demo
      petriflow init claude-code
      petriflow check safety.rules
      echo 'delete' | petriflow simulate safety.rules
      petriflow explain PF0101

    Exit codes:
      0  done, and nothing found where something was looked for
      1  findings: errors in rules, scenarios that fail; with --strict also warnings
      2  could not do it: bad usage, unreadable or malformed file, internal error
    $ petriflow analyze
    exit 2
    --- stderr
    error: unrecognized subcommand 'analyze'

      tip: a similar subcommand exists: 'analyse'

    Usage: petriflow <COMMAND>

    For more information, try '--help'.
    $ petriflow analyse
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      <FILE>

    Usage: petriflow analyse <FILE>

    For more information, try '--help'.
    $ petriflow analyse a.json --jsn
    exit 2
    --- stderr
    error: unexpected argument '--jsn' found

      tip: a similar argument exists: '--json'

    Usage: petriflow analyse --json <FILE>

    For more information, try '--help'.
    $ petriflow analyse a.json --json --dot
    exit 2
    --- stderr
    error: the argument '--json' cannot be used with '--dot'

    Usage: petriflow analyse --json <FILE>

    For more information, try '--help'.
    $ petriflow analyse a.json --dot --mermaid
    exit 2
    --- stderr
    error: the argument '--dot' cannot be used with '--mermaid'

    Usage: petriflow analyse --dot <FILE>

    For more information, try '--help'.
    $ petriflow analyse a.json --mermaid --strict
    exit 2
    --- stderr
    error: the argument '--mermaid' cannot be used with '--strict'

    Usage: petriflow analyse --mermaid <FILE>

    For more information, try '--help'.
    $ petriflow analyse a.json --max-states 0
    exit 2
    --- stderr
    error: invalid value '0' for '--max-states <N>': 0 is not in 1..18446744073709551615

    For more information, try '--help'.
    $ petriflow analyse a.json --threads many
    exit 2
    --- stderr
    error: invalid value 'many' for '--threads <N>': invalid digit found in string

    For more information, try '--help'.
    ");
}

fn joined(args: &[&str]) -> String {
    args.iter().map(|arg| format!(" {arg}")).collect()
}

#[test]
fn missing_files_and_directories() {
    let report = run(&["analyse", "missing.pnml"], "") + &run(&["analyse", "examples/nets"], "");
    insta::assert_snapshot!(report, @"
    exit 2
    --- stderr
    error: missing.pnml: no such file
    exit 2
    --- stderr
    error: examples/nets: this is a directory
    ");
}

#[test]
fn malformed_json_has_a_position() {
    insta::assert_snapshot!(refused("malformed.json", "{\n  \"places\": [\"a\" \"b\"]\n}"), @"
    exit 2
    --- stderr
    error: malformed.json:2:18: expected `,` or `]`
    ");
}

#[test]
fn every_problem_of_a_json_net_is_said() {
    insta::assert_snapshot!(refused("problems.json", r#"{
        "places": ["a", "a", ""],
        "transitions": [
            {"name": "t", "inputs": ["b"], "outputs": [{"place": "a", "weight": 0}]},
            {"name": "\u001b[31mred", "inputs": [], "outputs": [{"place": "a", "weight": 4294967296}]}
        ],
        "initialMarking": {"c": 1},
        "terminalPlaces": ["d"]
    }"#), @r"
    exit 2
    --- stderr
    error: problems.json: place `a` is defined twice
    error: problems.json: place number 3 has an empty name
    error: problems.json: transition `t` names `b`, which is not a place
    error: problems.json: transition `t` has an arc of weight 0 at `a`
    error: problems.json: transition `\u{1b}[31mred` has 4294967296 at `a`, more than 4294967295
    error: problems.json: the initial marking names `c`, which is not a place
    error: problems.json: the terminal places name `d`, which is not a place
    ");
}

#[test]
fn every_problem_of_a_pnml_net_has_a_position() {
    insta::assert_snapshot!(refused("problems.pnml", "<pnml>
  <net id='n' type='ptnet'>
    <place id='p'><initialMarking><text>-1</text></initialMarking></place>
    <place id='p'/>
    <transition id='t'/>
    <arc id='a' source='p' target='q'/>
    <arc id='b' source='t' target='t'/>
  </net>
</pnml>"), @"
    exit 2
    --- stderr
    error: problems.pnml:3:19: `initialMarking` is `-1`, which is negative
    error: problems.pnml:4:5: id `p` is given twice, first at 3:5
    error: problems.pnml:6:5: arc `a` has `q` as its target, which is not a place or transition
    error: problems.pnml:7:5: arc `b` connects two transitions
    ");
}

#[test]
fn high_level_nets_are_refused() {
    let net =
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>";
    insta::assert_snapshot!(refused("symmetric.xml", net), @"
    exit 2
    --- stderr
    error: symmetric.xml:1:7: net type `http://www.pnml.org/version-2009/grammar/symmetricnet` is a symmetric net; only place/transition nets (`ptnet`) can be read
    ");
}

#[test]
fn bytes_that_are_not_text_have_a_position() {
    let latin = file("latin.json", b"{\n  \"places\": [\"caf\xE9\"]}");
    insta::assert_snapshot!(relative(&run(&["analyse", &latin], "")), @"
    exit 2
    --- stderr
    error: latin.json:2:18: this byte is not part of any UTF-8 character; only UTF-8 can be read
    ");
}

#[test]
fn standard_input_that_is_no_net() {
    let report = run(&["analyse", "-"], "") + &run(&["analyse", "-"], "places: [a]");
    insta::assert_snapshot!(report, @r"
    exit 2
    --- stderr
    error: <stdin>: the input is empty
    exit 2
    --- stderr
    error: <stdin>: neither PNML, which starts with `<`, nor JSON, which starts with `{`; YAML needs a file ending in .yaml or .yml
    ");
}

#[test]
fn at_most_20_problems_are_shown() {
    let places = vec!["\"\""; 25].join(",");
    let report = refused("many.json", &format!(r#"{{"places": [{places}], "transitions": []}}"#));
    assert_eq!(report.matches("error: many.json: place number").count(), 20, "{report}");
    assert!(report.ends_with("place number 20 has an empty name\nand 5 more\n"), "{report}");
}

#[test]
fn file_names_cannot_send_control_sequences_to_the_terminal() {
    insta::assert_snapshot!(run(&["analyse", "no\u{1b}[31m\nfile.json"], ""), @r"
    exit 2
    --- stderr
    error: no\u{1b}[31m\nfile.json: no such file
    ");
}
