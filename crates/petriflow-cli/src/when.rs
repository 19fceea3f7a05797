//! Moments in the words of people.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment in UTC, to the millisecond.
pub(crate) fn stamp(ms: u64) -> String {
    let moment = UNIX_EPOCH.checked_add(Duration::from_millis(ms)).unwrap_or(UNIX_EPOCH);
    humantime::format_rfc3339_millis(moment).to_string()
}

/// How long ago a moment was, in the largest unit that fits.
pub(crate) fn ago(ms: u64, now_ms: u64) -> String {
    let seconds = now_ms.saturating_sub(ms) / 1_000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A moment as a person writes it: an age (`30m`, `12h`, `7d`), a date or a date with a time, in UTC.
pub(crate) fn parse(text: &str, now_ms: u64) -> Result<u64, String> {
    if let Ok(age) = humantime::parse_duration(text) {
        return Ok(now_ms.saturating_sub(millis(age)));
    }
    let moment = match text.len() {
        10 => format!("{text}T00:00:00"),
        16 => format!("{text}:00"),
        _ => text.to_owned(),
    };
    let parsed = humantime::parse_rfc3339_weak(&moment).ok();
    let since = parsed.and_then(|moment: SystemTime| moment.duration_since(UNIX_EPOCH).ok());
    since.map(millis).ok_or_else(|| {
        format!("`{text}` is no moment; write an age (30m, 12h, 7d) or a date (2026-11-16, 2026-11-16T08:30)")
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_dates_are_moments() {
        let now = 1_800_000_000_000;
        assert_eq!(parse("30m", now), Ok(now - 30 * 60 * 1_000));
        assert_eq!(parse("7d", now), Ok(now - 7 * 86_400_000));
        assert_eq!(parse("2026-11-16", now).map(stamp).unwrap(), "2026-11-16T00:00:00.000Z");
        assert_eq!(parse("2026-11-16T08:30", now).map(stamp).unwrap(), "2026-11-16T08:30:00.000Z");
        assert_eq!(
            parse("2026-11-16T08:30:01Z", now).map(stamp).unwrap(),
            "2026-11-16T08:30:01.000Z"
        );
        assert!(parse("yesterday", now).unwrap_err().starts_with("`yesterday` is no moment"));
    }

    #[test]
    fn ages_are_shown_in_the_largest_unit_that_fits() {
        let ago = |seconds: u64| ago(0, seconds * 1_000);
        let shown = [ago(3), ago(61), ago(7_300), ago(90_000), ago(200_000)];
        assert_eq!(shown, ["3 s ago", "1 min ago", "2 h ago", "25 h ago", "2 days ago"]);
    }
}
