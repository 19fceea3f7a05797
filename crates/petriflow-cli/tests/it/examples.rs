//! The examples are good rules, and their scenarios exercise all of them.

use std::collections::BTreeSet;
use std::fs;

use super::run;

/// The folders of examples with rules that are meant to be good.
fn policies() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let entries = fs::read_dir(folder).expect("there are examples");
    let names =
        entries.map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"));
    let mut names: Vec<String> = names
        .filter(|name| {
            name != "mistakes"
                && fs::exists(format!("{folder}/{name}/{name}.rules")).expect("readable")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn there_are_examples() {
    assert!(policies().len() >= 5, "{:?}", policies());
}

#[test]
fn rules_have_no_findings() {
    for name in policies() {
        let rules = format!("examples/{name}/{name}.rules");
        let report = run(&["check", "--strict", &rules], "");
        assert!(report.starts_with("exit 0\n") && report.ends_with("no findings\n"), "{report}");
    }
}

#[test]
fn scenarios_pass_and_cover_every_rule_and_transition() {
    for name in policies() {
        let report = run(&["test", &format!("examples/{name}"), "--coverage"], "");
        assert!(report.starts_with("exit 0\n"), "{report}");
        assert!(report.ends_with(", all passed\n"), "{report}");
        let coverage =
            report.lines().find(|line| line.starts_with("  coverage: ")).expect("asked for");
        let numbers: Vec<u64> =
            coverage.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [refused, rules, fired, transitions] = numbers[..] else { panic!("{coverage}") };
        assert!(rules > 0 && refused == rules && fired == transitions, "{report}");
    }
}

#[test]
fn one_run_finds_all_the_mistakes() {
    let json = run(&["check", "examples/mistakes/fifteen.rules", "--format", "json"], "");
    assert!(json.starts_with("exit 1\n"), "{json}");
    let values = |key: &str| -> Vec<String> {
        let lines = json.lines().map(str::trim);
        lines.filter_map(|line| line.strip_prefix(key)).map(str::to_owned).collect()
    };
    let codes = values("\"code\": ");
    let lines: BTreeSet<String> = values("\"line\": ").into_iter().collect();
    assert!(codes.len() >= 15, "{codes:?}");
    assert_eq!(lines.len(), codes.len(), "one to a line");
    assert!(codes.iter().collect::<BTreeSet<_>>().len() >= 10, "{codes:?}");
    assert!(values("\"severity\": ").iter().all(|severity| severity == "\"error\","));
}
