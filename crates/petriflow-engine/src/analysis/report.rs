//! What an analysis found, as plain values for whoever shows it.

use std::fmt;

/// Everything about one definition.
///
/// What is *proved* holds for every instance; what is *refuted* comes with a firing sequence; the
/// rest is *undecided* and says why.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The definition's name.
    pub name: String,
    /// How many places it has.
    pub places: usize,
    /// How many transitions it has.
    pub transitions: usize,
    /// Whether all markings were met.
    pub outcome: Outcome,
    /// Different markings met. All there are if the outcome is [`Outcome::Complete`].
    pub states: usize,
    /// Firings met, from one state of the model to another. A state also holds which timeouts
    /// have happened, so that there can be more than between markings.
    pub edges: u64,
    /// Markings in which nothing can fire and a terminal place is marked.
    pub completed: Ends,
    /// Markings in which nothing can fire, no terminal place is marked and nothing is awaited.
    pub stuck: Ends,
    /// Markings in which nothing can fire and no terminal place is marked, but outside events may
    /// still put tokens into a place.
    pub waiting: Ends,
    /// By place, in declared order, the most tokens it ever holds.
    pub bounds: Vec<(String, Bound)>,
    /// The proof that some place grows without end.
    pub pump: Option<Pump>,
    /// The transitions that can never fire, or `None` if that was not decided.
    pub dead: Option<Vec<String>>,
    /// The invariants of the definition.
    pub invariants: Vec<Invariant>,
    /// The minimal invariants without negative weights that hold, or why they are not listed.
    pub computed_invariants: Result<Vec<Equation>, String>,
    /// The named properties.
    pub properties: Vec<PropertyReport>,
    /// Soundness in the sense of workflow nets.
    pub soundness: Soundness,
    /// Whether from everywhere some terminal marking can be reached; refuted by a livelock.
    pub no_livelock: Verdict,
    /// What guards can do to it.
    pub guards: Guards,
    /// The transitions whose timeout is modelled with more freedom than it has: it may come again
    /// too early. What is proved stays proved; a trace may not be possible.
    pub loose_timeouts: Vec<String>,
    /// How many tokens outside events put into each external place at most, in the model. Claims
    /// that hold only up to there are undecided.
    pub injections_max: Option<u32>,
}

/// How an exploration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every reachable marking was met.
    Complete,
    /// There is no end to the markings; the report's pump shows it.
    Unbounded,
    /// A limit was reached first.
    Undecided {
        /// Which.
        limit: String,
    },
}

/// Markings of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ends {
    /// How many were met.
    pub count: usize,
    /// A shortest way to one of them.
    pub nearest: Option<Trace>,
}

/// The most tokens a place holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// This many, and that many are reached.
    AtMost(u64),
    /// As many as you like.
    Unbounded,
    /// Not found out.
    Undecided,
}

/// Something that changes a marking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A transition fires.
    Fire(String),
    /// The timeout of a transition adds its token.
    Timeout(String),
    /// An outside event puts a token into a place.
    Inject(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fire(name) => f.write_str(name),
            Self::Timeout(name) => write!(f, "timeout of {name}"),
            Self::Inject(place) => write!(f, "inject into {place}"),
        }
    }
}

/// Steps from the initial marking, and where they lead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<Step>,
    /// The marked places after them, with their tokens.
    pub marking: Vec<(String, u32)>,
    /// What can then be repeated for ever, if the point is that there is no end.
    pub cycle: Vec<Step>,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined =
            |steps: &[Step]| steps.iter().map(Step::to_string).collect::<Vec<_>>().join(" → ");
        match self.steps.is_empty() {
            true => f.write_str("(start)")?,
            false => f.write_str(&joined(&self.steps))?,
        }
        match self.cycle.is_empty() {
            true => Ok(()),
            false => write!(f, ", then for ever {}", joined(&self.cycle)),
        }
    }
}

/// A sequence that can be repeated for ever and adds tokens each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pump {
    /// From the initial marking to where the cycle begins.
    pub prefix: Vec<Step>,
    /// What can be repeated.
    pub cycle: Vec<Step>,
    /// The places that gain tokens each time.
    pub places: Vec<String>,
}

/// The answer to a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds; for something reachable, with a shortest way there.
    Proved {
        /// The way.
        witness: Option<Trace>,
    },
    /// It does not hold; with a shortest counterexample unless the point is that there is none.
    Refuted {
        /// The counterexample.
        trace: Option<Trace>,
    },
    /// Not decided.
    Undecided {
        /// Why not.
        reason: String,
    },
}

