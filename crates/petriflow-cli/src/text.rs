//! User text made fit for a terminal, and the small grammar of reports.

/// Most characters shown of a name.
pub(crate) const NAME_MAX: usize = 60;
/// Most characters shown of a message that may quote user text.
pub(crate) const MESSAGE_MAX: usize = 400;

/// Text for one line of a terminal: what cannot be seen is escaped, and long text is cut.
pub(crate) use petriflow_net::formats::cut as shown;

/// The same, with the end of a long text too and the number of characters left out between.
pub(crate) fn ends_of(text: &str, characters_max: usize) -> String {
    let length = text.chars().count();
    if length <= characters_max {
        return shown(text, usize::MAX);
    }
    let half = characters_max / 2;
    let left_out = length.saturating_sub(half.saturating_mul(2));
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length.saturating_sub(half)).collect();
    let (head, tail) = (shown(&head, usize::MAX), shown(&tail, usize::MAX));
    format!("{head} …{left_out} characters… {tail}")
}

/// Whether a terminal could take the character for a command or hide it.
pub(crate) fn is_invisible(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    character.is_control() || is_format
}

/// A count with its noun: `no place`, `1 place`, `2 places`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match count {
        0 => format!("no {noun}"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// The first names of a list, and how many there are besides.
pub(crate) fn listed<'a>(
    names: impl ExactSizeIterator<Item = &'a str>,
    names_max: usize,
) -> String {
    listed_up_to(names, names_max, NAME_MAX)
}

/// The same with names of this many characters, such as those of files.
pub(crate) fn listed_up_to<'a>(
    names: impl ExactSizeIterator<Item = &'a str>,
    names_max: usize,
    characters_max: usize,
) -> String {
    let hidden = names.len().saturating_sub(names_max);
    let shown: Vec<String> =
        names.take(names_max).map(|name| shown(name, characters_max)).collect();
    let list = shown.join(", ");
    if hidden == 0 { list } else { format!("{list} and {hidden} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_come_out_as_text() {
        assert_eq!(
            shown("a\u{1b}[31m\u{9b}2J\r\n\u{202e}é\"\\", 60),
            r#"a\u{1b}[31m\u{9b}2J\r\n\u{202e}é"\"#
        );
        assert_eq!(shown("abcdef", 3), "abc…");
    }

    #[test]
    fn a_long_text_shows_its_end_and_how_much_is_missing() {
        assert_eq!(ends_of("abcdefgh", 8), "abcdefgh");
        assert_eq!(ends_of("abcdefghij", 4), "ab …6 characters… ij");
    }

    #[test]
    fn long_lists_say_how_much_is_missing() {
        assert_eq!(listed(["a", "b"].into_iter(), 2), "a, b");
        assert_eq!(listed(["a", "b", "c"].into_iter(), 2), "a, b and 1 more");
    }
}
