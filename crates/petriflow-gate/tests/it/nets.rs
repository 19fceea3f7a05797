//! The ready-made nets: what each promises, and attempts to get around it.

mod backup_before_delete;
mod observe_before_send;
mod research_before_share;
mod safe_coding;
mod staged_deploy;
mod tool_approval;
