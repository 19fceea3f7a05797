//! Arguments of the commands around the hook.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use petriflow_hosts::Host;

use super::ReportFormat;

/// Where the state is. Every command that reads or writes it has this.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct StateArgs {
    /// The directory of sessions and audit
    ///
    /// By default `petriflow` in $XDG_STATE_HOME or ~/.local/state. Its folder `gate`, which is closed
    /// to everybody else, holds the database.
    #[arg(long, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// Refusals are refusals
    Enforce,
    /// Everything is decided and written down, nothing is refused
    Shadow,
}

/// Decide one event of an agent host (the host runs this)
///
/// Reads one hook event from standard input, decides it by the rules of the project, stores the
/// session and an audit record, and answers in the host's own terms. Whatever goes wrong is a
/// refusal. `petriflow init` writes the configuration that makes a host run it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow init claude-code
  petriflow hook claude-code < event.json")]
pub(crate) struct HookArgs {
    /// The agent host that speaks: claude-code, codex, gemini or cursor
    pub(crate) host: Host,

    /// Rules files, in place of those of the project and the user
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    /// Whether refusals are refusals; by default what petriflow.toml says, or else enforce
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Make an agent host ask PetriFlow before every tool call
///
/// Writes the hook into the host's configuration, keeping everything else in it, and a first rules
/// file if there is none. Running it again changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow init claude-code --dry-run
  petriflow init claude-code
  petriflow init cursor --user
  petriflow doctor claude-code")]
pub(crate) struct InitArgs {
    /// The agent host: claude-code, codex, gemini or cursor
    pub(crate) host: Host,

    /// Set up the host for all projects of this user, not for this one
    #[arg(long)]
    pub(crate) user: bool,

    /// Show what would be written and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Whether refusals are refusals; by default what petriflow.toml says, or else enforce
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Take the hook out of an agent host's configuration
///
/// Rules, sessions and the audit stay.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow uninstall claude-code
  petriflow uninstall cursor --user --dry-run")]
pub(crate) struct UninstallArgs {
    /// The agent host: claude-code, codex, gemini or cursor
    pub(crate) host: Host,

    /// The configuration for all projects of this user
    #[arg(long)]
    pub(crate) user: bool,

    /// Show what would be written and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Prove that the hook is there and refuses
///
/// Checks the configuration of the hosts, runs a forbidden call through the very command that the
/// host would run, and looks at rules, state and audit. Exit code 1 if something is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow doctor
  petriflow doctor claude-code --format json")]
pub(crate) struct DoctorArgs {
    /// The agent host; by default all that are set up here
    pub(crate) host: Option<Host>,

    /// How to print the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Show where a session stands: budgets, what is unlocked, open approvals
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow status
  petriflow status --session 0195a4c2")]
pub(crate) struct StatusArgs {
    /// The session's id or its beginning; by default the one seen last in this project
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// How to print the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// List the sessions, the one seen last first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow sessions
  petriflow sessions --format json")]
pub(crate) struct SessionsArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Accept rules that changed while a session runs (for a person, in a terminal)
///
/// Sessions that began under other rules refuse every call until somebody has looked at the change.
/// Budgets and unlocked calls of unchanged rules are kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  git diff .petriflow && petriflow trust")]
pub(crate) struct TrustArgs {
    /// The project; by default the one of the working directory
    pub(crate) project: Option<PathBuf>,

    /// The rules files, if the hook is run with --rules
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Allow a call that waits for a person (for a person, in a terminal)
///
/// On hosts that cannot ask, a call that needs approval is refused with a number. Approving it lets
/// exactly that call through, once, for ten minutes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow approve          # what waits
  petriflow approve 7")]
pub(crate) struct ApproveArgs {
    /// The number in the refusal; without it, what waits is listed
    pub(crate) number: Option<u64>,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Refuse a call that waits for a person (for a person, in a terminal)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow deny 7")]
pub(crate) struct DenyArgs {
    /// The number in the refusal
    pub(crate) number: u64,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Look at the log of all decisions and results
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow audit show --decision blocked --since 2d
  petriflow audit verify
  petriflow audit export > audit.jsonl
  petriflow audit replay --rules stricter.rules")]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Show(AuditShowArgs),
    Verify(AuditVerifyArgs),
    Export(AuditExportArgs),
    Replay(AuditReplayArgs),
}

/// Which records.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FilterArgs {
    /// Of this session: its id or its beginning
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// With this decision: allowed, approved, asked, blocked, would-ask, would-block, succeeded, failed,
    /// unknown, unmatched, released, granted, denied, trusted, started, resumed, compacted, forked, ended
    #[arg(long)]
    pub(crate) decision: Option<String>,

    /// In which a rule with this text had a say
    #[arg(long, value_name = "TEXT")]
    pub(crate) rule: Option<String>,

    /// Not older than this: 30m, 12h, 7d, or 2026-11-16 or 2026-11-16T08:30 in UTC
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Not newer than this
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
}

/// Show records, one line each
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow audit show --decision blocked --since 2d
  petriflow audit show --session 0195a4c2 --last 20")]
pub(crate) struct AuditShowArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Most records shown, the newest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) last: usize,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Check that no record was changed, removed or added
///
/// Every record carries a digest of itself and of the record before. Note the head somewhere else
/// and give it with --head later, and a log that was rewritten as a whole shows as well.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow audit verify
  petriflow audit verify --head 2ffd612f…

Exit codes:
  0  the audit is whole
  1  it was changed, cut or rewritten
  2  could not look")]
pub(crate) struct AuditVerifyArgs {
    /// A head noted earlier, which must be part of the chain
    #[arg(long, value_name = "DIGEST")]
    pub(crate) head: Option<String>,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Print records as JSON lines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow audit export --since 2026-11-01 > audit.jsonl
  petriflow audit export --rule 'limit push' | jq .tool")]
pub(crate) struct AuditExportArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}

/// Decide the logged calls again under other rules, and show what would differ
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow audit replay --rules stricter.rules --since 7d")]
pub(crate) struct AuditReplayArgs {
    /// The other rules
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) rules: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    #[command(flatten)]
    pub(crate) state: StateArgs,
}
