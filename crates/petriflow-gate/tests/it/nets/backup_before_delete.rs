//! Nothing is deleted that was not backed up before.

use petriflow_gate::{Decision, Policy, Session, Timestamp, ToolCall, ToolResult, nets};
use petriflow_net::analysis::Explorer;
use serde_json::json;

fn session() -> Session {
    Session::new(&Policy::new([nets::backup_before_delete().unwrap()]).unwrap())
}

/// Runs commands one after the other, `!` in front makes one fail; `ok` or the reason for each.
fn play(session: &mut Session, commands: &[&str]) -> Vec<String> {
    let mut log = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let (fails, command) = match command.strip_prefix('!') {
            Some(command) => (true, command),
            None => (false, *command),
        };
        let id = format!("{number} {}", session.open_calls());
        let call = ToolCall::new(id, "bash", json!({ "command": command }));
        match session.decide(&call, Timestamp(0)) {
            Decision::Allowed => {
                session.result(&ToolResult { is_error: fails, ..ToolResult::success(&call) });
                log.push("ok".to_owned());
            }
            decision => log.push(decision.refusal().map(ToString::to_string).unwrap_or_default()),
        }
    }
    log
}

/// Whether the last command is allowed after the others.
fn last_allowed(commands: &[&str]) -> bool {
    let log = play(&mut session(), commands);
    log.last().is_some_and(|last| last == "ok")
}

#[test]
fn a_delete_needs_a_successful_backup_of_that_path_or_a_parent() {
    let covered = [
        ["cp -r /data /backup/data", "rm -rf /data"],
        ["cp /data/a /backup/a", "rm /data/a"],
        ["cp -r /data /backup/", "rm /data/deep/file"],
        ["cp -a data backup", "rm -r ./data/"],
        ["rsync -av /data/ /mnt/backup", "rm -rf /data/x /data/y"],
        ["tar czf /backup/data.tgz /data", "rm -r /data"],
        ["tar -czf /backup/data.tgz /data", "/bin/rm -r '/data'"],
        ["backup /data", "rm -r /data"],
        ["cp -r /data /backup", "find /data -name '*.tmp' -delete"],
        ["cp -r /data /backup", "rm /data/*.log"],
        ["cp -r '/my data' /backup", "rm -r \"/my data/old\""],
        ["cp a b", "rm -- a"],
    ];
    for commands in covered {
        assert!(last_allowed(&commands), "{commands:?}: {:?}", play(&mut session(), &commands));
    }
}

#[test]
fn what_does_not_cover_does_not_cover() {
    let uncovered: &[&[&str]] = &[
        &["rm -rf /data"],
        &["!cp -r /data /backup", "rm -rf /data"],
        &["cp -r /data /backup", "rm -rf /database"],
        &["cp -r /data /backup", "rm -rf /"],
        &["cp -r /data /backup", "rm -rf /data /etc"],
        &["cp -r /data /backup", "rm -rf /data/../etc"],
        &["cp -r /data /backup", "rm -rf data"],
        &["cp -r data /backup", "rm -rf /data"],
        &["cp -r data /backup", "rm -rf ../data"],
        &["cp -r /data /backup", "rm -rf /backup"],
        &["cp -r /data/a /backup", "rm /data/*"],
        &["cp -r /data /data/copy", "rm -rf /data"],
        &["cp -r /data /dev/null", "rm -rf /data"],
        &["cp -n /data/a /backup", "rm /data/a"],
        &["cp -t /data /etc/passwd", "rm -rf /data"],
        &["rsync -avn /data /backup", "rm -rf /data"],
        &["tar tzf /backup/data.tgz /data", "rm -rf /data"],
        &["tar czf /data/x.tgz /data", "rm -rf /data"],
        &["cp -r /data /backup ; true", "rm -rf /data"],
        &["cp -r /data /backup", "rm -rf /data", "rm -rf /data"],
        &["cp -r data backup", "cd /elsewhere", "rm -rf data"],
        &["echo cp -r /data /backup", "rm -rf /data"],
        &["cp -r /data /backup > /dev/null", "rm -rf /data"],
        &["cp -r /data /backup", "rm"],
        &["cp -r /data /backup", "git clean -fdx"],
        &["cp -r /data /backup", "find / -delete"],
        &["cp -r . /backup", "find -exec rm {} +"],
        &["cp -r /data /backup &", "rm -rf /data"],
        &["cp -r data backup", "rm -r data/*/../../other"],
        &["cp -r data backup", "find data/*/../../other -delete"],
        &["cp -r . ../backup", "find -L /etc -delete"],
        &["cp a b", "rm a '123'>/dev/null"],
        &["cp a b", "rm a 99999999999999999999>/dev/null"],
        &["cp -r x/y/z backup", "rmdir -p x/y/z"],
        &["rsync /data /backup", "rm -rf /data"],
        &["rsync -a /data/f /data/", "rm /data/f"],
        &["cp /data/f /proc/self/fd/1", "rm /data/f"],
        &["tar cf x.tar /data", "rm -r /data"],
        &["cp -r data /backup", "rm -r data"],
    ];
    for commands in uncovered {
        assert!(!last_allowed(commands), "{commands:?}");
    }
}

