//! Reading is free, everything else is approved.

use petriflow_gate::{Decision, Policy, Session, Timestamp, ToolCall, Verdict, nets};
use petriflow_net::analysis::Explorer;
use serde_json::json;

#[test]
fn reading_is_free_and_changing_is_approved_each_time() {
    let mut session = Session::new(&Policy::new([nets::tool_approval().unwrap()]).unwrap());
    for tool in ["read", "grep", "Glob", "ls"] {
        let call = ToolCall::new(tool, tool, json!({}));
        assert_eq!(session.classify(&call).unwrap(), [("tool-approval", Verdict::Free)]);
        assert!(session.decide(&call, Timestamp(0)).is_allowed());
    }
    for tool in ["bash", "Bash", "write", "Edit", "apply_patch"] {
        for id in ["first", "second"] {
            let call = ToolCall::new(format!("{tool} {id}"), tool, json!({}));
            let decision = session.decide(&call, Timestamp(0));
            assert!(matches!(decision, Decision::NeedsApproval(_)), "{tool}: {decision:?}");
        }
    }
    assert!(session.decide(&ToolCall::new("x", "weather", json!({})), Timestamp(0)).is_allowed());
}

#[test]
fn its_states_are_known() {
    let net = nets::tool_approval().unwrap();
    let space = Explorer::new(net.net()).explore().complete().unwrap();
    assert_eq!((space.len(), space.unfired().len()), (2, 0));
}
