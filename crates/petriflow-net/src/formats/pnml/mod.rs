//! PNML (ISO 15909-2): place/transition nets as other tools exchange them.
//!
//! ```
//! use petriflow_net::{Net, formats::pnml};
//!
//! let net = Net::builder("door")
//!     .places(["closed", "open"])
//!     .transition("push", ["closed"], ["open"])
//!     .initial("closed", 1)
//!     .build()?;
//! assert_eq!(pnml::read(&pnml::write(&net)?)?, net);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is read
//! One net of type `ptnet`, its objects on any number of nested pages or directly in the net.
//! Reference places and transitions are followed to the node they stand for. Arcs between the same
//! two nodes add up. Elements are recognised by their local name, whatever the namespace prefix;
//! unknown elements, `graphics` and `toolspecific` are skipped with everything inside. The
//! exception is an arc's `type` other than `normal` (inhibitor, reset and read arcs of several
//! tools), which is refused, because skipping it would give a net that does something else.
//!
//! # Names
//! PNML identifies nodes by id and may repeat or omit names; here names identify. A node is called
//! by its name if that is not empty and unique among its kind, otherwise by its id (with `_2`,
//! `_3`… appended if another node is called so). White space around a name is layout and dropped,
//! unless it is written as a character reference such as `&#32;`, which is how [`write()`] writes it.
//!
//! # Limits
//! [`INPUT_BYTES_MAX`](super::INPUT_BYTES_MAX), [`NESTING_MAX`], [`ATTRIBUTES_MAX`] and
//! [`NAMESPACES_MAX`]. A document type declaration is always refused, so there are no entities to
//! expand or to fetch.

mod connect;
mod draft;
mod encoding;
mod error;
mod names;
mod problem;
mod read;
mod references;
mod scan;
mod write;

pub use error::{PnmlError, PnmlProblem};
pub use problem::{CountFault, PnmlProblemKind};
pub use read::{read, read_bytes};
pub use scan::{ATTRIBUTES_MAX, NAMESPACES_MAX, NESTING_MAX};
pub use write::{PnmlWriteError, UnwritableName, write};

/// The type of a place/transition net.
const PTNET: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// What XML calls white space; Unicode has more, which belongs to the text.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
