//! `petriflow audit`: the log of all decisions and results.

mod filter;
mod replay;

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;

use petriflow_sqlite::{AuditRow, GateStore};
use serde::Serialize;

use crate::args::{AuditArgs, AuditCommand, AuditExportArgs, AuditShowArgs, AuditVerifyArgs};
use crate::hook::record::Body;
use crate::outcome::{Exit, Failure, Outcome};
use crate::sessions;
use crate::style::Style;
use crate::{text, when};
use filter::Filter;

/// Runs one of the commands.
pub(crate) fn run(args: &AuditArgs) -> Outcome {
    let outcome = match &args.command {
        AuditCommand::Show(args) => show(args),
        AuditCommand::Verify(args) => verify(args),
        AuditCommand::Export(args) => export(args),
        AuditCommand::Replay(args) => replay::run(args),
    };
    outcome.unwrap_or_else(Outcome::from)
}

/// A record and its body.
struct Entry {
    row: AuditRow,
    body: Body,
}

/// Reads the log in order. A record whose body makes no sense is a failure, not left out.
fn each(store: &GateStore, visit: &mut dyn FnMut(Entry) -> ControlFlow<()>) -> Result<(), Failure> {
    let mut unreadable = None;
    let read = store.audit(0, &mut |row| match serde_json::from_str(&row.record.body) {
        Ok(body) => visit(Entry { row, body }),
        Err(error) => {
            unreadable = Some(format!("record {} cannot be read: {error}", row.seq));
            ControlFlow::Break(())
        }
    });
    read?;
    match unreadable {
        None => Ok(()),
        Some(problem) => {
            Err(Failure::new(problem).hint("`petriflow audit verify` shows whether it was changed"))
        }
    }
}

fn show(args: &AuditShowArgs) -> Result<Outcome, Failure> {
    let filter = Filter::new(&args.filter)?;
    let Some(store) = sessions::open(&args.state)? else {
        return Ok(Outcome::output("nothing was logged yet\n".to_owned(), Exit::Clean));
    };
    let mut shown: VecDeque<String> = VecDeque::new();
    let mut matching: usize = 0;
    let style = Style::of_stdout();
    each(&store, &mut |entry| {
        if filter.matches(&entry) {
            matching = matching.saturating_add(1);
            shown.push_back(line(&entry, style));
            if shown.len() > args.last {
                shown.pop_front();
            }
        }
        ControlFlow::Continue(())
    })?;
    let hidden = matching.saturating_sub(shown.len());
    let mut outcome = Outcome::output(shown.into_iter().collect(), Exit::Clean);
    if hidden > 0 {
        outcome.stderr = format!("{hidden} older records are not shown (--last)\n");
    }
    Ok(outcome)
}

fn line(entry: &Entry, style: Style) -> String {
    let Entry { row, body } = entry;
    let decision = format!("{:<11}", row.record.decision);
    let decision = match row.record.decision.as_str() {
        "blocked" | "failed" | "would-block" | "denied" => style.bad(&decision),
        "asked" | "would-ask" => style.ask(&decision),
        "allowed" | "succeeded" | "approved" | "granted" => style.good(&decision),
        _ => decision,
    };
    let session: String = row.record.session.replace('\u{0}', "/").chars().take(8).collect();
    let mut out = format!(
        "{:>6}  {}  {:<8}  {decision}",
        row.seq,
        when::stamp(row.record.at_ms),
        text::shown(&session, 8),
    );
    if let Some(tool) = &body.tool {
        out.push_str(&format!("  {}", text::shown(tool, text::NAME_MAX)));
    }
    let command = body.input.as_ref().and_then(|input| input.get("command")?.as_str());
    if let Some(command) = command {
        out.push_str(&format!("  {}", style.faint(&text::shown(command, text::NAME_MAX))));
    }
    for reason in &body.reasons {
        out.push_str(&format!("  {}", text::shown(&reason.to_string(), text::MESSAGE_MAX)));
    }
    if let Some(note) = &body.note {
        out.push_str(&format!("  ({})", text::shown(note, text::MESSAGE_MAX)));
    }
    out + "\n"
}

fn verify(args: &AuditVerifyArgs) -> Result<Outcome, Failure> {
    let Some(store) = sessions::open(&args.state)? else {
        return Ok(Outcome::output("nothing was logged yet\n".to_owned(), Exit::Clean));
    };
    let chain = match store.verify_audit()? {
        Ok(chain) => chain,
        Err(broken) => {
            let text = format!("the audit is broken at record {}: {}\n", broken.seq, broken.what);
            return Ok(Outcome::output(text, Exit::Findings));
        }
    };
    if let Some(head) = &args.head {
        let mut found = None;
        let looked = store.audit(0, &mut |row| {
            if row.hash == *head {
                found = Some(row.seq);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        looked?;
        if found.is_none() {
            let text = "the head is not part of the audit: it was rewritten or cut since\n";
            return Ok(Outcome::output(text.to_owned(), Exit::Findings));
        }
    }
    let records = text::counted(chain.records, "record");
    let text = format!("the audit is whole: {records}\nhead {}\n", chain.head);
    Ok(Outcome::output(text, Exit::Clean))
}

#[derive(Serialize)]
struct Exported<'a> {
    seq: u64,
    at: String,
    host: &'a str,
    session: &'a str,
    kind: &'a str,
    decision: &'a str,
    #[serde(flatten)]
    body: &'a Body,
    hash: &'a str,
}

/// Writes while it reads: a log can be longer than what one wants to hold.
fn export(args: &AuditExportArgs) -> Result<Outcome, Failure> {
    let filter = Filter::new(&args.filter)?;
    let nothing = Outcome::output(String::new(), Exit::Clean);
    let Some(store) = sessions::open(&args.state)? else { return Ok(nothing) };
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    each(&store, &mut |entry| {
        if filter.matches(&entry) {
            written = write_line(&mut stdout, &entry);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    match written.and_then(|()| stdout.flush()) {
        Ok(()) => Ok(nothing),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(nothing),
        Err(error) => Err(Failure::new(format!("cannot write to standard output: {error}"))),
    }
}

fn write_line(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    let Entry { row, body } = entry;
    let exported = Exported {
        seq: row.seq,
        at: when::stamp(row.record.at_ms),
        host: &row.record.host,
        session: &row.record.session,
        kind: &row.record.kind,
        decision: &row.record.decision,
        body,
        hash: &row.hash,
    };
    serde_json::to_writer(&mut *out, &exported)?;
    out.write_all(b"\n")
}
