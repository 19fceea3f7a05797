//! Every share is earned by a fetch.

use crate::{SkillNet, SkillNetError, Transition};

const FETCH: [&str; 4] = ["fetch", "search", "webFetch", "webSearch"];
const SHARE: [&str; 3] = ["share", "publish", "post"];
/// Most shares that can be earned in advance.
const EARNED_MAX: u64 = 10;

/// Every share is earned by a fetch, up to ten in advance.
///
/// **Tools.** Fetching: `fetch`, `search`, `webFetch`, `webSearch`. Sharing: `share`, `publish`,
/// `post`.
///
/// **Promise.** There are never more shares than successful fetches before them. A share takes what
/// it needs when it is allowed, so shares at the same time do not use one fetch twice, and a share
/// that fails has used its fetch. Fetching is always allowed; with ten shares earned, further
/// fetches earn nothing.
///
/// **Not promised.** What is shared need not have to do with what was fetched: the net counts.
///
/// ```
/// use petriflow_gate::{Policy, Session, Timestamp, ToolCall, ToolResult, nets};
/// use serde_json::json;
///
/// let mut session = Session::new(&Policy::new([nets::research_before_share()?])?);
/// let now = Timestamp(0);
/// let fetch = ToolCall::new("1", "webFetch", json!({"url": "https://example.org"}));
/// let share = |id: &str| ToolCall::new(id, "publish", json!({}));
///
/// assert!(!session.decide(&share("2"), now).is_allowed());
/// assert!(session.decide(&fetch, now).is_allowed());
/// session.result(&ToolResult::success(&fetch));
/// assert!(session.decide(&share("3"), now).is_allowed());
/// assert!(!session.decide(&share("4"), now).is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in practice: the net is the same every time, and tests build it.
pub fn research_before_share() -> Result<SkillNet, SkillNetError> {
    SkillNet::builder("research-before-share")
        // INVARIANT: `free` and `earned` hold EARNED_MAX tokens together, which bounds the net.
        .places(["free", "earned"])
        .initial("free", EARNED_MAX)
        .transition(Transition::auto("fetch").from(["free"]).to(["earned"]).tools(FETCH).deferred())
        .transition(
            Transition::auto("fetch at capacity")
                .takes("earned", EARNED_MAX)
                .puts("earned", EARNED_MAX)
                .tools(FETCH)
                .deferred(),
        )
        .transition(Transition::auto("share").from(["earned"]).to(["free"]).tools(SHARE))
        .label("research-before-share 1")
        .build()
}
