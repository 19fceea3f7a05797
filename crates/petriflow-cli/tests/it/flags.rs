//! Every flag does what its help says.

use std::fs::File;
use std::process::Stdio;

use super::{command, output, run};

const COFFEE: &str = "examples/nets/coffee.json";
const MUTEX: &str = "examples/nets/mutex.pnml";
const PHILOSOPHERS: &str = "examples/nets/philosophers-3.pnml";
const PRODUCER: &str = "examples/nets/producer-unbounded.json";

/// Exit code of an analysis.
fn exit(args: &[&str]) -> Option<i32> {
    output(&[&["analyse"], args].concat(), b"").status.code()
}

#[test]
fn strict_turns_each_kind_of_finding_into_exit_1() {
    let undecided = [PHILOSOPHERS, "--max-states", "5"];
    for finding in [&[PHILOSOPHERS][..], &[PRODUCER], &undecided] {
        assert_eq!(exit(finding), Some(0), "{finding:?}");
        assert_eq!(exit(&[finding, &["--strict"]].concat()), Some(1), "{finding:?}");
        assert_eq!(exit(&[finding, &["--strict", "--json"]].concat()), Some(1), "{finding:?}");
    }
    for clean in [COFFEE, MUTEX] {
        assert_eq!(exit(&[clean, "--strict"]), Some(0), "{clean}");
    }
    let dead = r#"{"places": ["p", "q"], "transitions": [
        {"name": "never", "inputs": ["q"], "outputs": []},
        {"name": "spin", "inputs": ["p"], "outputs": ["p"]}
    ], "initialMarking": {"p": 1}}"#;
    insta::assert_snapshot!(run(&["analyse", "-", "--strict"], dead), @"
    exit 1
    --- stdout
    <stdin>: 1 state, 1 edge, explored completely
      net          2 places, 2 transitions, 1 token at the start
      bounded      yes, at most 1 token in a place, 1 in a marking
      terminal     no marking
      dead         1 of 2 transitions: never
      live         1 of 2 transitions: spin
      reversible   yes
      invariants   1 place invariant, not covered: q
                   p = 1
                   1 independent transition invariant
    findings: 1, dead transitions
    ");
}

