//! Builtins that run text, or that change what later words mean.

use super::{Invocation, Shows, Walked, Walker};
use crate::command::{Connective, Context, Nature, Word};
use crate::open::{Scope, Text, settings};

impl Walker {
    /// Lists a builtin, or gives the invocation back if it is not one that matters.
    pub(super) fn builtin(&mut self, invocation: Invocation) -> Walked<Result<Shows, Invocation>> {
        let name = invocation.words.first().map_or("", |word| word.text.as_str());
        match name {
            "eval" => self.eval(invocation).map(Ok),
            "." | "source" => self.source(invocation).map(Ok),
            "trap" => self.trap(invocation).map(Ok),
            "alias" => self.alias(invocation).map(Ok),
            "export" | "declare" | "typeset" | "local" | "readonly" | "integer" | "float" => {
                self.declare(invocation).map(Ok)
            }
            "read" | "mapfile" | "readarray" | "getopts" | "let" | "unset" | "wait" | "vared" => {
                self.changes_variables(invocation).map(Ok)
            }
            "printf"
                if invocation
                    .words
                    .get(1)
                    .is_some_and(|word| word.is_many() || word.text.starts_with("-v")) =>
            {
                self.changes_variables(invocation).map(Ok)
            }
            "set" | "setopt" | "unsetopt" => self.set(invocation).map(Ok),
            // With this option it sets what `set -o` does.
            "shopt" if has_option(&invocation, 'o') => self.set(invocation).map(Ok),
            "test" | "[" => {
                let named =
                    invocation.words.iter().any(|word| matches!(word.text.as_str(), "-v" | "-R"));
                self.evaluates |= named || invocation.words.iter().any(Word::is_dynamic);
                for word in invocation.words.iter().skip(1).filter(|_| named) {
                    self.taint.looks_at(&word.text);
                }
                self.emit(invocation, Nature::Plain).map(Ok)
            }
            "exit" | "return" | "logout" | "bye" => {
                let fails = |word: &Word| {
                    word.known().and_then(|text| text.parse::<u8>().ok()).is_some_and(|n| n > 0)
                };
                let ends = !invocation.words.get(1).is_some_and(fails);
                let shows = self.emit(invocation, Nature::Plain)?;
                if ends {
                    self.end();
                }
                Ok(Ok(shows))
            }
            "hash" if invocation.words.len() == 1 || has_only(&invocation, "-r") => {
                Ok(Err(invocation))
            }
            "enable" | "bind" | "complete" | "compgen" | "compopt" | "compctl" | "fc" | "r"
            | "emulate" | "zmodload" | "autoload" | "sched" | "zle" | "hash" | "rehash"
            | "disable" | "functions" => {
                let language = name.to_owned();
                self.emit(invocation, Nature::Opaque { language }).map(Ok)
            }
            _ => Ok(Err(invocation)),
        }
    }

    fn eval(&mut self, invocation: Invocation) -> Walked<Shows> {
        let wrapper = vec![Word::literal("eval")];
        let mut arguments = invocation.words.iter().skip(1).peekable();
        arguments.next_if(|word| word.text == "--");
        let text = join(arguments);
        if text.dynamic.is_some() {
            self.variables.forget_all();
            self.text_or_end(invocation, wrapper, text)
        } else {
            let text = Text { wrapper, text, scope: Scope::Same, effects: Context::default() };
            self.text_of(invocation, text)
        }
    }

    fn text_or_end(
        &mut self,
        invocation: Invocation,
        wrapper: Vec<Word>,
        text: Word,
    ) -> Walked<Shows> {
        let text = Text { wrapper, text, scope: Scope::Same, effects: Context::default() };
        let shows = self.text_of(invocation, text)?;
        self.end();
        Ok(shows)
    }

    fn source(&mut self, invocation: Invocation) -> Walked<Shows> {
        let what = invocation.words.get(1).map_or_else(String::new, |word| word.text.clone());
        let shows = self.emit(invocation, Nature::Dynamic { what })?;
        self.variables.forget_all();
        self.end();
        Ok(shows)
    }

    /// The code of a trap runs at any time after it, or never.
    fn trap(&mut self, invocation: Invocation) -> Walked<Shows> {
        let mut arguments = invocation.words.iter().skip(1).peekable();
        arguments.next_if(|word| word.text == "--");
        let code = arguments.next().cloned();
        let resets = |word: &Word| matches!(word.known(), Some("-" | "" | "-l" | "-p"));
        let (Some(code), true) = (code.filter(|code| !resets(code)), arguments.next().is_some())
        else {
            return self.emit(invocation, Nature::Plain);
        };
        self.trapped = true;
        self.variables.off = true;
        let effects = Context { function: true, ..Context::default() };
        let wrapper = vec![Word::literal("trap")];
        self.text_of(invocation, Text { wrapper, text: code, scope: Scope::Same, effects })?;
        Ok(false)
    }

