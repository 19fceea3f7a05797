//! Rules watched from outside: their promises checked on a history, without a net.

use petriflow_gate::{RuleKind, ToolCall};

use super::event::{Event, Player, Seen};
use super::spec::{NetSpec, PolicySpec};

/// Plays a history and checks the promise of every limit and every sequence of the policy on it.
///
/// # Panics
/// If one is broken.
pub fn watched(policy: &PolicySpec, events: &[Event]) -> Watched {
    let mut limits: Vec<LimitWatch> = policy.nets.iter().filter_map(LimitWatch::of).collect();
    let mut sequences: Vec<SequenceWatch> =
        policy.nets.iter().filter_map(SequenceWatch::of).collect();
    let mut watched = Watched::default();
    let mut player = Player::new(&policy.policy());
    let mut open: Vec<ToolCall> = Vec::new();
    for event in events {
        let before = player.session.open_calls();
        match (event, player.play(event)) {
            (Event::Decide(call) | Event::Answer { call, .. }, Seen::Allowed)
                if player.session.open_calls() > before =>
            {
                watched.allowed += 1;
                limits.iter_mut().for_each(|watch| watch.allowed(call));
                sequences.iter_mut().for_each(|watch| watch.allowed(call));
                open.retain(|known| known.id != call.id);
                open.push(call.clone());
            }
            (Event::Result(result), Seen::Fired(_)) if !result.is_error => {
                let call = open.iter().find(|call| call.id == result.id).expect("it was allowed");
                limits.iter_mut().for_each(|watch| watch.succeeded(call));
                sequences.iter_mut().for_each(|watch| watch.succeeded(call));
            }
            (Event::Decide(call), Seen::Blocked(reasons)) if call.text("command").is_none() => {
                let objects = |net: &&NetSpec| reasons.iter().any(|(name, _)| *name == net.name);
                let wrong = policy.nets.iter().filter(objects).find(|net| unlocks(net, &call.tool));
                assert!(wrong.is_none(), "{call:?} is blocked by a rule it unlocks: {wrong:?}");
            }
            _ => {}
        }
        watched.at_limit += limits.iter().filter(|watch| watch.count == watch.limit).count();
        watched.armed += sequences.iter().filter(|watch| watch.armed).count();
    }
    watched
}

/// A rule never blocks what it waits for.
fn unlocks(net: &NetSpec, tool: &str) -> bool {
    match &net.rule {
        Some(RuleKind::Sequence { prerequisite, .. }) => prerequisite == tool,
        Some(RuleKind::Limit { scope, .. }) => scope == tool,
        _ => false,
    }
}

/// What was watched, so that a test can tell that it tested something.
#[derive(Debug, Clone, Copy, Default)]
pub struct Watched {
    /// Calls that were allowed.
    pub allowed: usize,
    /// How often a limit was used up.
    pub at_limit: usize,
    /// How often a prerequisite had succeeded.
    pub armed: usize,
}

/// Counts the calls of one limit.
struct LimitWatch {
    tool: String,
    limit: usize,
    /// `session`, or the tool that starts the count anew.
    scope: String,
    count: usize,
}

impl LimitWatch {
    fn of(net: &NetSpec) -> Option<Self> {
        let Some(RuleKind::Limit { tool, limit, scope }) = net.rule.clone() else { return None };
        let limit = usize::try_from(limit).expect("limits are small here");
        Some(Self { tool, limit, scope, count: 0 })
    }

    /// Uses that do not rely on a scope of the same call are used up now. Those that do start a new
    /// count if the scope succeeds, which nobody knows yet: the higher count is the one to fear.
    fn allowed(&mut self, call: &ToolCall) {
        let mut since_scope = 0;
        let mut since_scope_max = 0;
        for segment in segments(call) {
            let mut relies = false;
            for tool in segment {
                let tool = tool.trim_end_matches('&');
                if tool == self.scope {
                    relies = true;
                    since_scope = 0;
                } else if tool == self.tool {
                    since_scope += 1;
                    self.count += usize::from(!relies);
                }
                since_scope_max = since_scope_max.max(since_scope);
            }
        }
        self.count = self.count.max(since_scope_max);
        assert!(
            self.count <= self.limit,
            "{} is called {} times, {} per {} are allowed: {call:?}",
            self.tool,
            self.count,
            self.limit,
            self.scope
        );
    }

    fn succeeded(&mut self, call: &ToolCall) {
        let last = shown_segment(call);
        if let Some(at) = last.iter().rposition(|tool| *tool == self.scope) {
            let is_use = |tool: &&&str| tool.trim_end_matches('&') == self.tool;
            self.count = last[at..].iter().filter(is_use).count();
        }
    }
}

/// Watches one `require PREREQUISITE before DEPENDENT`.
struct SequenceWatch {
    prerequisite: String,
    dependent: String,
    /// The prerequisite has succeeded since the dependent last ran.
    armed: bool,
}

impl SequenceWatch {
    fn of(net: &NetSpec) -> Option<Self> {
        let Some(RuleKind::Sequence { prerequisite, dependent }) = net.rule.clone() else {
            return None;
        };
        Some(Self { prerequisite, dependent, armed: false })
    }

    fn allowed(&mut self, call: &ToolCall) {
        for segment in segments(call) {
            let mut relies = false;
            for tool in segment {
                let tool = tool.trim_end_matches('&');
                if tool == self.prerequisite {
                    relies = true;
                } else if tool == self.dependent {
                    let covered = relies || self.armed;
                    assert!(covered, "{} without {}: {call:?}", self.dependent, self.prerequisite);
                    (relies, self.armed) = (false, false);
                }
            }
        }
    }

    fn succeeded(&mut self, call: &ToolCall) {
        let last = shown_segment(call);
        if let Some(at) = last.iter().rposition(|tool| *tool == self.prerequisite) {
            let is_dependent = |tool: &&str| tool.trim_end_matches('&') == self.dependent;
            self.armed = !last[at..].iter().any(is_dependent);
        }
    }
}

/// The tools that hang together by success. Nothing hangs on a detached tool (`a&`), nor on an
/// alternative (`|| a`), which may not have run.
fn segments(call: &ToolCall) -> Vec<Vec<&str>> {
    let Some(command) = call.text("command") else { return vec![vec![&call.tool]] };
    let mut segments: Vec<Vec<&str>> = Vec::new();
    let mut connective = "";
    let mut ends = true;
    for word in command.split_whitespace() {
        if matches!(word, ";" | "||" | "&&") {
            connective = word;
            continue;
        }
        match segments.last_mut().filter(|_| connective == "&&" && !ends) {
            Some(segment) => segment.push(word),
            None => segments.push(vec![word]),
        }
        ends = connective == "||" || word.ends_with('&');
    }
    segments
}

/// The last segment, if the call's success shows that it was gone through.
fn shown_segment(call: &ToolCall) -> Vec<&str> {
    let is_alternative = call
        .text("command")
        .is_some_and(|command| command.rfind("||") > command.rfind("&&").max(command.rfind(';')));
    if is_alternative { Vec::new() } else { segments(call).pop().unwrap_or_default() }
}
