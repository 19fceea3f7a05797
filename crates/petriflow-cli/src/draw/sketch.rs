//! What is to be seen of a net, whatever the format.

use petriflow::gate::{RuleKind, SkillNet};
use petriflow_net::{TransitionId, WeightedArc};

use crate::text::shown;

/// A net in words that can be shown: control and bidirectional characters are written out.
pub(super) struct Sketch {
    pub(super) title: String,
    /// Where the rule stands, as `file:line`.
    pub(super) origin: Option<String>,
    pub(super) name: String,
    pub(super) free_tools: Vec<String>,
    pub(super) places: Vec<Place>,
    pub(super) transitions: Vec<Transition>,
    pub(super) arcs: Vec<Arc>,
}

pub(super) struct Place {
    pub(super) name: String,
    pub(super) tokens: u32,
    /// Whether it marks a proper end.
    pub(super) terminal: bool,
}

pub(super) struct Transition {
    pub(super) name: String,
    /// None for a structural transition.
    pub(super) tools: Vec<String>,
    pub(super) manual: bool,
    pub(super) deferred: bool,
    /// Whether it waits for a place that no token can ever get to.
    pub(super) never: bool,
}

/// An arrow between a place and a transition, both by position.
pub(super) struct Arc {
    pub(super) place: usize,
    pub(super) transition: usize,
    pub(super) direction: Direction,
    pub(super) amount: Amount,
}

impl Place {
    /// What stands in it, as text: its name, and its tokens if it has any.
    pub(super) fn lines(&self) -> Vec<String> {
        let tokens = match self.tokens {
            0 => None,
            1 => Some("1 token".to_owned()),
            tokens => Some(format!("{tokens} tokens")),
        };
        let name = Some(self.name.clone()).filter(|name| !name.is_empty());
        name.into_iter().chain(tokens).collect()
    }
}

impl Arc {
    /// The names of its two ends in the drawing of the net of this number, the first one first.
    pub(super) fn ends(&self, number: usize) -> (String, String) {
        let place = format!("n{number}_p{}", self.place);
        let transition = format!("n{number}_t{}", self.transition);
        match self.direction {
            Direction::Takes | Direction::Both => (place, transition),
            Direction::Puts => (transition, place),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From the place to the transition.
    Takes,
    /// From the transition to the place.
    Puts,
    /// What is taken is put back.
    Both,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Amount {
    Tokens(u32),
    /// Whatever the place holds.
    All,
    /// Whatever another place holds, where it would not be clear which.
    AllOf(String),
}

impl Sketch {
    pub(super) fn new(skill_net: &SkillNet) -> Self {
        let net = skill_net.net();
        let never = never_enabled(skill_net);
        let place = |place| Place {
            name: visible(net.place_name(place)),
            tokens: net.initial().tokens(place),
            terminal: skill_net.terminal_places().contains(&place),
        };
        let transition = |(transition, never): (TransitionId, bool)| Transition {
            name: visible(net.transition_name(transition)),
            tools: visible_all(skill_net.tools(transition)),
            manual: skill_net.is_manual(transition),
            deferred: skill_net.is_deferred(transition),
            never,
        };
        Self {
            title: title(skill_net),
            origin: origin(skill_net),
            name: visible(skill_net.name()),
            free_tools: visible_all(skill_net.free_tools()),
            places: net.places().map(place).collect(),
            transitions: net.transitions().zip(never).map(transition).collect(),
            arcs: net.transitions().flat_map(|transition| arcs(skill_net, transition)).collect(),
        }
    }
}

impl Transition {
    pub(super) fn is_structural(&self) -> bool {
        self.tools.is_empty()
    }

    /// What is special about it.
    pub(super) fn caption(&self) -> Option<&'static str> {
        match (self.never, self.manual, self.deferred) {
            (true, _, _) => Some("never"),
            (_, true, true) => Some("asks a person, on success"),
            (_, true, false) => Some("asks a person"),
            (_, false, true) => Some("on success"),
            (_, false, false) => None,
        }
    }
}

impl Amount {
    /// What is written at the arrow; nothing for a single token.
    pub(super) fn label(&self) -> Option<String> {
        match self {
            Self::Tokens(1) => None,
            Self::Tokens(weight) => Some(format!("×{}", grouped(*weight))),
            Self::All => Some("all".to_owned()),
            Self::AllOf(place) => Some(format!("all of {place}")),
        }
    }

    pub(super) fn is_drain(&self) -> bool {
        !matches!(self, Self::Tokens(_))
    }
}

fn visible(text: &str) -> String {
    shown(text, usize::MAX)
}

fn visible_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| visible(text)).collect()
}

fn title(net: &SkillNet) -> String {
    let Some(rule) = net.rule() else { return visible(net.name()) };
    let text = match (&rule.source, &rule.kind) {
        (Some(source), _) if !source.text.trim().is_empty() => source.text.trim().to_owned(),
        // The kind is worded as a refusal: "has reached its limit" is wrong above a full budget.
        (_, RuleKind::Limit { tool, limit, scope }) => {
            format!("limit {tool} to {limit} per {scope}")
        }
        (_, kind) => kind.to_string(),
    };
    visible(&text)
}

