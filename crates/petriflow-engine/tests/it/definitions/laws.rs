//! Laws on generated definitions.

use petriflow_engine::Definition;
use petriflow_engine::definition::{Quantifier, TransitionDraft};
use petriflow_testkit::cases::{self, Result, Unstructured};
use serde_json::{Value as Json, json};

/// A valid definition with a bit of everything.
pub(super) fn definition(u: &mut Unstructured<'_>) -> Result<Definition> {
    let places: Vec<String> = (0..u.int_in_range(1..=5)?).map(name).collect::<Vec<_>>();
    let mut builder = Definition::builder(text(u)?)
        .version(u.int_in_range(1..=9)?)
        .places(&places)
        .context(&json!({"x": value(u, 3)?, "y": 1}));
    for number in 0..u.int_in_range(0..=5)? {
        let mut draft = TransitionDraft::new(format!("t{number}{}", text(u)?));
        for _ in 0..u.int_in_range(0..=3)? {
            draft = draft.inputs([u.choose(&places)?]);
        }
        for _ in 0..u.int_in_range(0..=3)? {
            draft = draft.outputs([u.choose(&places)?]);
        }
        draft = match u.int_in_range(0..=6)? {
            0 => draft.kind("automatic"),
            1 => draft.kind("manual"),
            2 => draft.node("timer", &json!({"delayMs": u.int_in_range(0..=1_u64 << 50)?})),
            3 => draft.node("set", &json!({"x": "1 + y", "y": "y"})),
            4 => draft.node("command", &json!({"program": text(u)?, "stdin": text(u)?})),
            5 => draft.node(
                "http",
                &json!({"url": "http://a/", "headers": {"B": text(u)?}, "body": value(u, 3)?}),
            ),
            _ => draft,
        };
        if u.ratio(1, 3)? {
            draft = draft.guard("y > 1 and x == \"ä\\\\\"");
        }
        if u.ratio(1, 3)? {
            draft =
                draft.timeout(u.choose(&places)?, u.int_in_range(1..=1_000_000)?, u.arbitrary()?);
        }
        if u.ratio(1, 3)? {
            draft = draft.retry(u.int_in_range(1..=9)?, 5, 50);
        }
        builder = builder.transition(draft);
    }
    for place in &places {
        builder = builder.initial(place, u.int_in_range(0..=u64::from(u32::MAX))?);
        if u.ratio(1, 3)? {
            builder = builder.terminal_places([place]);
        }
        if u.ratio(1, 6)? {
            builder = builder.external_places([place]);
        }
        if u.ratio(1, 3)? {
            builder = builder.invariant([(place, u.int_in_range(-9..=9)?)]);
        }
        if u.ratio(1, 3)? {
            let quantifier = *u.choose(&Quantifier::ALL)?;
            builder = builder.property(place, quantifier, format!("`{place}` < 3 or terminal"));
        }
    }
    Ok(builder.build().unwrap_or_else(|problems| panic!("{problems}")))
}

fn name(number: usize) -> String {
    ["plain", "with space", "ünï", "a.b", "\"quoted\\"][number % 5].to_owned()
}

/// A text that is no empty name.
fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let parts = ["a", "ß", " ", "\"", "\\", "😀", ":", "#", "{{x}}", "0"];
    let count = u.int_in_range(0..=4)?;
    let tail = (0..count).map(|_| u.choose(&parts).copied()).collect::<Result<String>>()?;
    Ok(format!("n{tail}"))
}

fn value(u: &mut Unstructured<'_>, depth: usize) -> Result<Json> {
    Ok(match u.int_in_range(0..=if depth == 0 { 4 } else { 6 })? {
        0 => Json::Null,
        1 => json!(u.arbitrary::<bool>()?),
        2 => json!(u.arbitrary::<i64>()?),
        3 => json!(u.arbitrary::<f64>()?),
        4 => json!(text(u)?),
        5 => json!([value(u, depth - 1)?, value(u, depth - 1)?]),
        _ => json!({"a": value(u, depth - 1)?, "b": value(u, depth - 1)?}),
    })
}

