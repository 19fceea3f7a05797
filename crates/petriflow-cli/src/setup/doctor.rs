//! `petriflow doctor`: is the hook there, and does it refuse?

use std::path::{Path, PathBuf};
use std::process::Command;

use petriflow::gate::RuleKind;
use petriflow::rules::{KnownTools, compile};
use petriflow_hosts::setup::{self, InstalledHook, Scope};
use petriflow_hosts::{Failures, Host};
use petriflow_sqlite::{GateStore, SessionKey};
use serde::Serialize;

use super::files;
use super::probe::{self, Probed};
use crate::args::{DoctorArgs, ReportFormat};
use crate::hook::places::{self, Places};
use crate::hook::project::{self, Mode, Project};
use crate::hook::{Current, LOCK};
use crate::outcome::{Exit, Failure, Outcome, json};
use crate::style::Style;
use crate::text;

/// Checks everything and reports.
pub(crate) fn run(args: &DoctorArgs) -> Outcome {
    examine(args).unwrap_or_else(Outcome::from)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Good,
    Warning,
    Bad,
}

/// One line of the report.
#[derive(Debug, Serialize)]
struct Check {
    health: Health,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct Report {
    version: u32,
    petriflow: &'static str,
    ok: bool,
    checks: Vec<Check>,
}

/// Where the examination takes place.
struct Patient {
    root: PathBuf,
    places: Places,
    state_dir: PathBuf,
    /// Whether the settings say that nothing is refused.
    is_shadow: bool,
    checks: Vec<Check>,
}

fn examine(args: &DoctorArgs) -> Result<Outcome, Failure> {
    let root = places::here().map_err(Failure::new)?;
    let state_dir = places::state_dir(&args.state).map_err(Failure::new)?;
    let places = Places::of_user(Vec::new());
    let mut patient = Patient { root, places, state_dir, is_shadow: false, checks: Vec::new() };
    let rules = patient.rules();
    let hosts = match args.host {
        Some(host) => vec![host],
        None => patient.hosts_set_up(),
    };
    if hosts.is_empty() {
        patient.bad("no host is set up here", "petriflow init claude-code");
    }
    for &host in &hosts {
        patient.host(host);
        if let Some(rules) = &rules {
            patient.enforceable(host, rules);
        }
    }
    if let Some(rules) = &rules {
        patient.findings(&hosts, rules);
    }
    patient.state();
    let ok = patient.checks.iter().all(|check| check.health != Health::Bad);
    let exit = if ok { Exit::Clean } else { Exit::Findings };
    let text = match args.format {
        ReportFormat::Human => human(&patient.checks, Style::of_stdout()),
        ReportFormat::Json => {
            let (version, petriflow) = (1, env!("CARGO_PKG_VERSION"));
            json(&Report { version, petriflow, ok, checks: patient.checks })
        }
    };
    Ok(Outcome::output(text, exit))
}

fn human(checks: &[Check], style: Style) -> String {
    let mut out = String::new();
    for Check { health, what, hint } in checks {
        let mark = match health {
            Health::Good => style.good("ok     "),
            Health::Warning => style.ask("warning"),
            Health::Bad => style.bad("bad    "),
        };
        out.push_str(&format!("{mark}  {}\n", text::shown(what, text::MESSAGE_MAX)));
        if let Some(hint) = hint {
            out.push_str(&format!("         hint: {hint}\n"));
        }
    }
    out
}

impl Patient {
    fn good(&mut self, what: impl Into<String>) {
        self.checks.push(Check { health: Health::Good, what: what.into(), hint: None });
    }

    fn warning(&mut self, what: impl Into<String>, hint: impl Into<String>) {
        let (what, hint) = (what.into(), Some(hint.into()));
        self.checks.push(Check { health: Health::Warning, what, hint });
    }

    fn bad(&mut self, what: impl Into<String>, hint: impl Into<String>) {
        let (what, hint) = (what.into(), Some(hint.into()));
        self.checks.push(Check { health: Health::Bad, what, hint });
    }

    /// The rules that hold here.
    fn rules(&mut self) -> Option<Current> {
        match Current::load(&self.places, &self.root) {
            Ok(current) => {
                let rules = text::counted(current.policy.nets().len() as u64, "rule");
                let files = text::counted(current.files.len() as u64, "file");
                self.good(format!("{rules} in {files} compile and are verified"));
                self.is_shadow = current.settings.mode == Some(Mode::Shadow);
                if current.settings.mode == Some(Mode::Shadow) {
                    self.warning(
                        "mode is shadow: nothing is refused",
                        "set mode = \"enforce\" in petriflow.toml",
                    );
                }
                if current.settings.self_protection == Some(false) {
                    self.warning(
                        "self-protection is off: an agent can change its own rules",
                        "remove self-protection from petriflow.toml",
                    );
                }
                Some(current)
            }
            Err(problem) => {
                self.bad(problem, "until this is repaired, the hook refuses every call");
                None
            }
        }
    }

