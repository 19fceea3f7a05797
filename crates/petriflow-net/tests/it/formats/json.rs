//! JSON: its written form, and what is refused.

use petriflow_net::formats::{NetDocument, json};

use super::{awkward_net, describe};

fn read(text: &str) -> String {
    let describe_document = |document: NetDocument| {
        let NetDocument { net, terminal_places } = document;
        let terminal: Vec<_> = terminal_places.iter().map(|&id| net.place_name(id)).collect();
        format!("{}terminal {terminal:?}", describe(&net))
    };
    json::read(text).map_or_else(|error| error.to_string(), describe_document)
}

/// Each text with its result, one block a text.
fn table(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("{text}\n  {}\n", read(text).replace('\n', "\n  "))).collect()
}

#[test]
fn written_documents_are_readable() {
    let net = awkward_net();
    let terminal_places = vec![net.place_named("two\nlines").unwrap()];
    insta::assert_snapshot!(json::write(&NetDocument { net, terminal_places }), @r#"
    {
      "name": "a \"net\" & <more>",
      "places": [
        "plain",
        " padded\t",
        "two\nlines",
        "\"quoted\" \\ #35; [x]; `y` <b>&lt;</b>"
      ],
      "transitions": [
        {"name": "1. take_one-each", "inputs": ["plain", " padded\t"], "outputs": ["two\nlines"]},
        {"name": "größer", "inputs": ["plain", "plain", "plain"], "outputs": [{"place": "plain", "weight": 4}, "two\nlines", "two\nlines"]},
        {"name": "%%{init}%%", "inputs": [], "outputs": ["\"quoted\" \\ #35; [x]; `y` <b>&lt;</b>"]}
      ],
      "initialMarking": {
        "plain": 1,
        "two\nlines": 12
      },
      "terminalPlaces": [
        "two\nlines"
      ]
    }
    "#);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let document = NetDocument { net: awkward_net(), terminal_places: Vec::new() };
    assert_eq!(json::read(&format!("\u{feff}{}", json::write(&document))), Ok(document));
}

#[test]
fn an_empty_net_is_written_and_read() {
    let net = petriflow_net::Net::builder("").build().unwrap();
    let document = NetDocument { net, terminal_places: Vec::new() };
    let text = json::write(&document);
    assert_eq!(json::read(&text).as_ref(), Ok(&document));
    insta::assert_snapshot!(text, @r#"
    {
      "places": [],
      "transitions": [],
      "initialMarking": {},
      "terminalPlaces": []
    }
    "#);
}

#[test]
fn weights_are_repeated_places_or_objects() {
    insta::assert_snapshot!(read(
        r#"{
            "places": ["a", "b"],
            "transitions": [
                {"name": "t", "inputs": ["a", "b", "a"], "outputs": ["b", {"place": "b", "weight": 3}]}
            ]
        }"#
    ), @r#"
    net ""
    marking a:0, b:0
    t: 2*a + 1*b -> 4*b
    terminal []
    "#);
}

#[test]
fn all_problems_of_meaning_are_reported_at_once() {
    insta::assert_snapshot!(read(
        r#"{
            "places": ["a", "a", ""],
            "transitions": [
                {"name": "t", "inputs": ["x", {"place": "a", "weight": 0}], "outputs": []},
                {"name": "t", "inputs": [], "outputs": [{"place": "a", "weight": 4294967296}]}
            ],
            "initialMarking": {"a": 1, "y": 2, "a": 3},
            "terminalPlaces": ["a", "z", "a", "z", "z"]
        }"#
    ), @"
    place `a` is defined twice
    place number 3 has an empty name
    transition `t` is defined twice
    transition `t` names `x`, which is not a place
    transition `t` has an arc of weight 0 at `a`
    transition `t` has 4294967296 at `a`, more than 4294967295
    the initial marking names `y`, which is not a place
    the initial marking names `a` twice
    the terminal places name `z`, which is not a place
    the terminal places name `a` twice
    the terminal places name `z` twice
    ");
}

#[test]
fn counts_must_be_written_as_whole_numbers() {
    #[rustfmt::skip]
    let counts = [
        "2.0", "1e3", "-1", "-0", "\"1\"", "null", "[]", "18446744073709551616", "01", "4294967295",
    ];
    let texts = counts.map(|count| {
        format!(r#"{{"places": ["a"], "transitions": [], "initialMarking": {{"a": {count}}}}}"#)
    });
    insta::assert_snapshot!(table(&texts.each_ref().map(String::as_str)), @r#"
    {"places": ["a"], "transitions": [], "initialMarking": {"a": 2.0}}
      1:64: invalid type: floating point `2.0`, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": 1e3}}
      1:64: invalid type: floating point `1000.0`, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": -1}}
      1:63: invalid type: integer `-1`, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": -0}}
      1:63: invalid type: floating point `-0.0`, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": "1"}}
      1:64: invalid type: string "1", expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": null}}
      1:65: invalid type: null, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": []}}
      1:63: invalid type: sequence, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": 18446744073709551616}}
      1:81: invalid type: floating point `1.8446744073709552e+19`, expected a whole number from 0 to 4294967295
    {"places": ["a"], "transitions": [], "initialMarking": {"a": 01}}
      1:63: invalid number
    {"places": ["a"], "transitions": [], "initialMarking": {"a": 4294967295}}
      net ""
      marking a:4294967295
      terminal []
    "#);
}

#[test]
fn other_shapes_are_refused_with_their_position() {
    let texts = [
        "[]",
        r#"["name", ["a"], []]"#,
        r#"{"places": []}"#,
        r#"{"places": [], "transitions": [], "colour": 1}"#,
        r#"{"places": [], "places": [], "transitions": []}"#,
        r#"{"places": [], "transitions": [["t", [], []]]}"#,
        r#"{"places": [], "transitions": [{"name": "t", "inputs": []}]}"#,
        r#"{"places": [], "transitions": [{"name": "t", "name": "u"}]}"#,
        r#"{"places": [], "transitions": [{"name": "t", "inputs": [1]}]}"#,
        r#"{"places": [], "transitions": [{"name": "t", "inputs": [{"place": "a"}]}]}"#,
        r#"{"places": [], "transitions": [{"name": "t", "inputs": [{"place": "a", "weight": 1, "weight": 2}]}]}"#,
        r#"{"places": [], "transitions": [], "initialMarking": []}"#,
        r#"{"places": [], "transitions": []} {}"#,
        "{\"places\":\n [\"größe\", 1]}",
    ];
    insta::assert_snapshot!(table(&texts), @r#"
    []
      1:1: invalid type: sequence, expected an object
    ["name", ["a"], []]
      1:1: invalid type: sequence, expected an object
    {"places": []}
      1:14: missing field `transitions`
    {"places": [], "transitions": [], "colour": 1}
      1:42: unknown field `colour`, expected one of `name`, `places`, `transitions`, `initialMarking`, `terminalPlaces`
    {"places": [], "places": [], "transitions": []}
      1:23: duplicate field `places`
    {"places": [], "transitions": [["t", [], []]]}
      1:31: invalid type: sequence, expected an object
    {"places": [], "transitions": [{"name": "t", "inputs": []}]}
      1:58: missing field `outputs`
    {"places": [], "transitions": [{"name": "t", "name": "u"}]}
      1:51: duplicate field `name`
    {"places": [], "transitions": [{"name": "t", "inputs": [1]}]}
      1:57: invalid type: integer `1`, expected a place's name or an object with `place` and `weight`
    {"places": [], "transitions": [{"name": "t", "inputs": [{"place": "a"}]}]}
      1:70: missing field `weight`
    {"places": [], "transitions": [{"name": "t", "inputs": [{"place": "a", "weight": 1, "weight": 2}]}]}
      1:92: duplicate field `weight`
    {"places": [], "transitions": [], "initialMarking": []}
      1:52: invalid type: sequence, expected an object from place names to counts
    {"places": [], "transitions": []} {}
      1:35: trailing characters
    {"places":
     ["größe", 1]}
      2:12: invalid type: integer `1`, expected a string
    "#);
}
