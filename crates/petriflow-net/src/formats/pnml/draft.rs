//! The file's objects as they are written, before references and arcs are resolved.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use roxmltree::Node;

use super::error::Problems;
use super::{CountFault, PnmlProblemKind, WHITE_SPACE};

/// Everything in a net that has an id, in document order.
#[derive(Default)]
pub(super) struct Draft<'a> {
    pub(super) places: Vec<PlaceDraft<'a>>,
    pub(super) transitions: Vec<NodeDraft<'a>>,
    pub(super) references: Vec<ReferenceDraft<'a>>,
    pub(super) arcs: Vec<ArcDraft<'a>>,
    ids: HashMap<&'a str, (Object, usize)>,
}

/// What an id stands for; the number is a position in the draft's list of that kind.
#[derive(Clone, Copy)]
pub(super) enum Object {
    Place(usize),
    Transition(usize),
    Reference(usize),
    /// A page, an arc or the net itself, which nothing can be connected to.
    Other,
}

pub(super) struct NodeDraft<'a> {
    pub(super) id: &'a str,
    name: Option<String>,
}

pub(super) struct PlaceDraft<'a> {
    pub(super) node: NodeDraft<'a>,
    pub(super) tokens: u64,
}

pub(super) struct ReferenceDraft<'a> {
    pub(super) at: usize,
    pub(super) id: &'a str,
    /// `None` if it is missing, which has been reported.
    pub(super) target: Option<&'a str>,
    /// `place` or `transition`.
    pub(super) kind: &'static str,
}

pub(super) struct ArcDraft<'a> {
    pub(super) at: usize,
    pub(super) id: &'a str,
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    pub(super) weight: u64,
}

impl NodeDraft<'_> {
    /// The name, if it can serve as one.
    pub(super) fn label(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| !name.is_empty())
    }
}

impl<'a> Draft<'a> {
    /// Reads all objects of the net, from all its pages.
    pub(super) fn read(net: Node<'a, '_>, problems: &mut Problems) -> Self {
        let mut draft = Self::default();
        draft.take_id(net, "net", Object::Other, problems);
        // A list of iterators instead of recursion: pages may be nested.
        let mut open = vec![net.children()];
        while let Some(innermost) = open.last_mut() {
            match innermost.next() {
                None => drop(open.pop()),
                Some(node) if node.tag_name().name() == "page" => {
                    draft.take_id(node, "page", Object::Other, problems);
                    open.push(node.children());
                }
                Some(node) => draft.read_object(node, problems),
            }
        }
        draft
    }

    pub(super) fn object(&self, id: &str) -> Option<Object> {
        self.ids.get(id).map(|&(object, _)| object)
    }

    fn read_object(&mut self, node: Node<'a, '_>, problems: &mut Problems) {
        match node.tag_name().name() {
            "place" => self.read_place(node, problems),
            "transition" => self.read_transition(node, problems),
            "referencePlace" => self.read_reference(node, "referencePlace", "place", problems),
            "referenceTransition" => {
                self.read_reference(node, "referenceTransition", "transition", problems);
            }
            "arc" => self.read_arc(node, problems),
            _ => {}
        }
    }

    fn read_place(&mut self, node: Node<'a, '_>, problems: &mut Problems) {
        let id = self.take_id(node, "place", Object::Place(self.places.len()), problems);
        let tokens = count(node, "place", "initialMarking", problems).unwrap_or(0);
        let name = name(node, "place", problems);
        self.places.push(PlaceDraft { node: NodeDraft { id, name }, tokens });
    }

    fn read_transition(&mut self, node: Node<'a, '_>, problems: &mut Problems) {
        let object = Object::Transition(self.transitions.len());
        let id = self.take_id(node, "transition", object, problems);
        let name = name(node, "transition", problems);
        self.transitions.push(NodeDraft { id, name });
    }

    fn read_reference(
        &mut self,
        node: Node<'a, '_>,
        element: &'static str,
        kind: &'static str,
        problems: &mut Problems,
    ) {
        let object = Object::Reference(self.references.len());
        let id = self.take_id(node, element, object, problems);
        let target = attribute(node, element, "ref", problems);
        self.references.push(ReferenceDraft { at: node.range().start, id, target, kind });
    }

    fn read_arc(&mut self, node: Node<'a, '_>, problems: &mut Problems) {
        let id = self.take_id(node, "arc", Object::Other, problems);
        check_arc_type(node, id, problems);
        let source = attribute(node, "arc", "source", problems);
        let target = attribute(node, "arc", "target", problems);
        let weight = count(node, "arc", "inscription", problems).unwrap_or(1);
        if let Some((source, target)) = source.zip(target) {
            self.arcs.push(ArcDraft { at: node.range().start, id, source, target, weight });
        }
    }

