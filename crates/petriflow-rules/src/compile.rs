//! From statements to nets.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use petriflow_gate::{Policy, PolicyBuilder, PolicyError, Rule, SkillNet, Source};

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity, SourceFile, Span, file_name};
use crate::lints;
use crate::maps::Maps;
use crate::nets::{self, Shapes};
use crate::parser::{Parsed, parse_files};
use crate::pattern;
use crate::syntax::{Document, PatternKind, Statement, StatementKind};
use crate::tools::KnownTools;
use crate::verify::Verified;

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
    /// What of them could be read.
    pub documents: Vec<Document>,
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
    compile_files(files, false)
}

/// Compiles rules that were compiled before, without looking into their regexes again.
///
/// It is for a process that is started anew for every call and knows the digest of rules it has
/// compiled. Should they hold a regex that is not valid all the same, then every call it is about
/// is refused.
///
/// # Errors
/// As [`compile()`].
pub fn compile_known(files: &[SourceFile]) -> Result<RuleSet, Invalid> {
    compile_files(files, true)
}

fn compile_files(files: &[SourceFile], is_known: bool) -> Result<RuleSet, Invalid> {
    let Parsed { documents, mut diagnostics } = parse_files(files, is_known);
    let statements = || documents.iter().flat_map(Document::statements);
    diagnostics.extend(shell_and_plain(statements()));
    diagnostics.extend(too_many_regexes(statements()));
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    let mut compiler = Compiler {
        files,
        names: HashSet::new(),
        numbers: HashMap::new(),
        shapes: Shapes::default(),
    };
    let mut nets = Vec::new();
    if diagnostics.is_empty() {
        for statement in statements().filter(|statement| statement.kind.is_rule()) {
            match compiler.rule(statement) {
                Ok(net) => nets.push(net),
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        }
    }
    if !diagnostics.is_empty() {
        return Err(Invalid { files: files.to_vec(), documents, diagnostics });
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

/// The table of all maps is built when it is first needed, and must not fail then.
fn too_many_regexes<'s>(statements: impl Iterator<Item = &'s Statement>) -> Option<Diagnostic> {
    let mut size: u64 = 0;
    for statement in statements {
        let StatementKind::Map { pattern, .. } = &statement.kind else { continue };
        let PatternKind::Regex(regex) = &pattern.kind else { continue };
        size = size.saturating_add(pattern::size(regex));
        if size > pattern::ALL_SIZE_MAX {
            let message = "the regexes up to here are too large together";
            let help = "make their counts smaller, or use bare words and `[A-Za-z0-9_]` for `\\w`";
            return Some(Diagnostic::new(Code::TooLarge, pattern.span, message).help(help));
        }
    }
    None
}

struct Compiler<'f> {
    files: &'f [SourceFile],
    names: HashSet<String>,
    /// The last number given to a name that several rules have.
    numbers: HashMap<String, u64>,
    shapes: Shapes,
}

impl Compiler<'_> {
    fn rule(&mut self, statement: &Statement) -> Result<RuleNet, Box<Diagnostic>> {
        let source = Source {
            file: file_name(self.files, statement.span.file).to_owned(),
            line: statement.span.line,
            text: statement.kind.to_string(),
        };
        let name = self.unique(nets::net_name(&statement.kind));
        let built = nets::rule_kind(&statement.kind).ok_or("this is not a rule".to_owned());
        let built = built.and_then(|kind| {
            self.shapes.net(&statement.kind, name, Rule { kind, source: Some(source) })
        });
        match built {
            Ok((net, verified)) => Ok(RuleNet { net, verified, span: statement.span }),
            Err(error) => {
                let message = format!("this rule makes no net: {error}");
                Err(Box::new(Diagnostic::new(Code::TooLarge, statement.span, message)))
            }
        }
    }

    /// The name, with a number after it if another rule has it.
    fn unique(&mut self, name: String) -> String {
        if self.names.insert(name.clone()) {
            return name;
        }
        let mut number = self.numbers.get(&name).copied().unwrap_or(1);
        loop {
            number = number.saturating_add(1);
            let numbered = format!("{name}-{number}");
            if self.names.insert(numbered.clone()) {
                self.numbers.insert(name, number);
                return numbered;
            }
        }
    }
}
