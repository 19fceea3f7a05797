//! Whose files these are, and what they are.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use petriflow_sqlite::{GateStore, StoreError};

use crate::{Home, WAIT, call, key};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn chmod(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Not a test: what the next one runs in a process of its own, since a umask is the process's.
#[test]
fn in_another_process() {
    if let Some(dir) = std::env::var_os("PETRIFLOW_TEST_OPEN") {
        call(&mut GateStore::open(dir.as_ref(), WAIT).unwrap(), "a", "one");
    }
}

#[test]
fn files_are_private_whatever_the_umask() {
    for umask in ["000", "022", "077", "277"] {
        let home = Home::new();
        let outer = home.0.path().join("a/b");
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("umask {umask}; exec \"$0\" --exact safety::in_another_process"))
            .arg(std::env::current_exe().unwrap())
            .env("PETRIFLOW_TEST_OPEN", &outer)
            .output()
            .unwrap();
        assert!(status.status.success(), "{status:?}");
        for dir in [outer.parent().unwrap(), &outer, &outer.join("gate")] {
            assert_eq!(mode(dir), 0o700, "{umask} {}", dir.display());
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(outer.join("gate")).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{umask} {}", path.display());
            names.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
        names.sort();
        assert_eq!(names, ["gate.db", "gate.db-shm", "gate.db-wal", "gate.mark"]);
        assert_eq!(fs::read_dir(&outer).unwrap().count(), 1, "no draft stays behind");
    }
}

#[test]
fn what_others_can_write_is_refused_with_the_command_to_run() {
    let home = Home::new();
    call(&mut home.open(), "a", "one");
    for (path, told, good) in [
        (home.dir(), "DIR", 0o700),
        (home.dir().join("gate"), "DIR/gate", 0o700),
        (home.file("gate.db"), "DIR/gate/gate.db", 0o600),
        (home.file("gate.db-wal"), "DIR/gate/gate.db-wal", 0o600),
    ] {
        for bad in [0o020, 0o002, 0o077] {
            chmod(&path, good | bad);
            let what = format!(
                "`{told}` can be written by others; run `chmod {good:o} '{told}'` if you trust its content"
            );
            assert_eq!(home.refusal(), what);
            assert!(GateStore::open_existing(&home.dir(), WAIT).is_err());
        }
        chmod(&path, good);
    }
    assert!(home.open().session(&key("a")).unwrap().is_some());
}

#[test]
fn an_existing_open_directory_is_refused_before_anything_is_made() {
    let home = Home::new();
    fs::create_dir(home.dir()).unwrap();
    chmod(&home.dir(), 0o777);
    assert!(home.refusal().contains("chmod 700"));
    assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 0);
    chmod(&home.dir(), 0o755);
    home.open();
}

#[test]
fn symbolic_links_are_refused() {
    let real = Home::new();
    call(&mut real.open(), "a", "one");

    let home = Home::new();
    symlink(real.dir(), home.dir()).unwrap();
    assert_eq!(home.refusal(), "`DIR` is a symbolic link; remove it or use another directory");
    for name in ["gate", "gate/gate.db", "gate/gate.db-wal"] {
        let home = Home::new();
        home.open();
        let path = home.dir().join(name);
        if name == "gate" {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        symlink(real.dir().join(name), &path).unwrap();
        assert!(home.refusal().contains("is a symbolic link"), "{name}");
    }
    let home = Home::new();
    symlink(home.0.path().join("nowhere"), home.dir()).unwrap();
    assert!(home.refusal().contains("is a symbolic link"));
}

#[test]
fn a_link_further_up_is_the_users_own_affair() {
    let home = Home::new();
    let real = home.0.path().join("real");
    fs::create_dir(&real).unwrap();
    let link = home.0.path().join("link");
    symlink(&real, &link).unwrap();
    call(&mut GateStore::open(&link.join("state"), WAIT).unwrap(), "a", "one");
    let store = GateStore::open(&real.join("state"), WAIT).unwrap();
    assert!(store.session(&key("a")).unwrap().is_some());
}

#[test]
fn files_of_another_user_are_refused() {
    let home = Home::new();
    call(&mut home.open(), "a", "one");
    for path in [home.dir(), home.dir().join("gate"), home.file("gate.db")] {
        if chown(&path, Some(12345), None).is_err() {
            eprintln!("skipped: only root can give files away");
            return;
        }
        assert!(home.refusal().contains("belongs to another user"), "{}", path.display());
        chown(&path, Some(0), None).unwrap();
    }
}

#[test]
fn other_files_are_refused() {
    let home = Home::new();
    fs::write(home.dir(), "a file").unwrap();
    assert!(home.refusal().contains("is not a directory"));

    let home = Home::new();
    home.open();
    fs::write(home.file("gate.db"), "not a database ".repeat(1000)).unwrap();
    assert_eq!(
        home.refusal(),
        "`DIR/gate/gate.db` is not a database of PetriFlow; move it away or use another directory"
    );

    let home = Home::new();
    home.open();
    home.raw().pragma_update(None, "application_id", 12).unwrap();
    assert!(matches!(GateStore::open(&home.dir(), WAIT), Err(StoreError::Foreign { .. })));
}

#[test]
fn a_newer_schema_is_refused() {
    let home = Home::new();
    call(&mut home.open(), "a", "one");
    home.raw().pragma_update(None, "user_version", 2).unwrap();
    assert_eq!(
        home.refusal(),
        "`DIR/gate/gate.db` has schema version 2, and this program knows 1 at most; update PetriFlow"
    );
    home.raw().pragma_update(None, "user_version", -1).unwrap();
    assert!(home.refusal().contains("is damaged"));
}

#[test]
fn a_path_that_looks_like_an_address_is_a_path() {
    let home = Home::new();
    let dir = home.0.path().join("file:x?mode=memory#ä%41");
    call(&mut GateStore::open(&dir, WAIT).unwrap(), "a", "one");
    let store = GateStore::open(&dir, WAIT).unwrap();
    assert!(store.session(&key("a")).unwrap().is_some());
    assert!(dir.join("gate/gate.db").exists());
}

#[test]
fn a_lock_not_obtained_in_time_is_busy() {
    let home = Home::new();
    let mut first = home.open();
    let mut second = GateStore::open(&home.dir(), Duration::from_millis(60)).unwrap();
    let transaction = first.begin().unwrap();
    let since = Instant::now();
    assert!(matches!(second.begin(), Err(StoreError::Busy { .. })));
    assert!(since.elapsed() >= Duration::from_millis(60));
    // Others may open and read meanwhile.
    assert_eq!(home.open().sessions().unwrap(), []);
    drop(transaction);
    second.begin().unwrap().commit().unwrap();
}
