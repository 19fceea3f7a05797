//! Texts without which a regex cannot match.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};

/// What every match of a regex in a text of ASCII has in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Required {
    /// One of these, in lower case, if the match is put in lower case as well.
    OneOf(Vec<String>),
    /// It cannot be told.
    Unknown,
}

/// Most texts that are worth looking for.
const TEXTS_MAX: usize = 16;

impl Required {
    /// What a regex requires.
    pub(crate) fn of(regex: &str) -> Self {
        // Parsing takes a hundred times as long as looking for a text in plain sight.
        if let Some(text) = in_plain_sight(regex) {
            return Self::OneOf(vec![text]);
        }
        let ast = ParserBuilder::new().build().parse(regex).ok();
        ast.and_then(|ast| one_of(&ast)).map_or(Self::Unknown, Self::OneOf)
    }

    /// Whether the regex cannot match a text, which is given in lower case.
    pub(crate) fn rules_out(&self, lower_case: &str) -> bool {
        match self {
            Self::OneOf(texts) => !texts.iter().any(|text| lower_case.contains(text.as_str())),
            Self::Unknown => false,
        }
    }
}

/// The longest text of ordinary characters outside of all groups, in a regex that has no
/// alternatives there and nothing in it that is hard to tell.
fn in_plain_sight(regex: &str) -> Option<String> {
    let mut texts = Texts::default();
    let mut depth: u32 = 0;
    // Case does not matter here anyway.
    let mut rest = regex.strip_prefix("(?i)").unwrap_or(regex).chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            // Flags and names.
            '(' if rest.peek() == Some(&'?') => return None,
            '(' => {
                texts.end();
                depth = depth.checked_add(1)?;
            }
            ')' => depth = depth.checked_sub(1)?,
            '|' if depth == 0 => return None,
            '[' => {
                texts.end();
                skip_class(&mut rest)?;
            }
            '\\' => match rest.next()? {
                // Ends of words.
                '<' | '>' => return None,
                escaped if escaped.is_ascii_punctuation() && depth == 0 => texts.push(escaped),
                escaped if escaped.is_ascii_punctuation() => {}
                // Of the others, these are characters of their own and take no argument.
                's' | 'S' | 'w' | 'W' | 'd' | 'D' | 'A' | 'z' => texts.end(),
                'b' | 'B' if rest.peek() != Some(&'{') => texts.end(),
                _ => return None,
            },
            '{' => return None,
            '*' | '?' => texts.end_without_last(),
            // Repeated once more, it may be not there at all.
            '+' if matches!(rest.peek(), Some('*' | '?' | '+')) => return None,
            '+' | '.' | '^' | '$' | '|' => texts.end(),
            _ if depth > 0 => {}
            plain if plain.is_ascii() => texts.push(plain),
            _ => texts.end(),
        }
    }
    texts.end();
    Some(texts.longest).filter(|text| text.len() >= SIGHT_MIN && depth == 0)
}

/// A shorter text in plain sight is in too many others.
const SIGHT_MIN: usize = 2;

/// Goes behind the end of a class, if it is a plain one.
fn skip_class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<()> {
    rest.next_if_eq(&'^');
    // A bracket at the beginning is one of the characters.
    if rest.peek() == Some(&']') {
        return None;
    }
    loop {
        match rest.next()? {
            ']' => return Some(()),
            '[' => return None,
            '\\' => {
                rest.next()?;
            }
            _ => {}
        }
    }
}

/// Texts of characters side by side.
#[derive(Default)]
struct Texts {
    now: String,
    longest: String,
}

impl Texts {
    fn push(&mut self, character: char) {
        self.now.push(character.to_ascii_lowercase());
    }

    fn end(&mut self) {
        if self.now.len() > self.longest.len() {
            self.longest = std::mem::take(&mut self.now);
        }
        self.now.clear();
    }

    fn end_without_last(&mut self) {
        self.now.pop();
        self.end();
    }
}

