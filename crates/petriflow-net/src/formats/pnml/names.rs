//! From PNML's ids and labels to unique names.

use std::collections::{HashMap, HashSet};

use super::draft::NodeDraft;

/// A unique, non-empty name for each node of one kind, by the rule in the module's docs.
pub(super) fn unique_names<'a>(
    nodes: impl Iterator<Item = &'a NodeDraft<'a>> + Clone,
) -> Vec<String> {
    let mut times: HashMap<&str, u32> = HashMap::new();
    for label in nodes.clone().filter_map(NodeDraft::label) {
        let times = times.entry(label).or_default();
        *times = times.saturating_add(1);
    }
    let own_label =
        |node: &'a NodeDraft<'a>| node.label().filter(|label| times.get(label) == Some(&1));
    let mut taken: HashSet<String> =
        nodes.clone().filter_map(own_label).map(str::to_owned).collect();
    nodes
        .map(|node| own_label(node).map_or_else(|| claim(node.id, &mut taken), str::to_owned))
        .collect()
}

/// The id, or the id with the first number that makes it unused.
fn claim(id: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2_u64..).map(|number| format!("{id}_{number}"));
    let mut candidates = std::iter::once(id.to_owned()).chain(numbered);
    let free = candidates.find(|candidate| !taken.contains(candidate)).unwrap_or_default();
    taken.insert(free.clone());
    free
}
