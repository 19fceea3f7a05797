//! Events as the hosts write them, one file each: `fixtures/HOST/EVENT.json`, or `EVENT-variant.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use petriflow_hosts::Host;
use serde_json::Value;

pub(crate) struct Fixture {
    pub(crate) host: Host,
    /// The file's name without its ending.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Fixture {
    pub(crate) fn event(&self) -> &str {
        self.name.split('-').next().unwrap()
    }
}

pub(crate) fn all() -> Vec<Fixture> {
    Host::ALL.into_iter().flat_map(of).collect()
}

pub(crate) fn of(host: Host) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(host.name());
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut fixtures: Vec<Fixture> = files
        .map(|path| Fixture {
            host,
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            bytes: fs::read(&path).unwrap(),
        })
        .collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

/// The text of one.
pub(crate) fn text(host: Host, name: &str) -> String {
    let found = of(host).into_iter().find(|fixture| fixture.name == name).unwrap();
    String::from_utf8(found.bytes).unwrap()
}

/// An event of each host that asks about a call.
pub(crate) fn call(host: Host) -> String {
    let name = match host {
        Host::ClaudeCode | Host::Codex => "PreToolUse",
        Host::Gemini => "BeforeTool",
        Host::Cursor => "preToolUse",
    };
    text(host, name)
}

/// A value as one line with sorted names, whichever order a map keeps in this build.
pub(crate) fn sorted(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.iter().collect();
            let members =
                members.into_iter().map(|(name, value)| format!("{name:?}:{}", sorted(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