impl Verdict {
    /// Whether it is proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Self::Proved { .. })
    }

    /// Whether it is refuted.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Refuted { .. })
    }

    /// The way that goes with the answer.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Proved { witness: trace } | Self::Refuted { trace } => trace.as_ref(),
            Self::Undecided { .. } => None,
        }
    }
}

/// An invariant of the definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    /// The weighted sum and its value at the start.
    pub equation: Equation,
    /// Whether nothing changes it.
    pub verdict: Verdict,
}

/// A weighted sum of tokens and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equation {
    /// The places with their weights, in declared order.
    pub weights: Vec<(String, i128)>,
    /// The value in the initial marking.
    pub value: i128,
}

/// A named property with its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// The verdict about the workflow without guards.
    pub verdict: Verdict,
    /// Why the verdict could be another one with guards, if it could.
    pub caveat: Option<Caveat>,
}

/// How guards could change a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caveat {
    /// The trace fires these transitions, whose guards may not let it.
    TracePassesGuards(Vec<String>),
    /// An instance could be stranded by its guards after these steps, where the claim is not
    /// fulfilled yet.
    GuardsMayStrand(Trace),
}

/// Soundness of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soundness {
    /// From everywhere a marking can be reached in which the instance is completed.
    pub can_complete: Verdict,
    /// A completed instance has tokens in terminal places only.
    pub completes_properly: Verdict,
    /// Every transition can fire sometime.
    pub no_dead_transition: Verdict,
}

impl Soundness {
    /// Whether all three are proved.
    pub fn is_proved(&self) -> bool {
        let all = [&self.can_complete, &self.completes_properly, &self.no_dead_transition];
        all.into_iter().all(Verdict::is_proved)
    }
}

/// What guards can do. The analysis lets every transition fire that has its tokens, so an instance
/// can do nothing that was not looked at; but it may do less.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guards {
    /// The transitions that have one.
    pub guarded: Vec<String>,
    /// Markings in which only guarded transitions have their tokens and no terminal place is
    /// marked: if no guard holds there, the instance is stuck.
    pub may_strand: Ends,
}

/// Something a strict analysis complains about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// In words.
    pub message: String,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// A limit was reached.
    Undecided,
    /// Some place grows without end.
    Unbounded,
    /// Some instance can get stuck.
    Stuck,
    /// Some instance can go on for ever without a way out.
    Livelock,
    /// Some transition can never fire.
    Dead,
    /// An invariant of the definition does not hold, or was not decided.
    Invariant,
    /// A property does not hold, or was not decided.
    Property,
}

impl Report {
    /// The findings, in the order of the report.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut found = |kind, message| findings.push(Finding { kind, message });
        match &self.outcome {
            Outcome::Complete => {}
            Outcome::Unbounded => {
                let places = self.pump.iter().flat_map(|pump| &pump.places);
                let places = places.map(String::as_str).collect::<Vec<_>>().join(", ");
                found(FindingKind::Unbounded, format!("tokens without end in {places}"));
            }
            Outcome::Undecided { limit } => {
                found(FindingKind::Undecided, format!("stopped at {limit}"));
            }
        }
        if let Some(trace) = &self.stuck.nearest {
            let noun = if self.stuck.count == 1 { "marking" } else { "markings" };
            let message = format!("{} stuck {noun}, the nearest by {trace}", self.stuck.count);
            found(FindingKind::Stuck, message);
        }
        if let Verdict::Refuted { trace: Some(trace) } = &self.no_livelock {
            found(FindingKind::Livelock, format!("no end can be reached after {trace}"));
        }
        if let Some(dead) = self.dead.as_ref().filter(|dead| !dead.is_empty()) {
            found(FindingKind::Dead, format!("never fires: {}", dead.join(", ")));
        }
        for invariant in self.invariants.iter().filter(|invariant| !invariant.verdict.is_proved()) {
            found(FindingKind::Invariant, judged("an invariant", &invariant.verdict));
        }
        for property in self.properties.iter().filter(|property| !property.verdict.is_proved()) {
            let what = format!("the property `{}`", property.name);
            found(FindingKind::Property, judged(&what, &property.verdict));
        }
        findings
    }
}

fn judged(what: &str, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved { .. } => format!("{what} holds"),
        Verdict::Refuted { trace: Some(trace) } => format!("{what} is refuted by {trace}"),
        Verdict::Refuted { trace: None } => format!("{what} is refuted"),
        Verdict::Undecided { reason } => format!("{what} is undecided: {reason}"),
    }
}