#[test]
fn dot_draws_and_analyses_nothing() {
    insta::assert_snapshot!(run(&["analyse", MUTEX, "--dot"], ""), @r#"
    exit 0
    --- stdout
    digraph {
      rankdir=LR;
      label="mutex";
      p0 [shape=circle, label="idle_a\n1 token"];
      p1 [shape=circle, label="critical_a"];
      p2 [shape=circle, label="idle_b\n1 token"];
      p3 [shape=circle, label="critical_b"];
      p4 [shape=circle, label="lock\n1 token"];
      t0 [shape=box, label="a_enters"];
      p0 -> t0;
      p4 -> t0;
      t0 -> p1;
      t1 [shape=box, label="a_leaves"];
      p1 -> t1;
      t1 -> p0;
      t1 -> p4;
      t2 [shape=box, label="b_enters"];
      p2 -> t2;
      p4 -> t2;
      t2 -> p3;
      t3 [shape=box, label="b_leaves"];
      p3 -> t3;
      t3 -> p2;
      t3 -> p4;
    }
    "#);
}

#[test]
fn mermaid_draws_and_analyses_nothing() {
    insta::assert_snapshot!(run(&["analyse", COFFEE, "--mermaid"], ""), @r#"
    exit 0
    --- stdout
    flowchart LR
      p0(("waiting<br/>2 tokens"))
      p1(("paid"))
      p2(("ordered"))
      p3(("brewing"))
      p4(("served"))
      p5(("milk<br/>1 token"))
      t0["pay"]
      p0 --> t0
      t0 --> p1
      t1["order espresso"]
      p1 --> t1
      t1 --> p2
      t2["order latte"]
      p1 --> t2
      p5 --> t2
      t2 --> p2
      t3["brew"]
      p2 --> t3
      t3 --> p3
      t4["serve"]
      p3 --> t4
      t4 --> p4
    "#);
}

#[test]
fn standard_input_is_read_in_both_formats() {
    for (path, text) in [
        (COFFEE, include_str!("../../../../examples/nets/coffee.json")),
        (MUTEX, include_str!("../../../../examples/nets/mutex.pnml")),
    ] {
        assert_eq!(run(&["analyse", "-"], text), run(&["analyse", path], ""));
    }
}

#[test]
fn memory_is_limited() {
    // 2^22 states need more than a MiB however they are stored.
    let bits: Vec<String> = (0..22)
        .map(|at| format!(r#"{{"name": "t{at}", "inputs": ["p{at}"], "outputs": []}}"#))
        .collect();
    let places: Vec<String> = (0..22).map(|at| format!("\"p{at}\"")).collect();
    let marks: Vec<String> = places.iter().map(|place| format!("{place}: 1")).collect();
    let net = format!(
        r#"{{"name": "bits", "places": [{}], "transitions": [{}], "initialMarking": {{{}}}}}"#,
        places.join(","),
        bits.join(","),
        marks.join(","),
    );
    let report = run(&["analyse", "-", "--max-memory", "1"], &net);
    assert!(report.contains("explored until the limit of 1 MiB of memory"), "{report}");
    assert!(report.ends_with("hint: raise --max-memory\n"), "{report}");
    let json = run(&["analyse", "-", "--max-memory", "1", "--json"], &net);
    let limit = "\"limit\": {\n    \"kind\": \"memoryBytes\",\n    \"max\": 1048576,\n";
    assert!(json.contains(limit), "{json}");
}

#[test]
fn threads_do_not_change_the_report() {
    let one = run(&["analyse", PHILOSOPHERS, "--json", "--threads", "1"], "");
    for threads in ["2", "16", "1000"] {
        assert_eq!(run(&["analyse", PHILOSOPHERS, "--json", "--threads", threads], ""), one);
    }
}

#[test]
fn progress_is_for_terminals_only() {
    let report = run(&["analyse", PHILOSOPHERS], "");
    assert!(!report.contains("--- stderr"), "{report}");
}

#[test]
fn help_lists_every_flag() {
    insta::assert_snapshot!(run(&["analyse", "-h"], ""), @r"
    exit 0
    --- stdout
    Explore a net and report deadlocks, bounds, dead transitions and more

    Usage: petriflow analyse [OPTIONS] <FILE>

    Arguments:
      <FILE>  The net or workflow: a .pnml, .xml, .json, .yaml or .yml file, or - for standard input
              (PNML or JSON)

    Options:
      -h, --help  Print help (see more with '--help')

    Output:
          --json     Print the report as JSON
          --dot      Print a drawing for Graphviz instead of analysing
          --mermaid  Print a drawing for Mermaid instead of analysing

    Analysis:
          --strict    Exit with 1 if there are findings or, for a workflow, warnings
          --liveness  Compute liveness and reversibility however large the state space is

    Limits:
          --max-states <N>    Stop undecided after this many states [default: 10000000]
          --max-memory <MIB>  Stop undecided when exploration takes this much memory, in MiB [default:
                              4096]
          --threads <N>       Explore with this many threads [default: one per processor]

    Examples:
      petriflow analyse net.pnml
      petriflow analyse net.json --strict
      petriflow analyse workflows/coffee.json --strict
      petriflow analyse net.json --json | jq .deadlockTrace
      petriflow analyse net.pnml --dot | dot -Tsvg > net.svg
      cat net.json | petriflow analyse -

    Exit codes:
      0  analysed (with --strict: nothing found)
      1  findings, with --strict
      2  could not analyse: bad usage, unreadable or malformed file, internal error
    ");
}

#[test]
fn help_explains_exit_codes_and_shows_examples() {
    let help = run(&["analyse", "--help"], "");
    assert!(help.starts_with("exit 0\n--- stdout\nExplores every marking"), "{help}");
    for part in ["Examples:\n  petriflow analyse net.pnml\n", "Exit codes:\n  0  analysed"] {
        assert!(help.contains(part), "{help}");
    }
    insta::assert_snapshot!(run(&["--help"], ""), @r"
    exit 0
    --- stdout
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
    ");
}

#[test]
fn the_version_is_the_workspace_s() {
    let version = concat!("exit 0\n--- stdout\npetriflow ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(run(&["--version"], ""), version);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    for (flags, code) in [(&["analyse", PHILOSOPHERS][..], 0), (&["--help"], 0)] {
        assert_eq!(exit_when_nobody_reads(flags), (Some(code), String::new()));
    }
    // Findings are not forgotten because `head` has seen enough.
    let strict = ["analyse", PHILOSOPHERS, "--strict"];
    assert_eq!(exit_when_nobody_reads(&strict), (Some(1), String::new()));
}

fn exit_when_nobody_reads(args: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command(args).stdin(Stdio::null()).stdout(writer).output().expect("runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = File::options().write(true).open("/dev/full").expect("exists on Linux");
    let output = command(&["analyse", MUTEX]).stdin(Stdio::null()).stdout(full).output();
    let output = output.expect("runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.starts_with("error: cannot write to standard output: "), "{message}");
}