fn one_of(ast: &Ast) -> Option<Vec<String>> {
    match ast {
        Ast::Literal(literal) => Some(vec![lower(literal.c)?]),
        Ast::Group(group) => one_of(&group.ast),
        Ast::Concat(concat) => of_concat(&concat.asts),
        Ast::Alternation(alternation) => {
            let mut texts = Vec::new();
            for branch in &alternation.asts {
                texts.extend(one_of(branch)?);
            }
            Some(texts).filter(|texts| texts.len() <= TEXTS_MAX)
        }
        Ast::Repetition(repetition) => {
            let at_least = match &repetition.op.kind {
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => 0,
                RepetitionKind::OneOrMore => 1,
                RepetitionKind::Range(
                    RepetitionRange::Exactly(n)
                    | RepetitionRange::AtLeast(n)
                    | RepetitionRange::Bounded(n, _),
                ) => *n,
            };
            if at_least == 0 { None } else { one_of(&repetition.ast) }
        }
        Ast::Empty(_)
        | Ast::Flags(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => None,
    }
}

/// The parts follow each other, so what any of them requires is required. Characters side by side
/// make one text; the longest is the rarest.
fn of_concat(parts: &[Ast]) -> Option<Vec<String>> {
    let mut best: Option<Vec<String>> = None;
    let mut run = String::new();
    for part in parts {
        if let Ast::Literal(literal) = part {
            match lower(literal.c) {
                Some(character) => run.push_str(&character),
                None => keep_rarer(&mut best, vec![std::mem::take(&mut run)]),
            }
            continue;
        }
        keep_rarer(&mut best, vec![std::mem::take(&mut run)]);
        if let Some(texts) = one_of(part) {
            keep_rarer(&mut best, texts);
        }
    }
    keep_rarer(&mut best, vec![run]);
    best
}

fn keep_rarer(best: &mut Option<Vec<String>>, texts: Vec<String>) {
    let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or(0);
    if shortest(&texts) > best.as_deref().map_or(0, shortest) {
        *best = Some(texts);
    }
}

/// A character of a regex that may ignore case. Others than those of ASCII could stand for one of
/// ASCII then: the long `ſ` is an `s`.
fn lower(character: char) -> Option<String> {
    character.is_ascii().then(|| character.to_ascii_lowercase().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_plain_sight_are_seen_only_where_they_are_certain() {
        for (regex, expected) in [
            ("git push", Some("git push")),
            (r"\bgit\s+push\b", Some("push")),
            (r"(^|[\s;&|(\/])rm\s+(-\w+\s+)*-rf", Some("-rf")),
            ("ab?cd*", Some("a")),
            ("abc?", Some("ab")),
            ("ab+cd", Some("ab")),
            ("ab+?cd", None),
            ("abc+*", None),
            ("abc+??", None),
            (r"\<rm\>", None),
            (r"git push\>", None),
            (r"a\.rules", Some("a.rules")),
            ("Push", Some("push")),
            ("[]a]bc", None),
            ("[[:alpha:]]bc", None),
            ("ab|cd", None),
            ("(ab)", None),
            ("(?i)AB", Some("ab")),
            ("(?ix)ab", None),
            ("ab{0}cd", None),
            (r"ab\x41", None),
            (r"\b{start}ab", None),
            ("abé?", Some("ab")),
            (r"[\]x]ab", Some("ab")),
            (r"ab\", None),
            ("ab(", None),
        ] {
            let expected = expected.filter(|text| text.len() >= SIGHT_MIN);
            assert_eq!(in_plain_sight(regex).as_deref(), expected, "{regex}");
        }
    }

    #[test]
    fn the_longest_text_that_every_match_has_is_found() {
        for (regex, expected) in [
            ("git push", "git push"),
            (r"\bgit\s+push\b", "push"),
            (r"(^|[\s;])rm\s+(-\w+\s+)*-rf", "-rf"),
            ("(?i)DROP TABLE", "drop table"),
            ("(foo|bar)+x", "foo bar"),
            ("(foo|b)c?", "foo b"),
            ("a(bc)?d", "a"),
            ("(abc|[x-z])", "?"),
            ("[ab]", "?"),
            ("x*", "?"),
            ("(?i)ſudo", "udo"),
            ("a{0,3}b{2}", "b"),
            (r"a\.b", "a.b"),
            ("(?x) a b c", "abc"),
        ] {
            let found = match Required::of(regex) {
                Required::OneOf(texts) => texts.join(" "),
                Required::Unknown => "?".into(),
            };
            assert_eq!(found, expected, "{regex}");
        }
    }
}