    fn hosts_set_up(&self) -> Vec<Host> {
        let is_set_up = |host: &Host| {
            [Scope::Project, Scope::User]
                .into_iter()
                .any(|scope| !self.hooks(*host, scope).1.is_empty())
        };
        Host::ALL.into_iter().filter(is_set_up).collect()
    }

    /// The hooks of ours in a configuration, and what is wrong with reading it.
    fn hooks(&self, host: Host, scope: Scope) -> (PathBuf, Vec<InstalledHook>, Option<String>) {
        let Ok(path) = files::config_path(host, scope, &self.root) else {
            return (PathBuf::new(), Vec::new(), None);
        };
        let text = match files::read(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return (path, Vec::new(), None),
            Err(_) => {
                return (
                    path.clone(),
                    Vec::new(),
                    Some(format!("{} cannot be read", path.display())),
                );
            }
        };
        match setup::installed(host, &text) {
            Ok(hooks) => (path, hooks, None),
            Err(error) => {
                let problem = format!("{}: {error}", path.display());
                (path, Vec::new(), Some(problem))
            }
        }
    }

    /// Settings of the host that keep it from running hooks at all.
    fn turned_off(&mut self, host: Host) {
        for path in places::configuration_of(host, &self.root) {
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            let text = if is_json { std::fs::read_to_string(&path).ok() } else { None };
            let setting = text.and_then(|text| setup::turned_off(host, &text).ok().flatten());
            if let Some(setting) = setting {
                let what = format!("{}: `{setting}` turns hooks off", path.display());
                self.bad(what, "remove it, or no call is decided");
            }
        }
    }

    fn host(&mut self, host: Host) {
        self.turned_off(host);
        let mut found = Vec::new();
        for scope in [Scope::Project, Scope::User] {
            let (path, hooks, problem) = self.hooks(host, scope);
            if let Some(problem) = problem {
                self.bad(problem, "the host may not read it either; repair it");
            }
            if !hooks.is_empty() {
                found.push((path, hooks));
            }
        }
        let again = format!("petriflow init {host}");
        if found.is_empty() {
            self.bad(format!("{} is not set up", host.title()), again);
            return;
        }
        if found.len() > 1 {
            self.warning(
                format!(
                    "{} is set up for this project and for the user: calls are decided twice",
                    host.title()
                ),
                format!("petriflow uninstall {host}"),
            );
        }
        for (path, hooks) in found {
            self.configuration(host, &path, &hooks, &again);
            self.probe(host, &hooks);
        }
        self.version(host);
    }

    fn configuration(&mut self, host: Host, path: &Path, hooks: &[InstalledHook], again: &str) {
        let shown = path.display();
        let missing: Vec<&str> = setup::events(host)
            .filter(|event| !hooks.iter().any(|hook| hook.event == *event))
            .collect();
        let mut is_good = true;
        let mut wrong = |patient: &mut Self, what: String| {
            is_good = false;
            patient.bad(what, again);
        };
        if !missing.is_empty() {
            wrong(self, format!("{shown} has no hook for {}", missing.join(", ")));
        }
        if let Some(hook) = hooks.iter().find(|hook| !hook.matches_all) {
            wrong(self, format!("{shown}: the hook for {} does not see all tools", hook.event));
        }
        let can_block = host.capabilities().blocks_on_failure;
        if let Some(hook) = hooks
            .iter()
            .find(|hook| can_block && setup::waits(host, &hook.event) && !hook.blocks_on_failure)
        {
            wrong(self, format!("{shown}: if the hook for {} breaks, calls run", hook.event));
        }
        if is_open(path) {
            wrong(self, format!("{shown} can be written by other users: chmod go-w {shown}"));
        }
        if is_good {
            self.good(format!("{}: {shown} has the hook for every event", host.title()));
        }
        if !can_block {
            self.warning(
                format!("{} lets calls run if a hook cannot be started", host.title()),
                "keep the program where it is; run petriflow doctor after updates",
            );
        }
        let this = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
        let other = hooks.iter().find(|hook| Path::new(&hook.program).canonicalize().ok() != this);
        if let Some(hook) = other {
            self.warning(format!("the hook runs another petriflow: {}", hook.program), again);
        }
    }

    /// Runs a forbidden call through the configured command.
    fn probe(&mut self, host: Host, hooks: &[InstalledHook]) {
        let call_event = setup::call_event(host);
        let Some(hook) = hooks.iter().find(|hook| hook.event == call_event) else { return };
        if self.is_shadow {
            return;
        }
        if hook.args.iter().any(|arg| arg == "shadow") {
            let again = format!("petriflow init {host} makes it enforce");
            return self.warning("mode is shadow: nothing is refused", again);
        }
        let session = format!("petriflow-doctor-{}", std::process::id());
        let file = self.root.join(project::DIRECTORY).join(project::SETTINGS);
        let probed = probe::run(host, hook, &session, &self.root, &file);
        match probed {
            Probed::Refused { took } => {
                let ms = took.as_millis();
                self.good(format!(
                    "{}: a forbidden call comes back refused ({ms} ms)",
                    host.title()
                ));
            }
            Probed::Allowed { answer } => {
                let hint = "is mode shadow, or self-protection off?";
                self.bad(
                    format!("{}: a forbidden call is let through: {answer}", host.title()),
                    hint,
                );
            }
            Probed::Failed { why } => {
                self.bad(
                    format!("{}: the hook does not work: {why}", host.title()),
                    format!("petriflow init {host}"),
                );
            }
        }
        // The trial leaves its record in the audit, but no session.
        if let Ok(Some(mut store)) = GateStore::open_existing(&self.state_dir, LOCK)
            && let Ok(tx) = store.begin()
        {
            let key = SessionKey { host: host.to_string(), id: session };
            let _ = tx.delete_session(&key).and_then(|()| tx.commit());
        }
    }

