//! Whatever is broken, the call is refused, in words that the host takes for a refusal.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use petriflow_sqlite::GateStore;

use super::{Agent, Host, Scratch, json, shell_tool};

const RULES: &str = "block forbidden\n";

/// A project with rules and a state with one session.
fn begun(host: Host) -> Scratch {
    let scratch = Scratch::new(RULES);
    let first = scratch.agent(host, "before").shell("1", "ls");
    assert!(first.runs(), "{first:?}");
    scratch
}

/// Breaks something and expects a harmless call to be refused for it, on every host: of a session
/// that is known and of a new one.
#[track_caller]
fn refuses_when(break_it: impl Fn(&Scratch), because: &str) {
    for host in Host::ALL {
        let scratch = begun(host);
        break_it(&scratch);
        for session in ["before", "new"] {
            let heard = scratch.agent(host, session).shell("2", "ls");
            heard.is_refused(because);
        }
    }
}

#[test]
fn without_rules() {
    refuses_when(
        |scratch| fs::remove_dir_all(scratch.root().join(".petriflow")).unwrap(),
        "no rules were found",
    );
    for host in Host::ALL {
        let scratch = Scratch::empty();
        scratch.agent(host, "s").shell("1", "ls").is_refused("no rules were found");
    }
}

#[test]
fn with_rules_that_are_not_valid_or_cannot_be_read() {
    let rules = |text: &'static [u8]| {
        move |scratch: &Scratch| drop(scratch.write(".petriflow/x.rules", text))
    };
    refuses_when(rules(b"blok forbidden\n"), "the rules are not valid");
    refuses_when(rules(b"block f\xffrbidden\n"), "x.rules is not valid");
    refuses_when(
        |scratch| fs::create_dir(scratch.root().join(".petriflow/x.rules")).unwrap(),
        "x.rules: Is a directory",
    );
    refuses_when(
        |scratch| symlink("nowhere", scratch.root().join(".petriflow/x.rules")).unwrap(),
        "x.rules: No such file",
    );
    refuses_when(
        |scratch| {
            let text = format!("# {}\n", "x".repeat(9 << 20));
            scratch.write(".petriflow/x.rules", text);
        },
        "x.rules: it is larger than 8 MiB",
    );
}

#[test]
fn with_settings_that_are_not_valid() {
    let settings = |text: &'static str| move |scratch: &Scratch| scratch.settings(text);
    refuses_when(settings("mode = "), "petriflow.toml is not valid");
    refuses_when(settings("mode = \"shaddow\""), "petriflow.toml is not valid");
    refuses_when(settings("modus = \"shadow\""), "unknown field `modus`");
    refuses_when(settings("self-protection = \"no\""), "petriflow.toml is not valid");
    refuses_when(
        |scratch| fs::create_dir(scratch.root().join(".petriflow/petriflow.toml")).unwrap(),
        "petriflow.toml: Is a directory",
    );
    refuses_when(
        |scratch| {
            scratch.write(scratch.home().join(".config/petriflow/petriflow.toml"), "modus = 1");
        },
        ".config/petriflow/petriflow.toml is not valid",
    );
}

/// Changes the database when nobody has it open and its log is empty.
fn database(change: impl Fn(Vec<u8>) -> Vec<u8>) -> impl Fn(&Scratch) {
    move |scratch| {
        scratch.database().query_row("SELECT count(*) FROM sessions", [], |_| Ok(())).unwrap();
        let path = scratch.state_file("gate.db");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, change(bytes)).unwrap();
    }
}

#[test]
fn with_a_state_that_is_damaged() {
    let flip = |mut bytes: Vec<u8>| {
        bytes[..16].iter_mut().for_each(|byte| *byte ^= 0xff);
        bytes
    };
    refuses_when(database(flip), "is not a database of PetriFlow");
    refuses_when(
        database(|_| b"not a database, but some other text\n".repeat(200)),
        "is not a database",
    );
    refuses_when(database(|bytes| bytes[..5000].to_vec()), "is damaged");
    refuses_when(database(|_| Vec::new()), "`gate.db` is empty");
    refuses_when(
        |scratch| fs::remove_file(scratch.state_file("gate.db")).unwrap(),
        "`gate.db` is missing",
    );
    refuses_when(
        |scratch| fs::remove_file(scratch.state_file("gate.mark")).unwrap(),
        "`gate.mark` is missing",
    );
    refuses_when(
        |scratch| {
            for log in ["gate.db-wal", "gate.db-shm"] {
                let _ = fs::remove_file(scratch.state_file(log));
            }
        },
        "is damaged",
    );
}

