//! Words that are not known before they run, as patterns over paths: globs, and gaps that may hold
//! anything.
//!
//! With a gap nearly everything *could* be protected (`$X`), so a match through a gap counts only if
//! the literal text names it: see [`Match::is_named`].

use crate::named::Named;

/// What a piece of a word may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Star,
    /// `[a-z]`
    Set {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    /// Anything without a slash, a leading dot included.
    Name,
    /// Anything.
    Gap,
}

/// A word as a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    tokens: Vec<Token>,
    /// Letters fit in either case.
    blind: bool,
}

/// How a pattern fits a protected path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    /// It may be the path or lie beneath it; otherwise it may be a directory above.
    pub(crate) inside: bool,
    /// The literal text tells it from nearly every other path.
    pub(crate) is_named: bool,
}

/// Literal characters in the component before the last one and in the last one.
type Literal = (usize, usize);

/// Commands that print a name without a slash.
const PRINT_NAMES: [&str; 9] = [
    "basename ",
    "date",
    "nproc",
    "uname",
    "whoami",
    "id ",
    "hostname",
    "wc ",
    "git rev-parse --short",
];

impl Pattern {
    /// Reads the text of a word; `value` knows some variables.
    pub(crate) fn new(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut tokens = Vec::new();
        let mut rest = text;
        if let Some(user) = text.strip_prefix('~') {
            // Another user's home directory, or an earlier directory.
            tokens.push(Token::Gap);
            rest = user.find('/').and_then(|at| user.get(at..)).unwrap_or_default();
        }
        while let Some(character) = rest.chars().next() {
            let behind = rest.get(character.len_utf8()..).unwrap_or_default();
            rest = match character {
                '$' => dollar(behind, value, &mut tokens),
                '`' => {
                    tokens.push(Token::Gap);
                    behind.split_once('`').map_or("", |(_, rest)| rest)
                }
                '{' if behind.contains('}') => {
                    tokens.push(Token::Gap);
                    balanced(rest, '{', '}')
                }
                '<' | '>' | '@' | '!' | '+' | '?' | '*' if behind.starts_with('(') => {
                    tokens.push(Token::Gap);
                    balanced(behind, '(', ')')
                }
                '*' if behind.starts_with('*') => {
                    tokens.push(Token::Gap);
                    behind.trim_start_matches('*')
                }
                '*' => {
                    tokens.push(Token::Star);
                    behind
                }
                '?' => {
                    tokens.push(Token::One);
                    behind
                }
                '[' => match set(behind) {
                    Some((token, rest)) => {
                        tokens.push(token);
                        rest
                    }
                    None => literal('[', behind, &mut tokens),
                },
                other => literal(other, behind, &mut tokens),
            };
        }
        // Several in a row stand for no more than one.
        tokens.dedup_by(|a, b| a == b && matches!(a, Token::Gap | Token::Star | Token::Name));
        Self { tokens, blind: cfg!(any(target_os = "macos", windows)) }
    }

    /// The same, but letters fit in either case.
    pub(crate) fn blind(mut self, blind: bool) -> Self {
        self.blind |= blind;
        self
    }

    /// A gap, a slash and the text: somewhere, under this name.
    pub(crate) fn somewhere(&self) -> Self {
        let mut tokens = vec![Token::Gap, Token::Char('/')];
        tokens.extend(self.tokens.iter().cloned());
        Self { tokens, blind: self.blind }.clean()
    }

