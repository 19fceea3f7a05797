//! Arbitrary histories from bytes.
//!
//! What can happen next depends on which calls are in flight and which questions are open; the model
//! is asked for that.

use arbitrary::{Result, Unstructured};
use petriflow_gate::{Answer, ToolCall, ToolResult};
use serde_json::{Map, Value};

use super::event::Event;
use super::model::Model;
use super::policies::{SHELL, TOOLS};
use super::spec::PolicySpec;

/// Longest history of [`agree`](super::agree()).
pub(super) const EVENTS_MAX: usize = 400;

/// A history as it would go for this policy: up to `events_max`, or as long as the bytes last.
///
/// # Errors
/// If the bytes cannot be read, which [`Unstructured`] reports for no input used here.
pub fn history(
    u: &mut Unstructured<'_>,
    policy: &PolicySpec,
    events_max: usize,
) -> Result<Vec<Event>> {
    let mut model = Model::new(policy);
    let mut events = Vec::new();
    while !u.is_empty() && events.len() < events_max {
        let event = next_event(u, &model, events.len())?;
        model.play(&event, &Default::default());
        events.push(event);
    }
    Ok(events)
}

/// The next event of a history of which `number` have happened.
///
/// # Errors
/// As [`history`].
pub fn next_event(u: &mut Unstructured<'_>, model: &Model, number: usize) -> Result<Event> {
    Ok(match u.int_in_range(0..=99)? {
        0..=26 => result(u, model, number)?,
        27..=38 => answer(u, model, number)?,
        39..=42 => stray_result(u, model)?,
        43..=46 => switch(u, model)?,
        47..=49 => Event::SaveAndRestore,
        50..=52 => Event::Wait { ms: u.int_in_range(1..=120)? },
        53..=54 => Event::Expire { age_ms: u.int_in_range(0..=255)? },
        55..=59 => repeated(u, model, number)?,
        _ => Event::Decide(call(u, format!("c{number}"))?),
    })
}

/// Any call under this id.
///
/// # Errors
/// As [`history`].
pub fn call(u: &mut Unstructured<'_>, id: String) -> Result<ToolCall> {
    let mut input = Map::new();
    let shape = u.int_in_range(0..=15)?;
    let tool = if shape < 6 {
        input.insert("command".into(), command(u)?.into());
        SHELL
    } else {
        u.choose(&TOOLS)?
    };
    if shape % 6 == 0 {
        input.insert("as".into(), (*u.choose(&TOOLS)?).into());
    }
    if shape == 15 {
        input.insert("n".into(), u.int_in_range(0..=3_u8)?.into());
    }
    Ok(ToolCall::new(id, tool, Value::Object(input)))
}

/// Up to five tools with connectives; rarely nothing, or something that cannot be told.
fn command(u: &mut Unstructured<'_>) -> Result<String> {
    let count = *u.choose(&[2, 2, 2, 3, 3, 3, 4, 4, 5, 1, 2, 2, 3, 3, 4, 0])?;
    if count == 0 {
        return Ok(if u.ratio(1, 2)? { "?".into() } else { String::new() });
    }
    let mut command = tool(u)?;
    for _ in 1..count {
        let connective = u.choose(&["&&", "&&", "&&", "&&", ";", ";", "||"])?;
        command = format!("{command} {connective} {}", tool(u)?);
    }
    Ok(command)
}

fn tool(u: &mut Unstructured<'_>) -> Result<String> {
    let detached = u.ratio(1, 8)?;
    Ok(format!("{}{}", u.choose(&TOOLS)?, if detached { "&" } else { "" }))
}

fn result(u: &mut Unstructured<'_>, model: &Model, number: usize) -> Result<Event> {
    let open = model.open_calls();
    if open.is_empty() {
        return Ok(Event::Decide(call(u, format!("c{number}"))?));
    }
    let call = u.choose(&open)?;
    let is_error = u.ratio(1, 4)?;
    Ok(Event::Result(ToolResult { id: call.id.clone(), tool: call.tool.clone(), is_error }))
}

fn answer(u: &mut Unstructured<'_>, model: &Model, number: usize) -> Result<Event> {
    let questions = model.questions();
    if questions.is_empty() {
        return Ok(Event::Decide(call(u, format!("c{number}"))?));
    }
    let (ticket, about) = u.choose(&questions)?.clone();
    let answer = *u.choose(&[
        Answer::Approved,
        Answer::Approved,
        Answer::Approved,
        Answer::Rejected,
        Answer::Unavailable,
    ])?;
    Ok(match u.int_in_range(0..=15)? {
        0 => Event::Answer { call: call(u, about.id)?, ticket, answer },
        1 => Event::Answer { call: about, ticket: ticket.wrapping_sub(1), answer },
        _ => Event::Answer { call: about, ticket, answer },
    })
}

/// A result of a call that is not in flight, or of another tool than its call.
fn stray_result(u: &mut Unstructured<'_>, model: &Model) -> Result<Event> {
    let open = model.open_calls();
    let is_error = u.ratio(1, 4)?;
    if open.is_empty() || u.ratio(1, 2)? {
        let (id, tool) =
            (format!("stray{}", u.int_in_range(0..=9_u8)?), (*u.choose(&TOOLS)?).into());
        return Ok(Event::Result(ToolResult { id, tool, is_error }));
    }
    let id = u.choose(&open)?.id.clone();
    Ok(Event::Result(ToolResult { id, tool: "another".into(), is_error }))
}

fn switch(u: &mut Unstructured<'_>, model: &Model) -> Result<Event> {
    let names = model.names();
    let net = if u.ratio(1, 16)? { "unknown".into() } else { u.choose(&names)?.clone() };
    Ok(if u.ratio(1, 2)? { Event::Activate(net) } else { Event::Deactivate(net) })
}

/// The same call as one that is in flight or asked about, or another one under its id.
fn repeated(u: &mut Unstructured<'_>, model: &Model, number: usize) -> Result<Event> {
    let mut known = model.open_calls();
    known.extend(model.questions().into_iter().map(|(_, call)| call));
    if known.is_empty() {
        return Ok(Event::Decide(call(u, format!("c{number}"))?));
    }
    let same = u.choose(&known)?.clone();
    Ok(Event::Decide(if u.ratio(1, 2)? { same } else { call(u, same.id)? }))
}
