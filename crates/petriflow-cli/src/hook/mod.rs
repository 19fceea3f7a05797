//! `petriflow hook`: one event of an agent host, decided, stored and answered.
//!
//! Hosts take a hook that breaks for a yes, most of them also one that takes too long. So whatever
//! happens in here ends in an answer: errors, panics and the deadline are refusals.

mod deadline;
mod decide;
mod footing;
pub(crate) mod places;
pub(crate) mod project;
pub(crate) mod record;
mod results;
mod ruling;
pub(crate) mod stored;

use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use petriflow_hosts::{self as hosts, Answer, Host, Kind, Verdict};

use crate::args::{HookArgs, ModeArg};
use crate::outcome::{Exit, Outcome};
use crate::panics;
use decide::Hook;
pub(crate) use footing::Current;
use places::Places;

/// Largest event that is read.
const EVENT_MAX: u64 = 8 << 20;
/// How long another hook may keep the state locked.
pub(crate) const LOCK: Duration = Duration::from_secs(5);

/// Answers one event.
pub(crate) fn run(args: &HookArgs) -> Outcome {
    let started = Instant::now();
    let event_name: Arc<Mutex<Option<String>>> = Arc::default();
    let turn = deadline::start(args.host, Arc::clone(&event_name));
    let answer = contained(args.host, &event_name, || answer(args, started, &event_name));
    turn.take();
    answer.into()
}

/// Whatever happens is an answer.
fn contained(
    host: Host,
    event_name: &Mutex<Option<String>>,
    work: impl FnOnce() -> Result<Answer, String>,
) -> Answer {
    match panics::caught(work) {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => failure(host, event_name, &reason),
        Err(panic) => failure(host, event_name, &format!("internal error: {panic}")),
    }
}

fn answer(
    args: &HookArgs,
    started: Instant,
    event_name: &Mutex<Option<String>>,
) -> Result<Answer, String> {
    let bytes = read_event()?;
    let event = hosts::read(args.host, &bytes).map_err(|unreadable| {
        remember(event_name, unreadable.event_name());
        unreadable.to_string()
    })?;
    remember(event_name, Some(&event.name));
    if matches!(event.kind, Kind::Nothing) {
        return Ok(hosts::answer(args.host, &event.name, &Verdict::Silent));
    }
    let hook = Hook {
        host: args.host,
        places: Places::of_user(args.rules.clone()),
        state_dir: places::state_dir(&args.state)?,
        mode: args.mode.map(ModeArg::into),
        started,
        now_ms: places::now_ms(),
    };
    let verdict = hook.decide(&event)?;
    Ok(hosts::answer(args.host, &event.name, &verdict))
}

fn read_event() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let limited = io::stdin().lock().take(EVENT_MAX.saturating_add(1)).read_to_end(&mut bytes);
    limited.map_err(|error| format!("the event cannot be read: {error}"))?;
    if bytes.len() as u64 > EVENT_MAX {
        return Err(format!("the event is larger than {} MiB", EVENT_MAX >> 20));
    }
    Ok(bytes)
}

fn remember(event_name: &Mutex<Option<String>>, name: Option<&str>) {
    if let Ok(mut known) = event_name.lock() {
        *known = name.map(str::to_owned);
    }
}

fn failure(host: Host, event_name: &Mutex<Option<String>>, reason: &str) -> Answer {
    let name = event_name.lock().ok().and_then(|name| name.clone());
    hosts::failure(host, name.as_deref(), reason)
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        let exit = match answer.exit {
            0 => Exit::Clean,
            1 => Exit::Findings,
            _ => Exit::Failed,
        };
        Self { stdout: answer.stdout, stderr: answer.stderr, exit }
    }
}

#[cfg(test)]
mod tests {
    use petriflow_hosts::setup;

    use super::*;

    /// What became of work that went wrong, before and after the event's name was known.
    fn refusals(host: Host, work: fn() -> Result<Answer, String>) -> [Answer; 2] {
        [None, Some(setup::call_event(host).to_owned())]
            .map(|name| contained(host, &Mutex::new(name), work))
    }

    #[test]
    fn a_panic_is_a_refusal_on_every_host() {
        for host in Host::ALL {
            for answer in refusals(host, || panic!("token count went negative")) {
                assert!(hosts::is_refusal(host, &answer), "{host}: {answer:?}");
                let told = answer.stdout + &answer.stderr;
                assert!(told.contains("internal error: token count went negative"), "{told}");
            }
        }
        let _ = std::panic::take_hook();
    }

    #[test]
    fn an_error_is_a_refusal_on_every_host() {
        for host in Host::ALL {
            for answer in refusals(host, || Err("the rules are not valid".to_owned())) {
                assert!(hosts::is_refusal(host, &answer), "{host}: {answer:?}");
                let told = answer.stdout + &answer.stderr;
                assert!(told.contains("petriflow: the rules are not valid"), "{told}");
            }
        }
        let _ = std::panic::take_hook();
    }
}
