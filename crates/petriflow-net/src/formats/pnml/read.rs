//! Reading: text, XML tree, draft, net.

use roxmltree::{Document, Node};

use super::super::Position;
use super::super::text::cut;
use super::draft::{self, Draft};
use super::error::Problems;
use super::{PnmlError, PnmlProblemKind, WHITE_SPACE, connect, encoding, scan};
use crate::Net;

const MESSAGE_CHARACTERS_MAX: usize = 300;

/// Reads the one net of a PNML text.
///
/// The encoding that the text declares is not looked at, as the text has been decoded already; see
/// [`read_bytes`] for a file.
///
/// # Errors
/// Every problem found, with its position. A text that is not XML, or that has another number of
/// nets than one, or a net of another type, gives that one problem.
pub fn read(text: &str) -> Result<Net, PnmlError> {
    encoding::check_size(text.len())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    scan::check(text).map_err(|(at, kind)| PnmlError::at(text, at, kind))?;
    let document = Document::parse(text).map_err(|error| malformed(text, &error))?;
    let net = the_net(document.root_element())
        .map_err(|(node, kind)| PnmlError::at(text, node.range().start, kind))?;
    read_net(text, net)
}

/// Reads the one net of a PNML file in UTF-8, with or without a byte order mark.
///
/// # Errors
/// As [`read`], and if the file is not UTF-8 or declares another encoding.
pub fn read_bytes(bytes: &[u8]) -> Result<Net, PnmlError> {
    read(encoding::decode(bytes)?)
}

fn read_net(text: &str, net: Node<'_, '_>) -> Result<Net, PnmlError> {
    let mut problems = Problems::default();
    let name = draft::name(net, "net", &mut problems);
    let draft = Draft::read(net, &mut problems);
    let weights = connect::connect(&draft, &mut problems);
    problems.finish(text)?;
    let name = name.or_else(|| net.attribute("id").map(str::to_owned)).unwrap_or_default();
    connect::build(name, &draft, &weights).map_err(|error| {
        let kind = PnmlProblemKind::Net { message: error.to_string() };
        PnmlError::at(text, net.range().start, kind)
    })
}

type AtNode<'a, 'input> = (Node<'a, 'input>, PnmlProblemKind);

/// The only net below the root, if it is of the right type.
fn the_net<'a, 'input>(root: Node<'a, 'input>) -> Result<Node<'a, 'input>, AtNode<'a, 'input>> {
    let element = root.tag_name().name();
    if element != "pnml" {
        return Err((root, PnmlProblemKind::NotPnml { element: element.to_owned() }));
    }
    let mut nets = root.children().filter(|child| child.tag_name().name() == "net");
    let count = nets.clone().count();
    let Some(net) = nets.next().filter(|_| count == 1) else {
        return Err((root, PnmlProblemKind::NetCount { count }));
    };
    match net.attribute("type") {
        Some(uri) if is_ptnet(uri) => Ok(net),
        Some(uri) => Err((net, PnmlProblemKind::NetType { uri: uri.to_owned() })),
        None => Err((net, PnmlProblemKind::MissingAttribute { element: "net", attribute: "type" })),
    }
}

/// The standard's URI, and older ones that end alike, such as `…/pntd/ptNetb`.
fn is_ptnet(uri: &str) -> bool {
    let last = uri.trim_matches(WHITE_SPACE).rsplit(['/', '#', ':']).next().unwrap_or_default();
    ["ptnet", "ptnetb"].iter().any(|name| last.eq_ignore_ascii_case(name))
}

/// The parser's error without its position in the wording, and with one where it has none.
fn malformed(text: &str, error: &roxmltree::Error) -> PnmlError {
    use roxmltree::Error::{UnclosedRootNode, UnexpectedEndOfStream};
    let found = error.pos();
    let message = error.to_string().replace(&format!(" at {found}"), "");
    let kind = PnmlProblemKind::Xml { message: cut(&message, MESSAGE_CHARACTERS_MAX) };
    match error {
        UnclosedRootNode | UnexpectedEndOfStream => PnmlError::at(text, text.len(), kind),
        _ => {
            let (line, column) = (found.row as usize, found.col as usize);
            PnmlError::new(Position { line, column }, kind)
        }
    }
}
