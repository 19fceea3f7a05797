//! DOT and Mermaid: names of any kind stay inside their labels.

use petriflow_net::formats::{dot, mermaid};

use super::awkward_net;

#[test]
fn dot_escapes_every_name() {
    insta::assert_snapshot!(dot::write(&awkward_net()), @r#"
    digraph {
      rankdir=LR;
      label="a \"net\" &amp; <more>";
      p0 [shape=circle, label="plain\n1 token"];
      p1 [shape=circle, label=" padded\\t"];
      p2 [shape=circle, label="two\nlines\n12 tokens"];
      p3 [shape=circle, label="\"quoted\" \\ #35; [x]; `y` <b>&amp;lt;</b>"];
      t0 [shape=box, label="1. take_one-each"];
      p0 -> t0;
      p1 -> t0;
      t0 -> p2;
      t1 [shape=box, label="größer"];
      p0 -> t1 [label="3"];
      t1 -> p0 [label="4"];
      t1 -> p2 [label="2"];
      t2 [shape=box, label="%%{init}%%"];
      t2 -> p3;
    }
    "#);
}

#[test]
fn mermaid_escapes_every_name() {
    insta::assert_snapshot!(mermaid::write(&awkward_net()), @r##"
    flowchart LR
      p0(("plain<br/>1 token"))
      p1((" padded#92;t"))
      p2(("two<br/>lines<br/>12 tokens"))
      p3(("#34;quoted#34; #92; #35;35#59; #91;x#93;#59; #96;y#96; #60;b#62;#38;lt#59;#60;#47;b#62;"))
      t0["1#46; take_one-each"]
      p0 --> t0
      p1 --> t0
      t0 --> p2
      t1["größer"]
      p0 -->|3| t1
      t1 -->|4| p0
      t1 -->|2| p2
      t2["#37;#37;#123;init#125;#37;#37;"]
      t2 --> p3
    "##);
}

#[test]
fn control_characters_are_drawn_as_their_codes() {
    let net = petriflow_net::Net::builder("").place("nul\0, bell\u{7}, return\r.").build().unwrap();
    insta::assert_snapshot!(dot::write(&net) + &mermaid::write(&net), @r#"
    digraph {
      rankdir=LR;
      label="";
      p0 [shape=circle, label="nul\\u{0}, bell\\u{7}, return\n."];
    }
    flowchart LR
      p0(("nul#92;u#123;0#125;#44; bell#92;u#123;7#125;#44; return<br/>#46;"))
    "#);
}
