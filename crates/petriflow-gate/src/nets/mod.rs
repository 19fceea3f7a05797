//! Ready-made nets for common cases.
//!
//! | net | promise |
//! |---|---|
//! | [`tool_approval`](tool_approval()) | reading is free, everything that changes something is approved by a person |
//! | [`safe_coding`](safe_coding()) | commits after passing tests, pushes and destruction approved by a person |
//! | [`backup_before_delete`](backup_before_delete()) | nothing is deleted that was not backed up before |
//! | [`observe_before_send`](observe_before_send()) | a channel is read before something is sent to it |
//! | [`staged_deploy`](staged_deploy()) | test, build, stage, ship; production is approved by a person |
//! | [`research_before_share`](research_before_share()) | every share is earned by a fetch |
//!
//! Nets that look into shell commands do so conservatively: a command that is more than one simple
//! command, or whose words are not plain text, counts as whatever it could be. They know programs by
//! name, and a program they do not know can do anything: they make accidents unlikely, and are no
//! wall against an agent that writes its own. The promise is about the tools a net names; tools it does
//! not name are none of its business, so combine nets, and block what you do not need.

mod backup_before_delete;
mod command;
mod observe_before_send;
mod paths;
mod research_before_share;
mod safe_coding;
mod staged_deploy;
mod tool_approval;

pub use backup_before_delete::backup_before_delete;
pub use observe_before_send::observe_before_send;
pub use research_before_share::research_before_share;
pub use safe_coding::safe_coding;
pub use staged_deploy::staged_deploy;
pub use tool_approval::tool_approval;
