//! From statements to nets.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use petriflow_gate::{
    Policy, PolicyBuilder, PolicyError, Rule, RuleKind, SkillNet, SkillNetError, Source, Transition,
};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity, SourceFile, Span, file_name};
use crate::lints;
use crate::maps::Maps;
use crate::parser::{Parsed, parse};
use crate::syntax::{Document, Scope, Statement, StatementKind};
use crate::tools::KnownTools;
use crate::verify::{Shapes, Verified};

/// Rules, compiled to nets and verified.
#[derive(Debug)]
pub struct RuleSet {
    /// The files, for showing findings.
    pub files: Vec<SourceFile>,
    /// What they say.
    pub documents: Vec<Document>,
    /// One net for every rule, in the order of the files.
    pub nets: Vec<RuleNet>,
    maps: Arc<Maps>,
}

/// The net of one rule and what was proved of it.
#[derive(Debug, Clone)]
pub struct RuleNet {
    /// The net, with its rule and the rule's place.
    pub net: SkillNet,
    /// What every run of it stays within.
    pub verified: Verified,
    /// Where the rule stands.
    pub span: Span,
}

impl RuleNet {
    /// The rule as it is written, one space between words.
    pub fn text(&self) -> &str {
        self.net.rule().and_then(|rule| rule.source.as_ref()).map_or("", |source| &source.text)
    }
}

