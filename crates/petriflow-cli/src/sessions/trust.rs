//! `petriflow trust`: a person accepts rules that changed.

use std::collections::BTreeSet;

use petriflow::rules::syntax::Document;
use petriflow::rules::{SourceFile, parse};
use petriflow_sqlite::{GateStore, Record};

use crate::args::TrustArgs;
use crate::hook::project::Settings;
use crate::hook::record::Body;
use crate::hook::{Current, LOCK, places, project, stored};
use crate::outcome::{Exit, Failure, Outcome};
use crate::text;

/// Shows what changed, asks, and writes the answer down.
pub(crate) fn run(args: &TrustArgs) -> Outcome {
    trust(args).unwrap_or_else(Outcome::from)
}

fn trust(args: &TrustArgs) -> Result<Outcome, Failure> {
    super::require_terminal("trust")?;
    let root = match &args.project {
        Some(path) => project::root(path).map_err(Failure::new)?,
        None => places::here().map_err(Failure::new)?,
    };
    let name = root.to_str().ok_or_else(|| Failure::new("the path is no UTF-8 text".into()))?;
    let current =
        Current::load(&places::Places::of_user(args.rules.clone()), &root).map_err(Failure::new)?;
    let dir = places::state_dir(&args.state).map_err(Failure::new)?;
    let mut store = GateStore::open(&dir, LOCK)?;
    let question = changes(&store, name, &current)?;
    if !super::confirmed(&format!("{question}trust these rules?")) {
        return Ok(Outcome::output("nothing was changed\n".to_owned(), Exit::Findings));
    }
    let now_ms = places::now_ms();
    let tx = store.begin()?;
    tx.trust(name, &current.hash, now_ms)?;
    let body = Body {
        event: "trust".to_owned(),
        project: name.to_owned(),
        rules: Some(current.hash.clone()),
        ..Body::default()
    };
    tx.append(&Record {
        at_ms: now_ms,
        host: String::new(),
        session: String::new(),
        kind: "trust".to_owned(),
        decision: "trusted".to_owned(),
        body: body.to_text().map_err(Failure::new)?,
    })?;
    tx.commit()?;
    Ok(Outcome::output(
        "trusted; running sessions go on under these rules\n".to_owned(),
        Exit::Clean,
    ))
}

/// Sets of rules that are compared with at most.
const COMPARED_MAX: usize = 5;

/// The statements and settings that came and went, compared with all that sessions of the project
/// run under.
fn changes(store: &GateStore, project: &str, now: &Current) -> Result<String, Failure> {
    let sessions = store.sessions()?;
    let mut others: Vec<&str> = Vec::new();
    for row in sessions.iter().filter(|row| row.session.project == project) {
        let rules = row.session.rules.as_str();
        if rules != now.hash && !others.contains(&rules) {
            others.push(rules);
        }
    }
    let rules = text::counted(now.policy.nets().len() as u64, "rule");
    let mut out = format!("{}: {rules}\n", text::shown(project, text::MESSAGE_MAX));
    let after = said(&now.files, &now.settings);
    if others.is_empty() {
        let lines =
            after.iter().map(|line| format!("  {}\n", text::shown(line, text::MESSAGE_MAX)));
        out.push_str("no session of this project runs under other rules; these are:\n");
        out.extend(lines);
    }
    for hash in others.iter().take(COMPARED_MAX) {
        let kept = stored::kept(store, hash).map_err(Failure::new)?;
        let before = said(&kept.files(), &kept.settings);
        let of_hash = sessions.iter().filter(|row| row.session.rules == *hash);
        let count = text::counted(of_hash.count() as u64, "session");
        out.push_str(&format!("compared with the rules of {count}:\n"));
        for (sign, lines) in [("-", before.difference(&after)), ("+", after.difference(&before))] {
            for line in lines {
                out.push_str(&format!("  {sign} {}\n", text::shown(line, text::MESSAGE_MAX)));
            }
        }
        if before == after {
            out.push_str("  nothing that counts: comments, order or names of files\n");
        }
    }
    Ok(out)
}

/// Everything that rules and settings say, a line each.
fn said(files: &[SourceFile], settings: &Settings) -> BTreeSet<String> {
    let documents = parse(files).documents;
    let statements = documents.iter().flat_map(Document::statements);
    let mut lines: BTreeSet<String> =
        statements.map(|statement| statement.kind.to_string()).collect();
    let settings = toml::to_string(settings).unwrap_or_default();
    lines.extend(settings.lines().map(str::to_owned));
    lines
}
