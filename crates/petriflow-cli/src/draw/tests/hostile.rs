//! Names that try to become part of the file's own syntax.

use petriflow::gate::{Rule, RuleKind, SkillNet, Source, Transition};

use super::super::{Format, draw};
use super::checked;

const HOSTILE: [&str; 8] = [
    "</svg><script>alert(1)</script>",
    "\"]; evil [label=\"",
    "'quotes\" & &lt; &#60;",
    "two\nlines\r\n\ttab",
    "bidi \u{202e}txet\u{2066}",
    "\u{0}\u{1b}[31m\u{fffe}\u{feff}",
    "\\N \\G \\",
    "end\"]\n  end\n  click n0 \"javascript:alert(1)\"",
];

/// A net with the text wherever a user can put one.
fn net_of(text: &str) -> SkillNet {
    let place = |number: u32| format!("{text}{number}");
    let kind = RuleKind::Block { tool: text.into() };
    let source = Source { file: text.into(), line: 1, text: text.into() };
    SkillNet::builder(text)
        .places([place(0), place(1), place(2)])
        .initial(place(0), 1)
        .free_tools([text])
        .terminal_places([place(1)])
        .transition(Transition::auto(text).from([place(0)]).to([place(1)]).tools([text]).deferred())
        .transition(
            Transition::auto(place(1))
                .drains(place(0), place(1))
                .drains(place(2), place(1))
                .tools([text]),
        )
        .rule(Rule { kind, source: Some(source) })
        .build()
        .unwrap()
}

fn is_hidden(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
    );
    is_format
        || matches!(character, '\u{feff}' | '\u{fffe}')
        || (character.is_control() && character != '\n')
}

#[test]
fn nothing_hidden_gets_into_a_file() {
    for text in HOSTILE {
        for format in [Format::Svg, Format::Dot, Format::Mermaid] {
            let drawing = draw(&[&net_of(text)], format);
            assert!(!drawing.contains(is_hidden), "{format:?} of {text:?}");
        }
    }
}

#[test]
fn a_picture_has_no_elements_but_its_own() {
    for text in HOSTILE {
        let svg = draw(&[&net_of(text)], Format::Svg);
        checked(&svg);
        assert!(!svg.contains("<script"), "{text:?}");
        let full =
            svg.contains(&super::super::paint::escaped(&crate::text::shown(text, usize::MAX)));
        assert!(full, "the full text of {text:?} is in a title");
    }
}

/// What is left of a line when its quoted strings are taken out; `None` if a quote stays open.
fn outside_quotes(line: &str, has_escapes: bool) -> Option<String> {
    let mut outside = String::new();
    let mut quoted = false;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' if quoted && has_escapes => {
                characters.next()?;
            }
            _ if !quoted => outside.push(character),
            _ => {}
        }
    }
    (!quoted).then_some(outside)
}

/// The drawing without what is in quotes; the same for any names if they stay in their quotes.
fn skeleton(drawing: &str, has_escapes: bool) -> Vec<String> {
    drawing.lines().map(|line| outside_quotes(line, has_escapes).expect("a closed quote")).collect()
}

#[test]
fn names_stay_in_their_quotes() {
    let harmless = net_of("harmless");
    for text in HOSTILE {
        for (format, has_escapes) in [(Format::Dot, true), (Format::Mermaid, false)] {
            let skeletons =
                [&harmless, &net_of(text)].map(|net| skeleton(&draw(&[net], format), has_escapes));
            assert_eq!(skeletons[0], skeletons[1], "{format:?} of {text:?}");
        }
    }
}

#[test]
fn long_names_are_cut_but_kept_in_full_for_those_who_ask() {
    let long = "a-very-long-name-".repeat(20);
    let svg = draw(&[&net_of(&long)], Format::Svg);
    let document = checked(&svg);
    for node in document.descendants().filter(|node| node.tag_name().name() == "text") {
        assert!(!node.text().unwrap().contains(&long), "{:?}", node.text());
    }
    let titles = document.descendants().filter(|node| node.tag_name().name() == "title");
    assert!(titles.filter_map(|node| node.text()).any(|title| title.contains(&long)));
}
