//! Setting hosts up, taking the hook out again, and proving that it works.

pub(crate) mod doctor;
mod files;
pub(crate) mod init;
mod probe;
pub(crate) mod uninstall;
