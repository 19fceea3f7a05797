//! The tables of `docs/hosts.md` say what the code says.

use petriflow_hosts::{Failures, Host};

#[test]
fn the_table_of_hosts_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hosts.md");
    let text = std::fs::read_to_string(path).unwrap();
    let yes_no = |yes: bool| if yes { "yes" } else { "no" };
    for host in Host::ALL {
        let can = host.capabilities();
        let failures = match can.failures {
            Failures::Reported => "reported",
            Failures::InText => "in the text",
            Failures::NotReported => "not reported",
        };
        let row = format!(
            "| {} | `{host}` | {} | {} | {failures} | {} | {} |",
            host.title(),
            yes_no(can.asks),
            yes_no(can.rewrites),
            yes_no(can.call_ids),
            yes_no(can.blocks_on_failure),
        );
        assert!(text.contains(&row), "expected in docs/hosts.md: {row}");
    }
}

#[test]
fn a_hosts_name_is_read_as_it_is_written() {
    for host in Host::ALL {
        assert_eq!(host.to_string().parse(), Ok(host));
    }
    let error = "claude".parse::<Host>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`claude` is not a host; expected one of claude-code, codex, gemini, cursor"
    );
}
