//! Any text is a guard or refused with a place in it; a guard evaluates, and errors are not yes.
#![no_main]

use petriflow_engine::guard::{Guard, Holds, Scope};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let guard = match Guard::parse(&text) {
        Ok(guard) => guard,
        Err(error) => {
            assert!(text.get(error.range.clone()).is_some(), "{error:?}");
            return;
        }
    };
    let context = json!({"a": 1, "b": true, "c": "x", "d": [1, null], "e": {"a": 2.5}});
    let scope =
        Scope { context: &context, tokens: &[1], places: &|name| (name == "p").then_some(0) };
    match (guard.evaluate(&scope), guard.holds(&scope)) {
        (Err(error), Holds::Failed(again)) => {
            assert_eq!(error, again);
            assert!(text.get(error.range()).is_some(), "{error:?}");
        }
        (Ok(value), Holds::Yes) => assert_eq!(value, true),
        (Ok(value), Holds::No) => assert_eq!(value, false),
        (Ok(value), Holds::Failed(_)) => assert!(!value.is_boolean()),
        (value, holds) => panic!("{value:?}, but {holds:?}"),
    }
});
