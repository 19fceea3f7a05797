use petriflow_sqlite::{GateStore, KEY_MAX, SessionKey, StoreError, StoredSession};

use crate::{Home, WAIT, call, key, record, session};

#[test]
fn a_session_is_there_after_a_commit_and_reopening() {
    let home = Home::new();
    assert!(GateStore::open_existing(&home.dir(), WAIT).unwrap().is_none());
    assert!(!home.dir().exists(), "asking creates nothing");

    call(&mut home.open(), "a", "one");
    let mut store = home.open();
    assert_eq!(store.session(&key("a")).unwrap(), Some(session("one", 1)));
    let transaction = store.begin().unwrap();
    let other = StoredSession { project: "/q".into(), ..session("two", 2) };
    transaction.put_session(&key("a"), &other).unwrap();
    assert_eq!(transaction.session(&key("a")).unwrap(), Some(other.clone()));
    transaction.commit().unwrap();
    let store = GateStore::open_existing(&home.dir(), WAIT).unwrap().unwrap();
    assert_eq!(store.session(&key("a")).unwrap(), Some(other));
    assert_eq!(store.session(&key("b")).unwrap(), None);
}

#[test]
fn a_dropped_transaction_did_not_happen() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    transaction.put_session(&key("a"), &session("one", 1)).unwrap();
    transaction.append(&record("x")).unwrap();
    drop(transaction);
    assert_eq!(store.session(&key("a")).unwrap(), None);
    assert_eq!(store.verify_audit().unwrap().unwrap().records, 0);
    assert_eq!(call(&mut store, "a", "one"), 1);
}

#[test]
fn sessions_are_listed_newest_first_and_pruned_by_time() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    for (id, seen) in [("old", 10), ("new", 30), ("mid", 20)] {
        transaction.put_session(&key(id), &session("s", seen)).unwrap();
    }
    let elsewhere = StoredSession { project: "/q".into(), ..session("s", 99) };
    transaction.put_session(&key("elsewhere"), &elsewhere).unwrap();
    let newest = |not| transaction.newest_session("claude", "/p", not).unwrap();
    assert_eq!(newest("x").unwrap().0, key("new"));
    assert_eq!(newest("new"), Some((key("mid"), session("s", 20))));
    assert_eq!(transaction.newest_session("codex", "/p", "x").unwrap(), None);
    transaction.commit().unwrap();

    let ids = |store: &GateStore| -> Vec<String> {
        store.sessions().unwrap().into_iter().map(|row| row.key.id).collect()
    };
    assert_eq!(ids(&store), ["elsewhere", "new", "mid", "old"]);
    let transaction = store.begin().unwrap();
    assert_eq!(transaction.prune_sessions(20).unwrap(), 1);
    transaction.delete_session(&key("elsewhere")).unwrap();
    transaction.commit().unwrap();
    assert_eq!(ids(&store), ["new", "mid"]);
}

#[test]
fn hostile_names_are_data() {
    let home = Home::new();
    let long = "x".repeat(KEY_MAX);
    let names = [
        "",
        "\0",
        "a\0",
        "a\0b",
        "a",
        "A",
        "a ",
        "../../etc/passwd",
        "/",
        "'; DROP TABLE sessions; --",
        "%",
        "_",
        "é",
        "e\u{301}",
        "\u{feff}a",
        "\u{10ffff}",
        "1",
        "1.0",
        "NULL",
        &long,
    ];
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    for (number, name) in names.iter().enumerate() {
        for host in names.iter().take(4) {
            let key = SessionKey { host: (*host).into(), id: (*name).into() };
            assert_eq!(transaction.session(&key).unwrap(), None, "{key:?}");
            let state = format!("{host}\0{number}");
            transaction.put_session(&key, &session(&state, 1)).unwrap();
        }
    }
    transaction.commit().unwrap();
    for (number, name) in names.iter().enumerate() {
        for host in names.iter().take(4) {
            let key = SessionKey { host: (*host).into(), id: (*name).into() };
            let state = store.session(&key).unwrap().unwrap().state;
            assert_eq!(state, format!("{host}\0{number}"), "{key:?}");
        }
    }
    assert_eq!(store.sessions().unwrap().len(), names.len() * 4);
    assert_eq!(std::fs::read_dir(home.dir()).unwrap().count(), 1);
}

#[test]
fn a_name_that_is_too_long_is_an_error_not_an_absent_session() {
    let home = Home::new();
    let mut store = home.open();
    for length in [KEY_MAX + 1, 1 << 20] {
        let long = key(&"x".repeat(length));
        assert!(matches!(store.session(&long), Err(StoreError::TooLong { .. })));
        let transaction = store.begin().unwrap();
        let error = transaction.put_session(&long, &session("s", 1)).unwrap_err();
        assert_eq!(error.to_string(), "the session's id is longer than 4096 bytes; shorten it");
        let host = SessionKey { host: long.id, id: String::new() };
        assert!(matches!(transaction.session(&host), Err(StoreError::TooLong { .. })));
    }
}

#[test]
fn a_state_may_be_long_and_a_time_may_not_be_huge() {
    let home = Home::new();
    let mut store = home.open();
    let long = "state ".repeat(1 << 20);
    call(&mut store, "a", &long);
    assert_eq!(home.open().session(&key("a")).unwrap().unwrap().state, long);
    let transaction = store.begin().unwrap();
    let error = transaction.put_session(&key("a"), &session("s", u64::MAX)).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { number: u64::MAX }));
}

#[test]
fn rules_are_written_once_and_trusted_per_project() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    assert_eq!(transaction.rules("h").unwrap(), None);
    transaction.put_rules("h", "limit push to 3").unwrap();
    transaction.put_rules("h", "limit push to 3").unwrap();
    let error = transaction.put_rules("h", "").unwrap_err();
    assert!(matches!(error, StoreError::RulesDiffer { .. }));
    assert_eq!(transaction.rules("h").unwrap().unwrap(), "limit push to 3");

    assert!(!transaction.is_trusted("/p", "h").unwrap());
    transaction.trust("/p", "h", 1).unwrap();
    transaction.trust("/p", "h", 2).unwrap();
    assert!(transaction.is_trusted("/p", "h").unwrap());
    assert!(!transaction.is_trusted("/q", "h").unwrap());
    assert!(!transaction.is_trusted("/p", "i").unwrap());
}

#[test]
fn the_log_stays_short_over_many_processes() {
    let home = Home::new();
    for number in 0..200 {
        call(&mut home.open(), "a", &number.to_string());
    }
    let bytes = std::fs::metadata(home.file("gate.db-wal")).unwrap().len();
    assert!(bytes < 100 * 4120, "{bytes}");
    assert_eq!(home.open().verify_audit().unwrap().unwrap().records, 200);
}
