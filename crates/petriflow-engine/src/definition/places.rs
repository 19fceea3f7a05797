//! The places of a definition while it is read.

use std::collections::HashMap;

use petriflow_net::PlaceId;

/// Names of places, each once, in declared order.
#[derive(Debug, Default)]
pub(super) struct Places {
    names: Vec<String>,
    by_name: HashMap<String, PlaceId>,
    /// Whether the list could be read, so that a name missing from it is worth a word.
    pub(super) complete: bool,
}

impl Places {
    /// Adds a place; false if it is there already.
    pub(super) fn add(&mut self, name: &str) -> bool {
        if self.by_name.contains_key(name) {
            return false;
        }
        let Some(id) = PlaceId::new(self.names.len()) else { return false };
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        true
    }

    pub(super) fn find(&self, name: &str) -> Option<PlaceId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn name(&self, place: PlaceId) -> &str {
        self.names.get(place.index()).map_or("", String::as_str)
    }

    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
