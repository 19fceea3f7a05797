//! PNML: what other tools write, and what is refused.

use petriflow_net::formats::pnml;

use super::{awkward_net, describe};

/// The net or the errors of a text.
fn read(text: &str) -> String {
    pnml::read(text).map_or_else(|error| error.to_string(), |net| describe(&net))
}

/// As [`read`], for the inside of a place/transition net.
fn read_inside(inside: &str) -> String {
    read(&format!("<pnml><net id='n' type='ptnet'>\n{inside}\n</net></pnml>"))
}

/// Each text with its result, one block a text.
fn table(texts: &[&str], read: impl Fn(&str) -> String) -> String {
    texts
        .iter()
        .map(|text| format!("{text}\n  {}\n", read(text).trim_end().replace('\n', "\n  ")))
        .collect()
}

#[test]
fn a_file_of_several_pages_is_one_net() {
    insta::assert_snapshot!(read(include_str!("modular.pnml")), @r#"
    net "shared pool"
    marking pool:3, left-busy:0, right-busy:0, log:0
    start <left>: 10*pool -> 3*left-busy
    right-start: 1*pool -> 1*right-busy + 1*log
    "#);
}

#[test]
fn writes_what_other_tools_read() {
    insta::assert_snapshot!(pnml::write(&awkward_net()).unwrap(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
      <net id="net" type="http://www.pnml.org/version-2009/grammar/ptnet">
        <name><text>a "net" &amp; &lt;more&gt;</text></name>
        <page id="page">
          <place id="p0"><name><text>plain</text></name><initialMarking><text>1</text></initialMarking></place>
          <place id="p1"><name><text>&#32;padded&#9;</text></name></place>
          <place id="p2"><name><text>two&#10;lines</text></name><initialMarking><text>12</text></initialMarking></place>
          <place id="p3"><name><text>"quoted" \ #35; [x]; `y` &lt;b&gt;&amp;lt;&lt;/b&gt;</text></name></place>
          <transition id="t0"><name><text>1. take_one-each</text></name></transition>
          <transition id="t1"><name><text>größer</text></name></transition>
          <transition id="t2"><name><text>%%{init}%%</text></name></transition>
          <arc id="a0" source="p0" target="t0"/>
          <arc id="a1" source="p1" target="t0"/>
          <arc id="a2" source="t0" target="p2"/>
          <arc id="a3" source="p0" target="t1"><inscription><text>3</text></inscription></arc>
          <arc id="a4" source="t1" target="p0"><inscription><text>4</text></inscription></arc>
          <arc id="a5" source="t1" target="p2"><inscription><text>2</text></inscription></arc>
          <arc id="a6" source="t2" target="p3"/>
        </page>
      </net>
    </pnml>
    "#);
}

#[test]
fn names_fall_back_to_ids_and_stay_unique() {
    insta::assert_snapshot!(read_inside(
        "<place id='a'><name><text>b</text></name></place>
         <place id='b'><name><text>twice</text></name></place>
         <place id='b_2'><name><text>twice</text></name></place>
         <place id='c'><name><text/></name></place>
         <place id='d'/>
         <place id='e'><name><text>d</text></name></place>
         <transition id='t'><name><text>b</text></name></transition>"
    ), @r#"
    net "n"
    marking b:0, b_2:0, b_2_2:0, c:0, d_2:0, d:0
    b:  ->
    "#);
}

#[test]
fn white_space_around_a_name_is_kept_only_as_references() {
    let names = [
        "  a  b ",
        "&#32;a&#32;",
        "\r\n a\r\n",
        "<![CDATA[ a ]]>",
        "&#13;&#10;a&#9; ",
        " <!-- --> ",
    ];
    let read_name = |name: &str| {
        let text =
            format!("<pnml><net id='n' type='ptnet'><name><text>{name}</text></name></net></pnml>");
        format!("{name:?} is {:?}", pnml::read(&text).unwrap().name())
    };
    insta::assert_snapshot!(names.map(read_name).join("\n"), @r#"
    "  a  b " is "a  b"
    "&#32;a&#32;" is " a "
    "\r\n a\r\n" is "a"
    "<![CDATA[ a ]]>" is " a "
    "&#13;&#10;a&#9; " is "\r\na\t"
    " <!-- --> " is ""
    "#);
}

#[test]
fn every_problem_is_reported_with_its_position() {
    insta::assert_snapshot!(read_inside(
        "<place id='p'/><place id='p'/><place/>
         <place id='minus'><initialMarking><text>-1</text></initialMarking></place>
         <place id='half'><initialMarking><text>1.5</text></initialMarking></place>
         <place id='huge'><initialMarking><text>4294967296</text></initialMarking></place>
         <place id='none'><initialMarking/></place>
         <place id='both'><initialMarking><text>1</text></initialMarking><initialMarking><text>2</text></initialMarking></place>
         <transition id='t'/><transition id='u'/>
         <page id='g'/>
         <arc id='a1' source='p' target='nowhere'/>
         <arc id='a2' source='g' target='t'/>
         <arc id='a3' source='p' target='minus'/>
         <arc id='a4' source='t' target='u'/>
         <arc id='a5' source='p' target='t'><inscription><text>0</text></inscription></arc>
         <arc id='a6' source='p' target='t'><inscription><text>two</text></inscription></arc>
         <arc id='a7' source='p'/>
         <arc source='t' target='p'/>
         <arc id='a8' source='p' target='u'><inscription><text>4294967295</text></inscription></arc>
         <arc id='a9' source='p' target='u'/>
         <arc id='b1' source='p' target='t'><type value='inhibitor'/></arc>
         <arc id='b2' source='p' target='t' type='reset'/>"
    ), @"
    2:16: id `p` is given twice, first at 2:1
    2:31: `place` without `id`
    3:28: `initialMarking` is `-1`, which is negative
    4:27: `initialMarking` is `1.5`, which is not a whole number
    5:27: `initialMarking` is `4294967296`, which is more than 4294967295
    6:27: `initialMarking` is ``, which is not a whole number
    7:74: `place` has more than one `initialMarking`
    10:10: arc `a1` has `nowhere` as its target, which is not a place or transition
    11:10: arc `a2` has `g` as its source, which is not a place or transition
    12:10: arc `a3` connects two places
    13:10: arc `a4` connects two transitions
    14:45: `inscription` is `0`, an arc that would move nothing
    15:45: `inscription` is `two`, which is not a whole number
    16:10: `arc` without `target`
    17:10: `arc` without `id`
    19:10: with arc `a9`, the weights between its ends add up to more than 4294967295
    20:10: arc `b1` is of type `inhibitor`; only `normal` arcs can be read
    21:10: arc `b2` is of type `reset`; only `normal` arcs can be read
    ");
}

#[test]
fn broken_references_are_reported_once_where_they_are() {
    insta::assert_snapshot!(read_inside(
        "<place id='p'/><transition id='t'/>
         <referencePlace id='r1' ref='r2'/>
         <referencePlace id='r2' ref='nothing'/>
         <referencePlace id='c1' ref='c2'/>
         <referencePlace id='c2' ref='c3'/>
         <referencePlace id='c3' ref='c2'/>
         <referencePlace id='self' ref='self'/>
         <referencePlace id='wrong' ref='t'/>
         <referencePlace id='crossed' ref='rt'/>
         <referenceTransition id='rt' ref='t'/>
         <referenceTransition id='missing'/>
         <arc id='a1' source='r1' target='t'/>
         <arc id='a2' source='c1' target='rt'/>
         <arc id='a3' source='p' target='missing'/>"
    ), @"
    4:10: reference `r2` is to `nothing`, which is not a place
    6:10: reference `c2` leads back to itself
    8:10: reference `self` leads back to itself
    9:10: reference `wrong` is to `t`, which is not a place
    10:10: reference `crossed` is to `rt`, which is not a place
    12:10: `referenceTransition` without `ref`
    ");
}

#[test]
fn other_files_are_refused_by_what_they_are() {
    let texts = [
        "<svg/>",
        "<pnml/>",
        "<pnml><net id='a' type='ptnet'/><net id='b' type='ptnet'/><net id='c' type='ptnet'/></pnml>",
        "<pnml><net id='a'/></pnml>",
        "<pnml><net type='ptnet'/></pnml>",
        "<pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/highlevelnet'/></pnml>",
        "<pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/pt-hlpng'/></pnml>",
        "<pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>",
        "<pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/pnmlcoremodel'/></pnml>",
    ];
    insta::assert_snapshot!(table(&texts, read), @"
    <svg/>
      1:1: expected a `pnml` element, found `svg`
    <pnml/>
      1:1: the file has no net
    <pnml><net id='a' type='ptnet'/><net id='b' type='ptnet'/><net id='c' type='ptnet'/></pnml>
      1:1: the file has 3 nets; only one can be read
    <pnml><net id='a'/></pnml>
      1:7: `net` without `type`
    <pnml><net type='ptnet'/></pnml>
      1:7: `net` without `id`
    <pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/highlevelnet'/></pnml>
      1:7: net type `http://www.pnml.org/version-2009/grammar/highlevelnet` is a high-level net; only place/transition nets (`ptnet`) can be read
    <pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/pt-hlpng'/></pnml>
      1:7: net type `http://www.pnml.org/version-2009/grammar/pt-hlpng` is a high-level net; only place/transition nets (`ptnet`) can be read
    <pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>
      1:7: net type `http://www.pnml.org/version-2009/grammar/symmetricnet` is a symmetric net; only place/transition nets (`ptnet`) can be read
    <pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/pnmlcoremodel'/></pnml>
      1:7: net type `http://www.pnml.org/version-2009/grammar/pnmlcoremodel` is another kind of net; only place/transition nets (`ptnet`) can be read
    ");
}

#[test]
fn older_types_and_any_prefix_are_read() {
    let texts = [
        "<pnml><net id='a' type='http://www.informatik.hu-berlin.de/top/pntd/ptNetb'><place id='p'/></net></pnml>",
        "<pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/ptnet'><place id='p'/></net></pnml>",
        "<q:pnml xmlns:q='urn:q'><q:net id='a' type='ptnet'><q:page id='g'><q:place id='p'/></q:page></q:net></q:pnml>",
        "<pnml><net id = 'a' type = 'ptnet' ></net ></pnml >",
    ];
    insta::assert_snapshot!(table(&texts, read), @r#"
    <pnml><net id='a' type='http://www.informatik.hu-berlin.de/top/pntd/ptNetb'><place id='p'/></net></pnml>
      net "a"
      marking p:0
    <pnml><net id='a' type='http://www.pnml.org/version-2009/grammar/ptnet'><place id='p'/></net></pnml>
      net "a"
      marking p:0
    <q:pnml xmlns:q='urn:q'><q:net id='a' type='ptnet'><q:page id='g'><q:place id='p'/></q:page></q:net></q:pnml>
      net "a"
      marking p:0
    <pnml><net id = 'a' type = 'ptnet' ></net ></pnml >
      net "a"
      marking (empty)
    "#);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = pnml::write(&awkward_net()).unwrap();
    let marked = format!("\u{feff}{text}");
    assert_eq!(pnml::read(&marked), Ok(awkward_net()));
    assert_eq!(pnml::read_bytes(marked.as_bytes()), Ok(awkward_net()));
}

#[test]
fn names_that_xml_cannot_carry_are_not_written() {
    let net = petriflow_net::Net::builder("bell\u{7}")
        .places(["fine", "nul\0"])
        .transition("\u{ffff}", ["fine"], ["nul\0"])
        .build()
        .unwrap();
    insta::assert_snapshot!(pnml::write(&net).unwrap_err(), @r"
    the name of net `bell\u{7}` has the character U+0007, which XML cannot carry
    the name of place `nul\0` has the character U+0000, which XML cannot carry
    the name of transition `\u{ffff}` has the character U+FFFF, which XML cannot carry
    ");
}