#[test]
fn reading_what_was_written_gives_the_same_definition() {
    cases::check(2_000, |u| {
        let definition = definition(u)?;
        let text = definition.to_json();
        let again = Definition::from_json("again", &text).unwrap_or_else(|p| panic!("{p}\n{text}"));
        assert_eq!(again.to_json(), text);
        assert_eq!(again.content_hash(), definition.content_hash());
        assert_eq!(again.net(), definition.net());
        assert_eq!(again.properties(), definition.properties());
        assert_eq!(again.initial_context(), definition.initial_context());
        assert_eq!(again.invariants(), definition.invariants());
        // JSON is YAML, if it is written with care for tabs and long keys, as here.
        let yaml = Definition::from_yaml("again", &text).unwrap_or_else(|p| panic!("{p}\n{text}"));
        assert_eq!(yaml.content_hash(), definition.content_hash(), "{text}");
        Ok(())
    });
}

#[test]
fn expanding_by_nothing_changes_the_version_only() {
    cases::check(300, |u| {
        let definition = definition(u)?;
        let larger = definition.expand([], ["another"]).unwrap();
        assert_eq!(larger.version(), definition.version() + 1);
        assert_eq!(larger.net().place_count(), definition.net().place_count() + 1);
        assert_eq!(larger.initial_context(), definition.initial_context());
        Ok(())
    });
}

/// A place in a JSON value, chosen at random; every value counts.
fn damage(u: &mut Unstructured<'_>, value: &mut Json) -> Result<()> {
    let deeper = u.ratio(4, 5)?;
    match value {
        Json::Object(fields) if deeper && !fields.is_empty() => {
            let at = u.choose_index(fields.len())?;
            let key = fields.keys().nth(at).cloned().unwrap();
            match u.int_in_range(0..=4)? {
                0 => drop(fields.remove(&key)),
                1 => {
                    let value = fields.remove(&key).unwrap();
                    fields.insert(format!("{key}x"), value);
                }
                _ => damage(u, &mut fields[&key])?,
            }
        }
        Json::Array(items) if deeper && !items.is_empty() => {
            let at = u.choose_index(items.len())?;
            damage(u, &mut items[at])?;
        }
        other => {
            *other = u
                .choose(&[
                    json!(null),
                    json!(-1),
                    json!(0.5),
                    json!("?"),
                    json!([[]]),
                    json!({"": 1}),
                ])?
                .clone()
        }
    }
    Ok(())
}

#[test]
fn damaged_definitions_are_refused_with_their_places_or_make_sense() {
    let mut refused = 0;
    cases::check(3_000, |u| {
        let mut value: Json = serde_json::from_str(&definition(u)?.to_json()).unwrap();
        damage(u, &mut value)?;
        let text = value.to_string();
        match Definition::from_json("damaged", &text) {
            // Some damage leaves a definition, such as another value in the context.
            Ok(definition) => {
                assert!(Definition::from_json("again", &definition.to_json()).is_ok());
            }
            Err(problems) => {
                refused += 1;
                assert!(problems.list().iter().all(|problem| problem.at.is_some()));
            }
        }
        Ok(())
    });
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn torn_texts_are_refused_without_panic() {
    cases::check(2_000, |u| {
        let text = definition(u)?.to_json();
        let mut bytes = text.clone().into_bytes();
        for _ in 0..u.int_in_range(1..=4)? {
            let at = u.choose_index(bytes.len())?;
            match u.int_in_range(0..=2)? {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = *u.choose(b"{}[]\",:\\-0x \n\t&*!|>#%@`")?,
                _ => drop(bytes.remove(at)),
            }
            if bytes.len() < 2 {
                break;
            }
        }
        let torn = String::from_utf8_lossy(&bytes);
        let _ = Definition::from_json("torn", &torn);
        let _ = Definition::from_yaml("torn", &torn);
        Ok(())
    });
}
