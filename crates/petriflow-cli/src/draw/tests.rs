//! Promises about every drawing, on the usual nets, on hostile ones and on generated ones.

mod geometry;
mod hostile;
pub(super) mod shapes;

use petriflow::gate::{SkillNet, Transition};
use roxmltree::{Document, Node};

use super::{Format, draw};

/// The picture, read again as XML; panics if it is not well-formed.
fn checked(svg: &str) -> Document<'_> {
    let document = Document::parse(svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    assert_eq!(root.attribute("role"), Some("img"));
    let first: Vec<&str> = root
        .children()
        .filter(Node::is_element)
        .take(2)
        .map(|node| node.tag_name().name())
        .collect();
    assert_eq!(first, ["title", "desc"]);
    let known = ["svg", "title", "desc", "style", "g", "rect", "circle", "path", "text"];
    for node in root.descendants().filter(Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
        let is_finite = |value: &str| !value.contains("NaN") && !value.contains("inf");
        assert!(node.attributes().all(|attribute| is_finite(attribute.value())));
    }
    document
}

/// What can be read in the picture.
fn texts(net: &SkillNet) -> Vec<String> {
    let svg = draw(&[net], Format::Svg);
    let document = checked(&svg);
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")));
    texts.filter_map(|node| node.text()).map(str::to_owned).collect()
}

fn assert_shows(net: &SkillNet, expected: &[&str]) {
    let texts = texts(net);
    for text in expected {
        assert!(texts.iter().any(|shown| shown == text), "no `{text}` in {texts:?}");
    }
}

#[test]
fn every_shape_says_what_its_rule_does() {
    assert_shows(
        &shapes::require(),
        &[
            "require backup before delete",
            "release.rules:3  ·  require-backup-before-delete",
            "backup",
            "on success",
            "delete",
            "happens by itself",
            "counts once it has succeeded",
        ],
    );
    assert_shows(&shapes::approve(), &["deploy", "asks a person", "a person is asked each time"]);
    assert_shows(&shapes::block(), &["rm", "never", "can never happen"]);
    assert_shows(&shapes::limit(1_000_000), &["push", "×1\u{202f}000\u{202f}000"]);
    assert_shows(
        &shapes::refilled(),
        &["×3", "all", "review", "on success", "all tokens there are"],
    );
}

#[test]
fn the_legend_explains_only_what_is_there() {
    let texts = texts(&shapes::approve());
    for absent in ["can never happen", "counts once it has succeeded", "all tokens there are"] {
        assert!(!texts.iter().any(|text| text == absent), "{absent}");
    }
}

#[test]
fn one_picture_takes_any_number_of_nets() {
    let shapes: Vec<SkillNet> = shapes::all().into_iter().map(|(_, net)| net).collect();
    for count in [0, 1, 2, 3, 4, 5, 17] {
        let nets: Vec<&SkillNet> = shapes.iter().cycle().take(count).collect();
        let svg = draw(&nets, Format::Svg);
        let document = checked(&svg);
        let panels = document.descendants().filter(|node| node.attribute("class") == Some("panel"));
        assert_eq!(panels.count(), count);
        assert_eq!(draw(&nets, Format::Dot).matches("subgraph cluster_").count(), count);
        assert_eq!(draw(&nets, Format::Mermaid).matches("\n  subgraph ").count(), count);
    }
}

#[test]
fn tokens_are_dots_while_they_can_be_counted_at_a_glance() {
    let dots = |tokens: u64| {
        let net = SkillNet::builder("n").places(["p"]).initial("p", tokens).build().unwrap();
        let svg = draw(&[&net], Format::Svg);
        let dots =
            checked(&svg).descendants().filter(|n| n.attribute("class") == Some("token")).count();
        // The legend has one as well.
        dots - 1
    };
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(dots), [0, 1, 2, 3, 4, 5, 0]);
    let many = SkillNet::builder("n").places(["p"]).initial("p", 12_345).build().unwrap();
    assert_shows(&many, &["12\u{202f}345"]);
}

#[test]
fn nets_that_nobody_could_read_are_named_instead() {
    let places: Vec<String> = (0..61).map(|place| format!("p{place}")).collect();
    let large = SkillNet::builder("large").places(places).build().unwrap();
    assert_shows(&large, &["too large to draw: 61 places, 0 transitions; use --format dot"]);
    let crowded = (0..16).fold(SkillNet::builder("crowded"), |net, number| {
        let places = (0..10).map(|place| format!("p{place}"));
        let net = if number == 0 { net.places(places.clone()) } else { net };
        net.transition(Transition::auto(format!("t{number}")).from(places).tools(["tool"]))
    });
    assert_shows(
        &crowded.build().unwrap(),
        &["too large to draw: 10 places, 16 transitions, 160 arrows; use --format dot"],
    );
    let empty = SkillNet::builder("empty").build().unwrap();
    assert_shows(&empty, &["nothing in it"]);
    assert!(draw(&[&large], Format::Dot).contains("n0_p60"));
}

#[test]
fn graphs_tell_kinds_of_transitions_apart() {
    let nets = [shapes::require(), shapes::approve(), shapes::block(), shapes::refilled()];
    let nets: Vec<&SkillNet> = nets.iter().collect();
    let dot = draw(&nets, Format::Dot);
    for line in [
        r##"n0_t1 [shape=box, style="rounded,filled,dashed", fillcolor="#eaf1fe", color="#3f6fcb", label="backup\nfirst\n(on success)"];"##,
        "n0_p2 -> n0_t2 [dir=both];",
        r##"fillcolor="#fff4da", color="#b27710", label="deploy\napprove\n(asks a person)"];"##,
        r##"fillcolor="#fdeeee", color="#cc3333", label="rm\ncall\n(never)"];"##,
        r##"n3_p2 -> n3_t2 [label="all", color="#0f766e:#ffffff:#0f766e", penwidth=1.8];"##,
        r##"n3_t0 -> n3_p1 [label="×3"];"##,
    ] {
        assert!(dot.contains(line), "no {line} in\n{dot}");
    }
    let mermaid = draw(&nets, Format::Mermaid);
    for line in [
        r#"n0_t1("backup<br/>first<br/>on success"):::deferred"#,
        "n0_p2 <--> n0_t2",
        r#"n1_t1("deploy<br/>approve<br/>asks a person"):::manual"#,
        r#"n2_t1("rm<br/>call<br/>never"):::never"#,
        r#"n3_p2 ==>|"all"| n3_t2"#,
        r##"n3_t0 -->|"#215;3"| n3_p1"##,
    ] {
        assert!(mermaid.contains(line), "no {line} in\n{mermaid}");
    }
}