fn origin(net: &SkillNet) -> Option<String> {
    let source = net.rule()?.source.as_ref()?;
    Some(format!("{}:{}", visible(&source.file), source.line))
}

/// The arrows of a transition; a place that gets back what it gave has one arrow with two heads.
fn arcs(skill_net: &SkillNet, id: TransitionId) -> Vec<Arc> {
    let net = skill_net.net();
    let (inputs, outputs) = (net.inputs(id), net.outputs(id));
    let arc = |arc: &WeightedArc, direction| Arc {
        place: arc.place.index(),
        transition: id.index(),
        direction,
        amount: Amount::Tokens(arc.weight),
    };
    let input = |taken| match outputs.contains(taken) {
        true => arc(taken, Direction::Both),
        false => arc(taken, Direction::Takes),
    };
    let output = |put| (!inputs.contains(put)).then(|| arc(put, Direction::Puts));
    let mut arcs: Vec<Arc> = inputs.iter().map(input).collect();
    arcs.extend(outputs.iter().filter_map(output));
    arcs.extend(drain_arcs(skill_net, id));
    arcs
}

fn drain_arcs(skill_net: &SkillNet, id: TransitionId) -> Vec<Arc> {
    let drains = skill_net.drains(id);
    let transition = id.index();
    let mut arcs = Vec::new();
    for (from, to) in drains {
        let put = match drains.len() {
            1 => Amount::All,
            _ => Amount::AllOf(visible(skill_net.net().place_name(*from))),
        };
        let (from, to) = (from.index(), to.index());
        let direction = Direction::Takes;
        arcs.push(Arc { place: from, transition, direction, amount: Amount::All });
        arcs.push(Arc { place: to, transition, direction: Direction::Puts, amount: put });
    }
    arcs
}

/// Which transitions wait for a place that no token can get to.
///
/// Weights are not looked at, so a transition that is not listed may still never be enabled.
fn never_enabled(skill_net: &SkillNet) -> Vec<bool> {
    let net = skill_net.net();
    let mut marked: Vec<bool> = net.places().map(|p| net.initial().tokens(p) > 0).collect();
    let is = |marked: &[bool], place: usize| marked.get(place).copied().unwrap_or(false);
    let can_fire = |marked: &[bool], id: TransitionId| {
        net.inputs(id).iter().all(|arc| is(marked, arc.place.index()))
    };
    // Every round but the last marks a place, so there are at most as many as places.
    loop {
        let mut reached = Vec::new();
        for id in net.transitions().filter(|&id| can_fire(&marked, id)) {
            let drained = skill_net.drains(id).iter().filter(|(from, _)| is(&marked, from.index()));
            reached.extend(net.outputs(id).iter().map(|arc| arc.place.index()));
            reached.extend(drained.map(|(_, to)| to.index()));
        }
        reached.retain(|&place| !is(&marked, place));
        if reached.is_empty() {
            return net.transitions().map(|id| !can_fire(&marked, id)).collect();
        }
        for place in reached {
            if let Some(place) = marked.get_mut(place) {
                *place = true;
            }
        }
    }
}

/// A number with its digits in groups of three where there are many.
pub(super) fn grouped(number: u32) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && digits.len().abs_diff(position).is_multiple_of(3) {
            // A thin space that does not break.
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::tests::shapes;

    #[test]
    fn only_the_blocked_tool_never_runs() {
        let never = |net| Sketch::new(&net).transitions.iter().map(|t| t.never).collect::<Vec<_>>();
        assert_eq!(never(shapes::block()), [false, true]);
        assert_eq!(never(shapes::refilled()), [false, false, false]);
        assert_eq!(never(shapes::require()), [false; 4]);
    }

    #[test]
    fn titles_are_the_rule_as_written_or_its_kind_or_the_name() {
        let rule = RuleKind::Limit { tool: "push".into(), limit: 2, scope: "session".into() };
        let net = |rule: Option<RuleKind>| {
            let builder = SkillNet::builder("a-net").places(["p"]);
            let builder = match rule {
                Some(rule) => builder.rule(rule),
                None => builder,
            };
            Sketch::new(&builder.build().unwrap())
        };
        assert_eq!(net(Some(rule)).title, "limit push to 2 per session");
        assert_eq!(net(None).title, "a-net");
        let require = Sketch::new(&shapes::require());
        assert_eq!(require.title, "require backup before delete");
        assert_eq!(require.origin.as_deref(), Some("release.rules:3"));
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(1234), "1234");
        assert_eq!(grouped(1_000_000), "1\u{202f}000\u{202f}000");
        assert_eq!(grouped(12_345), "12\u{202f}345");
    }
}
