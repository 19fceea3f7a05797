//! The files that a patch names.

/// Paths in the headers of a patch: those of `apply_patch`, of `git diff` and of `diff -u`.
///
/// A path of a diff is given with and without its first directory (`a/`, `b/`).
pub(crate) fn paths(text: &str) -> Vec<&str> {
    const HEADERS: [&str; 4] =
        ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    const LINES: [&str; 8] = [
        "--- ",
        "+++ ",
        "*** ",
        "rename to ",
        "rename from ",
        "copy to ",
        "Index: ",
        "diff --git ",
    ];
    let mut paths = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(path) = HEADERS.iter().find_map(|header| line.strip_prefix(header)) {
            paths.push(path.trim());
        } else if let Some(rest) = LINES.iter().find_map(|start| line.strip_prefix(start)) {
            let rest = rest.split('\t').next().unwrap_or(rest);
            let words = rest.split(' ').chain([rest]);
            for path in words.map(|path| path.trim_matches('"')).filter(|path| !path.is_empty()) {
                paths.push(path);
                // `patch -p` takes directories away, however many.
                let mut inner = path;
                while let Some((_, behind)) = inner.split_once('/') {
                    paths.push(behind);
                    inner = behind;
                }
            }
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// Whether a text looks like a patch.
pub(crate) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
        || text.contains(" File:")
        || (text.contains("--- ") && text.contains("+++ "))
        || text.contains("diff --git ")
}
