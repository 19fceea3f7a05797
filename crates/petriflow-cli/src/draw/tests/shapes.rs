//! The nets that rules compile to.

use petriflow::gate::{Rule, RuleKind, SkillNet, SkillNetBuilder, Source, Transition};

fn rule(kind: RuleKind, line: u32, text: &str) -> Rule {
    let (file, text) = ("release.rules".to_owned(), text.to_owned());
    Rule { kind, source: Some(Source { file, line, text }) }
}

pub(in crate::draw) fn require() -> SkillNet {
    let (a, b) = ("backup", "delete");
    let kind = RuleKind::Sequence { prerequisite: a.into(), dependent: b.into() };
    SkillNet::builder("require-backup-before-delete")
        .places(["idle", "waiting", "done"])
        .initial("idle", 1)
        .transition(Transition::auto("start").from(["idle"]).to(["waiting"]))
        .transition(Transition::auto("first").from(["waiting"]).to(["done"]).tools([a]).deferred())
        .transition(Transition::auto("again").from(["done"]).to(["done"]).tools([a]).deferred())
        .transition(Transition::auto("then").from(["done"]).to(["waiting"]).tools([b]))
        .rule(rule(kind, 3, "require backup before delete"))
        .build()
        .unwrap()
}

pub(in crate::draw) fn approve() -> SkillNet {
    SkillNet::builder("approve-before-deploy")
        .places(["idle", "ready"])
        .initial("idle", 1)
        .transition(Transition::auto("start").from(["idle"]).to(["ready"]))
        .transition(Transition::manual("approve").from(["ready"]).to(["ready"]).tools(["deploy"]))
        .rule(rule(
            RuleKind::Approval { tool: "deploy".into() },
            4,
            "require human-approval before deploy",
        ))
        .build()
        .unwrap()
}

pub(in crate::draw) fn block() -> SkillNet {
    SkillNet::builder("block-rm")
        .places(["idle", "closed", "open"])
        .initial("idle", 1)
        .transition(Transition::auto("start").from(["idle"]).to(["closed"]))
        .transition(Transition::auto("call").from(["open"]).to(["open"]).tools(["rm"]))
        .rule(rule(RuleKind::Block { tool: "rm".into() }, 5, "block rm"))
        .build()
        .unwrap()
}

fn limited(name: &str, tokens: u32, scope: &str, line: u32) -> SkillNetBuilder {
    let kind =
        RuleKind::Limit { tool: "push".into(), limit: tokens.into(), scope: scope.to_owned() };
    SkillNet::builder(name)
        .places(["idle", "budget", "spent"])
        .initial("idle", 1)
        .transition(Transition::auto("start").from(["idle"]).puts("budget", tokens.into()))
        .transition(Transition::auto("use").from(["budget"]).to(["spent"]).tools(["push"]))
        .rule(rule(kind, line, &format!("limit push to {tokens} per {scope}")))
}

pub(in crate::draw) fn limit(tokens: u32) -> SkillNet {
    limited("limit-push", tokens, "session", 7).build().unwrap()
}

pub(in crate::draw) fn refilled() -> SkillNet {
    limited("limit-push-per-review", 3, "review", 8)
        .transition(
            Transition::auto("refill").drains("spent", "budget").tools(["review"]).deferred(),
        )
        .build()
        .unwrap()
}

pub(in crate::draw) fn all() -> Vec<(&'static str, SkillNet)> {
    vec![
        ("require", require()),
        ("approve", approve()),
        ("block", block()),
        ("limit", limit(1_000_000)),
        ("refilled", refilled()),
    ]
}
