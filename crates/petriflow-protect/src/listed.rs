//! Files that another command lists: `find … -delete`, `find … -exec`, `… | xargs`.
//!
//! Such a list is harmless if where it begins, or the names it asks for, cannot be protected.

use std::path::Path;

use petriflow_shell::{Command, Connective, Dynamic, Word};

use crate::bases::{Bases, Found};
use crate::pattern::Pattern;
use crate::roots::Roots;

/// A file that stands for those inside a protected directory.
const SAMPLE: &str = "policy.rules";

/// What of the protected a `find` may list.
pub(crate) fn find(words: &[Word], bases: &Bases<'_>, roots: &Roots) -> Option<Found> {
    let arguments = words.get(1..).unwrap_or_default();
    let is_path = |word: &&Word| !word.text.starts_with(['-', '(', '!', ')']);
    let options = arguments
        .iter()
        .take_while(|word| matches!(word.text.as_str(), "-L" | "-H" | "-P"))
        .count();
    let behind = arguments.get(options..).unwrap_or_default();
    let count = behind.iter().take_while(is_path).count();
    let (starts, tests) = behind.split_at_checked(count).unwrap_or((behind, &[]));
    let here = [Word { text: ".".to_owned(), dynamic: None }];
    let starts = if starts.is_empty() { &here[..] } else { starts };
    if let Some(root) = asked(tests, roots) {
        return Some(Found::Inside(root));
    }
    for start in starts {
        match bases.look(start) {
            Some(Found::Above(_)) => {
                for from in bases.starts(start) {
                    let reached = roots
                        .below(&from)
                        .into_iter()
                        .find(|(_, tail)| reaches(tests, &start.text, &from, tail));
                    if let Some((root, _)) = reached {
                        return Some(Found::Above(root));
                    }
                }
            }
            Some(found) => return Some(found),
            None => {}
        }
    }
    None
}

/// What is protected in any directory and asked for by name.
fn asked(tests: &[Word], roots: &Roots) -> Option<usize> {
    if tests.iter().any(|word| word.text == "-prune") {
        return None;
    }
    let mut before = "";
    for pair in tests.windows(2) {
        let [test, value] = pair else { continue };
        let negated = matches!(std::mem::replace(&mut before, &test.text), "!" | "-not");
        let pattern = match test.text.as_str() {
            "-name" | "-iname" => Pattern::new(&value.text, &|_| None),
            "-path" | "-wholename" | "-ipath" | "-iwholename" => {
                Pattern::new(&value.text.replace('*', "**"), &|_| None)
            }
            _ => continue,
        };
        if !negated && let Some(root) = roots.called(&pattern.somewhere(), true) {
            return Some(root);
        }
    }
    None
}

/// Whether the tests of a `find` let through a path below its start, a folder around it, which is
/// taken with it, or a file in it.
fn reaches(tests: &[Word], start: &str, from: &Path, tail: &Path) -> bool {
    // With alternatives a test decides nothing.
    if tests.iter().any(|word| matches!(word.text.as_str(), "-o" | "-or" | ",")) {
        return true;
    }
    let inner = tail.join(SAMPLE);
    inner.ancestors().any(|tail| passes(tests, &Candidate { start, from, tail }))
}

/// A path that a `find` may list.
struct Candidate<'a> {
    start: &'a str,
    from: &'a Path,
    tail: &'a Path,
}

/// Whether all tests that are understood let a path through.
fn passes(tests: &[Word], path: &Candidate<'_>) -> bool {
    let mut negated = false;
    let mut rest = tests.iter();
    while let Some(test) = rest.next() {
        let text = test.text.as_str();
        if matches!(text, "!" | "-not") {
            negated = true;
            continue;
        }
        let positive = !std::mem::take(&mut negated);
        let number = |word: Option<&Word>| word.and_then(|word| word.text.parse::<usize>().ok());
        let depth = path.tail.iter().count();
        let excludes = match text {
            "-empty" => true,
            "-name" | "-iname" => rest.next().is_some_and(|value| !path.is_called(value)),
            "-path" | "-wholename" | "-ipath" | "-iwholename" => {
                rest.next().is_some_and(|value| !path.is_at(value))
            }
            "-maxdepth" => number(rest.next()).is_some_and(|most| most < depth),
            "-mindepth" => number(rest.next()).is_some_and(|least| least > depth),
            "-type" => rest.next().is_some_and(|value| !path.is_of(&value.text)),
            _ => false,
        };
        if positive && excludes {
            return false;
        }
    }
    true
}

