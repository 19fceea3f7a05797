//! docs/analyse.md shows what the command really prints.

use super::run;

const GUIDE: &str = include_str!("../../../../docs/analyse.md");
const CARGO_RUN: &str = "cargo run --release -- ";

#[test]
fn reports_in_the_guide_are_real() {
    let mut shown = 0;
    for (before, block) in GUIDE.split("```").zip(GUIDE.split("```").skip(2)) {
        let (Some(command), Some(report)) =
            (before.strip_prefix("sh\n"), block.strip_prefix("text\n"))
        else {
            continue;
        };
        let args: Vec<&str> =
            command.trim_end().strip_prefix(CARGO_RUN).unwrap().split(' ').collect();
        let real = run(&args, "").replace("exit 0\n--- stdout\n", "").replace("--- stderr\n", "");
        assert_eq!(real, report, "{command}");
        shown += 1;
    }
    assert_eq!(shown, 3);
}

#[test]
fn every_json_field_is_in_the_guide() {
    let json = run(&["analyse", "examples/nets/philosophers-3.pnml", "--json"], "");
    let fields = json.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next());
    let missing: Vec<&str> =
        fields.filter(|field| !GUIDE.contains(&format!("`{field}`"))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
