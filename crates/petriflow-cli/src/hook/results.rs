//! What comes after a call: its result, or the news that it never ran.

use petriflow::gate::{Release, ToolCall, ToolResult};
use petriflow_hosts::{Call, Ended, Event, Kind};

use super::footing::Footing;
use super::project::{Settings, Unreported};
use super::ruling::Ruling;

/// What an event that is no call changes.
pub(super) fn take(settings: &Settings, event: &Event, footing: &mut Footing) -> Ruling {
    match &event.kind {
        Kind::Result { call, outcome } => {
            let is_success = match outcome {
                Ended::Succeeded => true,
                Ended::Failed => false,
                Ended::Unknown => false,
                Ended::Untold => settings.unreported_results == Some(Unreported::Succeeded),
            };
            result(footing, call, *outcome, is_success)
        }
        Kind::Denied(call) => released(footing, call),
        Kind::BatchEnded { calls } => {
            // Whether a call without a result ran is not known: it counts as used.
            let open: Vec<ToolCall> =
                calls.iter().filter_map(|call| in_flight(footing, call)).collect();
            for call in &open {
                footing.session.result(&ToolResult::failure(call));
            }
            Ruling::silent("ended").note(format!("{} calls had no result", open.len()))
        }
        Kind::TurnEnded | Kind::SessionEnded => {
            let dropped = footing.session.end_open_calls();
            Ruling::silent("ended").note(format!("{dropped} calls had no result"))
        }
        Kind::Call(_) | Kind::Confirm(_) | Kind::SessionStarted(_) | Kind::Nothing => {
            Ruling::silent("ignored")
        }
    }
}

/// The call in flight that an event is about: by its id, or by tool and input, the oldest first.
fn in_flight(footing: &Footing, call: &Call) -> Option<ToolCall> {
    let named = |id: &str| ToolCall::new(id, &call.tool, call.input.clone());
    match &call.id {
        Some(id) => footing.session.in_flight().contains(&id.as_str()).then(|| named(id)),
        None => footing.session.in_flight_like(&named("")).map(named),
    }
}

fn result(footing: &mut Footing, call: &Call, outcome: Ended, is_success: bool) -> Ruling {
    let Some(call) = in_flight(footing, call) else {
        return Ruling::silent("unmatched").note("no such call is in flight");
    };
    // Somebody may have changed the call after it was decided. What ran then is not what the
    // rules know of.
    let is_same = footing.session.is_in_flight(&call);
    let result = ToolResult { is_error: !(is_success && is_same), ..ToolResult::success(&call) };
    footing.session.result(&result);
    let decision = match (outcome, is_same) {
        (_, false) => "failed",
        (Ended::Succeeded, true) => "succeeded",
        (Ended::Failed, true) => "failed",
        (Ended::Unknown, true) => "unknown",
        (Ended::Untold, true) if is_success => "succeeded",
        (Ended::Untold, true) => "unknown",
    };
    let ruling = Ruling::silent(decision).about(&call.id);
    if is_same { ruling } else { ruling.note("it ran with another input than was decided") }
}

fn released(footing: &mut Footing, call: &Call) -> Ruling {
    let Some(call) = in_flight(footing, call) else {
        return Ruling::silent("unmatched").note("no such call is in flight");
    };
    let note = match footing.session.release(&call.id) {
        Release::Done { returned } => format!("{returned} firings taken back"),
        Release::UnknownCall => "no such call is in flight".to_owned(),
    };
    Ruling::silent("released").about(&call.id).note(note)
}