impl Candidate<'_> {
    /// Whether a pattern for names fits.
    fn is_called(&self, value: &Word) -> bool {
        let whole = self.from.join(self.tail);
        let start = self.start.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let name = whole.file_name().filter(|_| !self.tail.as_os_str().is_empty());
        let name =
            name.map_or_else(|| start.to_owned(), |name| name.to_string_lossy().into_owned());
        Pattern::new(&lower(&value.text), &|_| None).matches(&lower(&name))
    }

    /// Whether a pattern for whole paths, in which `*` stands for slashes too, fits.
    fn is_at(&self, value: &Word) -> bool {
        let pattern = Pattern::new(&lower(&value.text).replace('*', "**"), &|_| None);
        pattern.matches(&lower(&Path::new(self.start).join(self.tail).to_string_lossy()))
    }

    /// Whether it is of one of these types (`f`, `d`, `l`), as far as it is there.
    fn is_of(&self, types: &str) -> bool {
        let Ok(metadata) = std::fs::symlink_metadata(self.from.join(self.tail)) else {
            // The file that stands for those in a folder.
            return !self.tail.ends_with(SAMPLE) || types.contains('f');
        };
        let own = if metadata.is_dir() {
            'd'
        } else if metadata.is_symlink() {
            'l'
        } else {
            'f'
        };
        types.contains(own)
    }
}

fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// What of the protected the input of a command's `xargs` may list.
pub(crate) fn piped(
    commands: &[Command],
    at: usize,
    bases: &Bases<'_>,
    roots: &Roots,
) -> Option<Found> {
    let wrapper = commands.get(at).map(|command| command.wrappers.as_slice()).unwrap_or_default();
    if wrapper.iter().any(|wrapper| {
        wrapper
            .words
            .iter()
            .any(|word| word.text.starts_with("-a") || word.text.starts_with("--arg-file"))
    }) {
        return Some(Found::Unsure);
    }
    let mut position = at;
    loop {
        if commands.get(position).is_none_or(|command| command.connective != Connective::Pipe) {
            return Some(Found::Unsure);
        }
        let Some(before) = position.checked_sub(1).and_then(|before| commands.get(before)) else {
            return Some(Found::Unsure);
        };
        position = position.saturating_sub(1);
        let words = before.words.as_slice();
        let operands = || words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let has = |test: &dyn Fn(&str) -> bool| words.iter().skip(1).any(|word| test(&word.text));
        let hidden = has(&|text| {
            text.starts_with("--hidden")
                || text.starts_with("--no-ignore")
                || crate::programs::cluster(text, "uHI.")
        });
        match before.program() {
            // They pass on lines that they read.
            Some("head" | "tail" | "sort" | "uniq" | "cat")
                if operands().all(|word| word.text.parse::<u64>().is_ok()) => {}
            Some("grep" | "egrep" | "fgrep") if !lists(words) && operands().count() <= 1 => {}
            Some("find") => return find(words, bases, roots),
            Some("grep" | "egrep" | "fgrep") if operands().count() < 2 => {
                return trees([Word { text: ".".into(), dynamic: None }].iter(), bases);
            }
            Some("grep" | "egrep" | "fgrep") => return trees(operands().skip(1), bases),
            // They leave out what is hidden.
            Some("rg" | "fd" | "fdfind" | "ag") if !hidden => return inside(operands(), bases),
            Some("ls") if !has(&|text| crate::programs::cluster(text, "aAR")) => {
                let mut found = operands();
                return match found.next() {
                    None => inside([open("*")].iter(), bases),
                    Some(_) => inside(operands(), bases),
                };
            }
            Some("echo" | "printf") => {
                let operands: Vec<&Word> = operands().collect();
                let Some(printed) = printed(before.program(), &operands) else {
                    return Some(Found::Unsure);
                };
                let pieces: Vec<Word> = printed.iter().flat_map(pieces).collect();
                return trees(pieces.iter(), bases);
            }
            Some("git") => return tracked(words, bases),
            _ => return Some(Found::Unsure),
        }
    }
}

/// A pattern that a shell would expand.
fn open(text: &str) -> Word {
    let dynamic = Dynamic { what: text.to_owned(), many: true, printed: false };
    Word { text: text.to_owned(), dynamic: Some(dynamic) }
}