    /// Whether aliases are expanded depends on the shell: their text is listed where they are
    /// defined, and where they may be used.
    fn alias(&mut self, invocation: Invocation) -> Walked<Shows> {
        let span = invocation.span.clone();
        let mut texts = Vec::new();
        for word in invocation.words.iter().skip(1) {
            if word.text == "-p" || word.text == "--" {
                continue;
            }
            let definition = word.known().and_then(|text| text.split_once('='));
            let is_name =
                word.known().is_some_and(|text| !text.contains('=') && !text.starts_with('-'));
            match definition {
                // A blank at the end makes the next word an alias too.
                Some((name, value))
                    if is_alias_name(name) && !value.ends_with([' ', '\t', '\n']) =>
                {
                    texts.push((name.to_owned(), value.to_owned()));
                }
                None if is_name => {}
                _ => {
                    let what = word.text.clone();
                    return self.emit(invocation, Nature::Dynamic { what });
                }
            }
        }
        let shows = self.emit(invocation, Nature::Plain)?;
        for (name, value) in texts {
            let inner =
                |walker: &mut Self| walker.uncertainly(|walker| walker.nested(&value, &span));
            self.within(|context| context.function = true, inner)?;
            self.taint.defines(&name);
            self.aliases.entry(name).or_default().push(value);
            self.next = Some(Connective::Sequence);
        }
        Ok(shows)
    }

    fn declare(&mut self, mut invocation: Invocation) -> Walked<Shows> {
        let exports = invocation.words.first().is_some_and(|word| word.text == "export");
        let options: String = invocation
            .words
            .iter()
            .skip(1)
            .filter(|word| word.text.starts_with(['-', '+']))
            .map(|word| word.text.as_str())
            .collect();
        let integers = options.contains(['i', 'F', 'E'])
            || invocation
                .words
                .first()
                .is_some_and(|word| matches!(word.text.as_str(), "integer" | "float"));
        if options.contains('n') && !exports {
            // A reference: what is assigned to it is assigned to another variable.
            self.variables.off = true;
            invocation.setting.get_or_insert_with(|| "a reference".to_owned());
        }
        // Not every shell knows the others: the old value may remain.
        let follows = exports && options.is_empty();
        // Subscripts, integers and arrays given as text are evaluated.
        self.evaluates = true;
        for word in invocation.words.iter().skip(1) {
            let (name, value) = match word.text.split_once('=') {
                Some((name, value)) => (name.trim_end_matches('+'), value),
                None => (word.text.as_str(), ""),
            };
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            // The name itself is not known: it could be any setting.
            if word.is_dynamic() && (word.is_many() || !is_name || !word.text.contains('=')) {
                self.variables.off = true;
                invocation.setting.get_or_insert_with(|| "environment".to_owned());
            } else if is_name && !word.text.contains('=') {
                self.variables.set(name, None);
            } else if is_name {
                let value = Word { text: value.to_owned(), dynamic: word.dynamic.clone() };
                let code = settings::code(name, &value);
                let known = value
                    .known()
                    .filter(|_| follows && !word.text.contains("+="))
                    .map(str::to_owned);
                self.home_set |= name == "HOME";
                self.variables.set(name, known);
                if !follows {
                    self.variables.pin(name);
                }
                invocation.setting = invocation.setting.take().or(code);
            } else if let Some((base, _)) = name.split_once('[') {
                // An element, and the first one is the variable's value.
                self.variables.set(base, None);
                self.variables.pin(base);
                self.taint.looks_at(&word.text);
                let code = settings::code(base, &Word::unknown("", false));
                invocation.setting = invocation.setting.take().or(code);
            }
            if integers {
                self.taint.looks_at(&word.text);
            }
        }
        self.emit(invocation, Nature::Plain)
    }

    /// Builtins that set the variables they are told; what they look at may be evaluated.
    fn changes_variables(&mut self, mut invocation: Invocation) -> Walked<Shows> {
        self.variables.forget_all();
        self.evaluates = true;
        let name = invocation.words.first().map_or("", |word| word.text.as_str());
        let callback = matches!(name, "mapfile" | "readarray") && has_option(&invocation, 'C');
        for word in invocation.words.iter().skip(1) {
            // A word that is not known could name any variable.
            self.variables.splitting_unknown |= word.text.contains("IFS") || word.is_dynamic();
            self.home_set |= word.text == "HOME";
            let name = word.text.split(['=', '[']).next().unwrap_or_default();
            let code = settings::code(name, &Word::unknown("", false));
            if invocation.setting.is_none() {
                invocation.setting = code;
            }
        }
        let unknown = self.note_names(&invocation);
        let nature = if unknown {
            Nature::Dynamic { what: "a variable whose name is not known".to_owned() }
        } else if callback {
            Nature::Dynamic { what: "a callback".to_owned() }
        } else {
            Nature::Plain
        };
        self.emit(invocation, nature)
    }