#[test]
fn with_a_state_of_a_later_version() {
    refuses_when(
        |scratch| scratch.database().pragma_update(None, "user_version", 99).unwrap(),
        "has schema version 99",
    );
}

#[test]
fn with_a_stored_session_that_makes_no_sense() {
    for host in Host::ALL {
        let scratch = begun(host);
        scratch.database().execute("UPDATE sessions SET state = '{}'", []).unwrap();
        let heard = scratch.agent(host, "before").shell("2", "ls");
        heard.is_refused("the stored session is corrupt");
        assert!(scratch.agent(host, "new").shell("2", "ls").runs(), "others are as they were");
    }
}

#[test]
fn with_an_audit_that_was_changed_at_its_end() {
    refuses_when(
        |scratch| {
            let changed = scratch.database().execute("UPDATE audit SET hash = zeroblob(32)", []);
            assert_eq!(changed.unwrap(), 1);
        },
        "the audit chain is broken",
    );
}

#[test]
fn with_a_state_that_is_not_private() {
    refuses_when(
        |scratch| {
            fs::rename(scratch.state(), scratch.path("elsewhere")).unwrap();
            symlink(scratch.path("elsewhere"), scratch.state()).unwrap();
        },
        "is a symbolic link",
    );
    refuses_when(
        |scratch| {
            let gate = scratch.state().join("gate");
            fs::rename(&gate, scratch.path("elsewhere")).unwrap();
            symlink(scratch.path("elsewhere"), gate).unwrap();
        },
        "is a symbolic link",
    );
    let open = |path: fn(&Scratch) -> PathBuf, mode: u32| {
        move |scratch: &Scratch| {
            fs::set_permissions(path(scratch), Permissions::from_mode(mode)).unwrap();
        }
    };
    refuses_when(open(Scratch::state, 0o770), "can be written by others");
    refuses_when(open(|scratch| scratch.state_file("gate.db"), 0o606), "can be written by others");
}

#[test]
fn without_a_home() {
    for host in Host::ALL {
        let scratch = Scratch::new(RULES);
        let event = scratch.agent(host, "s").call_event("1", shell_tool(host), &json!({}));
        let mut command = scratch.command(&["hook", host.name()]);
        command.env("HOME", "relative");
        let ran = super::scratch::fed(command, event.to_string().as_bytes());
        super::Heard::new(host, ran).is_refused("no home directory");
    }
}

#[test]
fn with_a_lock_that_another_process_does_not_give_back() {
    let scratch = begun(Host::ClaudeCode);
    let mut store = GateStore::open(&scratch.state(), Duration::from_secs(30)).unwrap();
    let held = store.begin().unwrap();
    thread::scope(|scope| {
        let waiting = Host::ALL.map(|host| {
            let scratch = &scratch;
            scope.spawn(move || scratch.agent(host, "s").shell("1", "ls"))
        });
        for heard in waiting {
            heard.join().unwrap().is_refused("is locked by another process");
        }
    });
    drop(held);
    for host in Host::ALL {
        assert!(scratch.agent(host, "s").shell("1", "ls").runs());
    }
}

#[test]
fn with_input_that_is_no_event() {
    for host in Host::ALL {
        let scratch = begun(host);
        let agent = scratch.agent(host, "before");
        let good = agent.call_event("2", shell_tool(host), &json!({ "command": "ls" })).to_string();
        assert!(agent.send_bytes(good.as_bytes()).runs());
        let cases: [(&str, Vec<u8>); 9] = [
            ("is not the JSON", b"{\"hook_event_name\": ".to_vec()),
            ("is not the JSON", Vec::new()),
            ("is not a JSON object", b"[]".to_vec()),
            ("`hook_event_name` is missing", b"{}".to_vec()),
            ("is not the JSON", [good.as_bytes(), good.as_bytes()].concat()),
            ("not UTF-8", good.replace("\"ls\"", "\"l\u{fffd}\"").bytes().map(broken).collect()),
            ("has no such event", changed(&agent, "hook_event_name", json!("PreToolUsed"))),
            (
                "is larger than 8 MiB",
                good.replace("\"ls\"", &format!("\"{}\"", "x".repeat(10 << 20))).into(),
            ),
            ("is not the JSON", nested(&good)),
        ];
        for (because, bytes) in cases {
            agent.send_bytes(&bytes).is_refused(because);
        }
    }
}

