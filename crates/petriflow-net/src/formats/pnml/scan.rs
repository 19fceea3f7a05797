//! A cheap look over the markup before it is parsed.
//!
//! The XML parser (roxmltree 0.21) compares every attribute of an element with every other, and
//! copies all namespaces in scope for every element that declares one: 58 kB of nested declarations
//! took it 8 s, twice as many eight times as long. It does not recurse for nested elements, but
//! that is its own affair and may change. So the three are bounded here, in one pass.
//!
//! INVARIANT: for text that is well-formed up to some point, this scan and the parser see the same
//! tags up to that point. Behind it they may disagree, but there the parser has already stopped.

use super::PnmlProblemKind;

/// The deepest nesting of elements that is read. PNML itself needs about 7 and one for each page.
pub const NESTING_MAX: usize = 1000;

/// The most attributes of one element that are read.
pub const ATTRIBUTES_MAX: usize = 256;

/// The most namespace declarations on an element and those around it that are read.
pub const NAMESPACES_MAX: usize = 32;

/// Checks the limits, and that there is no document type declaration; a problem comes with its
/// byte offset.
pub(super) fn check(text: &str) -> Result<(), (usize, PnmlProblemKind)> {
    let mut scan = Scan { rest: text, open: Vec::new(), namespaces: 0 };
    while let Some(start) = scan.rest.find('<') {
        scan.skip(start);
        let at = text.len().saturating_sub(scan.rest.len());
        let problem = match Markup::of(scan.rest) {
            Markup::Declaration => scan.skip_declaration(),
            Markup::Skipped { end } => scan.skip_past(end),
            Markup::Dtd => Some(PnmlProblemKind::Dtd),
            Markup::Close => scan.close(),
            Markup::Open => scan.open(),
        };
        if let Some(kind) = problem {
            return Err((at, kind));
        }
    }
    Ok(())
}

enum Markup {
    Declaration,
    Skipped { end: &'static str },
    Dtd,
    Close,
    Open,
}

impl Markup {
    fn of(rest: &str) -> Self {
        match rest {
            _ if rest.starts_with("<?xml ") => Self::Declaration,
            _ if rest.starts_with("<?") => Self::Skipped { end: "?>" },
            _ if rest.starts_with("<!--") => Self::Skipped { end: "-->" },
            _ if rest.starts_with("<![CDATA[") => Self::Skipped { end: "]]>" },
            _ if rest.starts_with("<!DOCTYPE") => Self::Dtd,
            _ if rest.starts_with("</") => Self::Close,
            _ => Self::Open,
        }
    }
}

struct Scan<'a> {
    rest: &'a str,
    /// The namespaces declared by each open element.
    open: Vec<usize>,
    /// Their sum.
    namespaces: usize,
}

/// A tag's inside, counted.
struct Tag {
    bytes: usize,
    attributes: usize,
    namespaces: usize,
    is_empty: bool,
}

impl Scan<'_> {
    /// Beyond the end, nothing is left: the parser finds its own words for truncated text.
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn skip_past(&mut self, end: &str) -> Option<PnmlProblemKind> {
        let found = self.rest.find(end).map(|at| at.saturating_add(end.len()));
        self.skip(found.unwrap_or(self.rest.len()));
        None
    }

    /// The quotes of `<?xml version='?><!--'?>` hide its apparent end from the parser.
    fn skip_declaration(&mut self) -> Option<PnmlProblemKind> {
        self.skip(Tag::read(self.rest).bytes);
        None
    }

    fn close(&mut self) -> Option<PnmlProblemKind> {
        self.skip(Tag::read(self.rest).bytes);
        let declared = self.open.pop().unwrap_or(0);
        self.namespaces = self.namespaces.saturating_sub(declared);
        None
    }

    fn open(&mut self) -> Option<PnmlProblemKind> {
        let tag = Tag::read(self.rest);
        self.skip(tag.bytes);
        let namespaces = self.namespaces.saturating_add(tag.namespaces);
        if tag.attributes > ATTRIBUTES_MAX {
            return Some(PnmlProblemKind::TooManyAttributes);
        }
        if namespaces > NAMESPACES_MAX {
            return Some(PnmlProblemKind::TooManyNamespaces);
        }
        if !tag.is_empty {
            self.open.push(tag.namespaces);
            self.namespaces = namespaces;
        }
        (self.open.len() > NESTING_MAX).then_some(PnmlProblemKind::TooDeep)
    }
}

impl Tag {
    /// Reads to the `>` that is not in quotes, or to the end.
    fn read(rest: &str) -> Self {
        let mut tag = Self { bytes: rest.len(), attributes: 0, namespaces: 0, is_empty: false };
        let mut quote = None;
        let mut previous = b'<';
        // Where the last attribute's name starts.
        let mut name = 0;
        for (at, byte) in rest.bytes().enumerate() {
            let after = at.saturating_add(1);
            match (byte, quote) {
                (_, Some(open)) if byte == open => (quote, name) = (None, after),
                (_, Some(_)) => {}
                (b'"' | b'\'', None) => quote = Some(byte),
                (b'=', None) => tag.count_attribute(rest.get(name..at).unwrap_or_default()),
                (b'>', None) => {
                    (tag.bytes, tag.is_empty) = (after, previous == b'/');
                    break;
                }
                (b' ' | b'\t' | b'\n' | b'\r', None) => {}
                _ if previous.is_ascii_whitespace() => name = at,
                _ => {}
            }
            previous = byte;
        }
        tag
    }

    fn count_attribute(&mut self, name: &str) {
        self.attributes = self.attributes.saturating_add(1);
        if name.starts_with("xmlns") {
            self.namespaces = self.namespaces.saturating_add(1);
        }
    }
}
