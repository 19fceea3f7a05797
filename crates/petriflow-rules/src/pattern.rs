//! Patterns of maps: bare words and regexes.

use regex_syntax::ast::parse::ParserBuilder as AstParser;
use regex_syntax::ast::{
    Ast, ClassPerlKind, ClassSet, ClassSetItem, Flag, Flags, RepetitionKind, RepetitionRange,
};
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{Error as SyntaxError, ParserBuilder};

use crate::code::Code;
use crate::names::Problem;

/// A bare word is found where no letter, digit or `_` is right before or after it.
pub(crate) fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

pub(crate) const QUOTES: [char; 7] = ['"', '\'', '`', '“', '”', '‘', '’'];

/// A bare word begins and ends with a word character, or its ends would never be found; and it has
/// nothing in it that looks like a regex.
pub(crate) fn check_word(word: &str) -> Result<(), Problem> {
    let is_inner = |c: char| is_word_character(c) || matches!(c, '-' | '.' | ':' | '/' | '@' | '=');
    let ends = word.starts_with(is_word_character) && word.ends_with(is_word_character);
    if ends && word.chars().all(is_inner) {
        return Ok(());
    }
    let help = match word.starts_with(QUOTES) {
        true => {
            let bare = word.trim_matches(QUOTES);
            format!(
                "patterns are not quoted; write `{bare}` for a word or `/{}/` for a regex",
                escaped(bare)
            )
        }
        false => {
            format!("bare words match whole words only; write `/{}/` for a regex", as_regex(word))
        }
    };
    Err(Problem::new(Code::NeedsRegex, format!("`{word}` is not a bare word"), help))
}

/// The regex that was probably meant: the text itself if it says something as a regex.
fn as_regex(text: &str) -> String {
    let special = [".*", ".+", "|", "[", "(", "\\s", "\\b", "\\d", "\\w"];
    let meant = text.replace('/', "\\/");
    let is_meant =
        special.iter().any(|special| text.contains(special)) && check_regex(&meant).is_ok();
    if is_meant { meant } else { escaped(text) }
}

/// The regex that finds a text as it is.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\.+*?()|[]{}^$/".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Whether a regex can be used, and what is wrong with it if not.
pub(crate) fn check_regex(regex: &str) -> Result<(), Problem> {
    if regex.is_empty() {
        let help = "write what to look for, or `/.*/` for every call";
        return Err(Problem::new(Code::BadRegex, "this regex is empty", help));
    }
    // Reading a regex is enough to know that it is valid, except for classes of Unicode by name:
    // working out what each of its classes holds would take ten times as long.
    let ast = AstParser::new().nest_limit(NESTING_MAX).build().parse(regex);
    let ast = ast.map_err(|error| invalid(&SyntaxError::Parse(error)))?;
    let size = Size::of(&ast);
    if size.is_particular {
        parse_regex(regex).map_err(|error| invalid(&error))?;
    }
    if size.is_counted_high {
        let message = format!("this regex counts to more than {COUNT_MAX}");
        let help = "matching it would take long; write `+` or `*`, or a smaller count";
        return Err(Problem::new(Code::BadRegex, message, help));
    }
    if size.states > SIZE_MAX {
        let help = "make its counts smaller, or write `[A-Za-z0-9_]` for `\\w`, which stands for all letters there are";
        return Err(Problem::new(Code::BadRegex, "this regex is too large", help));
    }
    Ok(())
}

/// At most how large a regex is, about, once it was checked. Most can be told without reading them.
pub(crate) fn size(regex: &str) -> u64 {
    if !regex.contains('{') {
        let classes = regex.matches(['w', 'W', 'd', 'D', 'p', 'P']).count() as u64;
        let escapes = regex.matches('\\').count() as u64;
        return (regex.len() as u64)
            .saturating_mul(10)
            .saturating_add(classes.min(escapes).saturating_mul(NAMED_CLASS));
    }
    let ast = AstParser::new().nest_limit(NESTING_MAX).build().parse(regex);
    ast.map_or(u64::MAX, |ast| Size::of(&ast).states)
}

/// States that one regex may need, about; and levels of groups. All regexes of a policy together
/// may need [`ALL_SIZE_MAX`], so that the table of its maps can surely be built when it is needed.
const SIZE_MAX: u64 = 100_000;
/// The highest count in braces.
const COUNT_MAX: u32 = 1_000;
pub(crate) const ALL_SIZE_MAX: u64 = 1_000_000;
const NESTING_MAX: u32 = 100;

/// About how many states a regex needs.
struct Size {
    states: u64,
    /// Whether it has classes by name or flags that only a translation can check.
    is_particular: bool,
    is_counted_high: bool,
}

impl Size {
    fn of(ast: &Ast) -> Self {
        let mut size = Self { states: 0, is_particular: false, is_counted_high: false };
        size.states = size.count(ast);
        size
    }

