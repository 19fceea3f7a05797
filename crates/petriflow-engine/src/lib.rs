//! Durable workflows on Petri nets.

pub mod guard;
