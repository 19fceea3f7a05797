//! `petriflow trust`: a person accepts rules that changed.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use petriflow::gate::Policy;
use petriflow_sqlite::{GateStore, Record, StoreError};

use crate::args::TrustArgs;
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
        Some(path) => project::root(&absolute(path)?),
        None => places::here().map_err(Failure::new)?,
    };
    let name = root.to_str().ok_or_else(|| Failure::new("the path is no UTF-8 text".into()))?;
    let current =
        Current::load(&places::Places::of_user(Vec::new()), &root).map_err(Failure::new)?;
    let dir = places::state_dir(&args.state).map_err(Failure::new)?;
    let mut store = GateStore::open(&dir, LOCK).map_err(failed)?;
    let question = changes(&store, name, &current.policy)?;
    if !confirmed(&question) {
        return Ok(Outcome::output("nothing was changed\n".to_owned(), Exit::Findings));
    }
    let now_ms = places::now_ms();
    let tx = store.begin().map_err(failed)?;
    tx.trust(name, &current.hash, now_ms).map_err(failed)?;
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
    })
    .map_err(failed)?;
    tx.commit().map_err(failed)?;
    Ok(Outcome::output(
        "trusted; running sessions go on under these rules\n".to_owned(),
        Exit::Clean,
    ))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::new(error.to_string()))
}

/// The rules that came and went since the session seen last in the project.
fn changes(store: &GateStore, project: &str, now: &Policy) -> Result<String, Failure> {
    let sessions = store.sessions().map_err(failed)?;
    let last = sessions.iter().find(|row| row.session.project == project);
    let after = rule_texts(now);
    let before = match last {
        Some(row) => {
            rule_texts(stored::restore(store, &row.session).map_err(Failure::new)?.policy())
        }
        None => BTreeSet::new(),
    };
    let mut out = format!(
        "{}: {}\n",
        text::shown(project, text::MESSAGE_MAX),
        text::counted(after.len() as u64, "rule")
    );
    for (sign, rules) in [("-", before.difference(&after)), ("+", after.difference(&before))] {
        for rule in rules {
            out.push_str(&format!("  {sign} {}\n", text::shown(rule, text::MESSAGE_MAX)));
        }
    }
    if before == after {
        out.push_str("  the rules are the same; maps, settings or their order may differ\n");
    }
    Ok(out)
}

fn rule_texts(policy: &Policy) -> BTreeSet<String> {
    let source = |net: &petriflow::gate::SkillNet| Some(net.rule()?.source.as_ref()?.text.clone());
    policy.nets().iter().filter_map(source).collect()
}

fn confirmed(question: &str) -> bool {
    let mut stdout = io::stdout().lock();
    let asked = write!(stdout, "{question}trust these rules? [y/N] ").and_then(|()| stdout.flush());
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    asked.is_ok() && read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn failed(error: StoreError) -> Failure {
    Failure::new(error.to_string())
}