    fn count(&mut self, ast: &Ast) -> u64 {
        match ast {
            Ast::Empty(_) | Ast::Assertion(_) | Ast::Literal(_) => 1,
            Ast::Dot(_) => 10,
            Ast::Flags(set) => {
                self.is_particular |= turns_off_unicode(&set.flags);
                1
            }
            Ast::ClassUnicode(_) => {
                self.is_particular = true;
                NAMED_CLASS
            }
            Ast::ClassPerl(class) => perl_size(&class.kind),
            Ast::ClassBracketed(class) => self.count_class(&class.kind),
            Ast::Repetition(repetition) => {
                let times = match &repetition.op.kind {
                    RepetitionKind::Range(
                        RepetitionRange::Exactly(n) | RepetitionRange::AtLeast(n),
                    ) => *n,
                    RepetitionKind::Range(RepetitionRange::Bounded(_, n)) => *n,
                    _ => 1,
                };
                self.count(&repetition.ast)
                    .saturating_mul(u64::from(times.max(1)))
                    .saturating_add(1)
            }
            Ast::Group(group) => {
                self.is_particular |= group.flags().is_some_and(turns_off_unicode);
                self.count(&group.ast)
            }
            Ast::Alternation(parts) => self.sum(&parts.asts),
            Ast::Concat(parts) => self.sum(&parts.asts),
        }
    }

    fn sum(&mut self, parts: &[Ast]) -> u64 {
        parts.iter().fold(1, |sum, part| u64::saturating_add(sum, self.count(part)))
    }

    fn count_class(&mut self, class: &ClassSet) -> u64 {
        match class {
            ClassSet::Item(item) => self.count_item(item),
            ClassSet::BinaryOp(op) => {
                self.count_class(&op.lhs).saturating_add(self.count_class(&op.rhs))
            }
        }
    }

    fn count_item(&mut self, item: &ClassSetItem) -> u64 {
        match item {
            ClassSetItem::Unicode(_) => {
                self.is_particular = true;
                NAMED_CLASS
            }
            ClassSetItem::Perl(class) => perl_size(&class.kind),
            ClassSetItem::Bracketed(class) => self.count_class(&class.kind),
            ClassSetItem::Union(union) => union
                .items
                .iter()
                .fold(1, |sum, item| u64::saturating_add(sum, self.count_item(item))),
            _ => 8,
        }
    }
}

/// Without Unicode a regex could match in the middle of a character, which is an error then.
fn turns_off_unicode(flags: &Flags) -> bool {
    flags.flag_state(Flag::Unicode) == Some(false)
}

/// A class such as `\p{Greek}` has up to some hundred ranges.
const NAMED_CLASS: u64 = 1_500;

fn perl_size(kind: &ClassPerlKind) -> u64 {
    match kind {
        ClassPerlKind::Digit => 150,
        ClassPerlKind::Space => 20,
        ClassPerlKind::Word => 1_500,
    }
}

/// A dot finds line ends too: a pattern must not be evaded by a new line.
pub(crate) fn parse_regex(regex: &str) -> Result<Hir, Box<SyntaxError>> {
    let mut parser =
        ParserBuilder::new().dot_matches_new_line(true).nest_limit(NESTING_MAX).build();
    parser.parse(regex).map_err(Box::new)
}

/// What is wrong with a regex, and what to do.
fn invalid(error: &SyntaxError) -> Problem {
    use regex_syntax::ast::ErrorKind as Ast;
    let SyntaxError::Parse(parse) = error else {
        let what = match error {
            SyntaxError::Translate(translate) => translate.kind().to_string(),
            _ => "it cannot be understood".into(),
        };
        let help = "write the characters themselves, such as `[A-Za-z]`";
        return Problem::new(Code::BadRegex, format!("this regex is not valid: {what}"), help);
    };
    let help = match parse.kind() {
        Ast::UnsupportedLookAround => {
            "patterns run in linear time and cannot look around (`(?=`, `(?!`, `(?<=`, `(?<!`); \
             put what must not match into a `map` of its own before this one"
        }
        Ast::UnsupportedBackreference => {
            "patterns run in linear time and cannot refer back; write what is to be repeated"
        }
        Ast::GroupUnclosed | Ast::GroupUnopened => {
            "write `\\(` and `\\)` for the characters themselves"
        }
        Ast::ClassUnclosed => "write `\\[` for the character itself",
        Ast::RepetitionMissing => "write `\\*`, `\\+` or `\\?` for the characters themselves",
        Ast::FlagUnrecognized | Ast::FlagDuplicate { .. } => {
            "the flags are `i`, `m`, `s`, `x`, `U` and `u`, as in `(?i)`; there is no look-around"
        }
        _ => "correct the regex; `\\` makes a special character an ordinary one",
    };
    Problem::new(Code::BadRegex, format!("this regex is not valid: {}", parse.kind()), help)
}

/// Whether every text that has something in it matches: `.*`, `.`, `x*`, `^`.
pub(crate) fn matches_everything(regex: &str) -> bool {
    let Ok(hir) = parse_regex(regex) else { return false };
    let properties = hir.properties();
    let finds_nothing = properties.minimum_len() == Some(0) && properties.look_set().is_empty();
    says_everything(regex) || finds_nothing || is_any_character(&hir)
}

/// Whether it is a usual way to write that everything matches.
pub(crate) fn says_everything(regex: &str) -> bool {
    let usual = [".*", ".+", ".", "^", "$", "^.*", ".*$", "^.*$", "^.+", ".+$", "^.+$", "(?s).*"];
    usual.contains(&regex)
}

/// `.` or `.+`, perhaps in groups.
fn is_any_character(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let mut left = class.clone();
            left.negate();
            left.ranges().is_empty()
        }
        HirKind::Repetition(repeated) => repeated.min <= 1 && is_any_character(&repeated.sub),
        HirKind::Capture(capture) => is_any_character(&capture.sub),
        _ => false,
    }
}