#[test]
fn a_delete_in_disguise_is_refused_with_advice() {
    let disguises = [
        "r\\m -rf /data",
        "'r'm -rf /data",
        "\"rm\" -rf /data",
        "$(echo rm) -rf /data",
        "X=rm; $X -rf /data",
        "`echo rm` /data",
        "sudo rm -rf /data",
        "env rm /data",
        "ls; rm -rf /data",
        "ls && rm -rf /data",
        "ls | xargs rm",
        "true\nrm -rf /data",
        "true & rm -rf /data",
        "(rm -rf /data)",
        "{ rm -rf /data; }",
        "bash -c 'rm -rf /data'",
        "sh <<< 'rm -rf /data'",
        "eval 'rm -rf /data'",
        "python3 -c 'import shutil'",
        "perl -pe1 x",
        "find / -exec rm {} ;",
        "if true; then rm x; fi",
        "cat <<EOF\nrm -rf /data\nEOF",
        "rm -rf ~/data",
        "rm -rf {a,b}",
        "unlink /data/a",
        "shred /data/a",
        "hash -p /bin/rm ls ; ls victim",
        "compgen -C 'rm -f victim'",
        "mapfile -C 'rm -f victim' -c 1 < file",
        "jobs -x rm victim",
        "test -v 'a[$(rm victim)]'",
        "printf -v 'a[$(rm victim)]' x",
        "read 'a[$(rm victim)]' < file",
        "cat script | python3 -u",
        "cat script | perl -w",
        "node --eval='x'",
        "rbash -c 'rm victim'",
        "mawk 'BEGIN{system(1)}'",
        "taskset 1 rm victim",
        "python3.11 -c 'x'",
        "git -c alias.z=clean z -fdq",
        "git submodule foreach 'git clean -fdx'",
        "tar -cf x.tar -I 'rm victim' a",
        "tar cf x.tar --remove-files a",
        "rsync -a --remove-source-files a b",
    ];
    for command in disguises {
        let log = play(&mut session(), &["cp -r /other /backup", command]);
        assert!(
            log[1].contains("as a command by itself") || log[1].contains("is not backed up"),
            "{command}: {}",
            log[1]
        );
    }
}

#[test]
fn other_commands_are_none_of_its_business() {
    for command in [
        "ls -la | wc -l",
        "make && make install",
        "echo 'do not rm' > note.txt",
        "git status",
        "grep -r rm .",
    ] {
        assert_eq!(play(&mut session(), &[command]), ["ok"], "{command}");
    }
}

