//! The codes of findings. Each has a page under `docs/errors/`.

use std::fmt;

use crate::diagnostic::Severity;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $severity:ident $text:literal,)*) => {
        /// What kind of finding it is. Codes are stable: one that is no longer used is not given
        /// to something else.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])* $name,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// Whether it stops the rules from being used.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$name => Severity::$severity,)*
                }
            }

            /// The code as text, such as `PF0101`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// The page that explains it, in Markdown.
            pub fn page(self) -> &'static str {
                match self {
                    $(Self::$name => {
                        include_str!(concat!("../../../docs/errors/", $text, ".md"))
                    })*
                }
            }
        }
    };
}

codes! {
    /// A file that is not UTF-8 text.
    NotText = Error "PF0100",
    /// A line that begins with no statement.
    UnknownStatement = Error "PF0101",
    /// Something is missing in a statement, or something else stands in its place.
    Expected = Error "PF0102",
    /// Words after the end of a statement.
    TrailingWords = Error "PF0103",
    /// A count that is not a whole number.
    NotWhole = Error "PF0104",
    /// A name with characters that names do not have.
    BadName = Error "PF0105",
    /// A bare word that could only be meant as a regex.
    NeedsRegex = Error "PF0106",
    /// A regex without an end.
    UnclosedRegex = Error "PF0107",
    /// Letters after a regex.
    RegexFlags = Error "PF0108",
    /// A regex that is not valid, too large, or needs what linear time cannot do.
    BadRegex = Error "PF0109",
    /// A map, `shell` or `plain` that names no field.
    NoField = Error "PF0110",
    /// A word of the language in the place of a name.
    ReservedName = Error "PF0111",
    /// A character that cannot be seen.
    InvisibleCharacter = Error "PF0112",
    /// A field declared both `shell` and `plain`.
    ShellAndPlain = Error "PF0113",
    /// More than can be compiled.
    TooLarge = Error "PF0114",
    /// The same rule twice.
    DuplicateRule = Warning "PF0201",
    /// `require A before A`.
    RequireItself = Warning "PF0202",
    /// `limit X to N per X`.
    LimitPerItself = Warning "PF0203",
    /// A map that an earlier one always shadows.
    ShadowedMap = Warning "PF0204",
    /// A virtual name that no rule uses.
    UnusedName = Warning "PF0205",
    /// A rule on what looks like a virtual name that no map produces.
    UnmappedName = Warning "PF0206",
    /// A name that the list of tools does not know.
    UnknownTool = Warning "PF0207",
    /// A rule on a tool all of whose calls are mapped to something else.
    MappedAway = Warning "PF0208",
    /// A limit of 0.
    ZeroLimit = Warning "PF0209",
    /// A tool that is named almost like `human-approval`.
    AlmostApproval = Warning "PF0210",
    /// A limit per something that is almost `session`, or a time.
    AlmostSession = Warning "PF0211",
    /// A regex that finds something in every text, though it does not look like it.
    MatchesAll = Warning "PF0212",
    /// A field that is looked for inside a field of the input that is probably not there.
    DeepField = Warning "PF0213",
    /// A file of scenarios with a line that cannot be read.
    BadScenario = Error "PF0301",
}

impl Code {
    /// The code of this text, in upper or lower case.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