    /// The same below a directory, unless it begins with a root or a gap.
    pub(crate) fn below(&self, directory: &str) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        if !matches!(self.tokens.first(), Some(Token::Char('/') | Token::Gap)) {
            tokens.extend(directory.chars().map(Token::Char));
            tokens.push(Token::Char('/'));
        }
        tokens.extend(self.tokens.iter().cloned());
        Self { tokens, blind: self.blind }.clean()
    }

    /// What is printed may begin with `../`: what stands before a gap does not hold it.
    pub(crate) fn unbound(&self) -> Self {
        let gap = self.tokens.iter().position(|token| *token == Token::Gap);
        let at = gap.filter(|at| {
            at.checked_sub(1).is_none_or(|at| self.tokens.get(at) == Some(&Token::Char('/')))
        });
        let tokens = self.tokens.get(at.unwrap_or(0)..).unwrap_or_default().to_vec();
        Self { tokens, blind: self.blind }
    }

    /// A text in which no character is special.
    pub(crate) fn literal(text: &str) -> Self {
        Self { tokens: text.chars().map(Token::Char).collect(), blind: false }
    }

    /// The text, if nothing in it is open.
    pub(crate) fn known(&self) -> Option<String> {
        let character = |token: &Token| match token {
            Token::Char(character) => Some(*character),
            _ => None,
        };
        self.tokens.iter().map(character).collect()
    }

    pub(crate) fn has_gap(&self) -> bool {
        self.tokens.contains(&Token::Gap)
    }

    /// Without `.`, `..` and empty components.
    fn clean(&self) -> Self {
        let mut parts: Vec<&[Token]> = Vec::new();
        for part in self.tokens.split(|token| *token == Token::Char('/')) {
            match part {
                [] | [Token::Char('.')] => {}
                [Token::Char('.'), Token::Char('.')] => {
                    if parts.last().is_some_and(|part| !part.contains(&Token::Gap)) {
                        parts.pop();
                    }
                }
                part => parts.push(part),
            }
        }
        let mut tokens = Vec::new();
        for part in parts {
            if !tokens.is_empty() || part.first() != Some(&Token::Gap) {
                tokens.push(Token::Char('/'));
            }
            tokens.extend(part.iter().cloned());
        }
        Self { tokens, blind: self.blind }
    }

    /// Whether it names something that is protected in any directory.
    ///
    /// What a glob finds is there already, so a glob below a known directory counts only if it is;
    /// a name that is written out may be made.
    pub(crate) fn names(&self, name: &Named, dots: bool, is_there: &dyn Fn(&str) -> bool) -> bool {
        /// In longer ones only what is written out counts.
        const COMPONENTS_MAX: usize = 32;
        let mut starts = vec![0];
        let slashes =
            self.tokens.iter().enumerate().filter(|(_, token)| **token == Token::Char('/'));
        starts.extend(slashes.map(|(at, _)| at.saturating_add(1)));
        if starts.len() > COMPONENTS_MAX {
            let first: Vec<Token> = name.first().chars().map(Token::Char).collect();
            return self.tokens.split(|token| *token == Token::Char('/')).any(|own| own == first);
        }
        let fits = |start: usize| {
            let (before, from) = self.tokens.split_at_checked(start)?;
            let begins = name.first().chars().next();
            if let (Some(Token::Char(own)), Some(begins)) = (from.first(), begins)
                && !own.eq_ignore_ascii_case(&begins)
            {
                return None;
            }
            let window = window(from, name.components())?;
            let mut tokens = Vec::with_capacity(window.len().saturating_add(1));
            if window.first() != Some(&Token::Gap) {
                tokens.push(Token::Char('/'));
            }
            tokens.extend(window.iter().cloned());
            let found = Self { tokens, blind: true };
            let fit = found.fit(name.chars(), dots)?;
            if !fit.inside || !fit.is_named {
                return None;
            }
            let known = window.iter().all(|token| matches!(token, Token::Char(_)));
            let text = |tokens: &[Token]| Self { tokens: tokens.to_vec(), blind: false }.known();
            match text(before) {
                Some(before) if !known && !found.has_gap() => {
                    is_there(&format!("{before}{}", name.text())).then_some(())
                }
                _ => Some(()),
            }
        };
        starts.into_iter().any(|start| fits(start).is_some())
    }

    /// Whether the last component is open, so that the name itself is not known.
    pub(crate) fn is_open(&self) -> bool {
        let last = self.tokens.rsplit(|token| *token == Token::Char('/')).next();
        last.is_some_and(|name| name.iter().any(|token| !matches!(token, Token::Char(_))))
    }

    /// Whether a pattern with some literal text fits a name.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        let literal = self.tokens.iter().filter(|token| matches!(token, Token::Char(_))).count();
        literal > 3 && self.matches(name)
    }

    /// Whether the pattern fits a whole text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut states: Vec<Option<Literal>> = vec![None; self.tokens.len().saturating_add(1)];
        if let Some(first) = states.first_mut() {
            *first = Some((0, 0));
        }
        self.skip(&mut states);
        let mut next = Vec::new();
        for character in text.chars() {
            self.step(&states, character, false, &mut next);
            std::mem::swap(&mut states, &mut next);
        }
        states.last().is_some_and(Option::is_some)
    }

    /// How the pattern fits a path; `dots`: `*` may match a leading dot.
    pub(crate) fn fit(&self, path: &[char], dots: bool) -> Option<Match> {
        // Most patterns begin with a directory, which either is that of the path or is not.
        let fixed = self.tokens.iter().take_while(|token| matches!(token, Token::Char(_))).count();
        let same =
            self.tokens.iter().zip(path).take(fixed).all(|(token, c)| self.is_char(token, *c));
        if !same {
            return None;
        }
        let Some((known, rest)) = path.split_at_checked(fixed) else {
            let beneath = self.tokens.get(path.len()) == Some(&Token::Char('/'));
            return beneath.then_some(Match { inside: true, is_named: true });
        };
        let name = last(known);
        let parent = known.get(..known.len().saturating_sub(name.len()).saturating_sub(1));
        let mut states: Vec<Option<Literal>> = vec![None; self.tokens.len().saturating_add(1)];
        raise(states.get_mut(fixed), (parent.map_or(0, |parent| last(parent).len()), name.len()));
        self.skip(&mut states);
        let mut next = Vec::new();
        let mut above: Option<Match> = None;
        let mut begins = known.last().is_none_or(|c| *c == '/');
        for (at, character) in rest.iter().enumerate() {
            let at = at.saturating_add(fixed);
            if *character == '/' && at > 0 {
                let done = states.last().copied().flatten();
                let found = done.and_then(|literal| self.above(path.get(..at)?, literal));
                if above.is_none_or(|old| !old.is_named) {
                    above = found.or(above);
                }
            }
            self.step(&states, *character, begins && !dots, &mut next);
            std::mem::swap(&mut states, &mut next);
            begins = *character == '/';
            if states.iter().all(Option::is_none) {
                return above;
            }
        }
        match (self.inside(&states, path), above) {
            (Some(inside), Some(above)) if above.is_named && !inside.is_named => Some(above),
            (inside, above) => inside.or(above),
        }
    }

    fn is_char(&self, token: &Token, c: char) -> bool {
        match token {
            Token::Char(own) => *own == c || (self.blind && own.eq_ignore_ascii_case(&c)),
            _ => false,
        }
    }

    fn above(&self, path: &[char], literal: Literal) -> Option<Match> {
        let name = last(path);
        // A directory above a protected one has an ordinary name, unless it begins with a dot.
        let named = name.first() == Some(&'.') && literal.1 == name.len();
        Some(Match { inside: false, is_named: !self.has_gap() || named })
    }

    fn inside(&self, states: &[Option<Literal>], path: &[char]) -> Option<Match> {
        let gap = self.tokens.iter().rposition(|token| *token == Token::Gap);
        let mut found: Option<Match> = None;
        for (at, state) in states.iter().enumerate() {
            let ends = self.tokens.get(at).is_none_or(|token| *token == Token::Char('/'));
            if let Some(literal) = state
                && ends
            {
                let named = match gap {
                    None => true,
                    Some(gap) => (at > gap || literal.1 > 3) && is_named(path, *literal),
                };
                if named || found.is_none() {
                    found = Some(Match { inside: true, is_named: named });
                }
            }
        }
        found
    }

    fn step(
        &self,
        states: &[Option<Literal>],
        c: char,
        hidden: bool,
        next: &mut Vec<Option<Literal>>,
    ) {
        next.clear();
        next.resize(states.len(), None);
        let dot = hidden && c == '.';
        let shift = |(before, now): Literal| if c == '/' { (now, 0) } else { (before, now) };
        for (at, state) in states.iter().enumerate() {
            let (Some(literal), Some(token)) = (state, self.tokens.get(at)) else { continue };
            let (moves, stays) = match token {
                Token::Char(_) => (self.is_char(token, c), false),
                Token::One => (c != '/' && !dot, false),
                Token::Set { ranges, negated } => {
                    let holds =
                        |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
                    let other = [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
                    let within = holds(c) || (self.blind && other.into_iter().any(holds));
                    (c != '/' && !dot && within != *negated, false)
                }
                Token::Star => (false, c != '/' && !dot),
                Token::Name => (false, c != '/'),
                Token::Gap => (false, true),
            };
            let mut after = shift(*literal);
            if stays {
                raise(next.get_mut(at), after);
            }
            if moves {
                if matches!(token, Token::Char(_)) && c != '/' {
                    after.1 = after.1.saturating_add(1);
                }
                raise(next.get_mut(at.saturating_add(1)), after);
            }
        }
        self.skip(next);
    }

    /// Stars and gaps may be empty.
    fn skip(&self, states: &mut [Option<Literal>]) {
        for (at, token) in self.tokens.iter().enumerate() {
            if let (Token::Star | Token::Name | Token::Gap, Some(Some(literal))) =
                (token, states.get(at).copied())
            {
                raise(states.get_mut(at.saturating_add(1)), literal);
            }
        }
    }
}

