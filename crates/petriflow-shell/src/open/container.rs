//! Programs that run a command in a container or a cluster.

use super::options::{SPEC, Spec, scan, split};
use super::{Opened, REMOTE};
use crate::command::{Context, Word};

const GLOBAL: Spec = Spec {
    flags: "Dv",
    values: "Hclfp",
    long_flags: "debug tls tlsverify version",
    long_values: "config context host log-level file project-name profile env-file",
    ..SPEC
};

const RUN: Spec = Spec {
    flags: "diPtqT",
    values: "acehlmpuvwn",
    long_flags: "detach interactive tty rm init privileged publish-all read-only quiet no-healthcheck oom-kill-disable \
                 sig-proxy disable-content-trust no-TTY no-deps build remove-orphans service-ports use-aliases latest",
    long_values: "add-host annotation attach blkio-weight cap-add cap-drop cgroup-parent cgroupns cidfile cpus cpu-shares \
                  cpuset-cpus device detach-keys dns env env-file expose gpus group-add health-cmd hostname ip ipc isolation \
                  label link log-driver log-opt mac-address memory memory-swap mount name network net network-alias pid \
                  pids-limit platform publish pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt \
                  sysctl tmpfs ulimit user userns uts volume volumes-from workdir index",
    operands: 1,
    ..SPEC
};

pub(super) fn docker(words: &[Word]) -> Opened {
    let mut start: usize = 1;
    let mut condition = false;
    // `docker compose --file f exec`, `docker container run`
    loop {
        let position = match scan(words, start, &GLOBAL) {
            Ok(scan) => {
                // With these it only tells its version.
                condition |= scan.has("v") || scan.has("version");
                scan.operands
            }
            Err(what) => return Opened::dynamic(what),
        };
        let Some(sub) = words.get(position) else { return Opened::Plain };
        start = position.saturating_add(1);
        match sub.known() {
            None => return Opened::dynamic(sub.text.clone()),
            Some("compose" | "container" | "pod") => {}
            Some("exec" | "run") => break,
            Some(_) => return Opened::Plain,
        }
    }
    let scan = match scan(words, start, &RUN) {
        Ok(scan) => scan,
        Err(what) => return Opened::dynamic(what),
    };
    let entrypoint = scan.has("entrypoint") || scan.has("health-cmd");
    if entrypoint {
        return Opened::dynamic("an entry point");
    }
    let (wrapper, inner) = split(words, scan.command);
    let background = scan.has("d") || scan.has("detach");
    let effects = Context { background, condition, ..REMOTE };
    if inner.is_empty() { Opened::Plain } else { Opened::command(wrapper, inner, effects) }
}

/// Everything behind `--`. Without it, a subcommand that runs something is not read.
pub(super) fn kubectl(words: &[Word]) -> Opened {
    let position = words.iter().position(|word| word.text == "--");
    let before = split(words, position.unwrap_or(words.len())).0;
    // `kubectl get` and its like run nothing, whatever the names of things are.
    let looks = before.first().is_some_and(|word| word.text == "kubectl" || word.text == "oc")
        && before.get(1).and_then(Word::known).is_some_and(|sub| {
            matches!(
                sub,
                "get" | "describe" | "logs" | "version" | "top" | "explain" | "apply" | "delete"
            )
        });
    let runs = before.iter().skip(1).any(|word| {
        word.is_many()
            || !looks
                && matches!(
                    word.text.as_str(),
                    "exec" | "run" | "debug" | "ssh" | "enter" | "shell" | "rsh" | "x"
                )
    });
    match position {
        Some(position) => {
            let (wrapper, inner) = split(words, position.saturating_add(1));
            if inner.is_empty() { Opened::Plain } else { Opened::command(wrapper, inner, REMOTE) }
        }
        None if runs => Opened::dynamic("a command without `--`"),
        None => Opened::Plain,
    }
}
