//! The gate and the naive model agree on long histories.

use petriflow_testkit::cases;
use petriflow_testkit::gate::{Tally, agree};

#[test]
fn the_gate_and_the_naive_model_agree_on_long_histories() {
    let mut tally = Tally::default();
    let mut longest = 0;
    cases::check(2_000, |u| {
        let of_history = agree(u.bytes(u.len())?);
        longest = longest.max(of_history.events);
        tally.add(of_history);
        Ok(())
    });
    // A generator that blocks everything, or asks about nothing, would prove nothing.
    assert_eq!(longest, 400);
    assert!(tally.events > 300_000, "{tally:?}");
    assert!(tally.allowed > 50_000 && tally.blocked > 50_000, "{tally:?}");
    assert!(tally.asked > 2_000 && tally.fired > 10_000, "{tally:?}");
    assert!(tally.compound_allowed > 10_000 && tally.compound_blocked > 10_000, "{tally:?}");
    assert!(tally.restored > 5_000, "{tally:?}");
    // Refusing what cannot be reserved is safe, but must stay the exception.
    let compound = tally.compound_allowed.saturating_add(tally.compound_blocked);
    assert!(tally.entangled < compound / 50, "{tally:?}");
}

/// Inputs that once showed a disagreement; see `docs/fuzzing.md`.
#[test]
fn finds_of_the_fuzzer_stay_fixed() {
    let finds = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/finds/gate_history");
    let mut tally = Tally::default();
    for find in std::fs::read_dir(finds).unwrap() {
        tally.add(agree(&std::fs::read(find.unwrap().path()).unwrap()));
    }
    assert!(tally.histories > 0, "no files in {finds}");
}
