//! Reading what was written gives the same net.

use std::collections::BTreeSet;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use petriflow_net::formats::{NetDocument, dot, json, mermaid, pnml};
use petriflow_net::{Net, PlaceId};

use super::awkward_net;

/// Parts of names that need an escape somewhere, or that a reader may take for layout.
#[rustfmt::skip]
const PARTS: [&str; 24] = [
    "a", "B", "ö", "日本", "😀", " ", "\t", "\n", "\r", "\r\n", "\u{a0}", "\u{85}", "\u{2028}",
    "\u{feff}", "<", ">", "&", "&amp;", "\"", "'", "]]>", "<!--", "\\", "p1",
];

fn name(u: &mut Unstructured<'_>) -> Result<String> {
    (0..u.int_in_range(0..=4)?).map(|_| u.choose(&PARTS).copied()).collect()
}

fn names(u: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let mut seen = BTreeSet::from([String::new()]);
    let mut names = Vec::new();
    for _ in 0..u.int_in_range(0..=6)? {
        let name = name(u)?;
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    Ok(names)
}

fn count(u: &mut Unstructured<'_>) -> Result<u64> {
    Ok(u64::from(*u.choose(&[1, 1, 2, 3, 4, 1000, u32::MAX])?))
}

fn side<'a>(u: &mut Unstructured<'_>, places: &'a [String]) -> Result<Vec<(&'a str, u64)>> {
    let mut side = Vec::new();
    for place in places {
        if u.arbitrary()? {
            side.push((place.as_str(), count(u)?));
        }
    }
    Ok(side)
}

fn document(u: &mut Unstructured<'_>) -> Result<NetDocument> {
    let places = names(u)?;
    let mut builder = Net::builder(name(u)?).places(places.iter().cloned());
    for (place, tokens) in side(u, &places)? {
        builder = builder.initial(place, tokens);
    }
    for transition in names(u)? {
        builder = builder.weighted_transition(transition, side(u, &places)?, side(u, &places)?);
    }
    let net = builder.build().unwrap();
    let mut terminal_places: Vec<PlaceId> = net.places().collect();
    terminal_places.truncate(u.int_in_range(0..=3)?);
    terminal_places.reverse();
    Ok(NetDocument { net, terminal_places })
}

#[test]
fn pnml_gives_back_what_was_written() {
    arbtest(|u| {
        let net = document(u)?.net;
        let text = pnml::write(&net).unwrap();
        assert_eq!(pnml::read(&text).as_ref(), Ok(&net), "{text}");
        assert_eq!(pnml::read_bytes(text.as_bytes()).as_ref(), Ok(&net));
        Ok(())
    });
}

#[test]
fn json_gives_back_what_was_written() {
    arbtest(|u| {
        let document = document(u)?;
        let text = json::write(&document);
        assert_eq!(json::read(&text).as_ref(), Ok(&document), "{text}");
        Ok(())
    });
}

#[test]
fn drawings_keep_one_statement_a_line() {
    arbtest(|u| {
        let net = document(u)?.net;
        let arcs = net.transitions().map(|t| net.inputs(t).len() + net.outputs(t).len());
        let statements = net.place_count() + net.transition_count() + arcs.sum::<usize>();
        assert_eq!(dot::write(&net).lines().count(), statements + 4);
        assert_eq!(mermaid::write(&net).lines().count(), statements + 1);
        Ok(())
    });
}

#[test]
fn control_characters_survive_in_json() {
    let name: String = (0..=0x7F_u8).map(char::from).chain(['\u{ffff}', '\u{2028}']).collect();
    let net = Net::builder(name.clone()).place(name).build().unwrap();
    let document = NetDocument { net, terminal_places: Vec::new() };
    assert_eq!(json::read(&json::write(&document)), Ok(document));
}

#[test]
fn the_awkward_net_survives_both() {
    let net = awkward_net();
    assert_eq!(pnml::read(&pnml::write(&net).unwrap()).as_ref(), Ok(&net));
    let document = NetDocument { net, terminal_places: Vec::new() };
    assert_eq!(json::read(&json::write(&document)), Ok(document));
}