/// What `xargs` puts the names it reads in place of.
pub(crate) fn marker(command: &Command) -> Option<&str> {
    let wrapper = command.wrappers.iter().find(|wrapper| {
        let name = wrapper.words.first().map_or("", |word| word.text.as_str());
        matches!(name.rsplit('/').next(), Some("xargs" | "parallel"))
    })?;
    let mut words = wrapper.words.iter().skip(1).map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word.strip_prefix("-I") {
            Some("") => return words.next(),
            Some(attached) => return Some(attached),
            None => {}
        }
    }
    Some("{}")
}

/// Whether a search prints names of files.
fn lists(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| {
        crate::programs::cluster(&word.text, "lLrR")
            || word.text.starts_with("--files")
            || word.text == "--recursive"
    })
}

/// What `echo` or `printf` prints, if it can be told.
fn printed(program: Option<&str>, operands: &[&Word]) -> Option<Vec<Word>> {
    let plain: Vec<Word> = operands.iter().map(|word| (*word).clone()).collect();
    // `\056` may be a dot.
    let coded = |word: &Word| {
        word.text.split('\\').skip(1).any(|behind| {
            let mut ahead = behind.chars();
            match ahead.next() {
                Some('n' | 't') => false,
                Some('0') => ahead.next().is_some_and(|c| c.is_ascii_digit()),
                _ => true,
            }
        })
    };
    if plain.iter().any(coded) {
        return None;
    }
    let (format, values) = plain.split_first()?;
    if program != Some("printf") || !format.text.contains('%') {
        return Some(plain);
    }
    let mut values = values.iter().peekable();
    let mut printed = Vec::new();
    loop {
        let mut text = String::new();
        let mut dynamic = format.dynamic.clone();
        let mut parts = format.text.split('%');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let behind = part.strip_prefix(['s', 'b', 'd', 'q'])?;
            if let Some(value) = values.next() {
                text.push_str(&value.text);
                dynamic = dynamic.or_else(|| value.dynamic.clone());
            }
            text.push_str(behind);
        }
        printed.push(Word { text, dynamic });
        if values.peek().is_none() {
            // Formats without a space put their texts side by side.
            let whole: String = printed.iter().map(|word| word.text.as_str()).collect();
            let dynamic = printed.iter().find_map(|word| word.dynamic.clone());
            printed.push(Word { text: whole, dynamic });
            return Some(printed);
        }
    }
}

/// The texts that `xargs` may make of what it reads, whatever separates them.
fn pieces(word: &Word) -> Vec<Word> {
    let text = word.text.replace("\\n", "\n").replace("\\0", "\n").replace("\\t", "\n");
    let separated = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '|'));
    text.split_whitespace()
        .chain(separated)
        .filter(|piece| !piece.is_empty())
        .map(|piece| Word { text: piece.to_owned(), dynamic: word.dynamic.clone() })
        .collect()
}

fn trees<'w>(mut words: impl Iterator<Item = &'w Word>, bases: &Bases<'_>) -> Option<Found> {
    words.find_map(|word| bases.look(word))
}

fn inside<'w>(mut words: impl Iterator<Item = &'w Word>, bases: &Bases<'_>) -> Option<Found> {
    words.find_map(|word| bases.look(word).filter(|found| !matches!(found, Found::Above(_))))
}

/// `git ls-files`, `git diff --name-only`, `git grep -l` with patterns that name what they list.
fn tracked(words: &[Word], bases: &Bases<'_>) -> Option<Found> {
    let specs: Vec<&Word> =
        words.iter().skip(2).filter(|word| !word.text.starts_with('-')).collect();
    let star = |text: &str| text.strip_prefix('*').map(str::to_owned);
    let narrow = |word: &&Word| {
        let suffix = star(&word.text);
        let pattern = Word {
            text: format!("**/*{}", suffix.clone().unwrap_or_default()),
            dynamic: word.dynamic.clone(),
        };
        match suffix {
            Some(suffix) => {
                suffix.len() > 2
                    && !suffix.contains(['*', '?', '['])
                    && !matches!(suffix.as_str(), ".rules" | ".json" | ".toml")
            }
            None => {
                bases.look(word).is_none()
                    && bases.look(&pattern).is_none()
                    && word.known().is_some()
            }
        }
    };
    let lists =
        matches!(words.get(1).map(|word| word.text.as_str()), Some("ls-files" | "diff" | "grep"));
    (!lists || specs.is_empty() || !specs.iter().all(narrow)).then_some(Found::Unsure)
}
