//! How far a long exploration is: one line on a terminal, rewritten as it goes.

use std::io::Write;
use std::time::{Duration, Instant};

use petriflow_net::analysis::Progress;

/// Explorations that end sooner show nothing.
const QUIET: Duration = Duration::from_millis(500);
/// The least time between two lines.
const INTERVAL: Duration = Duration::from_millis(200);
/// Back to the start of the line, and clear it.
const ERASE: &str = "\r\u{1b}[2K";

/// The line. It disappears when this is dropped, also by a panic.
pub(super) struct ProgressLine<W: Write> {
    out: W,
    started: Instant,
    /// When the last line was written.
    written: Option<Duration>,
}

/// What a line shows.
struct Sample {
    states: usize,
    memory_bytes: usize,
    depth: u32,
}

impl<W: Write> ProgressLine<W> {
    /// A line that appears after a while.
    pub(super) fn new(out: W) -> Self {
        Self { out, started: Instant::now(), written: None }
    }

    /// Shows how far it is, if it is time to.
    pub(super) fn tell(&mut self, now: &Progress) {
        let Progress { markings, depth, memory_bytes, .. } = *now;
        let elapsed = self.started.elapsed();
        self.tell_at(elapsed, &Sample { states: markings, memory_bytes, depth });
    }

    fn tell_at(&mut self, elapsed: Duration, sample: &Sample) {
        let due = match self.written {
            None => QUIET,
            Some(written) => written.saturating_add(INTERVAL),
        };
        if elapsed < due {
            return;
        }
        self.written = Some(elapsed);
        // Progress that cannot be shown is no reason to stop.
        let _ = write!(self.out, "{ERASE}{}", line(elapsed, sample));
        let _ = self.out.flush();
    }
}

impl<W: Write> Drop for ProgressLine<W> {
    fn drop(&mut self) {
        if self.written.is_some() {
            let _ = self.out.write_all(ERASE.as_bytes());
            let _ = self.out.flush();
        }
    }
}

/// Short enough for 80 columns, because a wrapped line would not be erased whole.
fn line(elapsed: Duration, sample: &Sample) -> String {
    let milliseconds = elapsed.as_millis().max(1);
    let per_second = (sample.states as u128).saturating_mul(1000).checked_div(milliseconds);
    format!(
        "exploring: {} states, {} states/s, {} MiB, depth {}",
        sample.states,
        per_second.unwrap_or_default(),
        sample.memory_bytes >> 20,
        sample.depth,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(at_ms: &[u64]) -> String {
        let mut out = Vec::new();
        let mut line = ProgressLine::new(&mut out);
        for &at in at_ms {
            let sample = Sample { states: 600_000, memory_bytes: 25 << 20, depth: 7 };
            line.tell_at(Duration::from_millis(at), &sample);
        }
        drop(line);
        String::from_utf8(out).unwrap().replace(ERASE, "<erase>")
    }

    #[test]
    fn short_explorations_show_nothing() {
        assert_eq!(told(&[0, 100, 499]), "");
    }

    #[test]
    fn a_line_is_rewritten_at_intervals_and_erased_at_the_end() {
        insta::assert_snapshot!(told(&[499, 500, 600, 699, 700]), @"<erase>exploring: 600000 states, 1200000 states/s, 25 MiB, depth 7<erase>exploring: 600000 states, 857142 states/s, 25 MiB, depth 7<erase>");
    }
}
