//! The ways a PNML file can be wrong, and their wording.

use std::fmt;

use super::super::INPUT_BYTES_MAX;
use super::super::text::shown;
use super::scan::{ATTRIBUTES_MAX, NAMESPACES_MAX, NESTING_MAX};

/// The ways a PNML file can be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PnmlProblemKind {
    /// More than [`INPUT_BYTES_MAX`] bytes.
    TooLarge {
        /// How many bytes.
        bytes: usize,
    },
    /// An encoding other than UTF-8.
    Encoding {
        /// The encoding declared, or recognised from the first bytes.
        encoding: String,
    },
    /// Bytes that are not UTF-8, in a file that should be.
    NotUtf8,
    /// A document type declaration.
    Dtd,
    /// Elements nested deeper than [`NESTING_MAX`].
    TooDeep,
    /// An element with more than [`ATTRIBUTES_MAX`] attributes.
    TooManyAttributes,
    /// More than [`NAMESPACES_MAX`] namespace declarations on and around one element.
    TooManyNamespaces,
    /// Not well-formed XML.
    Xml {
        /// What the XML parser says.
        message: String,
    },
    /// The outermost element is another than `pnml`.
    NotPnml {
        /// The element's name.
        element: String,
    },
    /// Another number of nets than one.
    NetCount {
        /// How many.
        count: usize,
    },
    /// A net that is not a place/transition net.
    NetType {
        /// The declared type.
        uri: String,
    },
    /// An attribute that is not there, or empty.
    MissingAttribute {
        /// The element's name.
        element: &'static str,
        /// The attribute's name.
        attribute: &'static str,
    },
    /// An id that was given before.
    DuplicateId {
        /// The id.
        id: String,
    },
    /// An element that may occur once occurs several times.
    Repeated {
        /// The element around it.
        element: &'static str,
        /// The repeated element.
        part: &'static str,
    },
    /// A marking or weight that is not a usable count.
    Count {
        /// `initialMarking` or `inscription`.
        part: &'static str,
        /// The text found.
        text: String,
        /// What is wrong with it.
        fault: CountFault,
    },
    /// Arcs between the same nodes that add up to more than `u32::MAX`.
    WeightOverflow {
        /// The arc at which the sum became too large.
        arc: String,
    },
    /// An arc of another meaning, such as an inhibitor arc.
    ArcType {
        /// The arc.
        arc: String,
        /// The declared type.
        arc_type: String,
    },
    /// An arc whose source or target is not a node.
    UnknownArcEnd {
        /// The arc.
        arc: String,
        /// `source` or `target`.
        end: &'static str,
        /// The id that no node has.
        id: String,
    },
    /// An arc between two places or between two transitions.
    SameKindArc {
        /// The arc.
        arc: String,
        /// `place` or `transition`.
        kind: &'static str,
    },
    /// A reference to something that is not a node of its kind.
    UnknownReference {
        /// The reference.
        id: String,
        /// What it refers to.
        target: String,
        /// `place` or `transition`.
        kind: &'static str,
    },
    /// References that lead back to themselves.
    ReferenceCycle {
        /// One of them.
        id: String,
    },
    /// A net beyond what can be represented.
    Net {
        /// What the net's builder says.
        message: String,
    },
}

/// What is wrong with a marking or weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountFault {
    /// Not a whole number in decimal digits.
    NotWhole,
    /// Below zero.
    Negative,
    /// Above `u32::MAX`.
    TooLarge,
    /// A weight of zero.
    Zero,
}

impl fmt::Display for PnmlProblemKind {
    #[rustfmt::skip] // One wording a line reads as a table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => write!(f, "the file has {bytes} bytes, more than {INPUT_BYTES_MAX}"),
            Self::Encoding { encoding } => write!(f, "the encoding is `{}`; only UTF-8 can be read", shown(encoding)),
            Self::NotUtf8 => write!(f, "this byte is not part of any UTF-8 character; only UTF-8 can be read"),
            Self::Dtd => write!(f, "a document type declaration is not allowed"),
            Self::TooDeep => write!(f, "elements are nested more than {NESTING_MAX} deep"),
            Self::TooManyAttributes => write!(f, "the element has more than {ATTRIBUTES_MAX} attributes"),
            Self::TooManyNamespaces => write!(f, "more than {NAMESPACES_MAX} namespaces are declared around this point"),
            Self::Xml { message } => write!(f, "not well-formed XML: {message}"),
            Self::NotPnml { element } => write!(f, "expected a `pnml` element, found `{}`", shown(element)),
            Self::NetCount { count: 0 } => write!(f, "the file has no net"),
            Self::NetCount { count } => write!(f, "the file has {count} nets; only one can be read"),
            Self::NetType { uri } => write!(f, "net type `{}` is {}; only place/transition nets (`ptnet`) can be read", shown(uri), family(uri)),
            Self::MissingAttribute { element, attribute } => write!(f, "`{element}` without `{attribute}`"),
            Self::DuplicateId { id } => write!(f, "id `{}` is given twice", shown(id)),
            Self::Repeated { element, part } => write!(f, "`{element}` has more than one `{part}`"),
            Self::Count { part, text, fault } => write!(f, "`{part}` is `{}`, {fault}", shown(text)),
            Self::WeightOverflow { arc } => write!(f, "with arc `{}`, the weights between its ends add up to more than {}", shown(arc), u32::MAX),
            Self::ArcType { arc, arc_type } => write!(f, "arc `{}` is of type `{}`; only `normal` arcs can be read", shown(arc), shown(arc_type)),
            Self::UnknownArcEnd { arc, end, id } => write!(f, "arc `{}` has `{}` as its {end}, which is not a place or transition", shown(arc), shown(id)),
            Self::SameKindArc { arc, kind } => write!(f, "arc `{}` connects two {kind}s", shown(arc)),
            Self::UnknownReference { id, target, kind } => write!(f, "reference `{}` is to `{}`, which is not a {kind}", shown(id), shown(target)),
            Self::ReferenceCycle { id } => write!(f, "reference `{}` leads back to itself", shown(id)),
            Self::Net { message } => write!(f, "{message}"),
        }
    }
}

/// What kind of net a type URI stands for, as far as it can be told.
fn family(uri: &str) -> &'static str {
    let uri = uri.to_ascii_lowercase();
    let any = |parts: &[&str]| parts.iter().any(|part| uri.contains(part));
    if any(&["symmetric", "snnet"]) {
        "a symmetric net"
    } else if any(&["highlevel", "hlpn", "hlnet"]) {
        "a high-level net"
    } else {
        "another kind of net"
    }
}

impl fmt::Display for CountFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWhole => write!(f, "which is not a whole number"),
            Self::Negative => write!(f, "which is negative"),
            Self::TooLarge => write!(f, "which is more than {}", u32::MAX),
            Self::Zero => write!(f, "an arc that would move nothing"),
        }
    }
}
