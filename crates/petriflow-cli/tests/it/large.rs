//! Large state spaces: exact counts, whatever the number of threads.

use petriflow_net::formats::{NetDocument, json};
use petriflow_testkit::workloads;

use super::{file, run};

#[test]
fn a_million_states_are_counted_exactly() {
    let net = workloads::philosophers(16);
    let path =
        file("philosophers-16.json", json::write(&NetDocument { net, terminal_places: vec![] }));
    let report = run(&["analyse", &path, "--json", "--threads", "2"], "");
    let value: serde_json::Value = serde_json::from_str(&json_of(&report)).expect("JSON");
    assert_eq!(value["verdict"], "complete");
    assert_eq!(value["states"], 1_331_714);
    assert_eq!(value["terminal"], 1);
    assert_eq!(value["deadlocks"], 1);
    assert_eq!(value["deadlockTrace"]["transitions"].as_array().map(Vec::len), Some(16));
    assert_eq!(value["deadTransitions"], serde_json::json!([]));
    // More than 2 million edges, and nobody asked.
    assert_eq!(
        (&value["live"], &value["reversible"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
}

#[test]
fn liveness_of_a_large_space_is_computed_when_asked() {
    let net = workloads::token_ring(14);
    let path =
        file("token-ring-14.json", json::write(&NetDocument { net, terminal_places: vec![] }));
    let rows = |flags: &[&str]| {
        let report = run(&[&["analyse", &path], flags].concat(), "");
        let wanted = |line: &&str| {
            ["token-ring", "  live", "  reversible"].iter().any(|start| line.starts_with(start))
        };
        report.lines().filter(wanted).map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(rows(&[]) + &rows(&["--liveness"]), @"
    token-ring-14: 344064 states, 2809856 edges, explored completely
      live         not computed above 2000000 edges unless asked with --liveness
      reversible   not computed above 2000000 edges unless asked with --liveness
    token-ring-14: 344064 states, 2809856 edges, explored completely
      live         every transition (56)
      reversible   yes
    ");
}

fn json_of(report: &str) -> String {
    report.replace("exit 0\n--- stdout\n", "").replace('…', "0")
}
