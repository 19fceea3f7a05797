//! `petriflow status`: where a session stands.

use petriflow::gate::{Policy, Session};
use petriflow_sqlite::{ApprovalRow, GateStore, SessionRow};
use serde::Serialize;

use crate::args::{ReportFormat, StatusArgs};
use crate::hook::{places, stored};
use crate::outcome::{Exit, Failure, Outcome, json};
use crate::simulate::describe;
use crate::{text, when};

/// Shows a session.
pub(crate) fn run(args: &StatusArgs) -> Outcome {
    status(args).unwrap_or_else(Outcome::from)
}

fn status(args: &StatusArgs) -> Result<Outcome, Failure> {
    let store = super::open_some(&args.state)?;
    let row = chosen(&store, args.session.as_deref())?;
    let session = stored::restore(&store, &row.session).map_err(Failure::new)?;
    let now_ms = places::now_ms();
    let mut approvals = store.pending_approvals(now_ms)?;
    approvals.retain(|approval| {
        approval.approval.session == row.key.id && approval.approval.host == row.key.host
    });
    let report = Report::new(&row, &session, &approvals);
    let text = match args.format {
        ReportFormat::Human => human(&report, &row, now_ms),
        ReportFormat::Json => json(&report),
    };
    Ok(Outcome::output(text, Exit::Clean))
}

/// The session that is named, or the one seen last in this project.
fn chosen(store: &GateStore, named: Option<&str>) -> Result<SessionRow, Failure> {
    let mut rows = store.sessions()?;
    if let Some(beginning) = named {
        return super::find(rows, beginning);
    }
    let here = places::here().map_err(Failure::new)?;
    let is_here = |row: &SessionRow| std::path::Path::new(&row.session.project) == here;
    match rows.iter().position(is_here) {
        Some(last) => Ok(rows.swap_remove(last)),
        None => Err(Failure::new("there is no session in this project yet".to_owned())
            .hint("`petriflow sessions` lists those of other projects; name one with --session")),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    version: u32,
    host: String,
    session: String,
    project: String,
    started_at: String,
    seen_at: String,
    in_flight: Vec<String>,
    pending_approvals: Vec<Waiting>,
    rules: Vec<RuleState>,
}

#[derive(Serialize)]
struct Waiting {
    number: u64,
    tool: String,
    call: String,
}

#[derive(Serialize)]
struct RuleState {
    rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    state: String,
    marking: String,
}

impl Report {
    fn new(row: &SessionRow, session: &Session, approvals: &[ApprovalRow]) -> Self {
        let waiting = |row: &ApprovalRow| Waiting {
            number: row.id,
            tool: row.approval.tool.clone(),
            call: row.approval.message.clone(),
        };
        Self {
            version: 1,
            host: row.key.host.clone(),
            session: row.key.id.clone(),
            project: row.session.project.clone(),
            started_at: when::stamp(row.session.started_at_ms),
            seen_at: when::stamp(row.session.seen_at_ms),
            in_flight: session.in_flight().into_iter().map(str::to_owned).collect(),
            pending_approvals: approvals.iter().map(waiting).collect(),
            rules: rule_states(session.policy(), session),
        }
    }
}

fn rule_states(policy: &Policy, session: &Session) -> Vec<RuleState> {
    let state = |net: &petriflow::gate::SkillNet| {
        let marking = session.marking(net.name())?;
        let source = net.rule().and_then(|rule| rule.source.as_ref());
        Some(RuleState {
            rule: source.map_or_else(|| net.name().to_owned(), |source| source.text.clone()),
            file: source.map(|source| source.file.clone()),
            line: source.map(|source| source.line),
            state: describe(net, &marking),
            marking: marking.display_marked(net.net()).to_string(),
        })
    };
    policy.nets().iter().filter_map(state).collect()
}

fn human(report: &Report, row: &SessionRow, now_ms: u64) -> String {
    let mut out = format!(
        "session {} ({}), begun {}, seen {}\nproject {}\n\n",
        super::shown_id(&row.key),
        report.host,
        when::ago(row.session.started_at_ms, now_ms),
        when::ago(row.session.seen_at_ms, now_ms),
        text::shown(&report.project, text::MESSAGE_MAX),
    );
    let widest = report.rules.iter().map(|rule| rule.state.chars().count()).max().unwrap_or(0);
    for rule in &report.rules {
        let place = match (&rule.file, rule.line) {
            (Some(file), Some(line)) => format!("{}:{line}", text::shown(file, text::NAME_MAX)),
            _ => String::new(),
        };
        out.push_str(&format!("  {:<widest$}  {}  {place}\n", rule.state, rule.rule));
    }
    let in_flight = report.in_flight.len() as u64;
    out.push_str(&format!("\n{} in flight\n", text::counted(in_flight, "call")));
    for waiting in &report.pending_approvals {
        let call = text::shown(&waiting.call, text::MESSAGE_MAX);
        let tool = text::shown(&waiting.tool, text::NAME_MAX);
        out.push_str(&format!(
            "waits for approval: {tool} {call}  (petriflow approve {})\n",
            waiting.number
        ));
    }
    out
}
