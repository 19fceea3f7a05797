//! Names that are protected wherever they stand.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// A relative path, such as `.claude/settings.json`.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    parts: Vec<String>,
    text: String,
    /// With a slash before it, for patterns.
    chars: Vec<char>,
}

impl Named {
    /// Nothing for a path without a name.
    pub(crate) fn new(path: &Path) -> Option<Self> {
        let part = |component: Component<'_>| match component {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        };
        let parts: Vec<String> = path.components().filter_map(part).collect();
        let text = parts.join("/");
        let chars = std::iter::once('/').chain(text.chars()).collect();
        (!parts.is_empty()).then_some(Self { parts, text, chars })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn first(&self) -> &str {
        self.parts.first().map_or("", String::as_str)
    }

    pub(crate) fn chars(&self) -> &[char] {
        &self.chars
    }

    pub(crate) fn components(&self) -> usize {
        self.parts.len()
    }

    /// Whether a path is this or lies beneath it, in any directory; case does not count.
    pub(crate) fn is_in(&self, path: &[&OsStr]) -> bool {
        let same = |(own, part): (&&OsStr, &String)| own.eq_ignore_ascii_case(part);
        path.windows(self.parts.len()).any(|window| window.iter().zip(&self.parts).all(same))
    }
}
