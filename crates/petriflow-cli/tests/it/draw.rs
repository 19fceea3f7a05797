//! `petriflow draw`.

use super::run;

const KINDS: &str = "\
require backup before delete
require human-approval before deploy
block rm
limit push to 2 per session
limit push to 2 per test
";

fn drawn(flags: &[&str]) -> String {
    run(&[&["draw", "-"], flags].concat(), KINDS)
}

#[test]
fn graphviz_gets_every_kind_of_rule() {
    insta::assert_snapshot!(drawn(&["--format", "dot"]), @r##"
    exit 0
    --- stdout
    digraph petriflow {
      rankdir=LR;
      fontname="sans-serif";
      node [fontname="sans-serif", fontsize=11, margin="0.16,0.08"];
      edge [fontname="sans-serif", fontsize=10, color="#5b6875"];
      subgraph cluster_0 {
        label="require backup before delete\n<stdin>:1\nrequire-backup-before-delete";
        style=rounded;
        color="#dfe4ea";
        n0_p0 [shape=circle, label="idle\n1 token"];
        n0_p1 [shape=circle, label="waiting"];
        n0_p2 [shape=circle, label="done"];
        n0_t0 [shape=box, style="rounded,filled", fillcolor="#e4e8ec", color="#98a3ae", label="start"];
        n0_t1 [shape=box, style="rounded,filled,dashed", fillcolor="#eaf1fe", color="#3f6fcb", label="backup\nfirst\n(on success)"];
        n0_t2 [shape=box, style="rounded,filled,dashed", fillcolor="#eaf1fe", color="#3f6fcb", label="backup\nagain\n(on success)"];
        n0_t3 [shape=box, style="rounded,filled", fillcolor="#eaf1fe", color="#3f6fcb", label="delete\nthen"];
        n0_p0 -> n0_t0;
        n0_t0 -> n0_p1;
        n0_p1 -> n0_t1;
        n0_t1 -> n0_p2;
        n0_p2 -> n0_t2 [dir=both];
        n0_p2 -> n0_t3;
        n0_t3 -> n0_p1;
      }
      subgraph cluster_1 {
        label="require human-approval before deploy\n<stdin>:2\napprove-before-deploy";
        style=rounded;
        color="#dfe4ea";
        n1_p0 [shape=circle, label="idle\n1 token"];
        n1_p1 [shape=circle, label="ready"];
        n1_t0 [shape=box, style="rounded,filled", fillcolor="#e4e8ec", color="#98a3ae", label="start"];
        n1_t1 [shape=box, style="rounded,filled", fillcolor="#fff4da", color="#b27710", label="deploy\napprove\n(asks a person)"];
        n1_p0 -> n1_t0;
        n1_t0 -> n1_p1;
        n1_p1 -> n1_t1 [dir=both];
      }
      subgraph cluster_2 {
        label="block rm\n<stdin>:3\nblock-rm";
        style=rounded;
        color="#dfe4ea";
        n2_p0 [shape=circle, label="idle\n1 token"];
        n2_p1 [shape=circle, label="closed"];
        n2_p2 [shape=circle, label="open"];
        n2_t0 [shape=box, style="rounded,filled", fillcolor="#e4e8ec", color="#98a3ae", label="start"];
        n2_t1 [shape=box, style="rounded,filled", fillcolor="#fdeeee", color="#cc3333", label="rm\nnever\n(never)"];
        n2_p0 -> n2_t0;
        n2_t0 -> n2_p1;
        n2_p2 -> n2_t1 [dir=both];
      }
      subgraph cluster_3 {
        label="limit push to 2 per session\n<stdin>:4\nlimit-push-2";
        style=rounded;
        color="#dfe4ea";
        n3_p0 [shape=circle, label="idle\n1 token"];
        n3_p1 [shape=circle, label="budget"];
        n3_p2 [shape=circle, label="spent"];
        n3_t0 [shape=box, style="rounded,filled", fillcolor="#e4e8ec", color="#98a3ae", label="start"];
        n3_t1 [shape=box, style="rounded,filled", fillcolor="#eaf1fe", color="#3f6fcb", label="push\nuse"];
        n3_p0 -> n3_t0;
        n3_t0 -> n3_p1 [label="×2"];
        n3_p1 -> n3_t1;
        n3_t1 -> n3_p2;
      }
      subgraph cluster_4 {
        label="limit push to 2 per test\n<stdin>:5\nlimit-push-2-per-test";
        style=rounded;
        color="#dfe4ea";
        n4_p0 [shape=circle, label="idle\n1 token"];
        n4_p1 [shape=circle, label="budget"];
        n4_p2 [shape=circle, label="spent"];
        n4_t0 [shape=box, style="rounded,filled", fillcolor="#e4e8ec", color="#98a3ae", label="start"];
        n4_t1 [shape=box, style="rounded,filled", fillcolor="#eaf1fe", color="#3f6fcb", label="push\nuse"];
        n4_t2 [shape=box, style="rounded,filled,dashed", fillcolor="#eaf1fe", color="#3f6fcb", label="test\nrefill\n(on success)"];
        n4_p0 -> n4_t0;
        n4_t0 -> n4_p1 [label="×2"];
        n4_p1 -> n4_t1;
        n4_t1 -> n4_p2;
        n4_p2 -> n4_t2 [label="all", color="#0f766e:#ffffff:#0f766e", penwidth=1.8];
        n4_t2 -> n4_p1 [label="all", color="#0f766e:#ffffff:#0f766e", penwidth=1.8];
      }
    }
    "##);
}

#[test]
fn mermaid_gets_every_kind_of_rule() {
    insta::assert_snapshot!(drawn(&["--format", "mermaid"]), @r##"
    exit 0
    --- stdout
    flowchart LR
      classDef tool fill:#eaf1fe,stroke:#3f6fcb,color:#26323f
      classDef deferred fill:#eaf1fe,stroke:#3f6fcb,color:#26323f,stroke-dasharray:5 4
      classDef manual fill:#fff4da,stroke:#b27710,color:#26323f
      classDef manualDeferred fill:#fff4da,stroke:#b27710,color:#26323f,stroke-dasharray:5 4
      classDef never fill:#fdeeee,stroke:#cc3333,color:#26323f,stroke-width:2px
      classDef structural fill:#e4e8ec,stroke:#98a3ae,color:#56626e
      subgraph n0["require backup before delete<br/>#60;stdin#62;#58;1<br/>require-backup-before-delete"]
        direction LR
        n0_p0(("idle<br/>1 token"))
        n0_p1(("waiting"))
        n0_p2(("done"))
        n0_t0("start"):::structural
        n0_t1("backup<br/>first<br/>on success"):::deferred
        n0_t2("backup<br/>again<br/>on success"):::deferred
        n0_t3("delete<br/>then"):::tool
        n0_p0 --> n0_t0
        n0_t0 --> n0_p1
        n0_p1 --> n0_t1
        n0_t1 --> n0_p2
        n0_p2 <--> n0_t2
        n0_p2 --> n0_t3
        n0_t3 --> n0_p1
      end
      subgraph n1["require human-approval before deploy<br/>#60;stdin#62;#58;2<br/>approve-before-deploy"]
        direction LR
        n1_p0(("idle<br/>1 token"))
        n1_p1(("ready"))
        n1_t0("start"):::structural
        n1_t1("deploy<br/>approve<br/>asks a person"):::manual
        n1_p0 --> n1_t0
        n1_t0 --> n1_p1
        n1_p1 <--> n1_t1
      end
      subgraph n2["block rm<br/>#60;stdin#62;#58;3<br/>block-rm"]
        direction LR
        n2_p0(("idle<br/>1 token"))
        n2_p1(("closed"))
        n2_p2(("open"))
        n2_t0("start"):::structural
        n2_t1("rm<br/>never<br/>never"):::never
        n2_p0 --> n2_t0
        n2_t0 --> n2_p1
        n2_p2 <--> n2_t1
      end
      subgraph n3["limit push to 2 per session<br/>#60;stdin#62;#58;4<br/>limit-push-2"]
        direction LR
        n3_p0(("idle<br/>1 token"))
        n3_p1(("budget"))
        n3_p2(("spent"))
        n3_t0("start"):::structural
        n3_t1("push<br/>use"):::tool
        n3_p0 --> n3_t0
        n3_t0 -->|"#215;2"| n3_p1
        n3_p1 --> n3_t1
        n3_t1 --> n3_p2
      end
      subgraph n4["limit push to 2 per test<br/>#60;stdin#62;#58;5<br/>limit-push-2-per-test"]
        direction LR
        n4_p0(("idle<br/>1 token"))
        n4_p1(("budget"))
        n4_p2(("spent"))
        n4_t0("start"):::structural
        n4_t1("push<br/>use"):::tool
        n4_t2("test<br/>refill<br/>on success"):::deferred
        n4_p0 --> n4_t0
        n4_t0 -->|"#215;2"| n4_p1
        n4_p1 --> n4_t1
        n4_t1 --> n4_p2
        n4_p2 ==>|"all"| n4_t2
        n4_t2 ==>|"all"| n4_p1
      end
    "##);
}

#[test]
fn an_image_is_well_formed_and_shows_every_rule() {
    let svg = drawn(&[]);
    let svg = svg.strip_prefix("exit 0\n--- stdout\n").expect("drawn");
    let image = roxmltree::Document::parse(svg).expect("well-formed");
    assert_eq!(image.root_element().tag_name().name(), "svg");
    let texts: Vec<&str> = image.descendants().filter_map(|node| node.text()).collect();
    for rule in KINDS.lines() {
        assert!(texts.iter().any(|text| text.contains(rule)), "{rule} is not in {texts:?}");
    }
    assert!(!svg.contains("<script"), "an image runs nothing");
}

#[test]
fn a_rule_is_chosen_by_the_name_of_its_net_or_by_its_text() {
    for (chosen, other) in [
        ("block-rm", "block rm"),
        ("limit-push-2-per-test", "limit  push to 2 per test"),
        ("approve-before-deploy", "require human-approval before deploy"),
    ] {
        for format in ["dot", "mermaid", "svg"] {
            let by_name = drawn(&["--rule", chosen, "--format", format]);
            assert!(by_name.starts_with("exit 0\n"), "{by_name}");
            assert_eq!(drawn(&["--rule", other, "--format", format]), by_name);
        }
    }
    let two = drawn(&["--rule", "block-rm", "--rule", "limit-push-2", "--format", "mermaid"]);
    insta::assert_snapshot!(two, @r##"
    exit 0
    --- stdout
    flowchart LR
      classDef tool fill:#eaf1fe,stroke:#3f6fcb,color:#26323f
      classDef deferred fill:#eaf1fe,stroke:#3f6fcb,color:#26323f,stroke-dasharray:5 4
      classDef manual fill:#fff4da,stroke:#b27710,color:#26323f
      classDef manualDeferred fill:#fff4da,stroke:#b27710,color:#26323f,stroke-dasharray:5 4
      classDef never fill:#fdeeee,stroke:#cc3333,color:#26323f,stroke-width:2px
      classDef structural fill:#e4e8ec,stroke:#98a3ae,color:#56626e
      subgraph n0["block rm<br/>#60;stdin#62;#58;3<br/>block-rm"]
        direction LR
        n0_p0(("idle<br/>1 token"))
        n0_p1(("closed"))
        n0_p2(("open"))
        n0_t0("start"):::structural
        n0_t1("rm<br/>never<br/>never"):::never
        n0_p0 --> n0_t0
        n0_t0 --> n0_p1
        n0_p2 <--> n0_t1
      end
      subgraph n1["limit push to 2 per session<br/>#60;stdin#62;#58;4<br/>limit-push-2"]
        direction LR
        n1_p0(("idle<br/>1 token"))
        n1_p1(("budget"))
        n1_p2(("spent"))
        n1_t0("start"):::structural
        n1_t1("push<br/>use"):::tool
        n1_p0 --> n1_t0
        n1_t0 -->|"#215;2"| n1_p1
        n1_p1 --> n1_t1
        n1_t1 --> n1_p2
      end
    "##);
}

#[test]
fn what_is_not_there_is_not_drawn() {
    insta::assert_snapshot!(drawn(&["--rule", "block-mr"]), @"
    exit 2
    --- stderr
    error: no rule is called `block-mr`
    hint: `petriflow check` lists the nets; a rule's text can be given too
    ");
    insta::assert_snapshot!(run(&["draw", "-"], "# no rules\n"), @"
    exit 2
    --- stderr
    error: there are no rules to draw
    ");
    insta::assert_snapshot!(run(&["draw", "-"], "blok rm\n"), @"
    exit 2
    --- stderr
    error[PF0101]: `blok` is not a statement
     --> <stdin>:1:1
      |
    1 | blok rm
      | ^^^^
      = help: did you mean `block`?

    the rules have 1 error; nothing was done
    ");
}

#[test]
fn hostile_names_stay_names() {
    let rules = "block a/b@c+d:e.f\nblock löschen\nblock 删除\n";
    for format in ["dot", "mermaid", "svg"] {
        let drawing = run(&["draw", "-", "--format", format], rules);
        assert!(drawing.starts_with("exit 0\n"), "{drawing}");
        assert!(drawing.contains("löschen"), "{format}: {drawing}");
    }
}
