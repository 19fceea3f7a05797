//! Firing on the tokens of one net, and structural transitions.

use std::fmt;

use petriflow_net::{FireError, TransitionId};

use crate::SkillNet;

/// Structural firings after which a net is given up. Nets that could fire for ever are refused when
/// built; this bounds those that would merely take very long.
const FIRINGS_MAX: usize = 10_000;

/// A net that does not come to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsettled {
    net: String,
    cause: String,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "net `{}` does not come to rest: {}", self.net, self.cause)
    }
}

impl std::error::Error for Unsettled {}

/// Fires one transition, then structural ones until nothing moves.
pub(crate) fn fire(
    net: &SkillNet,
    tokens: &mut [u32],
    transition: TransitionId,
) -> Result<(), Unsettled> {
    net.fire_in_place(tokens, transition).map_err(|error| stuck(net, &error))?;
    settle(net, tokens)
}

/// Fires structural transitions until nothing moves.
///
/// Those that want the same tokens where there are not enough for all of them do not fire: which one
/// would be a matter of chance.
pub(crate) fn settle(net: &SkillNet, tokens: &mut [u32]) -> Result<(), Unsettled> {
    if net.structural.is_empty() {
        return Ok(());
    }
    for _ in 0..FIRINGS_MAX {
        let enabled = || net.structural.iter().copied().filter(|&t| net.net.is_enabled(tokens, t));
        let next = enabled().find(|&t| is_free(net, tokens, t, enabled()));
        let Some(transition) = next else { return Ok(()) };
        net.net.fire_in_place(tokens, transition).map_err(|error| stuck(net, &error))?;
    }
    Err(Unsettled {
        net: net.name().into(),
        cause: format!("more than {FIRINGS_MAX} structural firings"),
    })
}

/// Whether every place the transition takes from has enough for all that are enabled.
fn is_free(
    net: &SkillNet,
    tokens: &[u32],
    transition: TransitionId,
    enabled: impl Iterator<Item = TransitionId> + Clone,
) -> bool {
    net.net.inputs(transition).iter().all(|arc| {
        let wants = |other: TransitionId| {
            let inputs = net.net.inputs(other).iter();
            inputs
                .filter(|taken| taken.place == arc.place)
                .map(|taken| u64::from(taken.weight))
                .sum::<u64>()
        };
        let present = tokens.get(arc.place.index()).copied().unwrap_or(0);
        enabled.clone().map(wants).sum::<u64>() <= u64::from(present)
    })
}

fn stuck(net: &SkillNet, error: &FireError) -> Unsettled {
    Unsettled { net: net.name().into(), cause: error.to_string() }
}
