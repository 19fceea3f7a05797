//! Arguments of `petriflow analyse`.

use std::path::PathBuf;

use clap::value_parser;
use petriflow_net::analysis::Explorer;

const ANALYSE_EXAMPLES: &str = "\
Examples:
  petriflow analyse net.pnml
  petriflow analyse net.json --strict
  petriflow analyse workflows/coffee.json --strict
  petriflow analyse net.json --json | jq .deadlockTrace
  petriflow analyse net.pnml --dot | dot -Tsvg > net.svg
  cat net.json | petriflow analyse -

Exit codes:
  0  analysed (with --strict: nothing found)
  1  findings, with --strict
  2  could not analyse: bad usage, unreadable or malformed file, internal error";

const ANALYSE_LONG: &str = "\
Explores every marking a net can reach and reports what holds in all of them: bounds, deadlocks, \
dead transitions, liveness, reversibility and invariants.

The answer is one of three. `complete`: every reachable marking was met, and what is reported is \
proved. `unbounded`: some place grows without end, with a firing sequence that shows it. \
`undecided`: a limit was reached first, and nothing may be concluded from what was not met.

Findings are deadlocks, dead transitions, an unbounded net and an undecided one.

A workflow (YAML, or JSON in which transitions have types) is analysed as such: how it can end, \
whether it can get stuck, soundness, its invariants and named properties, each with a verdict and a \
shortest trace.";

/// Explore a net and report deadlocks, bounds, dead transitions and more
#[derive(Debug, clap::Args)]
#[command(long_about = ANALYSE_LONG, after_help = ANALYSE_EXAMPLES)]
pub(crate) struct AnalyseArgs {
    /// The net or workflow: a .pnml, .xml, .json, .yaml or .yml file, or - for standard input (PNML or JSON)
    ///
    /// PNML place/transition nets (ISO 15909-2) and the JSON form of docs/analyse.md, at most 64
    /// MiB. With another extension, and on standard input, the first character decides: `<` is
    /// PNML, `{` is JSON.
    pub(crate) file: PathBuf,

    /// Print the report as JSON
    ///
    /// One object with a `version`; docs/analyse.md lists its fields. The same file and limits give
    /// the same output, except that with several threads `memoryBytes` and the choice between
    /// equally short traces may differ.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Print a drawing for Graphviz instead of analysing
    ///
    /// Nothing is explored. Places are circles with their initial tokens, transitions are boxes.
    #[arg(long, help_heading = "Output")]
    #[arg(conflicts_with_all = ["json", "mermaid", "strict", "liveness"])]
    pub(crate) dot: bool,

    /// Print a drawing for Mermaid instead of analysing
    ///
    /// Nothing is explored. The flowchart can be pasted into a ```mermaid block of a Markdown page.
    #[arg(long, help_heading = "Output")]
    #[arg(conflicts_with_all = ["json", "strict", "liveness"])]
    pub(crate) mermaid: bool,

    /// Exit with 1 if there are findings or, for a workflow, warnings
    ///
    /// Findings are deadlocks, dead transitions, an unbounded net and an undecided one. Without
    /// this flag they are printed and the exit code is 0.
    #[arg(long, help_heading = "Analysis")]
    pub(crate) strict: bool,

    /// Compute liveness and reversibility however large the state space is
    ///
    /// They need the edges of the state space in memory, 4 bytes per edge and 12 per state besides
    /// --max-memory, so without this flag they are left out above 2 million edges.
    #[arg(long, help_heading = "Analysis")]
    pub(crate) liveness: bool,

    /// Stop undecided after this many states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    #[arg(default_value_t = Explorer::DEFAULT_MARKINGS_MAX as u64)]
    #[arg(value_parser = value_parser!(u64).range(1..))]
    pub(crate) max_states: u64,

    /// Stop undecided when exploration takes this much memory, in MiB
    ///
    /// Counts the states, their index and buffers; reading the file, invariants and liveness come
    /// on top.
    #[arg(long, value_name = "MIB", help_heading = "Limits")]
    #[arg(default_value_t = (Explorer::DEFAULT_MEMORY_MAX_BYTES >> 20) as u64)]
    #[arg(value_parser = value_parser!(u64).range(1..))]
    pub(crate) max_memory: u64,

    /// Explore with this many threads [default: one per processor]
    ///
    /// More than 16 are not used, and small nets are explored by one. Counts and verdicts do not
    /// depend on it.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    #[arg(value_parser = value_parser!(u64).range(1..))]
    pub(crate) threads: Option<u64>,
}

impl AnalyseArgs {
    pub(crate) fn states_max(&self) -> usize {
        usize::try_from(self.max_states).unwrap_or(usize::MAX)
    }

    pub(crate) fn memory_max_bytes(&self) -> usize {
        usize::try_from(self.max_memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX)
    }

    pub(crate) fn thread_count(&self) -> usize {
        match self.threads {
            Some(threads) => usize::try_from(threads).unwrap_or(usize::MAX),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}
