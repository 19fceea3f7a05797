use std::ops::ControlFlow;

use petriflow_sqlite::{Broken, Record, StoreError};

use crate::{Home, WAIT, call, record};

const RECORDS: u64 = 8;

fn home() -> Home {
    let home = Home::new();
    let mut store = home.open();
    for number in 1..=RECORDS {
        call(&mut store, "s", &format!("state {number}"));
    }
    home
}

fn verify(home: &Home) -> Result<u64, Broken> {
    home.open().verify_audit().unwrap().map(|chain| chain.records)
}

/// Changes the file behind the store's back and gives where the chain is broken then.
fn broken_by(sql: &str) -> u64 {
    let home = home();
    home.raw().execute_batch(sql).unwrap();
    verify(&home).expect_err(sql).seq
}

#[test]
fn a_chain_is_whole_and_visited_in_order() {
    let home = home();
    let store = home.open();
    let chain = store.verify_audit().unwrap().unwrap();
    let mut rows = Vec::new();
    store
        .audit(3, &mut |row| {
            rows.push(row);
            if rows.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert_eq!(rows[0].record, record("state 3"));
    let mut last = None;
    store
        .audit(0, &mut |row| {
            last = Some(row.hash);
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(Some(chain.head), last);
    assert_eq!(chain.records, RECORDS);
    store.audit(u64::MAX, &mut |_| panic!("there is none")).unwrap();
}

#[test]
fn any_changed_field_is_found() {
    for column in ["at", "host", "session", "kind", "decision", "body"] {
        let value = if column == "at" { "8" } else { "'other'" };
        assert_eq!(broken_by(&format!("UPDATE audit SET {column} = {value} WHERE seq = 5")), 5);
    }
    assert_eq!(broken_by("UPDATE audit SET hash = zeroblob(32) WHERE seq = 5"), 5);
    assert_eq!(broken_by("UPDATE audit SET hash = x'00' WHERE seq = 5"), 5);
    assert_eq!(broken_by("UPDATE audit SET at = -1 WHERE seq = 5"), 5);
}

#[test]
fn text_that_moves_from_one_field_to_the_next_is_found() {
    assert_eq!(broken_by("UPDATE audit SET kind = 'callal', decision = 'low' WHERE seq = 2"), 2);
}

#[test]
fn removed_inserted_swapped_and_renumbered_records_are_found() {
    assert_eq!(broken_by("DELETE FROM audit WHERE seq = 4"), 4);
    assert_eq!(broken_by("DELETE FROM audit WHERE seq = 1"), 1);
    assert_eq!(
        broken_by("DELETE FROM audit WHERE seq = 4; UPDATE audit SET seq = seq - 1 WHERE seq > 4"),
        4
    );
    assert_eq!(
        broken_by(
            "INSERT INTO audit SELECT 0, hash, at, host, session, kind, decision, body FROM audit WHERE seq = 1"
        ),
        1
    );
    assert_eq!(
        broken_by(
            "INSERT INTO audit SELECT -5, hash, at, host, session, kind, decision, body FROM audit WHERE seq = 1"
        ),
        1
    );
    assert_eq!(
        broken_by(
            "INSERT INTO audit SELECT 9, hash, at, host, session, kind, decision, body FROM audit WHERE seq = 8"
        ),
        9
    );
    assert_eq!(
        broken_by(
            "UPDATE audit SET seq = 99 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 99"
        ),
        3
    );
    assert_eq!(broken_by("UPDATE audit SET seq = seq + 1 WHERE seq = 8"), 8);
}

#[test]
fn a_cut_tail_and_a_changed_head_are_found() {
    assert_eq!(broken_by("DELETE FROM audit WHERE seq > 6"), 6);
    assert_eq!(broken_by("DELETE FROM audit"), 0);
    assert_eq!(broken_by("DELETE FROM audit_head"), 8);
    assert_eq!(broken_by("UPDATE audit_head SET seq = 7"), 8);
    assert_eq!(broken_by("UPDATE audit_head SET hash = zeroblob(32)"), 8);
    // With a head that fits, only the mark knows.
    assert_eq!(
        broken_by(
            "DELETE FROM audit WHERE seq > 6;
             UPDATE audit_head SET (seq, hash) = (SELECT seq, hash FROM audit WHERE seq = 6)"
        ),
        7
    );
}

#[test]
fn nothing_is_appended_to_a_chain_whose_end_is_broken() {
    for sql in [
        "UPDATE audit_head SET hash = zeroblob(32)",
        "DELETE FROM audit WHERE seq = 8",
        "DELETE FROM audit_head",
        "INSERT INTO audit SELECT 9, hash, at, host, session, kind, decision, body FROM audit WHERE seq = 8",
    ] {
        let home = home();
        home.raw().execute_batch(sql).unwrap();
        let mut store = home.open();
        let transaction = store.begin().unwrap();
        let error = transaction.append(&record("next")).unwrap_err();
        assert!(matches!(error, StoreError::AuditBroken(_)), "{sql}: {error}");
    }
}

#[test]
fn the_hash_is_what_the_documentation_says() {
    // So that others can verify a chain: previous hash, number, time, then each text with length.
    let home = Home::new();
    let mut store = petriflow_sqlite::GateStore::open(&home.dir(), WAIT).unwrap();
    let transaction = store.begin().unwrap();
    transaction.append(&Record { at_ms: 1, body: "{}".into(), ..Record::default() }).unwrap();
    transaction.commit().unwrap();
    let mut bytes = vec![0; 32];
    bytes.extend(1_u64.to_be_bytes());
    bytes.extend(1_u64.to_be_bytes());
    bytes.extend([0; 8 * 4]);
    bytes.extend(2_u64.to_be_bytes());
    bytes.extend(b"{}");
    use sha2::Digest;
    let hash: String =
        sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(store.verify_audit().unwrap().unwrap().head, hash);
}
