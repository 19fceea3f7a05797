//! Scenarios: calls that are tried against rules, and what is expected of them.
//!
//! ```text
//! scenario delete waits for a backup
//!   delete -> blocked by require-backup-before-delete
//!   backup fails -> allowed
//!   delete -> blocked by require-backup-before-delete
//!   backup -> allowed
//!   delete {"path": "/data"} -> allowed
//! ```
//!
//! ```
//! use petriflow_rules::scenarios::{Suite, run};
//! use petriflow_rules::{SourceFile, compile};
//!
//! let rules = compile(&[SourceFile::new("safety.rules", "require backup before delete")])?;
//! let suite = Suite::parse(&SourceFile::new("safety.scenarios", "
//! scenario delete waits for a backup
//!   delete -> blocked by require-backup-before-delete
//!   backup -> allowed
//!   delete -> allowed
//! "));
//! assert!(suite.problems.is_empty());
//! let report = run(&suite, &rules)?;
//! assert!(report.runs[0].failure.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod coverage;
mod player;
mod run;
mod step;
mod suite;

pub use coverage::{Coverage, RuleCoverage};
pub use player::{Moved, Played, Player};
pub use run::{Failure, Report, Run, Trace, run};
pub use step::{Call, Expectation, Step, StepError};
pub use suite::{Scenario, Suite};
