//! `petriflow sessions`: the list.

use petriflow_sqlite::SessionRow;
use serde::Serialize;

use crate::args::{ReportFormat, SessionsArgs};
use crate::hook::places;
use crate::outcome::{Exit, Failure, Outcome, json};
use crate::{text, when};

/// Lists the sessions.
pub(crate) fn run(args: &SessionsArgs) -> Outcome {
    list(args).unwrap_or_else(Outcome::from)
}

fn list(args: &SessionsArgs) -> Result<Outcome, Failure> {
    let rows = match super::open(&args.state)? {
        Some(store) => store.sessions()?,
        None => Vec::new(),
    };
    let text = match args.format {
        ReportFormat::Human => human(&rows, places::now_ms()),
        ReportFormat::Json => {
            json(&Report { version: 1, sessions: rows.iter().map(Row::from).collect() })
        }
    };
    Ok(Outcome::output(text, Exit::Clean))
}

fn human(rows: &[SessionRow], now_ms: u64) -> String {
    if rows.is_empty() {
        return "no sessions yet\n".to_owned();
    }
    let mut out = String::new();
    for row in rows {
        let project = text::shown(&row.session.project, text::MESSAGE_MAX);
        out.push_str(&format!(
            "{:<36}  {:<11}  {:>10}  {project}\n",
            super::shown_id(&row.key),
            row.key.host,
            when::ago(row.session.seen_at_ms, now_ms),
        ));
    }
    out
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    sessions: Vec<Row<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    host: &'a str,
    id: &'a str,
    project: &'a str,
    rules: &'a str,
    started_at: String,
    seen_at: String,
}

impl<'a> From<&'a SessionRow> for Row<'a> {
    fn from(row: &'a SessionRow) -> Self {
        Self {
            host: &row.key.host,
            id: &row.key.id,
            project: &row.session.project,
            rules: &row.session.rules,
            started_at: when::stamp(row.session.started_at_ms),
            seen_at: when::stamp(row.session.seen_at_ms),
        }
    }
}
