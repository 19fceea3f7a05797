//! A plain JSON form of a net, to be written by hand or by a program.
//!
//! ```
//! use petriflow_net::formats::json;
//!
//! let text = r#"{
//!   "name": "assembly",
//!   "places": ["wheel", "car"],
//!   "transitions": [
//!     {"name": "mount", "inputs": [{"place": "wheel", "weight": 4}], "outputs": ["car"]}
//!   ],
//!   "initialMarking": {"wheel": 8},
//!   "terminalPlaces": ["car"]
//! }"#;
//! let document = json::read(text)?;
//! assert_eq!(document.net.initial().total(), 8);
//! assert_eq!(json::read(&json::write(&document))?, document);
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! A place listed several times is an arc of that weight; `{"place": …, "weight": …}` says it
//! outright, and both add up. `name`, `initialMarking` and `terminalPlaces` may be left out. Unknown
//! fields, repeated keys and counts that are not written as whole numbers (`2.0`, `1e3`, `"1"`) are
//! refused.

mod error;
mod read;
mod wire;
mod write;

pub use error::{JsonError, JsonProblem};
pub use read::read;
pub use write::write;
