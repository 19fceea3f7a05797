//! Paths as text: normalised without looking at the disk, so links are not followed.

/// A path without `.`, `..` and doubled slashes; `None` if it is empty or climbs out of where it
/// starts. Relative and absolute paths stay apart.
pub(super) fn normalise(path: &str) -> Option<String> {
    if path.is_empty() || path.contains('\0') {
        return None;
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_some() => {}
            // Above the root is the root; above a relative start is unknown.
            ".." if absolute => {}
            ".." => return None,
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    Some(match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".into(),
        (false, false) => joined,
    })
}

/// Whether normalised `outer` is `inner` or contains it.
pub(super) fn contains(outer: &str, inner: &str) -> bool {
    if outer.starts_with('/') != inner.starts_with('/') {
        return false;
    }
    match outer {
        "/" | "." => true,
        _ => inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

/// The literal directory above the first part that may expand: `logs/*.txt` is in `logs`.
pub(super) fn literal_parent(pattern: &str) -> &str {
    let expands = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let literal = pattern.get(..expands).unwrap_or_default();
    match literal.rfind('/') {
        Some(0) => "/",
        Some(slash) => literal.get(..slash).unwrap_or_default(),
        None => ".",
    }
}