/// So many components and the slash behind them, or everything if one of them has a gap.
fn window(tokens: &[Token], components: usize) -> Option<&[Token]> {
    let slashes = tokens.iter().enumerate().filter(|(_, token)| **token == Token::Char('/'));
    let end = slashes.map(|(at, _)| at.saturating_add(1)).nth(components.saturating_sub(1));
    let window = tokens.get(..end.unwrap_or(tokens.len()))?;
    Some(if window.contains(&Token::Gap) { tokens } else { window })
}

/// Stands for what `mktemp` prints.
pub(crate) const TEMPORARY: &str = "/tmp/mktemp";

/// Whether code prints the name of a new file and nothing else.
pub(crate) fn is_temporary(code: &str) -> bool {
    code.split_ascii_whitespace().next() == Some("mktemp")
        && !code.contains([';', '|', '&', '\n', '$', '`', '>'])
}

/// A name that hardly anything else has.
pub(crate) fn is_distinctive(name: &str) -> bool {
    name.ends_with(".rules")
        || (name.starts_with('.') && !matches!(name, ".claude" | ".config" | ".local" | ".git"))
}

fn is_named(path: &[char], (before, now): Literal) -> bool {
    let name = last(path);
    let parent = path.get(..path.len().saturating_sub(name.len()).saturating_sub(1)).map(last);
    let hidden = parent.filter(|parent| parent.first() == Some(&'.'));
    let text: String = name.iter().collect();
    now == name.len()
        || hidden.is_some_and(|parent| before == parent.len())
        || (now > 3 && is_distinctive(&text))
}

