//! Interpreters: code in an option or on the input is not looked into.

use super::Opened;
use super::options::what;
use crate::command::Word;
use crate::walk::Invocation;

/// Interpreters: name without version, short options with code, long options with code, short
/// options with a value of another kind.
const INTERPRETERS: [(&str, &str, &[&str], &str); 20] = [
    ("python", "c", &[], "WXQ"),
    ("pypy", "c", &[], "WX"),
    ("ipython", "c", &[], ""),
    ("node", "ep", &["eval", "print"], "rC"),
    ("nodejs", "ep", &["eval", "print"], "rC"),
    ("bun", "ep", &["eval", "print"], "r"),
    ("perl", "eEMmd", &[], "I"),
    ("ruby", "e", &[], "IrEK"),
    ("php", "rRBE", &["run", "process-code", "process-begin", "process-end"], "cdz"),
    ("lua", "e", &[], "l"),
    ("luajit", "e", &[], "l"),
    ("R", "e", &[], "f"),
    ("Rscript", "e", &[], ""),
    ("julia", "eE", &["eval", "print"], "JLpt"),
    ("guile", "c", &[], "lsL"),
    ("groovy", "e", &[], "c"),
    ("elixir", "e", &["eval", "rpc-eval"], "rS"),
    ("scala", "e", &[], ""),
    ("tclsh", "", &[], ""),
    ("octave", "", &["eval"], ""),
];

pub(super) type Interpreter = (&'static str, &'static str, &'static [&'static str], &'static str);

pub(super) fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().find(|(interpreter, ..)| *interpreter == name || *interpreter == stem)
}

/// Code in an option or on the input is opaque; a file is as unknown as any program.
pub(super) fn interpreted(
    invocation: &Invocation,
    name: &str,
    (language, code, long_code, values): &Interpreter,
) -> Opened {
    const LONG_VALUES: [&str; 9] = [
        "import",
        "require",
        "loader",
        "experimental-loader",
        "input-type",
        "conditions",
        "title",
        "experimental-default-type",
        "check-hash-based-pycs",
    ];
    let mut words = invocation.words.iter().skip(1);
    // A word behind a long option may be its value.
    let mut value = false;
    let mut script = false;
    while let Some(word) = words.next() {
        let may_be_value = std::mem::take(&mut value);
        let text = word.text.as_str();
        if !script && (word.is_many() || (word.is_dynamic() && text.starts_with('-'))) {
            return Opened::dynamic(what(word));
        }
        // Code in the place of a module's address.
        if !script && (text.starts_with("data:") || text.contains("=data:")) {
            return Opened::opaque(*language);
        }
        if let Some(long) = text.strip_prefix("--").filter(|long| !long.is_empty()) {
            value = !long.contains('=');
            let long = long.split('=').next().unwrap_or_default();
            if long_code.contains(&long) {
                return Opened::opaque(*language);
            }
            if matches!(long, "version" | "help") && !script {
                return Opened::Plain;
            }
            if value && !script && LONG_VALUES.contains(&long) {
                value = false;
                match words.next() {
                    Some(next) if next.is_dynamic() => return Opened::dynamic(what(next)),
                    Some(next) if next.text.starts_with("data:") => {
                        return Opened::opaque(*language);
                    }
                    _ => {}
                }
            }
        } else if text.len() > 1 && text.starts_with('-') && text != "--" {
            let cluster = text.get(1..).unwrap_or_default();
            if let Some((_, module)) = cluster
                .split_once('m')
                .filter(|_| matches!(*language, "python" | "pypy"))
                .filter(|(before, _)| !before.contains('c'))
                .filter(|(before, _)| !before.contains(|letter| values.contains(letter)))
            {
                return module_of_python(module, words.next());
            }
            if cluster.contains(|letter| code.contains(letter)) {
                return Opened::opaque(*language);
            }
            if matches!(cluster, "V" | "VV" | "v" | "h") && name != "perl" && !script {
                return Opened::Plain;
            }
            if cluster.len() == 1
                && values.contains(cluster)
                && let Some(next) = words.next().filter(|next| next.is_many())
            {
                return Opened::dynamic(what(next));
            }
        } else if text == "-" || text.starts_with("/dev/") || text.starts_with("/proc/") {
            if !script || text == "-" {
                return Opened::opaque(*language);
            }
        } else if text != "--" && !script {
            if word.is_dynamic() {
                return Opened::dynamic(what(word));
            }
            // Either the script, or a value with the options going on behind it.
            if !may_be_value {
                return Opened::Plain;
            }
            script = true;
        }
    }
    // With nothing but values of options the input is read, which only a script's name excludes.
    if script { Opened::Plain } else { Opened::opaque(*language) }
}

/// `python -m module`: some modules run what they are told.
fn module_of_python(module: &str, next: Option<&Word>) -> Opened {
    const RUN: [&str; 12] = [
        "timeit", "code", "pdb", "runpy", "cProfile", "profile", "trace", "asyncio", "pty", "bdb",
        "IPython", "ipython",
    ];
    match (module, next) {
        ("", Some(word)) if word.is_dynamic() => Opened::dynamic(what(word)),
        ("", Some(word)) if RUN.contains(&word.text.as_str()) => Opened::opaque("python"),
        (module, _) if RUN.contains(&module) => Opened::opaque("python"),
        _ => Opened::Plain,
    }
}
