//! Arguments of the commands on rules.

use std::path::PathBuf;

use clap::ValueEnum;

/// Watch an agent session go through the gate
///
/// A scripted agent calls tools under a bundled policy. Every call is decided by the real gate and
/// shown with its decision, the reason and what moved.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow demo
  petriflow demo --rules > safety.rules    # the policy, to begin your own with")]
pub(crate) struct DemoArgs {
    /// Print the policy of the demo and nothing else
    #[arg(long)]
    pub(crate) rules: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  petriflow check safety.rules
  petriflow check base.rules team.rules --strict
  petriflow check safety.rules --host claude-code
  petriflow check safety.rules --format json | jq .findings

Exit codes:
  0  no errors (with --strict: no findings at all)
  1  errors, or with --strict warnings
  2  could not read a file";

/// Compile and verify rules, and say what is wrong with them
///
/// Every rule becomes a net whose states are all listed. Errors stop the rules from being used;
/// warnings are about rules that probably do not say what was meant.
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Rules files that make one policy together, or - for standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Exit with 1 on warnings too
    #[arg(long)]
    pub(crate) strict: bool,

    /// How to print the report
    ///
    /// JSON is one object with a `version`; docs/rules.md lists its fields.
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    /// A list of the tools that are there
    ///
    /// One name per line with # comments, or JSON: a list of names or of objects with a `name`.
    /// Rules on other names get a warning.
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,

    /// The agent host whose tools are there
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(petriflow::rules::KnownTools::HOSTS))]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Human,
    Json,
}

const SIMULATE_EXAMPLES: &str = "\
Examples:
  petriflow simulate safety.rules
  printf 'delete\\nbackup fails\\ndelete\\nbackup\\ndelete\\n' | petriflow simulate safety.rules
  petriflow simulate safety.rules --jsonl < calls.jsonl

A line is a call:
  delete                            a call that succeeds if it is allowed
  backup fails                      a call that fails
  bash {\"command\": \"rm -rf x\"}     a call with its input
  deploy approved                   a person says yes if asked (or: rejected)
  begin b1 backup                   a call that goes on until the line `end b1` (or: end b1 fails)
  :status  :reset  :help  :quit";

const SIMULATE_LONG: &str = "\
Tries calls against rules: each line of standard input is a call, answered with the decision, the \
reason and the state.

With --jsonl, lines are {\"call\": {\"id\", \"tool\", \"input\"}, \"approve\": true|false} and \
{\"result\": {\"id\", \"ok\"}}. Without `approve` nobody can be asked. Each call is answered with \
{\"id\", \"decision\": \"allow\"|\"block\", \"reasons\": [{\"rule\", \"file\", \"line\", \"message\"}]}, each \
result with {\"id\", \"ok\"}, and a line that cannot be read with {\"error\"}.";

/// Try calls against rules
#[derive(Debug, clap::Args)]
#[command(long_about = SIMULATE_LONG, after_help = SIMULATE_EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// Rules files that make one policy together
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Read and write one JSON object per line
    #[arg(long)]
    pub(crate) jsonl: bool,
}

const TEST_EXAMPLES: &str = "\
Examples:
  petriflow test
  petriflow test examples/deployment --coverage
  petriflow test policies --format junit > report.xml

Exit codes:
  0  all scenarios passed
  1  a scenario failed
  2  could not run: no scenarios, or a file that cannot be read or has errors";

/// Run the scenarios of policies
///
/// A scenario is a list of calls and what is expected of each, in a file NAME.scenarios beside
/// NAME.rules; docs/rules.md tells how to write them.
#[derive(Debug, clap::Args)]
#[command(after_help = TEST_EXAMPLES)]
pub(crate) struct TestArgs {
    /// Scenario files, or folders that are searched for them
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,

    /// Run only scenarios with this in their name
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,

    /// Say which rules and transitions no scenario exercised
    #[arg(long)]
    pub(crate) coverage: bool,

    /// How to print the report
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    pub(crate) format: TestFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    Human,
    Json,
    Junit,
}

/// Bring rules files into their one form
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow fmt safety.rules
  petriflow fmt policies/*.rules --check
  petriflow fmt - < draft.rules")]
pub(crate) struct FmtArgs {
    /// Rules files, or - to read standard input and write standard output
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Change nothing; exit with 1 if a file is not in its form
    #[arg(long)]
    pub(crate) check: bool,
}

/// Draw the nets of rules
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow draw safety.rules > safety.svg
  petriflow draw safety.rules --rule 'block rm' --format mermaid
  petriflow draw safety.rules --format dot | dot -Tpng > safety.png")]
pub(crate) struct DrawArgs {
    /// Rules files that make one policy together, or - for standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Draw this rule only: the name of its net, or the rule as written
    #[arg(long, value_name = "NAME")]
    pub(crate) rule: Vec<String>,

    /// What to print
    #[arg(long, value_enum, default_value_t = DrawFormat::Svg)]
    pub(crate) format: DrawFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawFormat {
    Svg,
    Dot,
    Mermaid,
}

/// Print the page of a finding
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow explain PF0101
  petriflow explain            # all codes")]
pub(crate) struct ExplainArgs {
    /// The code, such as PF0101; without it, all codes are listed
    pub(crate) code: Option<String>,
}

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow completions bash > ~/.local/share/bash-completion/completions/petriflow
  petriflow completions zsh > ~/.zfunc/_petriflow
  petriflow completions fish > ~/.config/fish/completions/petriflow.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Show how a shell command is understood
///
/// The simple commands of a command line in the order in which they would run, with wrappers opened
/// and what is not known marked. With --rules, also what each of them stands for.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  petriflow shell 'cp a b && sudo rm -rf x'
  petriflow shell 'for f in *; do $CMD $f; done' --json
  petriflow shell 'git -C . push -f' --rules safety.rules
  petriflow shell - < script.sh

Exit codes:
  0  understood
  1  not understood: a gate refuses such a command
  2  could not do it: bad usage, unreadable file, rules with errors")]
pub(crate) struct ShellArgs {
    /// The command line, or - for standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) command: String,

    /// Print JSON
    ///
    /// One object with a `version`; docs/shell.md lists its fields.
    #[arg(long)]
    pub(crate) json: bool,

    /// Rules files: show which actions the command stands for
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    /// The tool whose command it is
    #[arg(long, value_name = "NAME", default_value = "bash", requires = "rules")]
    pub(crate) tool: String,

    /// The field of its input that holds the command
    #[arg(long, value_name = "NAME", default_value = "command", requires = "rules")]
    pub(crate) field: String,
}
