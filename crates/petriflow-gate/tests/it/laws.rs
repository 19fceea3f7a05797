//! Laws that hold for every policy and every history.

use std::collections::BTreeSet;

use petriflow_gate::{
    Answer, Policy, ReplayEntry, RuleKind, Session, Snapshot, ToolCall, ToolResult,
};
use petriflow_testkit::cases::{self, Unstructured};
use petriflow_testkit::gate::policies::{self, TOOLS, unbounded};
use petriflow_testkit::gate::{
    Event, NetSpec, Player, PolicySpec, Seen, TransitionSpec, Watched, corrupted, histories,
    restored, rules, saved, watched,
};
use serde_json::{Value, json};

#[test]
fn what_is_refused_changes_nothing() {
    let mut blocked = 0;
    cases::check(300, |u| {
        let policy = policies::policy(u)?;
        let mut player = Player::new(&policy.policy());
        for event in histories::history(u, &policy, 300)? {
            let before = saved(&player.session);
            let seen = player.play(&event);
            let is_answer = matches!(event, Event::Answer { .. });
            match seen {
                // An answer uses its ticket up, whatever comes of it.
                Seen::Blocked(_) if is_answer => {
                    assert_eq!(saved_without_questions(&player), without_questions(&before));
                }
                Seen::Blocked(_) | Seen::Ignored | Seen::Switched(false) | Seen::Forgotten(0) => {
                    blocked += 1;
                    assert_eq!(saved(&player.session), before, "{event:?}");
                }
                _ => {}
            }
        }
        Ok(())
    });
    assert!(blocked > 10_000, "{blocked}");
}

fn saved_without_questions(player: &Player) -> Value {
    without_questions(&saved(&player.session))
}

fn without_questions(saved: &str) -> Value {
    let saved: Value = serde_json::from_str(saved).unwrap();
    let mut state = saved.get("state").unwrap().clone();
    let fields = state.as_object_mut().unwrap();
    fields.remove("questions");
    fields.remove("nextTicket");
    state
}

#[test]
fn deciding_a_known_call_again_changes_nothing() {
    let mut repeated = 0;
    cases::check(200, |u| {
        let policy = policies::policy(u)?;
        let mut player = Player::new(&policy.policy());
        for event in histories::history(u, &policy, 300)? {
            let first = player.play(&event);
            if matches!(event, Event::Decide(_)) && !matches!(first, Seen::Blocked(_)) {
                repeated += 1;
                let before = saved(&player.session);
                assert_eq!(player.play(&event), first, "{event:?}");
                assert_eq!(saved(&player.session), before, "{event:?}");
            }
        }
        Ok(())
    });
    assert!(repeated > 5_000, "{repeated}");
}

#[test]
fn results_of_unknown_calls_change_nothing() {
    cases::check(100, |u| {
        let policy = policies::policy(u)?;
        let mut player = Player::new(&policy.policy());
        for event in histories::history(u, &policy, 100)? {
            player.play(&event);
        }
        let before = saved(&player.session);
        for number in 0..20 {
            let call = histories::call(u, format!("unknown{number}"))?;
            let result = if u.ratio(1, 2)? {
                ToolResult::success(&call)
            } else {
                ToolResult::failure(&call)
            };
            assert_eq!(player.play(&Event::Result(result)), Seen::Ignored);
        }
        assert_eq!(saved(&player.session), before);
        Ok(())
    });
}

