//! Programs that run the command in their arguments, and their options.

use super::options::{SPEC, Spec};
use super::{LOST, NONE, REMOTE, REPEATED};
use crate::command::{Context, Word, base_name};

pub(super) struct Entry {
    /// The program, or the program and its subcommand.
    name: &'static str,
    pub(super) spec: Spec,
    pub(super) effects: Context,
    /// `NAME=value` may stand before the command.
    pub(super) assignments: bool,
}

const ENTRY: Entry = Entry { name: "", spec: SPEC, effects: NONE, assignments: false };

const fn entry(
    name: &'static str,
    flags: &'static str,
    values: &'static str,
    operands: usize,
) -> Entry {
    Entry { name, spec: Spec { flags, values, operands, ..SPEC }, ..ENTRY }
}

const fn long(entry: Entry, long_flags: &'static str, long_values: &'static str) -> Entry {
    Entry { spec: Spec { long_flags, long_values, ..entry.spec }, ..entry }
}

const fn with(entry: Entry, effects: Context) -> Entry {
    Entry { effects, ..entry }
}

pub(super) const SUDO: Entry = Entry {
    assignments: true,
    ..long(
        entry("sudo", "AbBEeHiKklnNPSsVv", "aCcDgpRrTtuU", 0),
        "askpass background bell edit preserve-env set-home login remove-timestamp reset-timestamp list no-update \
         non-interactive preserve-groups stdin shell version validate",
        "auth-type close-from chdir group host prompt chroot role type command-timeout user other-user login-class",
    )
};

pub(super) const CHROOT: Entry =
    long(entry("chroot", "", "ugG", 1), "skip-chdir", "userspec groups");

static ENTRIES: [Entry; 71] = [
    entry("doas", "Lns", "aCu", 0),
    entry("nohup", "", "", 0),
    long(entry("nice", "0123456789", "n", 0), "", "adjustment"),
    long(entry("ionice", "t", "cnpPu", 0), "ignore", "class classdata pid pgid uid"),
    long(
        entry("chrt", "abdfiormRpv", "TPD", 1),
        "all-tasks batch deadline fifo idle other rr max reset-on-fork pid verbose",
        "sched-runtime sched-period sched-deadline",
    ),
    long(
        entry("time", "apvqV", "fo", 0),
        "append portability verbose quiet version",
        "format output",
    ),
    long(
        entry("gtime", "apvqV", "fo", 0),
        "append portability verbose quiet version",
        "format output",
    ),
    long(
        entry("timeout", "fpv", "ks", 1),
        "foreground preserve-status verbose",
        "kill-after signal",
    ),
    long(
        entry("gtimeout", "fpv", "ks", 1),
        "foreground preserve-status verbose",
        "kill-after signal",
    ),
    long(entry("stdbuf", "", "ioe", 0), "", "input output error"),
    long(with(entry("setsid", "cfw", "", 0), LOST), "ctty fork wait", ""),
    entry("strace", "cCdDfFhikqrtTvVwxyYzZAn", "abeEIoOpPsSuUX", 0),
    entry("ltrace", "bcCfhiLrStTV", "aADeFlnopsuwxX", 0),
    long(
        entry("unshare", "mupinUCTfrc", "RwSGl", 0),
        "mount uts ipc net pid user cgroup time fork map-root-user map-current-user map-auto mount-proc kill-child \
         keep-caps",
        "root wd setuid setgid setgroups propagation map-user map-group map-users map-groups monotonic boottime",
    ),
    long(
        entry("nsenter", "amuinpCUTrwFe", "tSGW", 0),
        "all mount uts ipc net pid cgroup user time root wd preserve-credentials no-fork follow-context env",
        "target setuid setgid wdns",
    ),
    entry("busybox", "", "", 0),
    entry("sshpass", "vV", "pfdP", 0),
    entry("ssh-agent", "csDd", "aEtPO", 0),
    entry("eatmydata", "", "", 0),
    entry("envdir", "", "", 1),
    entry("setuidgid", "", "", 1),
    entry("run0", "", "", 0),
    entry("dzdo", "", "", 0),
    entry("gksu", "", "", 0),
    entry("toybox", "", "", 0),
    long(entry("pkexec", "", "", 0), "disable-internal-agent keep-cwd", "user"),
    entry("gosu", "", "", 1),
    entry("su-exec", "", "", 1),
    entry("tini", "gsvw", "pe", 0),
    long(entry("dumb-init", "cv", "r", 0), "single-child verbose", "rewrite"),
    entry("fakeroot", "huv", "lfisb", 0),
    long(entry("taskset", "ac", "", 1), "all-tasks cpu-list", ""),
    entry("numactl", "al", "CNmipP", 0),
    entry("chronic", "ev", "", 0),
    entry("ifne", "n", "", 0),
    entry("unbuffer", "p", "", 0),
    entry("catchsegv", "", "", 0),
    entry("dbus-run-session", "", "", 0),
    entry("caffeinate", "disu", "tw", 0),
    entry("rlwrap", "acimnNrvw", "bCDfHlopPqSt", 0),
    entry("torsocks", "di", "aPup", 0),
    entry("torify", "v", "", 0),
    entry("proxychains", "q", "f", 0),
    entry("proxychains4", "q", "f", 0),
    entry("valgrind", "", "", 0),
    entry("linux32", "BFILRSTXZv3", "", 0),
    entry("linux64", "BFILRSTXZv3", "", 0),
    entry("x86_64", "BFILRSTXZv3", "", 0),
    entry("i386", "BFILRSTXZv3", "", 0),
    entry("i486", "BFILRSTXZv3", "", 0),
    entry("i586", "BFILRSTXZv3", "", 0),
    entry("i686", "BFILRSTXZv3", "", 0),
    entry("uname26", "BFILRSTXZv3", "", 0),
    entry("arch", "", "", 0),
    long(
        with(entry("systemd-run", "dGPqrt", "EHMu", 0), LOST),
        "user system scope pty pipe quiet wait collect",
        "unit setenv uid gid slice nice working-directory",
    ),
    long(entry("systemd-inhibit", "", "", 0), "list", "what who why mode"),
    with(entry("entr", "acdnprz", "", 0), REPEATED),
    entry("xvfb-run", "alh", "efnpsw", 0),
    entry("firejail", "", "", 0),
    entry("noglob", "", "", 0),
    entry("nocorrect", "", "", 0),
    entry("-", "", "", 0),
    with(entry("repeat", "", "", 1), REPEATED),
    entry("jobs -x", "", "", 0),
    entry("direnv exec", "", "", 1),
    entry("bundle exec", "", "", 0),
    entry("poetry run", "", "", 0),
    entry("pipenv run", "", "", 0),
    entry("hatch run", "", "", 0),
    long(
        entry("uv run", "qvnU", "p", 0),
        "quiet verbose offline frozen locked isolated no-project no-sync all-extras dev no-dev active",
        "python with extra group directory project package env-file",
    ),
    with(entry("adb shell", "Tetnx", "", 0), REMOTE),
];