/// The rules have errors, all of which are here.
#[derive(Debug, Clone)]
pub struct Invalid {
    /// The files, for showing the errors.
    pub files: Vec<SourceFile>,
    /// At least one.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, diagnostic) in self.diagnostics.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            let file = file_name(&self.files, diagnostic.span.file);
            let Span { line, column, .. } = diagnostic.span;
            let (code, message) = (diagnostic.code, &diagnostic.message);
            write!(f, "{separator}{file}:{line}:{column}: {code}: {message}")?;
            if let Some(help) = &diagnostic.help {
                write!(f, " ({help})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

/// Compiles rules.
///
/// ```
/// use petriflow_rules::{SourceFile, compile};
///
/// let rules = compile(&[SourceFile::new("safety.rules", "require backup before delete\nblock rm")])?;
/// let names: Vec<&str> = rules.nets.iter().map(|rule| rule.net.name()).collect();
/// assert_eq!(names, ["require-backup-before-delete", "block-rm"]);
/// assert_eq!(rules.nets[0].verified.states, 3);
/// # Ok::<(), petriflow_rules::Invalid>(())
/// ```
///
/// # Errors
/// All that is wrong with the rules.
pub fn compile(files: &[SourceFile]) -> Result<RuleSet, Invalid> {
    let Parsed { documents, mut diagnostics } = parse(files);
    let statements = || documents.iter().flat_map(Document::statements);
    diagnostics.extend(shell_and_plain(statements()));
    let mut compiler = Compiler { files, names: HashSet::new(), shapes: Shapes::default() };
    let mut nets = Vec::new();
    if diagnostics.is_empty() {
        for statement in statements().filter(|statement| statement.kind.is_rule()) {
            match compiler.rule(statement) {
                Ok(net) => nets.push(net),
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        }
    }
    let invalid = |diagnostics| Invalid { files: files.to_vec(), diagnostics };
    if !diagnostics.is_empty() {
        return Err(invalid(diagnostics));
    }
    let maps = Arc::new(Maps::new(statements()));
    Ok(RuleSet { files: files.to_vec(), documents, nets, maps })
}

impl RuleSet {
    /// The policy of all rules.
    ///
    /// # Errors
    /// If the rules need more places than can be numbered.
    pub fn policy(&self) -> Result<Arc<Policy>, PolicyError> {
        self.policy_builder().build()
    }

    /// The policy of all rules, to which options and other nets may be added.
    pub fn policy_builder(&self) -> PolicyBuilder {
        let builder = Policy::builder().nets(self.nets.iter().map(|rule| rule.net.clone()));
        if self.maps.is_empty() { builder } else { builder.resolver(self.maps.clone()) }
    }

    /// What calls stand for.
    pub fn maps(&self) -> &Arc<Maps> {
        &self.maps
    }

    /// What is probably not meant as it is written.
    pub fn lints(&self, known: Option<&KnownTools>) -> Vec<Diagnostic> {
        let statements: Vec<&Statement> =
            self.documents.iter().flat_map(Document::statements).collect();
        let mut lints = lints::lint(&statements, known);
        lints.sort_by_key(|lint| (lint.span, lint.code));
        debug_assert!(lints.iter().all(|lint| lint.severity() == Severity::Warning));
        lints
    }
}

/// A field cannot be read as a shell command and as plain text.
fn shell_and_plain<'s>(statements: impl Iterator<Item = &'s Statement>) -> Vec<Diagnostic> {
    let mut declared: HashMap<(&str, &str), (bool, Span)> = HashMap::new();
    let mut diagnostics = Vec::new();
    for statement in statements {
        let (field, shell) = match &statement.kind {
            StatementKind::Shell { field } => (field, true),
            StatementKind::Plain { field } => (field, false),
            _ => continue,
        };
        let first = declared.entry((&field.tool, &field.field)).or_insert((shell, statement.span));
        if first.0 != shell {
            let message = format!("`{field}` is declared both `shell` and `plain`");
            let diagnostic = Diagnostic::new(Code::ShellAndPlain, statement.span, message);
            diagnostics.push(
                diagnostic
                    .related(first.1, "declared here first")
                    .help("keep one of the two lines"),
            );
        }
    }
    diagnostics
}

struct Compiler<'f> {
    files: &'f [SourceFile],
    names: HashSet<String>,
    shapes: Shapes,
}

impl Compiler<'_> {
    fn rule(&mut self, statement: &Statement) -> Result<RuleNet, Box<Diagnostic>> {
        let failed =
            |message: String| Box::new(Diagnostic::new(Code::TooLarge, statement.span, message));
        let files = self.files;
        let built = net(statement, |name| self.unique(name), files)
            .map_err(|error| failed(format!("this rule makes no net: {error}")))?;
        let verified = self.shapes.verify(&built).map_err(|error| failed(error.to_string()))?;
        Ok(RuleNet { net: built, verified, span: statement.span })
    }

    /// The name, with a number behind it if another rule has it.
    fn unique(&mut self, name: String) -> String {
        if self.names.insert(name.clone()) {
            return name;
        }
        let numbered = (2_u64..).map(|number| format!("{name}-{number}"));
        let mut free = numbered.filter(|name| !self.names.contains(name));
        let name = free.next().unwrap_or(name);
        self.names.insert(name.clone());
        name
    }
}

/// The net of a rule. It begins in `idle`, as nothing has happened yet, and `start` fires by itself.
fn net(
    statement: &Statement,
    unique: impl FnOnce(String) -> String,
    files: &[SourceFile],
) -> Result<SkillNet, SkillNetError> {
    let source = Source {
        file: file_name(files, statement.span.file).to_owned(),
        line: statement.span.line,
        text: statement.kind.to_string(),
    };
    let Some(draft) = draft(&statement.kind) else {
        return SkillNet::builder(unique("no-rule".into())).build();
    };
    let start = Transition::auto("start").from(["idle"]);
    let mut builder = SkillNet::builder(unique(draft.name))
        .places(["idle"])
        .places(draft.places.iter().copied())
        .initial("idle", 1)
        .transition(match draft.starts_with {
            (_, 0) => start,
            (place, tokens) => start.puts(place, tokens.into()),
        })
        .rule(Rule { kind: draft.kind, source: Some(source) });
    for transition in draft.transitions {
        builder = builder.transition(transition);
    }
    builder.build()
}

/// What differs between the nets of rules.
struct Draft {
    name: String,
    places: &'static [&'static str],
    /// The place and the tokens that `start` puts there.
    starts_with: (&'static str, u32),
    transitions: Vec<Transition>,
    kind: RuleKind,
}

fn draft(kind: &StatementKind) -> Option<Draft> {
    Some(match kind {
        StatementKind::Require { prerequisite, dependent } => {
            let (first, then) = (prerequisite.text.as_str(), dependent.text.as_str());
            Draft {
                name: format!("require-{first}-before-{then}"),
                places: &["waiting", "done"],
                starts_with: ("waiting", 1),
                transitions: vec![
                    auto("first", "waiting", "done", first).deferred(),
                    // It is never blocked, however often it is called.
                    auto("again", "done", "done", first).deferred(),
                    auto("then", "done", "waiting", then),
                ],
                kind: RuleKind::Sequence { prerequisite: first.into(), dependent: then.into() },
            }
        }
        StatementKind::RequireApproval { tool } => {
            let approve = Transition::manual("approve").from(["ready"]).to(["ready"]);
            Draft {
                name: format!("approve-before-{tool}"),
                places: &["ready"],
                starts_with: ("ready", 1),
                transitions: vec![approve.tools([&tool.text])],
                kind: RuleKind::Approval { tool: tool.text.clone() },
            }
        }
        StatementKind::Block { tool } => Draft {
            name: format!("block-{tool}"),
            places: &["closed", "open"],
            starts_with: ("closed", 1),
            // Nothing ever puts a token into `open`.
            transitions: vec![auto("never", "open", "open", &tool.text)],
            kind: RuleKind::Block { tool: tool.text.clone() },
        },
        StatementKind::Limit { tool, count, scope } => limit(&tool.text, *count, scope),
        StatementKind::Map { .. } | StatementKind::Shell { .. } | StatementKind::Plain { .. } => {
            return None;
        }
    })
}

fn limit(tool: &str, count: u32, scope: &Scope) -> Draft {
    let mut transitions = vec![auto("use", "budget", "spent", tool)];
    let name = match scope {
        Scope::Session => format!("limit-{tool}-{count}"),
        Scope::Tool(refill) => {
            let all = Transition::auto("refill").drains("spent", "budget");
            transitions.push(all.tools([&refill.text]).deferred());
            format!("limit-{tool}-{count}-per-{refill}")
        }
    };
    let (tool, scope) = (tool.to_owned(), scope.to_string());
    Draft {
        name,
        places: &["budget", "spent"],
        starts_with: ("budget", count),
        transitions,
        kind: RuleKind::Limit { tool, limit: count.into(), scope },
    }
}

fn auto(name: &str, from: &str, to: &str, tool: &str) -> Transition {
    Transition::auto(name).from([from]).to([to]).tools([tool])
}
