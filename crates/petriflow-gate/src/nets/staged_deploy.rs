//! Test, build, stage, ship.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::{Attempt, Mapper, Meta, SkillNet, SkillNetError, ToolCall, Transition};

/// Shipping to somewhere harmless, as a virtual tool.
const SHIP_ELSEWHERE: &str = "ship-elsewhere";
const TARGET_FIELDS: [&str; 3] = ["target", "environment", "env"];
const HARMLESS_TARGETS: [&str; 5] = ["staging", "preview", "dev", "development", "test"];

/// How far the pipeline is, as far as results can be trusted: `tested`, `built` or `staged`.
const STAGE: &str = "stage";
/// The build or staging that is running, as a pair of call id and tool. Only the last one begun can
/// count, so there is one at most.
const RUNNING: &str = "running";

/// Test, build, stage, ship: each needs the success of the one before, and a person approves what
/// goes to production.
///
/// **Tools.** `test`, `build`, `stage`, `ship`. Where `ship` goes is the text in the field `target`,
/// `environment` or `env` of its input. `staging`, `preview`, `dev`, `development` and `test` ship
/// without a person; everything else is production: another name, another spelling, no field, a
/// field that is no text, fields of which one names production.
///
/// **Promise.** Nothing is shipped that was not staged, nothing staged that was not built, nothing
/// built without a passing test, in this order and each reported as a success. A successful `test`
/// starts the pipeline anew from wherever it is. A `build` or `stage` may be repeated; once begun, it
/// counts as not done until it has succeeded, and one that a newer test, build or staging has
/// overtaken counts for nothing. `ship` uses everything up, whether it succeeds or not.
///
/// **Not promised.** The net knows nothing of files: editing after the test is not noticed. It looks
/// at calls as a whole, so it does not see what a shell command or another call with several actions
/// does; block or approve shells beside it.
///
/// ```
/// use petriflow_gate::{Policy, Session, Timestamp, ToolCall, ToolResult, nets};
/// use serde_json::json;
///
/// let mut session = Session::new(&Policy::new([nets::staged_deploy()?])?);
/// let now = Timestamp(0);
/// for tool in ["test", "build", "stage"] {
///     let call = ToolCall::new(tool, tool, json!({}));
///     assert!(session.decide(&call, now).is_allowed());
///     session.result(&ToolResult::success(&call));
/// }
/// let ship = |id: &str, to: &str| ToolCall::new(id, "ship", json!({ "target": to }));
/// assert_eq!(session.decide(&ship("1", "prod"), now).approval().unwrap().title, "Approve: ship");
/// assert!(session.decide(&ship("2", "preview"), now).is_allowed());
/// assert!(!session.decide(&ship("3", "preview"), now).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in practice: the net is the same every time, and tests build it.
pub fn staged_deploy() -> Result<SkillNet, SkillNetError> {
    let step = |name: &str, from: &str, to: &str, tool: &str| {
        Transition::auto(name).from([from]).to([to]).tools([tool]).deferred()
    };
    SkillNet::builder("staged-deploy")
        .places(["untested", "tested", "built", "staged"])
        .initial("untested", 1)
        .transition(step("test", "untested", "tested", "test"))
        .transition(step("test tested", "tested", "tested", "test"))
        .transition(step("test built", "built", "tested", "test"))
        .transition(step("test staged", "staged", "tested", "test"))
        .transition(step("build", "tested", "built", "build"))
        .transition(step("build built", "built", "built", "build"))
        .transition(step("build staged", "staged", "built", "build"))
        .transition(step("stage", "built", "staged", "stage"))
        .transition(step("stage staged", "staged", "staged", "stage"))
        .transition(Transition::manual("ship").from(["staged"]).to(["untested"]).tools(["ship"]))
        .transition(
            Transition::auto("ship elsewhere")
                .from(["staged"])
                .to(["untested"])
                .tools([SHIP_ELSEWHERE]),
        )
        .mapper(Arc::new(ByTarget))
        .validator(validate)
        .on_deferred_result(note_success)
        .label("staged-deploy 1")
        .build()
}

struct ByTarget;

impl Mapper for ByTarget {
    fn map<'a>(&'a self, call: &'a ToolCall) -> Cow<'a, str> {
        match call.tool.as_str() {
            "ship" if is_harmless(call) => SHIP_ELSEWHERE.into(),
            // A tool of the virtual name would pass without a person.
            SHIP_ELSEWHERE => "ship".into(),
            tool => tool.into(),
        }
    }
}

/// Whether every field that names a target names a harmless one, and there is such a field.
fn is_harmless(call: &ToolCall) -> bool {
    let harmless =
        |target: &Value| target.as_str().is_some_and(|target| HARMLESS_TARGETS.contains(&target));
    let mut targets =
        TARGET_FIELDS.into_iter().filter_map(|field| call.input.get(field)).peekable();
    targets.peek().is_some() && targets.all(harmless)
}

/// The marking is where the results led, in whatever order they came. This is stricter: it knows
/// which results were about something that has changed in the meantime.
fn validate(attempt: &Attempt<'_>, meta: &mut Meta) -> Result<(), String> {
    let stage = meta.get(STAGE).and_then(Value::as_str).unwrap_or_default();
    match attempt.tool {
        "test" => {}
        "build" => {
            set_stage(meta, "tested");
            begin(attempt, meta);
        }
        "stage" => {
            if !matches!(stage, "built" | "staged") {
                return Err("stage requires a build that has succeeded since the last test.".into());
            }
            set_stage(meta, "built");
            begin(attempt, meta);
        }
        _ship => {
            if stage != "staged" {
                return Err("ship requires that the last build was staged successfully.".into());
            }
            meta.clear();
        }
    }
    Ok(())
}

fn note_success(attempt: &Attempt<'_>, meta: &mut Meta) {
    match attempt.tool {
        "test" => {
            // Whatever is being built or staged is of the time before this test.
            meta.clear();
            set_stage(meta, "tested");
        }
        "build" => {
            if end(attempt, meta) {
                set_stage(meta, "built");
            }
        }
        _stage => {
            if end(attempt, meta) {
                set_stage(meta, "staged");
            }
        }
    }
}

fn set_stage(meta: &mut Meta, stage: &str) {
    meta.insert(STAGE.into(), stage.into());
}

/// Notes that a build or staging has begun. One that is still running is overtaken.
fn begin(attempt: &Attempt<'_>, meta: &mut Meta) {
    meta.insert(RUNNING.into(), note(attempt));
}

/// Whether it is this build or staging that has ended, and not one that was overtaken.
fn end(attempt: &Attempt<'_>, meta: &mut Meta) -> bool {
    let is_running = meta.get(RUNNING) == Some(&note(attempt));
    if is_running {
        meta.remove(RUNNING);
    }
    is_running
}

fn note(attempt: &Attempt<'_>) -> Value {
    Value::from(vec![attempt.call.id.as_str(), attempt.tool])
}
