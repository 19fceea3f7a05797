//! Definitions: reading, refusing, building, and what analysis says of them.

mod analysis;
mod laws;
mod reading;
mod refusals;
