//! Which records of the audit.

use super::Entry;
use crate::args::FilterArgs;
use crate::hook::places;
use crate::outcome::Failure;
use crate::when;

/// All that is asked of a record.
pub(super) struct Filter {
    session: Option<String>,
    decision: Option<String>,
    rule: Option<String>,
    since_ms: u64,
    until_ms: u64,
}

impl Filter {
    pub(super) fn new(args: &FilterArgs) -> Result<Self, Failure> {
        let now_ms = places::now_ms();
        let moment = |text: &Option<String>, otherwise: u64| match text {
            Some(text) => when::parse(text, now_ms).map_err(Failure::new),
            None => Ok(otherwise),
        };
        Ok(Self {
            session: args.session.clone(),
            decision: args.decision.clone(),
            rule: args.rule.clone(),
            since_ms: moment(&args.since, 0)?,
            until_ms: moment(&args.until, u64::MAX)?,
        })
    }

    pub(super) fn matches(&self, entry: &Entry) -> bool {
        let record = &entry.row.record;
        let has_rule = |text: &String| {
            let texts = entry.body.reasons.iter().filter_map(|reason| reason.rule.as_ref());
            texts.into_iter().any(|rule| rule.contains(text.as_str()))
        };
        self.session.as_ref().is_none_or(|id| record.session.starts_with(id.as_str()))
            && self.decision.as_ref().is_none_or(|decision| record.decision == *decision)
            && self.rule.as_ref().is_none_or(has_rule)
            && (self.since_ms..=self.until_ms).contains(&record.at_ms)
    }
}