#[test]
fn plain_tools_are_gated_by_their_path() {
    let mut session = session();
    let call = |id: &str, tool: &str, input: serde_json::Value| ToolCall::new(id, tool, input);
    let backup = call("1", "backup", json!({"path": "/data"}));
    assert!(session.decide(&backup, Timestamp(0)).is_allowed());
    // Before the result is in, nothing is covered.
    assert!(
        !session
            .decide(&call("2", "delete", json!({"path": "/data/a"})), Timestamp(0))
            .is_allowed()
    );
    session.result(&ToolResult::success(&backup));
    for input in
        [json!({}), json!({"path": 7}), json!({"path": ""}), json!({"paths": ["/data/a", "/etc"]})]
    {
        let decision = session.decide(&call("3", "delete", input.clone()), Timestamp(0));
        assert!(!decision.is_allowed(), "{input}");
    }
    assert!(
        session.decide(&call("4", "delete", json!({"path": "/data/a"})), Timestamp(0)).is_allowed()
    );
    assert!(
        !session
            .decide(&call("5", "delete", json!({"path": "/data/a"})), Timestamp(0))
            .is_allowed()
    );
}

#[test]
fn a_directory_given_with_the_call_counts() {
    let mut session = session();
    let bash = |id: &str, command: &str, cwd: &str| {
        ToolCall::new(id, "bash", json!({"command": command, "cwd": cwd}))
    };
    let backup = bash("1", "cp -r data /backup", "/home");
    assert!(session.decide(&backup, Timestamp(0)).is_allowed());
    session.result(&ToolResult::success(&backup));
    assert!(!session.decide(&bash("2", "rm -r data", "/etc"), Timestamp(0)).is_allowed());
    assert!(!session.decide(&bash("3", "rm -r data", "home"), Timestamp(0)).is_allowed());
    assert!(session.decide(&bash("4", "rm -r data", "/home"), Timestamp(0)).is_allowed());
}

#[test]
fn a_backup_that_was_overtaken_does_not_count() {
    let begin = |session: &mut Session, command: &str| {
        let call = ToolCall::new("begun", "bash", json!({ "command": command }));
        assert!(session.decide(&call, Timestamp(0)).is_allowed());
        call
    };
    // The directory changed before it was done.
    let mut moved = session();
    let backup = begin(&mut moved, "cp -r a b");
    play(&mut moved, &["cd /other"]);
    moved.result(&ToolResult::success(&backup));
    assert_ne!(play(&mut moved, &["rm -r a"]), ["ok"]);
    // It saved what was deleted and written anew since.
    let mut replaced = session();
    play(&mut replaced, &["cp -r /data /one"]);
    let backup = begin(&mut replaced, "cp -r /data /two");
    assert_eq!(play(&mut replaced, &["rm -r /data", "mkdir /data"]), ["ok", "ok"]);
    replaced.result(&ToolResult::success(&backup));
    assert_ne!(play(&mut replaced, &["rm -r /data"]), ["ok"]);
}

#[test]
fn calls_that_name_two_directories_are_refused() {
    let mut session = session();
    play(&mut session, &["cp -r /data/a /backup"]);
    let input = json!({"command": "rm -r a", "cwd": "/data", "workdir": "/other"});
    assert!(!session.decide(&ToolCall::new("x", "bash", input), Timestamp(0)).is_allowed());
}

#[test]
fn two_deletes_in_flight_do_not_share_a_backup() {
    let mut session = session();
    play(&mut session, &["cp -r /data /backup"]);
    let delete = |id: &str| ToolCall::new(id, "bash", json!({"command": "rm -r /data"}));
    assert!(session.decide(&delete("a"), Timestamp(0)).is_allowed());
    assert!(!session.decide(&delete("b"), Timestamp(0)).is_allowed());
}

#[test]
fn its_states_are_known() {
    let net = nets::backup_before_delete().unwrap();
    let space = Explorer::new(net.net()).explore().complete().unwrap();
    assert_eq!((space.len(), space.unfired().len()), (65, 0));
}
