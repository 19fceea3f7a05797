//! Reading and writing nets: PNML, a plain JSON form, DOT and Mermaid.
//!
//! Pure functions from text to values and back. Reading is bounded by [`INPUT_BYTES_MAX`], never
//! panics, and reports every problem it can see rather than only the first.

pub mod dot;
#[cfg(feature = "json")]
pub mod json;
mod label;
pub mod mermaid;
#[cfg(feature = "pnml")]
pub mod pnml;
#[cfg(any(feature = "json", feature = "pnml"))]
mod text;

#[cfg(any(feature = "json", feature = "pnml"))]
pub use text::{Position, cut};

use crate::{Net, PlaceId};

/// The largest input that is read: 64 MiB.
///
/// Larger input is refused before it is parsed, because a parsed document can take some twenty
/// times the memory of its text.
pub const INPUT_BYTES_MAX: usize = 64 << 20;

/// What a net file holds: the net and the places that mark a proper end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetDocument {
    /// The net with its initial marking.
    pub net: Net,
    /// The places whose tokens mean that the net has ended as it should, each at most once.
    pub terminal_places: Vec<PlaceId>,
}
