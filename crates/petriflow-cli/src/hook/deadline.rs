//! An answer in time. Hosts that have waited long enough let the call run.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use petriflow_hosts::{Answer, Host};

/// Well below the time that hosts give a hook (60 seconds, as `petriflow init` sets it).
const DEADLINE: Duration = Duration::from_secs(20);

/// The right to answer, which only one of two threads gets.
pub(super) struct Turn(Arc<AtomicBool>);

impl Turn {
    /// Returns if nobody has answered yet, and never otherwise: the process is about to end.
    pub(super) fn take(self) {
        if self.0.swap(true, Ordering::SeqCst) {
            loop {
                thread::park();
            }
        }
    }
}

/// Refuses when the time is over. The session may have been written by then; what the call uses
/// counts as used.
pub(super) fn start(host: Host, event_name: Arc<Mutex<Option<String>>>) -> Turn {
    let answered = Arc::new(AtomicBool::new(false));
    let turn = Turn(Arc::clone(&answered));
    // Without a second thread there is no deadline, and the call is decided all the same.
    let _watching = thread::Builder::new().stack_size(64 << 10).spawn(move || {
        thread::sleep(DEADLINE);
        if !answered.swap(true, Ordering::SeqCst) {
            let answer = refusal(host, &event_name);
            let _ = io::stderr().write_all(answer.stderr.as_bytes());
            let _ = io::stdout().write_all(answer.stdout.as_bytes());
            std::process::exit(i32::from(answer.exit));
        }
    });
    turn
}

fn refusal(host: Host, event_name: &Mutex<Option<String>>) -> Answer {
    let reason = format!("no decision within {} seconds", DEADLINE.as_secs());
    super::failure(host, event_name, &reason)
}

#[cfg(test)]
mod tests {
    use petriflow_hosts::is_refusal;

    use super::*;

    #[test]
    fn what_takes_too_long_is_refused_on_every_host() {
        for host in Host::ALL {
            let answer = refusal(host, &Mutex::new(None));
            assert!(is_refusal(host, &answer), "{host}: {answer:?}");
            assert!(answer.stderr.contains("no decision within 20 seconds"), "{answer:?}");
        }
    }

    #[test]
    fn only_one_of_two_threads_answers() {
        let turn = start(Host::Codex, Arc::default());
        let answered = Arc::clone(&turn.0);
        turn.take();
        assert!(answered.load(Ordering::SeqCst), "the other thread sees that it is too late");
    }
}
