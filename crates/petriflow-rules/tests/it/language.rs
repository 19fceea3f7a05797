//! What is read, what is refused and with which words, and what it becomes.

use petriflow_rules::{SourceFile, parse};

use super::compiling::nets;
use super::{compiled, each, errors};

fn refused(texts: &[&str]) -> String {
    each(texts, errors)
}

#[test]
fn counts_are_whole_numbers_in_digits() {
    let counts = [
        "1e3",
        "1E3",
        "1.5e3",
        "1e-3",
        "2.9",
        "3.0",
        ".5",
        "1_000",
        "1,000",
        "1_0",
        "1'000",
        "+3",
        "-1",
        "03",
        "00",
        "0x10",
        "three",
        "3x",
        "\"3\"",
        "4294967295",
        "4294967296",
        "99999999999",
        "٣",
        "½",
        "∞",
        "NaN",
    ];
    let table: String =
        counts.iter().map(|count| refused(&[&format!("limit a to {count} per session")])).collect();
    insta::assert_snapshot!(table, @r#"
    limit a to 1e3 per session
      1:12 PF0104 `1e3` is not a whole number | expected a whole number; write `1000`
    limit a to 1E3 per session
      1:12 PF0104 `1E3` is not a whole number | expected a whole number; write `1000`
    limit a to 1.5e3 per session
      1:12 PF0104 `1.5e3` is not a whole number | expected a whole number; write `1500`
    limit a to 1e-3 per session
      1:12 PF0104 `1e-3` is not a whole number | expected a whole number such as `3`, in digits
    limit a to 2.9 per session
      1:12 PF0104 `2.9` is not a whole number | expected a whole number; write `2` or `3`
    limit a to 3.0 per session
      1:12 PF0104 `3.0` is not a whole number | expected a whole number such as `3`, in digits
    limit a to .5 per session
      1:12 PF0104 `.5` is not a whole number | expected a whole number such as `3`, in digits
    limit a to 1_000 per session
      1:12 PF0104 `1_000` is not a whole number | expected a whole number; write `1000`
    limit a to 1,000 per session
      1:12 PF0104 `1,000` is not a whole number | expected a whole number; write `1000`
    limit a to 1_0 per session
      1:12 PF0104 `1_0` is not a whole number | expected a whole number such as `3`, in digits
    limit a to 1'000 per session
      1:12 PF0104 `1'000` is not a whole number | expected a whole number; write `1000`
    limit a to +3 per session
      1:12 PF0104 `+3` is not a whole number | expected a whole number; write `3`
    limit a to -1 per session
      1:12 PF0104 `-1` is not a whole number | expected a whole number such as `3`, in digits
    limit a to 03 per session
      1:12 PF0104 `03` begins with a 0 | expected a whole number; write `3`
    limit a to 00 per session
      1:12 PF0104 `00` begins with a 0 | expected a whole number; write `0`
    limit a to 0x10 per session
      1:12 PF0104 `0x10` is not a whole number | expected a whole number such as `3`, in digits
    limit a to three per session
      1:12 PF0104 `three` is not a whole number | expected a whole number such as `3`, in digits
    limit a to 3x per session
      1:12 PF0104 `3x` is not a whole number | expected a whole number such as `3`, in digits
    limit a to "3" per session
      1:12 PF0104 `"3"` is not a whole number | expected a whole number; write `3`
    limit a to 4294967295 per session
      good
    limit a to 4294967296 per session
      1:12 PF0104 `4294967296` is more than can be counted | write at most 4294967295
    limit a to 99999999999 per session
      1:12 PF0104 `99999999999` is more than can be counted | write at most 4294967295
    limit a to ٣ per session
      1:12 PF0104 `٣` is not a whole number | expected a whole number such as `3`, in digits
    limit a to ½ per session
      1:12 PF0104 `½` is not a whole number | expected a whole number such as `3`, in digits
    limit a to ∞ per session
      1:12 PF0104 `∞` is not a whole number | expected a whole number such as `3`, in digits
    limit a to NaN per session
      1:12 PF0104 `NaN` is not a whole number | expected a whole number such as `3`, in digits
    "#);
}

#[test]
fn a_slip_in_a_statement_is_answered_with_its_form() {
    insta::assert_snapshot!(refused(&[
        "blok rm",
        "Block rm",
        "BLOCK rm",
        "deny rm",
        "allow ls",
        "unblock rm",
        "approve deploy",
        "include base.rules",
        "// a comment",
        "-- a comment",
        "/rm/",
        "rm",
        "block",
        "require",
        "require a",
        "require a befor b",
        "require a after b",
        "require a before",
        "require before b",
        "require a b before c",
        "require human approval before a",
        "require human-approval",
        "require human-approval before",
        "limit a",
        "limit a 3 per session",
        "limit a to",
        "limit a to per session",
        "limit a to 3",
        "limit a to 3 per",
        "limit a to 3 a session",
        "map",
        "map bash.command",
        "map bash.command rm",
        "map bash.command rm delete",
        "map bash.command rm as",
        "map bash.command as delete",
        "shell",
        "plain bash",
    ]), @"
    blok rm
      1:1 PF0101 `blok` is not a statement | did you mean `block`?
    Block rm
      1:1 PF0101 `Block` is not a statement | did you mean `block`?
    BLOCK rm
      1:1 PF0101 `BLOCK` is not a statement | did you mean `block`?
    deny rm
      1:1 PF0101 `deny` is not a statement | did you mean `block`?
    allow ls
      1:1 PF0101 `allow` is not a statement | there is no `allow`: what no rule refuses is allowed
    unblock rm
      1:1 PF0101 `unblock` is not a statement | delete the rule instead; what no rule refuses is allowed
    approve deploy
      1:1 PF0101 `approve` is not a statement | write `require human-approval before TOOL`
    include base.rules
      1:1 PF0101 `include` is not a statement | name all rules files on the command line; they make one policy
    // a comment
      1:1 PF0101 a line cannot begin with a regex | `#` begins a comment
    -- a comment
      1:1 PF0101 `--` is not a statement | `#` begins a comment
    /rm/
      1:1 PF0101 a line cannot begin with a regex | a line begins with one of `require`, `block`, `limit`, `map`, `shell`, `plain`
    rm
      1:1 PF0101 `rm` is not a statement | a line begins with one of `require`, `block`, `limit`, `map`, `shell`, `plain`
    block
      1:6 PF0102 expected a tool, found the end of the line | the form is `block TOOL`
    require
      1:8 PF0102 expected what must succeed first, found the end of the line | the form is `require A before B`
    require a
      1:10 PF0102 expected `before`, found the end of the line | the form is `require A before B`
    require a befor b
      1:11 PF0102 expected `before`, found `befor` | did you mean `before`? the form is `require A before B`
    require a after b
      1:11 PF0102 expected `before`, found `after` | the form is `require A before B`
    require a before
      1:17 PF0102 expected what waits for it, found the end of the line | the form is `require A before B`
    require before b
      1:9 PF0102 expected what must succeed first, found `before` | the form is `require A before B`
    require a b before c
      1:11 PF0102 expected `before`, found `b` | the form is `require A before B`
    require human approval before a
      1:15 PF0102 `human approval` is one word | write `human-approval`, with a hyphen
    require human-approval
      1:23 PF0102 expected `before`, found the end of the line | the form is `require human-approval before TOOL`
    require human-approval before
      1:30 PF0102 expected the tool to approve, found the end of the line | the form is `require human-approval before TOOL`
    limit a
      1:8 PF0102 expected `to`, found the end of the line | the form is `limit TOOL to N per session`
    limit a 3 per session
      1:9 PF0102 expected `to`, found `3` | the form is `limit TOOL to N per session`
    limit a to
      1:11 PF0102 expected a whole number, found the end of the line | the form is `limit TOOL to N per session`
    limit a to per session
      1:12 PF0104 `per` is not a whole number | expected a whole number such as `3`, in digits
    limit a to 3
      1:13 PF0102 expected `per`, found the end of the line | the form is `limit TOOL to N per session`
    limit a to 3 per
      1:17 PF0102 expected `session`, or the tool whose success refills the budget, found the end of the line | the form is `limit TOOL to N per session`
    limit a to 3 a session
      1:14 PF0102 expected `per`, found `a` | the form is `limit TOOL to N per session`
    map
      1:4 PF0102 expected a tool and its field, found the end of the line | the form is `map TOOL.FIELD PATTERN as NAME`
    map bash.command
      1:17 PF0102 expected a pattern, found the end of the line | the form is `map TOOL.FIELD PATTERN as NAME`; a pattern is a word or `/a regex/`
    map bash.command rm
      1:20 PF0102 expected `as`, found the end of the line | the form is `map TOOL.FIELD PATTERN as NAME`
    map bash.command rm delete
      1:21 PF0102 expected `as`, found `delete` | the form is `map TOOL.FIELD PATTERN as NAME`
    map bash.command rm as
      1:23 PF0102 expected a name for these calls, found the end of the line | the form is `map TOOL.FIELD PATTERN as NAME`
    map bash.command as delete
      1:18 PF0102 expected a pattern, found `as` | the form is `map TOOL.FIELD PATTERN as NAME`; a pattern is a word or `/a regex/`
    shell
      1:6 PF0102 expected a tool and its field, found the end of the line | the form is `shell TOOL.FIELD`
    plain bash
      1:7 PF0110 `bash` names no field | write the field of its input to look at, such as `bash.command`
    ");
}

#[test]
fn nothing_stands_after_the_end_of_a_statement() {
    insta::assert_snapshot!(refused(&[
        "block rm now",
        "block rm mv",
        "block rm // not a comment",
        "require a before b before c",
        "require human-approval before a or b",
        "limit a to 3 per session please",
        "map bash.command rm as delete it",
        "shell bash.command bash.script",
        "block rm block mv block cp block ln block dd block df block du",
    ]), @"
    block rm now
      1:10 PF0103 `now` stands after the end of the statement | the form is `block TOOL`; one statement per line, `#` begins a comment
    block rm mv
      1:10 PF0103 `mv` stands after the end of the statement | the form is `block TOOL`; one statement per line, `#` begins a comment
    block rm // not a comment
      1:10 PF0103 `// not a comment` stands after the end of the statement | the form is `block TOOL`; one statement per line, `#` begins a comment
    require a before b before c
      1:20 PF0103 `before c` stands after the end of the statement | the form is `require A before B`; one statement per line, `#` begins a comment
    require human-approval before a or b
      1:33 PF0103 `or b` stands after the end of the statement | the form is `require human-approval before TOOL`; one statement per line, `#` begins a comment
    limit a to 3 per session please
      1:26 PF0103 `please` stands after the end of the statement | the form is `limit TOOL to N per session`; one statement per line, `#` begins a comment
    map bash.command rm as delete it
      1:31 PF0103 `it` stands after the end of the statement | the form is `map TOOL.FIELD PATTERN as NAME`; one statement per line, `#` begins a comment
    shell bash.command bash.script
      1:20 PF0103 `bash.script` stands after the end of the statement | the form is `shell TOOL.FIELD`; one statement per line, `#` begins a comment
    block rm block mv block cp block ln block dd block df block du
      1:10 PF0103 `block mv block cp block ln block dd bloc…` stands after the end of the statement | the form is `block TOOL`; one statement per line, `#` begins a comment
    ");
}

#[test]
fn a_pattern_is_one_word_or_a_regex() {
    insta::assert_snapshot!(refused(&[
        "map bash.command --force as force",
        "map bash.command -f as force",
        "map bash.command git push as push",
        "map bash.command git push --force as push",
        "map bash.command \"rm\" as delete",
        "map bash.command 'git push' as push",
        "map bash.command rm* as delete",
        "map bash.command git.*push as push",
        "map bash.command a|b as either",
        "map bash.command $HOME as home",
        "map bash.command rm, as delete",
        "map bash.command rm/ as delete",
        "map bash.command ~/.ssh as secrets",
        "map bash.path etc/passwd as secrets",
        "map bash.command git-push as push",
        "map bash.command a=b as assignment",
    ]), @r#"
    map bash.command --force as force
      1:18 PF0106 `--force` is not a bare word | bare words match whole words only; write `/--force/` for a regex
    map bash.command -f as force
      1:18 PF0106 `-f` is not a bare word | bare words match whole words only; write `/-f/` for a regex
    map bash.command git push as push
      1:22 PF0102 expected `as` after the word | write a pattern of several words as `/git push/`
    map bash.command git push --force as push
      1:22 PF0102 expected `as` after the word | write a pattern of several words as `/git push --force/`
    map bash.command "rm" as delete
      1:18 PF0106 `"rm"` is not a bare word | patterns are not quoted; write `rm` for a word or `/rm/` for a regex
    map bash.command 'git push' as push
      1:18 PF0106 `git push` is quoted | patterns are not quoted; write `/git push/`
    map bash.command rm* as delete
      1:18 PF0106 `rm*` is not a bare word | bare words match whole words only; write `/rm\*/` for a regex
    map bash.command git.*push as push
      1:18 PF0106 `git.*push` is not a bare word | bare words match whole words only; write `/git.*push/` for a regex
    map bash.command a|b as either
      1:18 PF0106 `a|b` is not a bare word | bare words match whole words only; write `/a|b/` for a regex
    map bash.command $HOME as home
      1:18 PF0106 `$HOME` is not a bare word | bare words match whole words only; write `/\$HOME/` for a regex
    map bash.command rm, as delete
      1:18 PF0106 `rm,` is not a bare word | bare words match whole words only; write `/rm,/` for a regex
    map bash.command rm/ as delete
      1:18 PF0106 `rm/` is not a bare word | bare words match whole words only; write `/rm\//` for a regex
    map bash.command ~/.ssh as secrets
      1:18 PF0106 `~/.ssh` is not a bare word | bare words match whole words only; write `/~\/\.ssh/` for a regex
    map bash.path etc/passwd as secrets
      good
    map bash.command git-push as push
      good
    map bash.command a=b as assignment
      good
    "#);
}

#[test]
fn a_regex_stands_between_slashes_with_nothing_behind_it() {
    insta::assert_snapshot!(refused(&[
        "map bash.command /sudo/i as root",
        "map bash.command /sudo/gi as root",
        "map bash.command /sudo/g as root",
        "map bash.command /etc/passwd/ as secrets",
        "map bash.command /sudo as root",
        "map bash.command /sudo as root # and/or",
        "map bash.command /sudo/# as root",
        "map bash.command // as nothing",
        "map bash.command / as root",
        "map bash.command /a\\/ as root",
        "block /rm/",
        "map bash.command rm as /delete/",
        "map /bash/ rm as delete",
    ]), @r"
    map bash.command /sudo/i as root
      1:24 PF0108 `i` stands after the regex | flags stand inside: write `/(?i)sudo/`
    map bash.command /sudo/gi as root
      1:24 PF0108 `gi` stands after the regex | flags stand inside: write `/(?i)sudo/`
    map bash.command /sudo/g as root
      1:24 PF0108 `g` stands after the regex | write `/sudo/`; a pattern is searched for everywhere and in Unicode anyway
    map bash.command /etc/passwd/ as secrets
      1:23 PF0108 `passwd/` stands right after the regex | for a slash inside a regex write `\/`, such as `/\/etc\/passwd\//`
    map bash.command /sudo as root
      1:18 PF0107 this regex has no end | close it with `/`, and write `\/` for a slash inside
    map bash.command /sudo as root # and/or
      1:38 PF0108 `or` stands right after the regex | for a slash inside a regex write `\/`, such as `/\/sudo as root # and\/or/`
    map bash.command /sudo/# as root
      1:24 PF0108 `#` stands right after the regex | put a space before `#`
    map bash.command // as nothing
      1:18 PF0109 this regex is empty | write what to look for, or `/.*/` for every call
    map bash.command / as root
      1:18 PF0107 this regex has no end | close it with `/`, and write `\/` for a slash inside
    map bash.command /a\/ as root
      1:18 PF0107 this regex has no end | close it with `/`, and write `\/` for a slash inside
    block /rm/
      1:7 PF0105 a regex stands where a name is expected | a rule names tools; give a regex a name with `map TOOL.FIELD /…/ as NAME`
    map bash.command rm as /delete/
      1:24 PF0105 a regex stands where a name is expected | a rule names tools; give a regex a name with `map TOOL.FIELD /…/ as NAME`
    map /bash/ rm as delete
      1:5 PF0105 a regex stands where a name is expected | a rule names tools; give a regex a name with `map TOOL.FIELD /…/ as NAME`
    ");
}

#[test]
fn a_regex_that_linear_time_cannot_do_is_an_error_that_says_so() {
    insta::assert_snapshot!(refused(&[
        "map bash.command /(?=sudo)/ as root",
        "map bash.command /git push(?! --dry-run)/ as push",
        "map bash.command /(?<=a)b/ as root",
        "map bash.command /(?<!un)install/ as install",
        "map bash.command /(a)\\1/ as twice",
        "map bash.command /(?P<x>a)(?P=x)/ as twice",
        "map bash.command /(?>a)/ as atomic",
        "map bash.command /kill (/ as kill",
        "map bash.command /kill )/ as kill",
        "map bash.command /[a-/ as kill",
        "map bash.command /[z-a]/ as kill",
        "map bash.command /*.txt/ as texts",
        "map bash.command /a{3,1}/ as counted",
        "map bash.command /a{1000000}/ as counted",
        "map bash.command /(\\w{99}){99}/ as counted",
        "map bash.command /\\p{Klingon}/ as klingon",
        "map bash.command /(?k)a/ as flagged",
        "map bash.command /\\q/ as escaped",
    ]), @r"
    map bash.command /(?=sudo)/ as root
      1:18 PF0109 this regex is not valid: look-around, including look-ahead and look-behind, is not supported | patterns run in linear time and cannot look around (`(?=`, `(?!`, `(?<=`, `(?<!`); put what must not match into a `map` of its own before this one
    map bash.command /git push(?! --dry-run)/ as push
      1:18 PF0109 this regex is not valid: look-around, including look-ahead and look-behind, is not supported | patterns run in linear time and cannot look around (`(?=`, `(?!`, `(?<=`, `(?<!`); put what must not match into a `map` of its own before this one
    map bash.command /(?<=a)b/ as root
      1:18 PF0109 this regex is not valid: look-around, including look-ahead and look-behind, is not supported | patterns run in linear time and cannot look around (`(?=`, `(?!`, `(?<=`, `(?<!`); put what must not match into a `map` of its own before this one
    map bash.command /(?<!un)install/ as install
      1:18 PF0109 this regex is not valid: look-around, including look-ahead and look-behind, is not supported | patterns run in linear time and cannot look around (`(?=`, `(?!`, `(?<=`, `(?<!`); put what must not match into a `map` of its own before this one
    map bash.command /(a)\1/ as twice
      1:18 PF0109 this regex is not valid: backreferences are not supported | patterns run in linear time and cannot refer back; write what is to be repeated
    map bash.command /(?P<x>a)(?P=x)/ as twice
      1:18 PF0109 this regex is not valid: unrecognized flag | the flags are `i`, `m`, `s`, `x`, `U` and `u`, as in `(?i)`; there is no look-around
    map bash.command /(?>a)/ as atomic
      1:18 PF0109 this regex is not valid: unrecognized flag | the flags are `i`, `m`, `s`, `x`, `U` and `u`, as in `(?i)`; there is no look-around
    map bash.command /kill (/ as kill
      1:18 PF0109 this regex is not valid: unclosed group | write `\(` and `\)` for the characters themselves
    map bash.command /kill )/ as kill
      1:18 PF0109 this regex is not valid: unopened group | write `\(` and `\)` for the characters themselves
    map bash.command /[a-/ as kill
      1:18 PF0109 this regex is not valid: unclosed character class | write `\[` for the character itself
    map bash.command /[z-a]/ as kill
      1:18 PF0109 this regex is not valid: invalid character class range, the start must be <= the end | correct the regex; `\` makes a special character an ordinary one
    map bash.command /*.txt/ as texts
      1:18 PF0109 this regex is not valid: repetition operator missing expression | write `\*`, `\+` or `\?` for the characters themselves
    map bash.command /a{3,1}/ as counted
      1:18 PF0109 this regex is not valid: invalid repetition count range, the start must be <= the end | correct the regex; `\` makes a special character an ordinary one
    map bash.command /a{1000000}/ as counted
      1:18 PF0109 this regex is too large | make its counts smaller, or write `[A-Za-z0-9_]` for `\w`, which stands for all letters there are
    map bash.command /(\w{99}){99}/ as counted
      1:18 PF0109 this regex is too large | make its counts smaller, or write `[A-Za-z0-9_]` for `\w`, which stands for all letters there are
    map bash.command /\p{Klingon}/ as klingon
      1:18 PF0109 this regex is not valid: Unicode property not found | write the characters themselves, such as `[A-Za-z]`
    map bash.command /(?k)a/ as flagged
      1:18 PF0109 this regex is not valid: unrecognized flag | the flags are `i`, `m`, `s`, `x`, `U` and `u`, as in `(?i)`; there is no look-around
    map bash.command /\q/ as escaped
      1:18 PF0109 this regex is not valid: unrecognized escape sequence | correct the regex; `\` makes a special character an ordinary one
    ");
}

#[test]
fn names_are_written_without_quotes_wildcards_and_lists() {
    insta::assert_snapshot!(refused(&[
        "block \"rm\"",
        "block 'rm'",
        "block `rm`",
        "block “rm”",
        "block mcp__*",
        "block rm?",
        "block [ab]",
        "block rm,mv",
        "block rm, mv",
        "block rm;",
        "block rm()",
        "block rm&mv",
        "block force–push",
        "block --force",
        "block .hidden",
        "block rm.",
        "block a..b",
        "block 42",
        "block a#b",
        "block rm# never",
        "block $rm",
        "block a\\b",
        "block a=b",
        "require deploy before human-approval",
        "block human-approval",
        "limit human-approval to 3 per session",
        "limit a to 3 per human-approval",
        "block before",
        "block per",
        "block раssword",
        "block ｒｍ",
        "map bash rm as delete",
        "map bash:command rm as delete",
        "map bash.command rm as human-approval",
        "map .command rm as delete",
        "map bash. rm as delete",
    ]), @r#"
    block "rm"
      1:7 PF0105 `"rm"` is not a name, because of `"` | write the name without quotes
    block 'rm'
      1:7 PF0105 `'rm'` is not a name, because of `'` | write the name without quotes
    block `rm`
      1:7 PF0105 ``rm`` is not a name, because of ``` | write the name without quotes
    block “rm”
      1:7 PF0105 `“rm”` is not a name, because of `“` (U+201C) | write the name without quotes
    block mcp__*
      1:7 PF0105 `mcp__*` is not a name, because of `*` | there are no wildcards; write one rule for each tool, or `map` their calls to one name
    block rm?
      1:7 PF0105 `rm?` is not a name, because of `?` | there are no wildcards; write one rule for each tool, or `map` their calls to one name
    block [ab]
      1:7 PF0105 `[ab]` is not a name, because of `[` | there are no wildcards; write one rule for each tool, or `map` their calls to one name
    block rm,mv
      1:7 PF0105 `rm,mv` is not a name, because of `,` | write one rule for each tool, on a line of its own
    block rm, mv
      1:7 PF0105 `rm,` is not a name, because of `,` | write one rule for each tool, on a line of its own
    block rm;
      1:7 PF0105 `rm;` is not a name, because of `;` | write one rule for each tool, on a line of its own
    block rm()
      1:7 PF0105 `rm()` is not a name, because of `(` | write the tool's name alone; `map TOOL.FIELD PATTERN as NAME` looks at its input
    block rm&mv
      1:7 PF0105 `rm&mv` is not a name, because of `&` | write one rule for each tool, on a line of its own
    block force–push
      1:7 PF0105 `force–push` is not a name, because of `–` (U+2013) | write the plain hyphen `-`
    block --force
      1:7 PF0105 `--force` is not a name | to match text in an input, write `/--force/` in a `map`
    block .hidden
      1:7 PF0105 `.hidden` is not a name | names begin with a letter, a digit, `_` or `@`
    block rm.
      1:7 PF0105 `rm.` is not a name | write `rm`
    block a..b
      1:7 PF0105 `a..b` is not a name | write one dot
    block 42
      1:7 PF0105 `42` is not a name | write the name of a tool
    block a#b
      1:8 PF0105 `#` stands right after a word | put a space before `#` to begin a comment; names have no `#`
    block rm# never
      1:9 PF0105 `#` stands right after a word | put a space before `#` to begin a comment; names have no `#`
    block $rm
      1:7 PF0105 `$rm` is not a name, because of `$` | names have letters, digits and `_ - . : / @ +`
    block a\b
      1:7 PF0105 `a\b` is not a name, because of `\` | names have letters, digits and `_ - . : / @ +`
    block a=b
      1:7 PF0105 `a=b` is not a name, because of `=` | names have letters, digits and `_ - . : / @ +`
    require deploy before human-approval
      1:23 PF0111 `human-approval` is not a tool | it only stands in `require human-approval before TOOL`
    block human-approval
      1:7 PF0111 `human-approval` is not a tool | it only stands in `require human-approval before TOOL`
    limit human-approval to 3 per session
      1:7 PF0111 `human-approval` is not a tool | it only stands in `require human-approval before TOOL`
    limit a to 3 per human-approval
      1:18 PF0111 `human-approval` is not a tool | it only stands in `require human-approval before TOOL`
    block before
      1:7 PF0102 expected a tool, found `before` | the form is `block TOOL`
    block per
      1:7 PF0102 expected a tool, found `per` | the form is `block TOOL`
    block раssword
      1:7 PF0105 `раssword` is not what it looks like: `р` is U+0440 | it only looks like a Latin letter, and no tool has such a name; type it anew
    block ｒｍ
      1:7 PF0105 `ｒｍ` is not what it looks like: `ｒ` is U+FF52 | it only looks like a Latin letter, and no tool has such a name; type it anew
    map bash rm as delete
      1:5 PF0110 `bash` names no field | write the field of its input to look at, such as `bash.command`
    map bash:command rm as delete
      1:5 PF0110 `bash:command` names no field | write `bash.command`
    map bash.command rm as human-approval
      1:24 PF0111 `human-approval` is not a tool | it only stands in `require human-approval before TOOL`
    map .command rm as delete
      1:5 PF0105 `.command` is not a name | names begin with a letter, a digit, `_` or `@`
    map bash. rm as delete
      1:5 PF0105 `bash.` is not a name | write `bash`
    "#);
}

#[test]
fn names_of_tools_as_they_are_in_the_wild_are_read() {
    for name in [
        "rm",
        "mcp__github__create_issue",
        "@scope/package",
        "fs:read",
        "discord.sendMessage",
        "a.b.c",
        "c++x",
        "2fa",
        "_private",
        "löschen",
        "удалить",
        "删除",
        "削除する",
        "नमस्ते",
        "require",
        "session",
        "map",
        "block",
    ] {
        assert_eq!(nets(&format!("block {name}")), [(format!("block-{name}"), 2)]);
    }
    let long = "x".repeat(256);
    assert_eq!(errors(&format!("block {long}")), []);
    assert_eq!(errors(&format!("block {long}x"))[0].message, "this name is longer than 256 bytes");
}

#[test]
fn what_a_reader_cannot_see_is_refused() {
    insta::assert_snapshot!(refused(&[
        "block\u{a0}rm",
        "block re\u{200b}boot",
        "block r\u{ad}m",
        "block rm\u{feff}",
        "block \u{202e}mr",
        "block rm\u{3000}",
        "block rm\u{2028}block mv",
        "block a\rblock b",
        "block rm\u{0}",
        "block rm\u{b}",
        "block rm # never\u{a0}ever",
        "block rm # \u{202e}reven",
        "block rm # \u{1b}[31m",
    ]), @r"
    block\u{a0}rm
      1:6 PF0112 the character U+00A0 cannot be seen | put a space in its place
    block re\u{200b}boot
      1:9 PF0112 the character U+200B cannot be seen | delete it; only spaces and tabs stand between words
    block r\u{ad}m
      1:8 PF0112 the character U+00AD cannot be seen | delete it; only spaces and tabs stand between words
    block rm\u{feff}
      1:9 PF0112 the character U+FEFF cannot be seen | delete it; only spaces and tabs stand between words
    block \u{202e}mr
      1:7 PF0112 the character U+202E cannot be seen | delete it; only spaces and tabs stand between words
    block rm\u{3000}
      1:9 PF0112 the character U+3000 cannot be seen | put a space in its place
    block rm\u{2028}block mv
      1:9 PF0112 the character U+2028 cannot be seen | put a space in its place
    block a\rblock b
      1:8 PF0112 the character U+000D cannot be seen | put a line end in its place
    block rm\0
      1:9 PF0112 the character U+0000 cannot be seen | delete it; only spaces and tabs stand between words
    block rm\u{b}
      1:9 PF0112 the character U+000B cannot be seen | put a space in its place
    block rm # never\u{a0}ever
      good
    block rm # \u{202e}reven
      1:12 PF0112 the character U+202E cannot be seen | delete it; only spaces and tabs stand between words
    block rm # \u{1b}[31m
      1:12 PF0112 the character U+001B cannot be seen | delete it; only spaces and tabs stand between words
    ");
}

#[test]
fn line_ends_tabs_and_a_byte_order_mark_change_nothing() {
    let plain = compiled("block rm\nlimit push to 3 per test\n");
    for same in [
        "block rm\r\nlimit push to 3 per test\r\n",
        "\u{feff}block rm\nlimit push to 3 per test",
        "\tblock\trm  \n  limit   push to\t3 per test\t# why\n",
        "\n\n# first\nblock rm # never\n\n\nlimit push to 3 per test\n\n",
    ] {
        let rules = compiled(same);
        let names = |rules: &petriflow_rules::RuleSet| -> Vec<String> {
            rules.nets.iter().map(|rule| format!("{} {}", rule.net.name(), rule.text())).collect()
        };
        assert_eq!(names(&rules), names(&plain), "{same:?}");
    }
    // Columns are counted behind the mark and in characters.
    insta::assert_snapshot!(refused(&["\u{feff}blok rm\r\n", "block löschen und"]), @r"
    \u{feff}blok rm\r\n
      1:1 PF0101 `blok` is not a statement | did you mean `block`?
    block löschen und
      1:15 PF0103 `und` stands after the end of the statement | the form is `block TOOL`; one statement per line, `#` begins a comment
    ");
}

#[test]
fn regexes_may_hold_slashes_hashes_and_spaces() {
    for regex in [
        r"rm -rf \/",
        "a # b",
        "a  b",
        " a ",
        "#",
        r"\\",
        r"\#",
        r"\ ",
        "\t",
        "(?i)sudo",
        "ü",
        r"[\/]",
        r"a{2,3}",
    ] {
        let text = format!("map bash.command /{regex}/ as x  # a / b\nblock x\n");
        assert_eq!(errors(&text), [], "{regex}");
        let document = parse(&[SourceFile::new("safety.rules", &text)]).documents.remove(0);
        assert_eq!(document.to_string(), text);
    }
}
