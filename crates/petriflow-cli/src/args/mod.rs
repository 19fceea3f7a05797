//! The command line, each flag defined once with its short and long help.

mod analyse;
mod hook;
mod rules;

pub(crate) use analyse::AnalyseArgs;
use clap::{Parser, Subcommand};
pub(crate) use hook::{
    ApproveArgs, AuditArgs, AuditCommand, AuditExportArgs, AuditReplayArgs, AuditShowArgs,
    AuditVerifyArgs, DenyArgs, DoctorArgs, FilterArgs, HookArgs, InitArgs, ModeArg, SessionsArgs,
    StateArgs, StatusArgs, TrustArgs, UninstallArgs,
};
pub(crate) use rules::{
    CheckArgs, CompletionsArgs, DemoArgs, DrawArgs, DrawFormat, ExplainArgs, FmtArgs, ReportFormat,
    ShellArgs, SimulateArgs, TestArgs, TestFormat,
};

const EXAMPLES: &str = "\
Examples:
  petriflow demo
  petriflow init claude-code
  petriflow check safety.rules
  echo 'delete' | petriflow simulate safety.rules
  petriflow explain PF0101

Exit codes:
  0  done, and nothing found where something was looked for
  1  findings: errors in rules, scenarios that fail; with --strict also warnings
  2  could not do it: bad usage, unreadable or malformed file, internal error";

/// Rules an AI agent cannot break: write them, check them, try them, prove them.
#[derive(Debug, Parser)]
#[command(name = "petriflow", version, color = clap::ColorChoice::Never, max_term_width = 100)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Check(CheckArgs),
    Simulate(SimulateArgs),
    Test(TestArgs),
    Fmt(FmtArgs),
    Draw(DrawArgs),
    Explain(ExplainArgs),
    Shell(ShellArgs),
    Init(InitArgs),
    Doctor(DoctorArgs),
    Uninstall(UninstallArgs),
    Hook(HookArgs),
    Status(StatusArgs),
    Sessions(SessionsArgs),
    Audit(AuditArgs),
    Approve(ApproveArgs),
    Deny(DenyArgs),
    Trust(TrustArgs),
    Analyse(AnalyseArgs),
    Completions(CompletionsArgs),
}
