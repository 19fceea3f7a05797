use petriflow_sqlite::{ApprovalAnswer, NewApproval};

use crate::{Home, key, session};

fn question(digest: &str) -> NewApproval {
    NewApproval {
        host: "claude".into(),
        session: "s".into(),
        digest: digest.into(),
        tool: "deploy".into(),
        title: "Deploy?".into(),
        message: "to production".into(),
        asked_at_ms: 100,
        expires_at_ms: 200,
    }
}

#[test]
fn a_grant_is_for_one_call_once() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    let id = transaction.ask_approval(&question("d")).unwrap();
    assert_eq!(transaction.ask_approval(&question("d")).unwrap(), id, "pending: the same one");
    let take = |session: &str, digest: &str, now| {
        transaction.take_grant("claude", session, digest, now).unwrap()
    };
    assert!(!take("s", "d", 150), "not answered yet");
    assert_eq!(transaction.answer_approval(id, true, 150).unwrap(), ApprovalAnswer::Done);
    assert!(!take("t", "d", 150), "another session");
    assert!(!take("s", "e", 150), "another call");
    assert!(!take("s", "d", 200), "too late");
    assert!(take("s", "d", 199));
    assert!(!take("s", "d", 199), "used up");
    assert_ne!(transaction.ask_approval(&question("d")).unwrap(), id);
}

#[test]
fn an_answer_counts_once_and_in_time() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    let id = transaction.ask_approval(&question("d")).unwrap();
    let answer = |id, granted, now| transaction.answer_approval(id, granted, now).unwrap();
    assert_eq!(answer(id + 1, true, 150), ApprovalAnswer::Unknown);
    assert_eq!(answer(u64::MAX, true, 150), ApprovalAnswer::Unknown);
    assert_eq!(answer(id, true, 200), ApprovalAnswer::Expired);
    assert_eq!(answer(id, false, 150), ApprovalAnswer::Done);
    assert_eq!(answer(id, true, 150), ApprovalAnswer::AlreadyAnswered);
    assert!(!transaction.take_grant("claude", "s", "d", 150).unwrap(), "denied");
}

#[test]
fn pending_questions_are_listed_until_answered_or_expired() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    let first = transaction.ask_approval(&question("d")).unwrap();
    let second = transaction.ask_approval(&question("e")).unwrap();
    transaction.commit().unwrap();
    let listed = store.pending_approvals(150).unwrap();
    assert_eq!(listed.iter().map(|row| row.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(listed[0].approval, question("d"));
    assert_eq!(store.pending_approvals(200).unwrap(), []);
    let transaction = store.begin().unwrap();
    transaction.answer_approval(first, false, 150).unwrap();
    transaction.commit().unwrap();
    assert_eq!(store.pending_approvals(150).unwrap().len(), 1);
}

#[test]
fn approvals_go_with_their_session_and_ids_are_not_reused() {
    let home = Home::new();
    let mut store = home.open();
    let transaction = store.begin().unwrap();
    transaction.put_session(&key("s"), &session("x", 10)).unwrap();
    let id = transaction.ask_approval(&question("d")).unwrap();
    transaction.answer_approval(id, true, 150).unwrap();
    transaction.delete_session(&key("s")).unwrap();
    assert!(!transaction.take_grant("claude", "s", "d", 150).unwrap());

    transaction.put_session(&key("s"), &session("x", 10)).unwrap();
    let later = transaction.ask_approval(&question("d")).unwrap();
    assert!(later > id);
    assert_eq!(transaction.prune_sessions(11).unwrap(), 1);
    assert_eq!(transaction.answer_approval(later, true, 150).unwrap(), ApprovalAnswer::Unknown);
}