fn last(path: &[char]) -> &[char] {
    path.rsplit(|character| *character == '/').next().unwrap_or_default()
}

fn raise(state: Option<&mut Option<Literal>>, literal: Literal) {
    if let Some(state) = state
        && state.is_none_or(|old| (old.1, old.0) < (literal.1, literal.0))
    {
        *state = Some(literal);
    }
}

fn literal<'t>(character: char, rest: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    tokens.push(Token::Char(character));
    rest
}

/// What stands behind a `$`.
fn dollar<'t>(
    text: &'t str,
    value: &dyn Fn(&str) -> Option<String>,
    tokens: &mut Vec<Token>,
) -> &'t str {
    let (name, rest) = match text.chars().next() {
        Some('(') => {
            let rest = balanced(text, '(', ')');
            let length = text.len().saturating_sub(rest.len());
            let code = text.get(1..length.saturating_sub(1)).unwrap_or_default().trim();
            if code == "pwd" {
                ("PWD", rest)
            } else if is_temporary(code) {
                tokens.extend(TEMPORARY.chars().map(Token::Char));
                return rest;
            } else {
                let plain = !code.contains([';', '|', '&', '\n']);
                let name = plain && PRINT_NAMES.iter().any(|start| code.starts_with(start));
                tokens.push(if name { Token::Name } else { Token::Gap });
                return rest;
            }
        }
        Some('{') => {
            let rest = balanced(text, '{', '}');
            let length = text.len().saturating_sub(rest.len());
            (text.get(1..length.saturating_sub(1)).unwrap_or_default(), rest)
        }
        Some(first) if first.is_alphabetic() || first == '_' => {
            let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
            (text.get(..end).unwrap_or_default(), text.get(end..).unwrap_or_default())
        }
        Some(other) => ("", text.get(other.len_utf8()..).unwrap_or_default()),
        None => {
            tokens.push(Token::Char('$'));
            return "";
        }
    };
    match value(name.split([':', '-', '%', '#', '/']).next().unwrap_or_default()) {
        Some(known) => tokens.extend(known.chars().map(Token::Char)),
        None => tokens.push(Token::Gap),
    }
    rest
}

/// What stands behind the closing one of a pair that the text begins with.
fn balanced(text: &str, open: char, close: char) -> &str {
    let mut depth: usize = 0;
    for (at, character) in text.char_indices() {
        if character == open {
            depth = depth.saturating_add(1);
        } else if character == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return text.get(at.saturating_add(1)..).unwrap_or_default();
            }
        }
    }
    ""
}

/// `[…]`; classes such as `[:alpha:]` stand for everything.
fn set(text: &str) -> Option<(Token, &str)> {
    let negated = text.starts_with(['!', '^']);
    let body = if negated { text.get(1..)? } else { text };
    if body.contains("[:") || body.contains("[=") || body.contains("[.") {
        let end = body.rfind(']')?;
        return Some((Token::One, body.get(end.saturating_add(1)..)?));
    }
    // The first one may be a `]` itself.
    let skip = body.chars().next()?.len_utf8();
    let end = body.get(skip..)?.find(']')?.saturating_add(skip);
    let mut ranges = Vec::new();
    let mut characters = body.get(..end)?.chars().peekable();
    while let Some(from) = characters.next() {
        let mut ahead = characters.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) => {
                ranges.push((from, to));
                characters = ahead;
            }
            _ => ranges.push((from, from)),
        }
    }
    Some((Token::Set { ranges, negated }, body.get(end.saturating_add(1)..)?))
}