    /// Notes which variables are set from outside, and which are evaluated. True if a name is not
    /// known.
    fn note_names(&mut self, invocation: &Invocation) -> bool {
        let Some((program, words)) = invocation.words.split_first() else { return false };
        let (with_argument, names) = match program.text.as_str() {
            "read" => ("adinNptu", 'a'),
            "mapfile" | "readarray" => ("dnOsuCc", '\0'),
            "printf" => ("v", 'v'),
            name => {
                for word in words.iter().filter(|word| name == "let" || word.text.contains('[')) {
                    self.taint.looks_at(&word.text);
                }
                return false;
            }
        };
        self.taint.foreign("REPLY");
        self.taint.foreign("MAPFILE");
        let mut unknown = false;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut target = Some(word);
            let mut own = String::new();
            if let Some(cluster) = word.text.strip_prefix('-') {
                let found = cluster.char_indices().find(|(_, c)| with_argument.contains(*c));
                target = None;
                match found {
                    Some((at, letter)) => {
                        let attached = cluster.get(at.saturating_add(1)..).unwrap_or_default();
                        if attached.is_empty() && word.is_dynamic() {
                            unknown = true;
                        } else if attached.is_empty() {
                            target = words.next().filter(|_| letter == names);
                        } else if letter == names {
                            unknown |= word.is_dynamic();
                            attached.clone_into(&mut own);
                        }
                    }
                    None => unknown |= word.is_dynamic(),
                }
            }
            if let Some(target) = target {
                unknown |= target.is_dynamic() && !target.text.contains('[');
                target.text.clone_into(&mut own);
            }
            if let Some((base, subscript)) = own.split_once('[') {
                self.taint.looks_at(subscript);
                // Only the subscript may be unknown.
                unknown |= base.contains(['$', '`']);
                own = base.to_owned();
            }
            self.taint.foreign(&own);
            if program.text == "printf" {
                break;
            }
        }
        unknown
    }

    fn set(&mut self, invocation: Invocation) -> Walked<Shows> {
        let mut ends = false;
        let mut keyword = false;
        let mut named = invocation.words.first().is_some_and(|word| word.text == "shopt");
        for word in invocation.words.iter().skip(1) {
            named |= word.text.starts_with('-') && word.text.contains('o');
            match word.text.as_str() {
                "--" => break,
                text if word.is_dynamic() => {
                    ends |= word.is_many() || text.starts_with('-');
                    keyword |= named;
                }
                "noexec" | "onecmd" => ends = true,
                "keyword" => keyword = true,
                text if text.starts_with('-') => {
                    ends |= text.contains(['n', 't']);
                    keyword |= text.contains('k');
                }
                _ => {}
            }
        }
        let nature =
            if keyword { Nature::Dynamic { what: "set -k".to_owned() } } else { Nature::Plain };
        let shows = self.emit(invocation, nature)?;
        if ends {
            self.end();
        }
        Ok(shows)
    }
}

/// Words joined by blanks, as `eval` and `ssh` do; dynamic if one of them is.
pub(crate) fn join<'w>(words: impl Iterator<Item = &'w Word>) -> Word {
    let mut joined = Word::default();
    for (position, word) in words.enumerate() {
        if position > 0 {
            joined.text.push(' ');
        }
        joined.text.push_str(&word.text);
        if joined.dynamic.is_none() {
            joined.dynamic.clone_from(&word.dynamic);
        }
    }
    joined
}

fn is_alias_name(name: &str) -> bool {
    const RESERVED: [&str; 19] = [
        "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
        "select", "function", "time", "in", "coproc", "{", "}",
    ];
    !name.is_empty()
        && !RESERVED.contains(&name)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.+:".contains(&byte))
}

fn has_option(invocation: &Invocation, letter: char) -> bool {
    invocation
        .words
        .iter()
        .skip(1)
        .any(|word| word.is_many() || (word.text.starts_with('-') && word.text.contains(letter)))
}

fn has_only(invocation: &Invocation, option: &str) -> bool {
    invocation.words.iter().skip(1).all(|word| word.known() == Some(option))
}
