//! Reads the text of a command line as the ordered list of the simple commands it would run.
//!
//! Quotes are removed, wrappers opened (`sudo`, `env`, `xargs`, `find -exec`, `bash -c`, `ssh`, …),
//! literal variables followed, and commands in substitutions, functions, traps and here-documents
//! for a shell are listed. What cannot be known before it runs is said to be so
//! ([`Nature::Dynamic`], [`Nature::Opaque`]), and what is not understood with certainty is a
//! [`ParseError`]: never a guess. The syntax is bash's, read so that zsh and dash agree or the text
//! is refused.
//!
//! What this does *not* show: what a program does. `make clean` is `make clean`. Nor can it know
//! what the environment, files or earlier calls put behind a name.
//!
//! The parser is our own. brush-parser 0.4.0 was tried: 26 opening parentheses take it 1.6 s and
//! each further one doubles that, 3 000 nested `if` overflow its stack and abort the process, and
//! 8.6 µs for 105 bytes do not include the words, which it leaves unparsed. `tree-sitter-bash` is C
//! code and recovers from errors by guessing.
//!
//! How it works: `syntax` turns text into a tree (recursive descent, bounded depth, no
//! backtracking), `walk` follows the tree in the order of execution and expands words, and
//! `open` decides what a simple command runs, which may be text that is parsed again. Expanded
//! text is paid for from a budget proportional to the input, so the whole is linear.

mod ast;
mod command;
mod data;
mod error;
mod open;
mod syntax;
mod walk;

pub use command::{
    Assignment, Command, Connective, Context, Dynamic, Nature, Redirection, RedirectionKind,
    Script, Word, Wrapper,
};
pub use error::{ErrorKind, ParseError};

/// Most bytes of text.
pub const TEXT_MAX: usize = 4 << 20;

/// Most levels of nesting: substitutions, compound commands, nested texts and calls of functions,
/// all together.
pub const DEPTH_MAX: usize = 64;

/// Expanded bytes that each byte of text may cause: follows variables, reads nested texts and
/// lists bodies of functions several times, but no further.
pub const EXPANSION_MAX: usize = 64;

/// Reads a text as the list of simple commands it would run.
///
/// # Errors
///
/// If anything in the text is not understood with certainty. Such a text must be refused.
///
/// ```
/// let script = petriflow_shell::parse("cp a b && sudo r\\m -rf 'a'")?;
/// let texts: Vec<String> = script.commands.iter().map(|command| command.text()).collect();
/// assert_eq!(texts, ["cp a b", "rm -rf a"]);
/// # Ok::<(), petriflow_shell::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Script, ParseError> {
    if text.len() > TEXT_MAX {
        return Err(ParseError::new(ErrorKind::TooLong, TEXT_MAX));
    }
    let list = syntax::parse(text, 0, 0, false)?;
    walk::run(text.len(), &list)
}

/// Whether a program is made for running what it is told, so that a rule about the program is about
/// all that it runs: `python`, `tmux`, `crontab`. Others run code with some of their options only.
pub fn runs_what_it_is_told(program: &str) -> bool {
    open::runs_what_it_is_told(program)
}
