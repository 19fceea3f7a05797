use std::thread;

use crate::{Home, call, key, record, session};

#[test]
fn twelve_at_once_lose_nothing() {
    const EACH: u32 = 40;
    let home = Home::new();
    // All twelve find nothing and make the state; from then on each opens it anew for every call.
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let mut store = home.open();
                    let transaction = store.begin().unwrap();
                    let found = transaction.session(&key("n")).unwrap();
                    let number: u32 = found.map_or(0, |session| session.state.parse().unwrap());
                    let next = (number + 1).to_string();
                    transaction.put_session(&key("n"), &session(&next, 1)).unwrap();
                    transaction.append(&record(&next)).unwrap();
                    transaction.commit().unwrap();
                }
            });
        }
    });
    let store = home.open();
    assert_eq!(store.session(&key("n")).unwrap().unwrap().state, (12 * EACH).to_string());
    assert_eq!(store.verify_audit().unwrap().unwrap().records, u64::from(12 * EACH));
    assert_eq!(std::fs::read_dir(home.dir()).unwrap().count(), 1, "no draft stays behind");
}

#[test]
fn first_creation_by_several_is_one_creation() {
    for _ in 0..20 {
        let home = Home::new();
        thread::scope(|scope| {
            for number in 0..6 {
                let home = &home;
                scope.spawn(move || call(&mut home.open(), &number.to_string(), "s"));
            }
        });
        let store = home.open();
        assert_eq!(store.sessions().unwrap().len(), 6);
        assert_eq!(store.verify_audit().unwrap().unwrap().records, 6);
    }
}

#[test]
fn a_reader_sees_one_state_while_others_write() {
    let home = Home::new();
    call(&mut home.open(), "a", "0");
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..300 {
                call(&mut home.open(), "a", &number.to_string());
            }
        });
        let store = home.open();
        while !writer.is_finished() {
            store.verify_audit().unwrap().unwrap();
        }
    });
}
