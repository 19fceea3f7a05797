//! Many generated cases from consecutive seeds, the same in every run.

pub use arbitrary::{Result, Unstructured};

/// Runs `check` on `count` inputs of pseudo-random bytes; a panic is preceded by the seed.
///
/// Seeds begin at 0, or at `PETRIFLOW_SEED` to look where nobody has looked yet;
/// `PETRIFLOW_CASES` multiplies the count for a long run. A check that runs out of bytes is not
/// counted as a case.
pub fn check(count: u64, mut check: impl FnMut(&mut Unstructured<'_>) -> Result<()>) {
    let first = from_env("PETRIFLOW_SEED").unwrap_or(0);
    let count = count.saturating_mul(from_env("PETRIFLOW_CASES").unwrap_or(1));
    let mut seed = first;
    let mut done = 0;
    while done < count {
        let bytes = bytes(seed);
        let report = ReportSeed(seed);
        let outcome = check(&mut Unstructured::new(&bytes));
        std::mem::forget(report);
        done += u64::from(outcome.is_ok());
        seed += 1;
        assert!(seed - first < count.saturating_mul(20), "most cases run out of bytes");
    }
}

fn from_env(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Short and long inputs both, so that small cases are common.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let words = 32 + next() % 480;
    (0..words).flat_map(|_| next().to_le_bytes()).collect()
}

/// Dropped by a panic only.
struct ReportSeed(u64);

impl Drop for ReportSeed {
    #[expect(clippy::print_stderr, reason = "the seed is what a failing test must say")]
    fn drop(&mut self) {
        eprintln!("failing seed: run again with PETRIFLOW_SEED={}", self.0);
    }
}
