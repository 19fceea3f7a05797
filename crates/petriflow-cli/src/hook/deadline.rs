//! An answer in time. Hosts that have waited long enough let the call run.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use petriflow_hosts::Host;

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
            let reason = format!("no decision within {} seconds", DEADLINE.as_secs());
            let answer = super::failure(host, &event_name, &reason);
            let _ = io::stderr().write_all(answer.stderr.as_bytes());
            let _ = io::stdout().write_all(answer.stdout.as_bytes());
            std::process::exit(i32::from(answer.exit));
        }
    });
    turn
}
