//! The `type` and `config` of a transition.

use serde_json::Value as Json;

use super::fields::{self, Fields, entries, shown};
use super::nodes::{BUILT_IN, Command, Http, METHODS, Node as Effect, NodeTypes};
use super::problem::Collector;
use super::tree::{Node, Value};
use super::{MS_MAX, read::Uses};
use crate::guard::Purpose;
use crate::suggest::did_you_mean;

/// What the transition does, if its type is known and accepts the configuration.
///
/// Expressions in it are reported to `uses`.
pub(super) fn read(
    kind: &Node,
    config: Option<&Node>,
    owner: &str,
    types: &NodeTypes,
    uses: &mut Uses,
    problems: &mut Collector,
) -> Option<Effect> {
    let name = fields::text(kind, &format!("the type of {owner}"), problems)?;
    // `config: null` is the same as none.
    let config = config.filter(|node| !matches!(node.value, Value::Null));
    if !BUILT_IN.contains(&name) {
        return custom(name, kind, config, owner, types, problems);
    }
    let what = format!("the config of {owner}");
    if let "auto" | "automatic" | "manual" = name {
        if let Some(config) = config {
            let what = format!("{what}, which is `{name}`,");
            Fields::read(config, what, &[], problems)?;
        }
        return Some(if name == "manual" { Effect::Manual } else { Effect::Auto });
    }
    let Some(config) = config else {
        problems.add(kind.at, format!("{owner} is `{name}` and needs a `config`"));
        return None;
    };
    match name {
        "timer" => timer(config, what, problems),
        "http" => http(config, what, problems).map(Effect::Http),
        "set" => set(config, &what, uses, problems),
        _ => command(config, what, problems).map(Effect::Command),
    }
}

fn custom(
    name: &str,
    kind: &Node,
    config: Option<&Node>,
    owner: &str,
    types: &NodeTypes,
    problems: &mut Collector,
) -> Option<Effect> {
    let Some(check) = types.check_of(name) else {
        let message = format!("{owner} has the type `{}`, which is not known", shown(name));
        problems.add_with(kind.at, message, || {
            did_you_mean(name, types.names()).or_else(|| {
                Some(format!(
                    "the types are {}",
                    fields::listed(&types.names().collect::<Vec<_>>())
                ))
            })
        });
        return None;
    };
    let at = config.map_or(kind.at, |config| config.at);
    let config = match config {
        Some(config) => fields::json(config, &format!("the config of {owner}"), problems)?,
        None => Json::Null,
    };
    if let Err(why) = check(&config) {
        problems.add(at, format!("the config of {owner} is not accepted: {why}"));
        return None;
    }
    Some(Effect::Custom { kind: name.into(), config })
}

fn timer(config: &Node, what: String, problems: &mut Collector) -> Option<Effect> {
    let fields = Fields::read(config, what, &["delayMs"], problems)?;
    let delay = fields.required("delayMs", problems)?;
    let delay_ms = fields::count(delay, "`delayMs`", 0..=MS_MAX, problems)?;
    Some(Effect::Timer { delay_ms })
}

fn http(config: &Node, what: String, problems: &mut Collector) -> Option<Http> {
    let fields = Fields::read(config, what, &["url", "method", "headers", "body"], problems)?;
    let url = fields.required("url", problems).and_then(|node| url(node, problems));
    let method = match fields.get("method") {
        Some(node) => method(node, problems),
        None => Some("GET".into()),
    };
    let headers = match fields.get("headers") {
        Some(node) => headers(node, problems),
        None => Some(Vec::new()),
    };
    let body = match fields.get("body") {
        Some(node) => fields::json(node, "`body`", problems).map(Some),
        None => Some(None),
    };
    Some(Http { url: url?, method: method?, headers: headers?, body: body? })
}

fn url(node: &Node, problems: &mut Collector) -> Option<String> {
    let url = fields::text(node, "`url`", problems)?;
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let allowed = matches!(scheme.as_deref(), Some("http" | "https")) || url.starts_with("{{");
    if !allowed {
        let message = format!("`url` is `{}`, but only http and https are allowed", shown(url));
        problems.add(node.at, message);
        return None;
    }
    Some(url.into())
}

fn method(node: &Node, problems: &mut Collector) -> Option<String> {
    let method = fields::text(node, "`method`", problems)?.to_ascii_uppercase();
    if METHODS.contains(&method.as_str()) {
        return Some(method);
    }
    problems.add_with(node.at, format!("`{}` is not a method", shown(&method)), || {
        Some(format!("the methods are {}", fields::listed(&METHODS)))
    });
    None
}

fn headers(node: &Node, problems: &mut Collector) -> Option<Vec<(String, String)>> {
    let mut headers = Vec::new();
    for (key, value) in entries(node, "`headers`", problems)? {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if key.name.is_empty() || !key.name.chars().all(is_token) {
            let message = format!("`{}` is not the name of a header", shown(&key.name));
            problems.add(key.at, message);
        }
        let what = format!("the header `{}`", shown(&key.name));
        let Some(value) = fields::text(value, &what, problems) else { continue };
        headers.push((key.name.clone(), value.to_owned()));
    }
    headers.sort();
    Some(headers)
}

fn set(config: &Node, what: &str, uses: &mut Uses, problems: &mut Collector) -> Option<Effect> {
    let mut writes = Vec::new();
    let entries = entries(config, what, problems)?;
    if entries.is_empty() {
        problems.add(config.at, format!("{what} sets nothing"));
    }
    for (key, node) in entries {
        if !fields::is_name(&key.name, key.at, "the name of a field", problems) {
            continue;
        }
        let of = format!("the expression of `{}`", shown(&key.name));
        let Some(expression) = uses.guard(node, &of, Purpose::Value, problems) else { continue };
        writes.push((key.name.clone(), expression));
    }
    writes.sort_by(|(a, _), (b, _)| a.cmp(b));
    Some(Effect::Set(writes))
}

fn command(config: &Node, what: String, problems: &mut Collector) -> Option<Command> {
    let fields = Fields::read(config, what, &["program", "args", "stdin"], problems)?;
    let program = fields.required("program", problems);
    let program = program.and_then(|node| fields::text(node, "`program`", problems));
    if program == Some("") {
        problems.add(fields.get("program").and_then(|node| node.at), "`program` is empty");
    }
    let mut args = Vec::new();
    if let Some(node) = fields.get("args") {
        for arg in fields::list(node, "`args`", problems)? {
            args.extend(fields::text(arg, "an argument", problems).map(str::to_owned));
        }
    }
    let stdin = match fields.get("stdin") {
        Some(node) => Some(fields::text(node, "`stdin`", problems)?.to_owned()),
        None => None,
    };
    Some(Command { program: program?.into(), args, stdin })
}