impl Entry {
    /// Whether the program runs a shell if it is given no command.
    pub(super) fn has_shell(&self) -> bool {
        matches!(
            self.name,
            "doas"
                | "unshare"
                | "nsenter"
                | "fakeroot"
                | "linux32"
                | "linux64"
                | "x86_64"
                | "i386"
                | "i486"
                | "i586"
                | "i686"
                | "uname26"
                | "firejail"
                | "torsocks"
                | "pkexec"
                | "systemd-run"
                | "run0"
                | "adb shell"
                | "dbus-run-session"
        )
    }

    /// Whether the program may succeed without running the command, because of its options.
    pub(super) fn skips(&self, has: impl Fn(&str) -> bool) -> bool {
        let options: &[&str] = match self.name {
            "sudo" => &[
                "l",
                "v",
                "V",
                "e",
                "K",
                "k",
                "list",
                "validate",
                "version",
                "edit",
                "remove-timestamp",
                "reset-timestamp",
            ],
            "doas" => &["L"],
            "strace" | "ltrace" => &["V", "h", "p"],
            "chrt" => &["m", "max", "p", "pid"],
            "ionice" => &["p", "P", "u", "pid", "pgid", "uid"],
            "time" | "gtime" => &["V", "version"],
            "sshpass" => &["V"],
            "ssh-agent" => &["k"],
            "fakeroot" => &["h", "v"],
            "xvfb-run" => &["h"],
            "systemd-inhibit" => &["list"],
            "rlwrap" | "torify" => &["v"],
            // Nothing runs if there is no input.
            "ifne" => return true,
            _ => &[],
        };
        options.iter().any(|option| has(option))
    }

    /// Whether what stands before the command must be a number.
    pub(super) fn has_number(&self) -> bool {
        matches!(self.name, "timeout" | "gtimeout" | "chrt" | "taskset" | "repeat")
    }
}

/// The entry of a program and how many words its name has.
pub(super) fn spec(words: &[Word]) -> Option<(&'static Entry, usize)> {
    let name = base_name(&words.first()?.text);
    let second = words.get(1).and_then(Word::known).unwrap_or_default();
    let entry = ENTRIES.iter().filter(|entry| entry.name.starts_with(name)).find(|entry| {
        match entry.name.get(name.len()..).and_then(|rest| rest.strip_prefix(' ')) {
            Some(sub) => sub == second,
            None => entry.name.len() == name.len(),
        }
    })?;
    Some((entry, if entry.name.contains(' ') { 2 } else { 1 }))
}