#[test]
fn a_restored_session_continues_identically() {
    cases::check(200, |u| {
        let policy = policies::policy(u)?;
        let mut live = Player::new(&policy.policy());
        let mut other = Player::new(live.session.policy());
        for (number, event) in histories::history(u, &policy, 300)?.iter().enumerate() {
            if number % 16 == 0 {
                other.session = restored(&live.session);
            }
            if !matches!(event, Event::SaveAndRestore) {
                assert_eq!(live.play(event), other.play(event), "{event:?}");
                assert_eq!(saved(&live.session), saved(&other.session), "{event:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_decision_does_not_depend_on_the_order_of_the_nets() {
    cases::check(200, |u| {
        let policy = policies::policy(u)?;
        let mut turned = policy.clone();
        turned.nets.rotate_left(u.choose_index(policy.nets.len())?);
        if u.ratio(1, 2)? {
            turned.nets.reverse();
        }
        let mut player = Player::new(&policy.policy());
        let mut other = Player::new(&turned.policy());
        for event in histories::history(u, &policy, 300)? {
            assert_eq!(player.play(&event), other.play(&event), "{event:?}");
            for name in policy.names() {
                assert_eq!(player.session.marking(&name), other.session.marking(&name));
            }
        }
        Ok(())
    });
}

/// The nets one by one, each in a session of its own. What the composition refuses must not happen
/// to any of them, so they go back to where they were before.
struct Apart {
    players: Vec<Player>,
}

impl Apart {
    fn new(policy: &PolicySpec) -> Self {
        let alone = |net: &NetSpec| {
            let policy = PolicySpec { nets: vec![net.clone()], ..policy.clone() };
            Player::new(&policy.policy())
        };
        Self { players: policy.nets.iter().map(alone).collect() }
    }

    /// What all of them together say; whoever asks is told `answer`.
    fn decide(&mut self, call: &ToolCall, answer: Answer) -> (Seen, Seen) {
        let before: Vec<Session> = self.players.iter().map(|p| restored(&p.session)).collect();
        let decide = |player: &mut Player| player.play(&Event::Decide(call.clone()));
        let first: Vec<Seen> = self.players.iter_mut().map(decide).collect();
        let answered = self.players.iter_mut().zip(&first).map(|(player, seen)| match *seen {
            Seen::Asked { ticket, .. } => {
                player.play(&Event::Answer { call: call.clone(), ticket, answer })
            }
            _ => seen.clone(),
        });
        let second = together(answered.collect());
        if second != Seen::Allowed {
            self.players.iter_mut().zip(before).for_each(|(player, was)| player.session = was);
        }
        (together(first), second)
    }

    fn markings(&self, policy: &PolicySpec) -> Vec<Option<petriflow_net::Marking>> {
        let names = policy.names();
        self.players.iter().zip(&names).map(|(player, name)| player.session.marking(name)).collect()
    }
}

/// Blocked if anybody objects, asked if anybody asks, otherwise allowed.
fn together(seen: Vec<Seen>) -> Seen {
    let mut objections = BTreeSet::new();
    let mut asking = BTreeSet::new();
    for seen in seen {
        match seen {
            Seen::Blocked(reasons) => objections.extend(reasons),
            Seen::Asked { nets, .. } => asking.extend(nets),
            _ => {}
        }
    }
    match (objections.is_empty(), asking.is_empty()) {
        (false, _) => Seen::Blocked(objections),
        (true, false) => Seen::Asked { ticket: 0, nets: asking },
        (true, true) => Seen::Allowed,
    }
}

#[test]
fn the_composition_is_the_conjunction_of_its_nets() {
    let (mut allowed, mut blocked, mut asked) = (0, 0, 0);
    cases::check(200, |u| {
        let policy = unbounded(policies::policy(u)?);
        let answers = [Answer::Approved, Answer::Approved, Answer::Rejected];
        let answer = *u.choose(&answers)?;
        let mut composed = Player::new(&policy.policy());
        let mut apart = Apart::new(&policy);
        for event in histories::history(u, &policy, 200)? {
            match &event {
                Event::Decide(call) => {
                    let mut seen = composed.play(&event);
                    let (expected, then) = apart.decide(call, answer);
                    if let Seen::Asked { ticket, nets } = seen {
                        asked += 1;
                        assert_eq!(Seen::Asked { ticket: 0, nets }, expected, "{call:?}");
                        let call = call.clone();
                        seen = composed.play(&Event::Answer { call, ticket, answer });
                        assert_eq!(seen, then);
                    } else {
                        assert_eq!(seen, expected, "{call:?}");
                    }
                    allowed += usize::from(seen == Seen::Allowed);
                    blocked += usize::from(seen != Seen::Allowed);
                }
                Event::Result(_) => {
                    composed.play(&event);
                    apart.players.iter_mut().for_each(|player| drop(player.play(&event)));
                }
                _ => {}
            }
            let names = policy.names();
            let markings: Vec<_> =
                names.iter().map(|name| composed.session.marking(name)).collect();
            assert_eq!(markings, apart.markings(&policy));
        }
        Ok(())
    });
    assert!(allowed > 5_000 && blocked > 5_000 && asked > 300, "{allowed} {blocked} {asked}");
}

#[test]
fn replaying_a_live_history_leads_to_the_live_markings() {
    let mut replayed = 0;
    cases::check(200, |u| {
        let policy = unbounded(policies::policy(u)?);
        let mut live = Player::new(&policy.policy());
        let mut history = Vec::new();
        for number in 0..100 {
            let call = histories::call(u, format!("c{number}"))?;
            if decide_approving(&mut live, &call) {
                let is_error = u.ratio(1, 4)?;
                let (id, tool) = (call.id, call.tool.clone());
                live.play(&Event::Result(ToolResult { id, tool, is_error }));
                history.push(ReplayEntry { tool: call.tool, input: call.input, is_error });
            }
        }
        replayed += history.len();
        let mut session = Session::new(live.session.policy());
        assert_eq!(session.replay(history.iter().cloned()), history.len());
        assert_eq!(tokens(&session), tokens(&live.session));
        assert_eq!(session.open_calls(), 0);
        Ok(())
    });
    assert!(replayed > 5_000, "{replayed}");
}

/// Decides a call, and approves whatever is asked.
fn decide_approving(player: &mut Player, call: &ToolCall) -> bool {
    let mut seen = player.play(&Event::Decide(call.clone()));
    if let Seen::Asked { ticket, .. } = seen {
        let answer = Answer::Approved;
        seen = player.play(&Event::Answer { call: call.clone(), ticket, answer });
    }
    seen == Seen::Allowed
}

fn tokens(session: &Session) -> Value {
    let saved: Value = serde_json::from_str(&saved(session)).unwrap();
    saved.pointer("/state/tokens").unwrap().clone()
}

/// A session somewhere in the middle of a history.
fn reached(u: &mut Unstructured<'_>, policy: &PolicySpec) -> cases::Result<Player> {
    let mut player = Player::new(&policy.policy());
    let events_max = u.int_in_range(0..=60)?;
    for event in histories::history(u, policy, events_max)? {
        player.play(&event);
    }
    Ok(player)
}

fn copy(player: &Player) -> Player {
    Player { session: restored(&player.session), now: player.now }
}

fn shell(id: &str, command: &str) -> ToolCall {
    ToolCall::new(id, "sh", json!({"command": command}))
}

fn some_tools(u: &mut Unstructured<'_>) -> cases::Result<Vec<&'static str>> {
    let count = u.int_in_range(1..=5)?;
    (0..count).map(|_| Ok(*u.choose(&TOOLS)?)).collect()
}

/// Whether each of the tools one after the other is allowed, each having succeeded before the next.
fn one_by_one(player: &mut Player, tools: &[&str]) -> bool {
    tools.iter().enumerate().all(|(number, tool)| {
        let call = ToolCall::new(format!("part{number}"), *tool, json!({}));
        let allowed = decide_approving(player, &call);
        player.play(&Event::Result(ToolResult::success(&call)));
        allowed
    })
}

#[test]
fn parts_joined_by_success_are_their_calls_one_by_one() {
    let (mut allowed, mut blocked) = (0, 0);
    cases::check(3_000, |u| {
        let policy = policies::rules_policy(u)?;
        let mut compound = reached(u, &policy)?;
        for _ in 0..5 {
            let mut single = copy(&compound);
            let tools = some_tools(u)?;
            let call = shell("whole", &tools.join(" && "));
            let may_run = decide_approving(&mut compound, &call);
            assert_eq!(may_run, one_by_one(&mut single, &tools), "{tools:?} {policy:?}");
            if may_run {
                allowed += 1;
                compound.play(&Event::Result(ToolResult::success(&call)));
                let after = tokens(&compound.session);
                assert_eq!(after, tokens(&single.session), "{tools:?} {policy:?}");
            } else {
                blocked += 1;
            }
        }
        Ok(())
    });
    assert!(allowed > 2_000 && blocked > 2_000, "{allowed} {blocked}");
}

#[test]
fn parts_joined_by_success_are_never_more_than_their_calls_one_by_one() {
    let mut allowed = 0;
    cases::check(3_000, |u| {
        let policy = unmapped(policies::policy(u)?);
        let mut compound = reached(u, &policy)?;
        for _ in 0..5 {
            let mut single = copy(&compound);
            let tools = some_tools(u)?;
            let call = shell("whole", &tools.join(" && "));
            if decide_approving(&mut compound, &call) {
                allowed += 1;
                assert!(one_by_one(&mut single, &tools), "{tools:?} {policy:?}");
                compound.play(&Event::Result(ToolResult::success(&call)));
                let after = tokens(&compound.session);
                assert_eq!(after, tokens(&single.session), "{tools:?} {policy:?}");
            }
        }
        Ok(())
    });
    assert!(allowed > 2_000, "{allowed}");
}

/// Nets with a mapper see a call as a whole, so for them its parts are not calls.
fn unmapped(policy: PolicySpec) -> PolicySpec {
    let mut policy = PolicySpec { words: true, ..unbounded(policy) };
    policy.nets.iter_mut().for_each(|net| net.mapper = None);
    policy
}

#[test]
fn parts_joined_regardless_are_their_calls_with_the_results_out() {
    let (mut allowed, mut blocked) = (0, 0);
    cases::check(3_000, |u| {
        let policy = unmapped(policies::policy(u)?);
        let mut compound = reached(u, &policy)?;
        for _ in 0..3 {
            let mut single = copy(&compound);
            let mut segments = Vec::new();
            for number in 0..u.int_in_range(2..=3)? {
                segments.push(shell(&format!("part{number}"), &some_tools(u)?.join(" && ")));
            }
            let texts: Vec<&str> = segments.iter().filter_map(|s| s.text("command")).collect();
            let command = texts.join(" ; ");
            let call = shell("whole", &command);
            let may_run = decide_approving(&mut compound, &call);
            let one_by_one = segments.iter().all(|part| decide_approving(&mut single, part));
            assert_eq!(may_run, one_by_one, "{command} {policy:?}");
            if !may_run {
                blocked += 1;
                continue;
            }
            allowed += 1;
            assert_eq!(tokens(&compound.session), tokens(&single.session), "{command} {policy:?}");
            // The call reports how its last segment went, and nothing about the others.
            compound.play(&Event::Result(ToolResult::success(&call)));
            let (last, others) = segments.split_last().unwrap();
            for other in others {
                single.play(&Event::Result(ToolResult::failure(other)));
            }
            single.play(&Event::Result(ToolResult::success(last)));
            assert_eq!(tokens(&compound.session), tokens(&single.session), "{command} {policy:?}");
        }
        Ok(())
    });
    assert!(allowed > 1_000 && blocked > 1_000, "{allowed} {blocked}");
}

#[test]
fn limits_and_sequences_keep_their_promise_however_calls_overlap() {
    let mut seen = Watched::default();
    cases::check(800, |u| {
        let mut policy = policies::rules_policy(u)?;
        policy.nets.retain(|net| !matches!(net.rule, Some(RuleKind::Block { .. })));
        // Something to watch in each case.
        policy.nets.extend([rules::limit("c", 30), rules::limit_per("a", 2, "b")]);
        policy.nets.push(rules::require("d", "e"));
        let of_history = watched(&policy, &histories::history(u, &policy, 400)?);
        seen.allowed += of_history.allowed;
        seen.at_limit += of_history.at_limit;
        seen.armed += of_history.armed;
        Ok(())
    });
    assert!(seen.allowed > 20_000 && seen.at_limit > 10_000 && seen.armed > 10_000, "{seen:?}");
}

#[test]
fn a_damaged_snapshot_is_refused_or_does_not_matter() {
    let (mut taken, mut refused) = (0, 0);
    cases::check(3_000, |u| {
        let policy = policies::policy(u)?;
        let player = reached(u, &policy)?;
        let before = saved(&player.session);
        let text = corrupted(u, &before)?;
        let built = player.session.policy();
        let snapshot: Result<Snapshot, _> = serde_json::from_str(&text);
        let session = snapshot.ok().and_then(|snapshot| {
            let other = Policy::new(policy.nets.iter().take(1).map(NetSpec::skill_net)).unwrap();
            let migrated = Session::migrate(built, snapshot.clone(), &other);
            let session = Session::restore(built, snapshot).ok();
            assert_eq!(migrated.is_ok(), session.is_some(), "{text}");
            session
        });
        match session {
            // Such as `null` for an optional field that is empty.
            Some(session) => {
                taken += 1;
                assert_eq!(saved(&session), before, "{text}");
            }
            None => refused += 1,
        }
        Ok(())
    });
    assert!(refused > 1_000, "{taken} {refused}");
}

/// Plays commands that all succeed, and tells which of them were allowed.
fn play(nets: impl IntoIterator<Item = NetSpec>, commands: &[&str]) -> Vec<bool> {
    let mut player = Player::new(&PolicySpec::of(nets).policy());
    let decide = |command: &&str| {
        let call = shell("1", command);
        let allowed = decide_approving(&mut player, &call);
        player.play(&Event::Result(ToolResult::success(&call)));
        allowed
    };
    commands.iter().map(decide).collect()
}

/// A shell reads `(ls || backup) && delete`: if `ls` succeeds, `backup` never runs.
#[test]
fn nothing_relies_on_an_alternative() {
    let allowed = play([rules::require("backup", "delete")], &["ls || backup && delete"]);
    assert_eq!(allowed, [false]);
    let nets = [rules::limit_per("push", 1, "review")];
    assert_eq!(play(nets, &["push", "ls || review && push"]), [true, false]);
}

/// `backup && if test; then delete; fi`: the deletion may have run, so it is paid for.
#[test]
fn a_detached_part_behind_a_deferred_one_is_paid_for() {
    let nets = [rules::require("backup", "delete")];
    assert_eq!(play(nets, &["backup && delete&", "delete"]), [true, false]);
    let nets = [rules::limit_per("push", 1, "review")];
    assert_eq!(play(nets, &["review && push&", "push"]), [true, false]);
}

/// A net without alternatives: one ticket, which one check turns into one deployment. One by one, in
/// any order of calls and results, `deploy` runs once.
#[test]
fn parallel_calls_do_not_rely_on_the_same_deferred_firing() {
    let arcs = |name: &str, from: &str, to: &str, deferred| TransitionSpec {
        name: name.into(),
        inputs: vec![(from.into(), 1)],
        outputs: vec![(to.into(), 1)],
        tools: vec![name.into()],
        manual: false,
        deferred,
    };
    let net = NetSpec {
        name: "one-deployment".into(),
        places: vec![("ticket".into(), 1), ("checked".into(), 0), ("done".into(), 0)],
        transitions: vec![
            arcs("check", "ticket", "checked", true),
            arcs("deploy", "checked", "done", false),
        ],
        free_tools: Vec::new(),
        mapper: None,
        rule: None,
    };
    let mut player = Player::new(&PolicySpec::of([net]).policy());
    let calls = ["a", "b"].map(|id| shell(id, "check && deploy"));
    let allowed = calls.map(|call| decide_approving(&mut player, &call));
    assert_ne!(allowed, [true, true]);
}

/// What a rule waits for is never blocked by it, nor told to be entangled, whatever is in flight: not
/// even by tokens that are held for a call.
mod while_a_compound_call_is_in_flight {
    use super::*;

    /// Plays calls that succeed, except that those marked `~` stay in flight; says if the last may run.
    fn last_is_allowed(net: NetSpec, commands: &[&str]) -> bool {
        let mut player = Player::new(&PolicySpec::of([net]).policy());
        let mut allowed = false;
        for (number, command) in commands.iter().enumerate() {
            let call = shell(&format!("{number}"), command.trim_end_matches('~'));
            allowed = decide_approving(&mut player, &call);
            if !command.ends_with('~') {
                player.play(&Event::Result(ToolResult::success(&call)));
            }
        }
        allowed
    }

    #[test]
    fn the_scope_of_a_limit_is_not_blocked() {
        let commands = ["push", "push", "review && push~", "review", "review"];
        assert!(last_is_allowed(rules::limit_per("push", 2, "review"), &commands));
    }

    #[test]
    fn a_limit_is_not_entangled() {
        let commands = ["push", "push", "review && push~", "review && push && review"];
        assert!(last_is_allowed(rules::limit_per("push", 2, "review"), &commands));
    }

    #[test]
    fn a_prerequisite_is_not_blocked() {
        let commands = ["backup && delete && backup~", "backup"];
        assert!(last_is_allowed(rules::require("backup", "delete"), &commands));
    }
}

/// `backup && { ls & } && delete`: the backup must not be taken for one that came last.
#[test]
fn what_came_before_a_detached_part_does_not_count_behind_it() {
    let commands = ["backup", "backup && ls& && delete", "delete"];
    let allowed = play([rules::require("backup", "delete")], &commands);
    assert_eq!(allowed, [true, true, false], "no backup since the first deletion");
    let commands = ["review && ls& && push", "push"];
    let allowed = play([rules::limit_per("push", 1, "review")], &commands);
    assert_eq!(allowed, [true, false], "two pushes for one review");
}