    fn take_id(
        &mut self,
        node: Node<'a, '_>,
        element: &'static str,
        object: Object,
        problems: &mut Problems,
    ) -> &'a str {
        let Some(id) = attribute(node, element, "id", problems) else { return "" };
        let at = node.range().start;
        match self.ids.entry(id) {
            Entry::Vacant(entry) => drop(entry.insert((object, at))),
            Entry::Occupied(entry) => {
                let (_, first) = *entry.get();
                let kind = PnmlProblemKind::DuplicateId { id: id.to_owned() };
                problems.push_duplicate(at, first, kind);
            }
        }
        id
    }
}

/// An attribute that must be there.
pub(super) fn attribute<'a>(
    node: Node<'a, '_>,
    element: &'static str,
    attribute: &'static str,
    problems: &mut Problems,
) -> Option<&'a str> {
    let found = node.attribute(attribute).filter(|value| !value.is_empty());
    if found.is_none() {
        let kind = PnmlProblemKind::MissingAttribute { element, attribute };
        problems.push(node.range().start, kind);
    }
    found
}

/// The text of the `name` of an element; `None` if there is none.
pub(super) fn name(
    node: Node<'_, '_>,
    element: &'static str,
    problems: &mut Problems,
) -> Option<String> {
    let name = only_child(node, element, "name", problems)?;
    let text = only_child(name, "name", "text", problems)?;
    Some(trimmed_text(text))
}

/// The count in a marking or weight; `None` if there is none or if it is wrong.
fn count(
    node: Node<'_, '_>,
    element: &'static str,
    part: &'static str,
    problems: &mut Problems,
) -> Option<u64> {
    let found = only_child(node, element, part, problems)?;
    let text = only_child(found, part, "text", problems);
    let text = text.map(own_text).unwrap_or_default();
    let text = text.trim_matches(WHITE_SPACE);
    match parse_count(text) {
        Ok(0) if part == "inscription" => Err(CountFault::Zero),
        parsed => parsed,
    }
    .map_err(|fault| {
        let kind = PnmlProblemKind::Count { part, text: text.to_owned(), fault };
        problems.push(found.range().start, kind);
    })
    .ok()
}

fn parse_count(text: &str) -> Result<u64, CountFault> {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.strip_prefix('-') {
        Some(digits) if is_number(digits) => Err(CountFault::Negative),
        None if is_number(text) => {
            text.parse::<u32>().map(u64::from).map_err(|_| CountFault::TooLarge)
        }
        _ => Err(CountFault::NotWhole),
    }
}

fn check_arc_type(node: Node<'_, '_>, id: &str, problems: &mut Problems) {
    let arc_type = arc_type(node, problems);
    if let Some(arc_type) = arc_type.filter(|found| found.trim_matches(WHITE_SPACE) != "normal") {
        let kind = PnmlProblemKind::ArcType { arc: id.to_owned(), arc_type };
        problems.push(node.range().start, kind);
    }
}

/// Several tools mark inhibitor, reset and read arcs in an attribute or an element `type`.
fn arc_type(node: Node<'_, '_>, problems: &mut Problems) -> Option<String> {
    if let Some(arc_type) = node.attribute("type") {
        return Some(arc_type.to_owned());
    }
    let element = only_child(node, "arc", "type", problems)?;
    if let Some(arc_type) = element.attribute("value") {
        return Some(arc_type.to_owned());
    }
    let text = only_child(element, "type", "text", problems);
    Some(text.map(own_text).unwrap_or_default())
}

fn only_child<'a, 'input>(
    node: Node<'a, 'input>,
    element: &'static str,
    part: &'static str,
    problems: &mut Problems,
) -> Option<Node<'a, 'input>> {
    let mut children = node.children().filter(|child| child.tag_name().name() == part);
    let first = children.next();
    if let Some(second) = children.next() {
        problems.push(second.range().start, PnmlProblemKind::Repeated { element, part });
    }
    first
}

/// The text directly in an element; that of elements inside is not its own.
fn own_text(node: Node<'_, '_>) -> String {
    node.children().filter(Node::is_text).filter_map(|child| child.text()).collect()
}

/// The text without the white space around it, except where that is written as references.
fn trimmed_text(node: Node<'_, '_>) -> String {
    // The parser, too, reads a line end of two characters as one.
    let source = source(node).replace("\r\n", "\n");
    let is_space = |character: &char| WHITE_SPACE.contains(character);
    let before = source.chars().take_while(is_space).count();
    let after = source.chars().rev().take_while(is_space).count();
    let text: Vec<char> = own_text(node).chars().skip(before).collect();
    let kept = text.len().saturating_sub(after);
    text.into_iter().take(kept).collect()
}

/// What is written between the tags of an element.
fn source<'input>(node: Node<'_, 'input>) -> &'input str {
    let Some(first) = node.first_child() else { return "" };
    let content = node.document().input_text().get(first.range().start..node.range().end);
    content.and_then(|content| content.rsplit_once("</")).map_or("", |(content, _)| content)
}