fn broken(byte: u8) -> u8 {
    if byte == 0xef { 0xff } else { byte }
}

/// Too deep for anybody to look at.
fn nested(event: &str) -> Vec<u8> {
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    event.replace("\"ls\"", &deep).into()
}

/// A call whose member is another.
fn changed(agent: &Agent<'_>, member: &str, value: super::Value) -> Vec<u8> {
    let mut event = agent.call_event("2", shell_tool(agent.host), &json!({ "command": "ls" }));
    event[member] = value;
    event.to_string().into()
}

#[test]
fn with_members_of_the_wrong_kind_or_twice() {
    for host in Host::ALL {
        let scratch = begun(host);
        let agent = scratch.agent(host, "before");
        let id = if host == Host::Cursor { "conversation_id" } else { "session_id" };
        for (member, value) in [
            (id, json!(7)),
            (id, json!("")),
            (id, json!(" ")),
            (id, json!(null)),
            (id, json!(["before"])),
            ("tool_name", json!(null)),
            ("tool_name", json!({})),
            ("tool_name", json!("")),
            ("tool_input", json!("ls")),
            ("tool_input", json!(["ls"])),
            ("tool_input", json!(null)),
            ("cwd", json!(1)),
            ("hook_event_name", json!(1)),
        ] {
            agent.send_bytes(&changed(&agent, member, value)).is_refused(member);
        }
        if host != Host::Gemini {
            agent.send_bytes(&changed(&agent, "tool_use_id", json!(1))).is_refused("tool_use_id");
        }
        let event = String::from_utf8(changed(&agent, "extra", json!({ "a": 1 }))).unwrap();
        for (from, to) in [
            ("\"command\":\"ls\"", "\"command\":\"ls\",\"command\":\"rm\""),
            ("\"tool_name\":", "\"tool_name\":\"Read\",\"tool_name\":"),
            ("\"a\":1", "\"a\":1,\"a\":2"),
        ] {
            let twice = event.replacen(from, to, 1);
            assert_ne!(twice, event);
            agent.send_bytes(twice.as_bytes()).is_refused("twice");
        }
    }
}

#[test]
fn with_arguments_that_are_wrong() {
    for host in Host::ALL {
        let scratch = begun(host);
        let agent = scratch.agent(host, "before");
        for flags in [&["--mode", "shade"][..], &["--rules"], &["--no-such-flag"], &["more"]] {
            agent.clone().flags(flags).shell("2", "ls").is_refused("error:");
        }
        let missing = agent.flags(&["--rules", "missing.rules"]).shell("2", "ls");
        missing.is_refused("missing.rules: No such file");
    }
}

/// All files below a directory.
fn files(below: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path);
        }
    }
    found
}

#[test]
fn the_id_of_a_session_is_data_and_never_a_name_of_a_file() {
    for host in Host::ALL {
        let scratch = begun(host);
        let before = files(&scratch.path(""));
        for id in [
            "../../x",
            "/etc/passwd",
            "nul\u{0}byte",
            "gate.db",
            "'; DROP TABLE sessions; --",
            "\u{202e}\u{1b}[31m🙂\n",
            "%00%2e%2e",
        ] {
            let agent = scratch.agent(host, id);
            let allowed = agent.shell("1", "ls");
            assert!(allowed.runs(), "{id:?} {allowed:?}");
            agent.call("2", "forbidden", &json!({})).is_refused("forbidden is blocked");
        }
        assert_eq!(files(&scratch.path("")), before);
        let list = scratch.run(&["sessions"]);
        assert_eq!((list.exit, list.stdout.lines().count()), (0, 8), "{list:?}");
        assert!(!list.stdout.contains('\u{1b}') && !list.stdout.contains('\u{202e}'));
        let long = scratch.agent(host, &"x".repeat(1 << 20)).shell("1", "ls");
        long.is_refused("is longer than");
    }
}

#[test]
fn an_event_that_tells_something_warns_and_refuses_nothing() {
    for host in Host::ALL {
        let scratch = Scratch::new("blok forbidden\n");
        let agent = scratch.agent(host, "s");
        for heard in [agent.start("startup"), agent.succeeded("1", "ls")] {
            assert!(heard.runs() && heard.ran.exit < 2, "{heard:?}");
        }
        assert_eq!(agent.start("resume").ran.exit, 1);
    }
}
