//! Audit records, each of which contains the hash of the one before.

use std::fmt::{self, Write as _};
use std::ops::ControlFlow;

use rusqlite::{Row, params};
use sha2::{Digest, Sha256};

use super::connection::{Database, number, stored};
use crate::StoreError;

/// What is noted of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// When.
    pub at_ms: u64,
    /// In which program.
    pub host: String,
    /// In which session.
    pub session: String,
    /// What happened.
    pub kind: String,
    /// What was decided.
    pub decision: String,
    /// All else, as JSON.
    pub body: String,
}

/// A record in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Its sequence number; the first is 1.
    pub seq: u64,
    /// The record.
    pub record: Record,
    /// Its hash in hexadecimal digits.
    pub hash: String,
}

/// A chain without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// How many records it has.
    pub records: u64,
    /// The hash of the last in hexadecimal digits, or zeros.
    pub head: String,
}

/// Where a chain is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The first record that is not as it was written.
    pub seq: u64,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}: {}", self.seq, self.what)
    }
}

type Hash = [u8; 32];

/// The hash before the first record.
const START: Hash = [0; 32];

/// The end of the chain: what its own row says, and what the last record says.
#[derive(Default)]
pub(super) struct Head {
    noted: Option<(u64, Vec<u8>)>,
    last: Option<(u64, Vec<u8>)>,
}

impl Head {
    pub(super) fn read(database: &Database) -> Result<Head, StoreError> {
        let noted = |row: &Row<'_>| Ok((number(row, 0)?, row.get(1)?));
        let head = database.first(
            "SELECT head.seq, head.hash, audit.seq, audit.hash
             FROM audit_head AS head LEFT JOIN audit ON audit.seq = (SELECT max(seq) FROM audit)",
            (),
            |row| {
                let last = match row.get::<_, Option<i64>>(2)? {
                    Some(_) => Some((number(row, 2)?, row.get(3)?)),
                    None => None,
                };
                Ok(Head { noted: Some(noted(row)?), last })
            },
        )?;
        if let Some(head) = head {
            return Ok(head);
        }
        let last =
            database.first("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1", (), noted)?;
        Ok(Head { noted: None, last })
    }

    /// How many records there are by what either says.
    pub(super) fn seq(&self) -> u64 {
        let seq = |end: &Option<(u64, _)>| end.as_ref().map_or(0, |(seq, _)| *seq);
        seq(&self.noted).max(seq(&self.last))
    }

    /// Whether records that were committed are gone, and then so are sessions.
    pub(super) fn check_mark(&self, database: &Database, mark: u64) -> Result<(), StoreError> {
        if self.seq() >= mark {
            return Ok(());
        }
        Err(database.damaged(format!(
            "{mark} records were committed and {} are left, so it is an older state",
            self.seq()
        )))
    }

    /// The last record's number and hash, if both ends agree.
    fn end(&self) -> Result<(u64, Hash), Broken> {
        let last = self.last.as_ref();
        let (seq, hash) = last.map_or((0, START.as_slice()), |(seq, hash)| (*seq, hash));
        let Some((noted_seq, noted_hash)) = &self.noted else {
            return Err(Broken { seq, what: "the head of the chain is missing".into() });
        };
        if *noted_seq != seq {
            let what = format!("it is the last one, but the head of the chain is {noted_seq}");
            return Err(Broken { seq, what });
        }
        match Hash::try_from(hash) {
            Ok(end) if end.as_slice() == noted_hash.as_slice() => Ok((seq, end)),
            _ => Err(Broken { seq, what: "its hash is not the one at the head".into() }),
        }
    }

    pub(super) fn append(
        &mut self,
        database: &Database,
        record: &Record,
    ) -> Result<u64, StoreError> {
        let (last, previous) = self.end().map_err(StoreError::AuditBroken)?;
        let seq = last.saturating_add(1);
        let stored_seq = stored(seq)?;
        let hash = hash(&previous, seq, record);
        let Record { at_ms, host, session, kind, decision, body } = record;
        database.execute(
            "INSERT INTO audit (seq, hash, at, host, session, kind, decision, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![stored_seq, hash, stored(*at_ms)?, host, session, kind, decision, body],
        )?;
        database.execute("UPDATE audit_head SET seq = ?1, hash = ?2", params![stored_seq, hash])?;
        self.noted = Some((seq, hash.to_vec()));
        self.last.clone_from(&self.noted);
        Ok(seq)
    }
}

/// Every field counts, and with its length, so that no text can move from one to the next.
fn hash(previous: &Hash, seq: u64, record: &Record) -> Hash {
    let Record { at_ms, host, session, kind, decision, body } = record;
    let mut sha = Sha256::new();
    sha.update(previous);
    sha.update(seq.to_be_bytes());
    sha.update(at_ms.to_be_bytes());
    for text in [host, session, kind, decision, body] {
        sha.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        sha.update(text);
    }
    sha.finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

const FROM: &str = "SELECT seq, hash, at, host, session, kind, decision, body
                    FROM audit WHERE seq >= ?1 ORDER BY seq";

fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record {
        at_ms: number(row, 2)?,
        host: row.get(3)?,
        session: row.get(4)?,
        kind: row.get(5)?,
        decision: row.get(6)?,
        body: row.get(7)?,
    })
}

pub(super) fn visit(
    database: &Database,
    from_seq: u64,
    visit: &mut dyn FnMut(AuditRow) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let Ok(from) = stored(from_seq) else {
        return Ok(());
    };
    database.each(FROM, [from], |row| {
        let hash: Vec<u8> = row.get(1)?;
        Ok(visit(AuditRow { seq: number(row, 0)?, record: record(row)?, hash: hex(&hash) }))
    })
}

pub(super) fn verify(database: &Database, mark: u64) -> Result<Result<Chain, Broken>, StoreError> {
    database.snapshot(|| {
        let mut chain = Links { records: 0, hash: START, broken: None };
        // From the lowest number there can be: a record numbered 0 or below is one too many.
        database.each(FROM, [i64::MIN], |row| chain.follow(row))?;
        let head = Head::read(database)?;
        Ok(chain.end(&head, mark))
    })
}

/// The chain as far as it was followed.
struct Links {
    records: u64,
    hash: Hash,
    broken: Option<Broken>,
}

impl Links {
    fn follow(&mut self, row: &Row<'_>) -> rusqlite::Result<ControlFlow<()>> {
        let seq = self.records.saturating_add(1);
        let stored_seq: i64 = row.get(0)?;
        let stored_hash: Vec<u8> = row.get(1)?;
        let what = if u64::try_from(stored_seq) != Ok(seq) {
            format!("record {stored_seq} is in its place")
        } else if let Ok(record) = record(row) {
            self.hash = hash(&self.hash, seq, &record);
            if stored_hash == self.hash {
                self.records = seq;
                return Ok(ControlFlow::Continue(()));
            }
            "it is not what its hash was made of".into()
        } else {
            "it cannot be read".into()
        };
        self.broken = Some(Broken { seq, what });
        Ok(ControlFlow::Break(()))
    }

    fn end(self, head: &Head, mark: u64) -> Result<Chain, Broken> {
        if let Some(broken) = self.broken {
            return Err(broken);
        }
        head.end()?;
        if self.records < mark {
            let what = format!("it is missing: {mark} records were committed");
            return Err(Broken { seq: self.records.saturating_add(1), what });
        }
        Ok(Chain { records: self.records, head: hex(&self.hash) })
    }
}