    fn version(&mut self, host: Host) {
        let (program, needed) = setup::program(host);
        let said = Command::new(program).arg("--version").output();
        let said = said.ok().filter(|output| output.status.success());
        let said = said.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        match (said, needed) {
            (None, None) => {
                self.good(format!("`{program}` is not on the path; nothing depends on its version"))
            }
            (None, Some(needed)) => self.warning(
                format!("`{program}` is not on the path: its version is not known"),
                format!(
                    "it must be at least {needed}: older ones let calls run if the hook breaks"
                ),
            ),
            (Some(version), Some(needed)) if !setup::is_at_least(&version, needed) => self.bad(
                format!(
                    "{} is {version}; before {needed} calls run if the hook breaks",
                    host.title()
                ),
                format!("update {}", host.title()),
            ),
            (Some(version), _) => self.good(format!("{} is {version}", host.title())),
        }
    }

    /// Rules that probably do not say what was meant, such as about tools that no host here has.
    fn findings(&mut self, asked: &[Host], current: &Current) {
        let mut hosts = self.hosts_set_up();
        hosts.extend(asked);
        let known = hosts.into_iter().filter_map(|host| KnownTools::of_host(host.name()));
        let known = known.reduce(KnownTools::and);
        if let Ok(rules) = compile(&current.files) {
            for finding in rules.lints(known.as_ref()) {
                let name = rules
                    .files
                    .get(finding.span.file as usize)
                    .map_or("", |file| file.name.as_str());
                let what = format!("{name}:{}: {}", finding.span.line, finding.message);
                self.warning(
                    what,
                    finding.help.unwrap_or_else(|| format!("petriflow explain {}", finding.code)),
                );
            }
        }
    }

    /// Rules that this host cannot enforce as one might think.
    fn enforceable(&mut self, host: Host, current: &Current) {
        let capabilities = host.capabilities();
        let kinds = || current.policy.nets().iter().filter_map(|net| net.rule());
        let is_approval = |kind: &RuleKind| matches!(kind, RuleKind::Approval { .. });
        if !capabilities.asks && kinds().any(|rule| is_approval(&rule.kind)) {
            self.warning(
                format!(
                    "{} cannot ask: calls that need approval are refused with a number",
                    host.title()
                ),
                "petriflow approve NUMBER in a terminal lets one through",
            );
        }
        let needs_success = |kind: &RuleKind| match kind {
            RuleKind::Sequence { .. } => true,
            RuleKind::Limit { scope, .. } => scope != "session",
            RuleKind::Approval { .. } | RuleKind::Block { .. } => false,
        };
        if capabilities.failures == Failures::NotReported
            && current.settings.unreported_results.is_none()
            && kinds().any(|rule| needs_success(&rule.kind))
        {
            self.warning(
                format!("{} does not tell whether a command succeeded: `require … before …` stays locked", host.title()),
                "unreported-results = \"succeeded\" in petriflow.toml counts every finished command as a success",
            );
        }
    }

    fn state(&mut self) {
        let store = match GateStore::open_existing(&self.state_dir, LOCK) {
            Ok(Some(store)) => store,
            Ok(None) => return self.good("no state yet"),
            Err(error) => {
                return self
                    .bad(error.to_string(), "until this is repaired, the hook refuses every call");
            }
        };
        match store.verify_audit() {
            Ok(Ok(chain)) => {
                let records = text::counted(chain.records, "record");
                self.good(format!("the audit is whole: {records}"));
            }
            Ok(Err(broken)) => self.bad(
                format!("the audit was tampered with at record {}: {}", broken.seq, broken.what),
                "petriflow audit show",
            ),
            Err(error) => self.bad(error.to_string(), "petriflow audit verify"),
        }
        self.changed_rules(&store);
    }

    /// Rules that are others than those the last session runs under.
    fn changed_rules(&mut self, store: &GateStore) {
        let Ok(sessions) = store.sessions() else { return };
        let last = sessions.iter().find(|row| Path::new(&row.session.project) == self.root);
        let Ok(Project { hash, .. }) = self.places.load(&self.root) else { return };
        if last.is_some_and(|row| row.session.rules != hash) {
            self.warning(
                "the rules have changed since the last session began",
                "look at the change; petriflow trust lets running sessions go on",
            );
        }
    }
}

/// Whether somebody else than the owner may write the file.
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o022 != 0)
}
