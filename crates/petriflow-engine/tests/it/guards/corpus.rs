//! Every case of `corpus/guards`, evaluated as a value and as a condition, bound and not.

use std::collections::BTreeMap;
use std::path::Path;

use petriflow_engine::guard::{Guard, Holds};
use serde::Deserialize;
use serde_json::Value;

use super::{World, kind};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    context: String,
    marking: BTreeMap<String, u32>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    guard: String,
    value: Option<String>,
    error: Option<String>,
    refused: Option<String>,
}

#[test]
fn every_case_of_the_corpus_comes_to_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/guards");
    let mut count = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file: File = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let marking = file.marking.into_iter().collect();
        let world = World { context: serde_json::from_str(&file.context).unwrap(), marking };
        for case in &file.case {
            count += 1;
            if let Err(why) = play(&world, case) {
                wrong.push(format!("{:?} {}: {why}", path.file_name().unwrap(), case.guard));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 400, "the corpus has {count} cases");
}

fn play(world: &World, case: &Case) -> Result<(), String> {
    let guard = match (Guard::parse(&case.guard), &case.refused) {
        (Ok(_), Some(_)) => return Err("is not refused".to_owned()),
        (Err(error), Some(part)) => {
            let inside = case.guard.get(error.range.clone()).is_some();
            let as_said = error.to_string().contains(part.as_str());
            return if inside && as_said { Ok(()) } else { Err(error.to_string()) };
        }
        (guard, None) => guard.map_err(|error| error.to_string())?,
    };
    check(world, case, &guard)?;
    let places = |name: &str| world.marking.iter().position(|(place, _)| place == name);
    match guard.bind(&places) {
        Ok(bound) => check(world, case, &bound),
        Err(unknown) if case.error.is_some() => {
            let named = guard.places().iter().any(|used| used.place == unknown.name);
            if named { Ok(()) } else { Err(unknown.to_string()) }
        }
        Err(unknown) => Err(unknown.to_string()),
    }
}

fn check(world: &World, case: &Case, guard: &Guard) -> Result<(), String> {
    let result = world.evaluate(guard);
    let holds = world.holds(guard);
    match (&result, &case.value, &case.error) {
        (Ok(value), Some(expected), None) => {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let answer = match expected {
                Value::Bool(true) => holds == Holds::Yes,
                Value::Bool(false) => holds == Holds::No,
                _ => matches!(&holds, Holds::Failed(error) if kind(error) == "wrong-type"),
            };
            if *value == expected && answer { Ok(()) } else { Err(format!("{value}, {holds:?}")) }
        }
        (Err(error), None, Some(expected)) => {
            let inside = case.guard.get(error.range()).is_some_and(|part| !part.is_empty());
            let failed = matches!(&holds, Holds::Failed(again) if again == error);
            if kind(error) == expected && inside && failed {
                Ok(())
            } else {
                Err(error.to_string())
            }
        }
        _ => Err(format!("{result:?}")),
    }
}
