//! Damaged snapshots.

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};

/// A snapshot with one value replaced, removed or repeated, or with its text damaged.
///
/// # Errors
/// If the bytes cannot be read, which [`Unstructured`] reports for no input used here.
///
/// # Panics
/// If `saved` is not JSON.
pub fn corrupted(u: &mut Unstructured<'_>, saved: &str) -> Result<String> {
    if u.ratio(1, 5)? {
        return corrupted_text(u, saved);
    }
    let mut value: Value = serde_json::from_str(saved).expect("a snapshot");
    let at = some_value(u, &mut value)?;
    match (u.int_in_range(0..=3)?, &mut *at) {
        (0, Value::Array(items)) if !items.is_empty() => drop(items.pop()),
        (1, Value::Array(items)) if !items.is_empty() => items.push(items[0].clone()),
        (0 | 1, Value::Number(number)) => *at = (number.as_u64().unwrap_or(0) ^ 1).into(),
        _ => *at = another_value(u)?,
    }
    Ok(value.to_string())
}

fn corrupted_text(u: &mut Unstructured<'_>, saved: &str) -> Result<String> {
    let mut bytes = saved.as_bytes().to_vec();
    let at = u.choose_index(bytes.len())?;
    if u.ratio(1, 3)? {
        bytes.truncate(at);
    } else {
        bytes[at] = *u.choose(b"0195{}[],:\"x-.\x00")?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Any value inside, mostly one without children.
fn some_value<'v>(u: &mut Unstructured<'_>, at: &'v mut Value) -> Result<&'v mut Value> {
    let stops = match at {
        Value::Array(items) => items.is_empty() || u.ratio(1, 4)?,
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    };
    if stops {
        return Ok(at);
    }
    match at {
        Value::Array(items) => {
            let child = u.choose_index(items.len())?;
            some_value(u, &mut items[child])
        }
        Value::Object(fields) => {
            let child = u.choose_index(fields.len())?;
            some_value(u, fields.values_mut().nth(child).expect("it has as many"))
        }
        other => Ok(other),
    }
}

fn another_value(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=12)? {
        0 => json!(null),
        1 => json!(0),
        2 => json!(1),
        3 => json!(7),
        4 => json!(-1),
        5 => json!(u32::MAX),
        6 => json!(u64::MAX),
        7 => json!(0.5),
        8 => json!(""),
        9 => json!("c1"),
        10 => json!([]),
        11 => json!([0]),
        _ => json!({}),
    })
}
