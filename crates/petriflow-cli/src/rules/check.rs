//! `petriflow check`.

use std::fs;

use petriflow::rules::syntax::{Document, StatementKind};
use petriflow::rules::{
    Diagnostic, Invalid, KnownTools, RuleNet, RuleSet, Severity, SourceFile, compile,
};
use serde::Serialize;

use crate::args::{CheckArgs, ReportFormat};
use crate::outcome::{self, Exit, Failure, Outcome};
use crate::rules;
use crate::style::Style;
use crate::text;

/// The command.
pub(crate) fn run(args: &CheckArgs) -> Outcome {
    check(args).unwrap_or_else(Outcome::from)
}

fn check(args: &CheckArgs) -> Result<Outcome, Failure> {
    let known = known_tools(args)?;
    let files = rules::read(&args.files)?;
    let report = match compile(&files) {
        Ok(rules) => Report::of_rules(rules, known.as_ref()),
        Err(invalid) => Report::of_errors(invalid),
    };
    let exit = match report.worst() {
        Some(Severity::Error) => Exit::Findings,
        Some(Severity::Warning) if args.strict => Exit::Findings,
        Some(Severity::Warning) | None => Exit::Clean,
    };
    let stdout = match args.format {
        ReportFormat::Human => human(&report, args.strict),
        ReportFormat::Json => json(&report),
    };
    Ok(Outcome::output(stdout, exit))
}

fn known_tools(args: &CheckArgs) -> Result<Option<KnownTools>, Failure> {
    let of_file = |path: &std::path::PathBuf| {
        let shown = rules::name(path);
        let content = fs::read_to_string(path);
        let content =
            content.map_err(|error| Failure::new(format!("cannot read {shown}: {error}")))?;
        KnownTools::from_text(&shown, &content)
            .map_err(|error| Failure::new(format!("{shown} is no list of tools: {error}")))
    };
    let of_file = args.tools.as_ref().map(of_file).transpose()?;
    let of_host = args.host.as_deref().and_then(KnownTools::of_host);
    Ok(match (of_file, of_host) {
        (Some(file), Some(host)) => Some(host.and(file)),
        (file, host) => file.or(host),
    })
}

struct Report {
    files: Vec<SourceFile>,
    rules: usize,
    maps: usize,
    nets: Vec<RuleNet>,
    findings: Vec<Diagnostic>,
}

impl Report {
    fn of_rules(rules: RuleSet, known: Option<&KnownTools>) -> Self {
        let findings = rules.lints(known);
        let (count, maps) = counts(&rules.documents);
        Self { rules: count, maps, findings, nets: rules.nets, files: rules.files }
    }

    fn of_errors(Invalid { files, documents, diagnostics }: Invalid) -> Self {
        let (rules, maps) = counts(&documents);
        Self { rules, maps, findings: diagnostics, nets: Vec::new(), files }
    }

    fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(Diagnostic::severity).min()
    }

    fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|finding| finding.severity() == severity).count() as u64
    }
}

/// How many rules and maps there are, those in lines with errors aside.
fn counts(documents: &[Document]) -> (usize, usize) {
    let statements = || documents.iter().flat_map(Document::statements);
    let rules = statements().filter(|statement| statement.kind.is_rule()).count();
    let is_map = |kind: &StatementKind| matches!(kind, StatementKind::Map { .. });
    (rules, statements().filter(|statement| is_map(&statement.kind)).count())
}

/// Nets that are listed; `--format json` has all of them.
const NETS_SHOWN_MAX: usize = 100;

fn human(report: &Report, strict: bool) -> String {
    let style = Style::of_stdout();
    let mut out = rules::render(&report.findings, &report.files, style);
    let width = report.nets.iter().take(NETS_SHOWN_MAX).map(|rule| rule.net.name().chars().count());
    let width = width.max().unwrap_or(0);
    let counts = report.nets.iter().take(NETS_SHOWN_MAX).map(|rule| rule.verified.states);
    let digits = counts.max().unwrap_or(0).to_string().len();
    for rule in report.nets.iter().take(NETS_SHOWN_MAX) {
        let (name, states) = (rule.net.name(), rule.verified.states);
        let noun = if states == 1 { "state " } else { "states" };
        let place = place(report, rule);
        out.push_str(&format!(
            "  {name:width$}  {states:>digits$} {noun}  {}\n",
            style.faint(&place)
        ));
    }
    let hidden = report.nets.len().saturating_sub(NETS_SHOWN_MAX);
    if hidden > 0 {
        out.push_str(&format!("  and {hidden} more\n"));
    }
    out.push_str(&summary(report, strict, style));
    out
}

fn place(report: &Report, rule: &RuleNet) -> String {
    let file = report.files.get(rule.span.file as usize).map_or("", |file| &file.name);
    format!("{file}:{}", rule.span.line)
}

fn summary(report: &Report, strict: bool, style: Style) -> String {
    let names = report.files.iter().map(|file| file.name.as_str());
    let names = text::listed_up_to(names.collect::<Vec<_>>().into_iter(), 3, text::MESSAGE_MAX);
    let (rules, maps) = (report.rules as u64, report.maps as u64);
    let mut parts = vec![text::counted(rules, "rule"), text::counted(maps, "map")];
    if !report.nets.is_empty() {
        let states = report.nets.iter().map(|rule| rule.verified.states);
        let states = states.fold(0, u64::saturating_add);
        parts.push(text::counted(report.nets.len() as u64, "net"));
        parts.push(format!("{} proved", text::counted(states, "state")));
    }
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    let findings = match (errors, warnings) {
        (0, 0) => style.good("no findings"),
        (0, warnings) => {
            let warnings = style.ask(&text::counted(warnings, "warning"));
            if strict { warnings } else { format!("{warnings} (exit 1 with --strict)") }
        }
        (errors, _) => style.bad(&text::counted(errors, "error")),
    };
    format!("{names}: {}, {findings}\n", parts.join(", "))
}

#[derive(Serialize)]
struct JsonReport<'r> {
    version: u32,
    rules: usize,
    nets: Vec<JsonNet<'r>>,
    findings: Vec<JsonFinding<'r>>,
}

#[derive(Serialize)]
struct JsonNet<'r> {
    name: &'r str,
    rule: &'r str,
    file: &'r str,
    line: u32,
    states: u64,
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    code: &'static str,
    severity: String,
    message: &'r str,
    file: &'r str,
    line: u32,
    column: u32,
    help: Option<&'r str>,
}

fn json(report: &Report) -> String {
    let file = |file: u32| report.files.get(file as usize).map_or("", |file| file.name.as_str());
    let nets = report.nets.iter().map(|rule| JsonNet {
        name: rule.net.name(),
        rule: rule.text(),
        file: file(rule.span.file),
        line: rule.span.line,
        states: rule.verified.states,
    });
    let findings = report.findings.iter().map(|finding| JsonFinding {
        code: finding.code.as_str(),
        severity: finding.severity().to_string(),
        message: &finding.message,
        file: file(finding.span.file),
        line: finding.span.line,
        column: finding.span.column,
        help: finding.help.as_deref(),
    });
    let json = JsonReport {
        version: 1,
        rules: report.rules,
        nets: nets.collect(),
        findings: findings.collect(),
    };
    outcome::json(&json)
}
