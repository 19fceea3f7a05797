//! The reference: an expression as a plain tree, its meaning by the book, and two ways to write it.
//!
//! Nothing here is shared with the crate: binary operators, owned values, errors without reasons.

use petriflow_testkit::cases::{Result, Unstructured};
use serde_json::{Map, Value, json};

#[derive(Debug, Clone)]
pub(super) enum Tree {
    Literal(Value),
    Field(Vec<&'static str>),
    Place(&'static str),
    Of(&'static str, Box<Tree>),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Chain(Box<Tree>, Vec<(&'static str, Tree)>),
    If(Box<Tree>, Box<Tree>, Box<Tree>),
    List(Vec<Tree>),
    Matches(Box<Tree>, &'static str),
    Call(&'static str, Vec<Tree>),
    Exists(Vec<&'static str>),
}

/// There is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrong;

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "gone"];
pub(super) const PLACES: [&str; 3] = ["p", "q-r", "gone"];

/// A tree, mostly of parts that fit, sometimes of any.
pub(super) fn tree(u: &mut Unstructured<'_>, depth: usize) -> Result<Tree> {
    let sort = *u.choose(&["truth", "truth", "number", "any"])?;
    tree_of(u, sort, depth)
}

fn tree_of(u: &mut Unstructured<'_>, sort: &str, depth: usize) -> Result<Tree> {
    if u.ratio(1, 12)? {
        return leaf(u, "any");
    }
    if depth == 0 {
        return leaf(u, sort);
    }
    match sort {
        "truth" => truth(u, depth - 1),
        "number" => number(u, depth - 1),
        _ => any(u, depth - 1),
    }
}

fn leaf(u: &mut Unstructured<'_>, sort: &str) -> Result<Tree> {
    let numbers = [json!(0), json!(1), json!(2), json!(0.5), json!(3)];
    Ok(match (sort, u.int_in_range(0..=5)?) {
        (_, 0) => Tree::Field(path(u)?),
        ("truth", _) => Tree::Literal(json!(u.arbitrary::<bool>()?)),
        ("number", 1) => Tree::Place(u.choose(&PLACES)?),
        ("number", _) => Tree::Literal(u.choose(&numbers)?.clone()),
        (_, 1) => Tree::Literal(Value::Null),
        (_, 2) => Tree::Literal(json!(*u.choose(&["", "x", "it's \"q\" \\ é\n"])?)),
        (_, 3) => Tree::Exists(path(u)?),
        (_, 4) => Tree::Literal(json!(u.arbitrary::<bool>()?)),
        _ => Tree::Literal(u.choose(&numbers)?.clone()),
    })
}

fn path(u: &mut Unstructured<'_>) -> Result<Vec<&'static str>> {
    let length = *u.choose(&[1, 1, 1, 2, 2, 3])?;
    let mut path = vec![*u.choose(&NAMES)?];
    for _ in 1..length {
        path.push(*u.choose(&["a", "b", "0", "1", "odd-name", "if"])?);
    }
    Ok(path)
}

fn boxed(u: &mut Unstructured<'_>, sort: &str, depth: usize) -> Result<Box<Tree>> {
    tree_of(u, sort, depth).map(Box::new)
}

fn truth(u: &mut Unstructured<'_>, depth: usize) -> Result<Tree> {
    Ok(match u.int_in_range(0..=9)? {
        0 => Tree::Unary("not", boxed(u, "truth", depth)?),
        1 | 2 => Tree::Binary("and", boxed(u, "truth", depth)?, boxed(u, "truth", depth)?),
        3 | 4 => Tree::Binary("or", boxed(u, "truth", depth)?, boxed(u, "truth", depth)?),
        5 => chain(u, &["<", "<=", ">", ">=", "==", "!="], "number", depth)?,
        6 => chain(u, &["==", "!="], "any", depth)?,
        7 => {
            let operator = *u.choose(&["in", "not in"])?;
            let list = if u.ratio(4, 5)? { list(u, depth)? } else { tree_of(u, "any", depth)? };
            Tree::Binary(operator, boxed(u, "any", depth)?, list.into())
        }
        8 => Tree::Matches(boxed(u, "any", depth)?, u.choose(&["x", "^$", "[a-z]+"])?),
        _ => Tree::Call("empty", vec![tree_of(u, "any", depth)?]),
    })
}

fn chain(
    u: &mut Unstructured<'_>,
    signs: &[&'static str],
    sort: &str,
    depth: usize,
) -> Result<Tree> {
    let first = boxed(u, sort, depth)?;
    let mut rest = Vec::new();
    for _ in 0..*u.choose(&[1, 1, 1, 2, 3])? {
        rest.push((*u.choose(signs)?, tree_of(u, sort, depth)?));
    }
    Ok(Tree::Chain(first, rest))
}

fn number(u: &mut Unstructured<'_>, depth: usize) -> Result<Tree> {
    Ok(match u.int_in_range(0..=5)? {
        0 => Tree::Unary("-", boxed(u, "number", depth)?),
        1 => {
            let functions =
                ["abs", "ceil", "floor", "round", "sqrt", "log", "log2", "log10", "min", "max"];
            let name = *u.choose(&functions)?;
            let many = if name.starts_with('m') { u.int_in_range(1..=3)? } else { 1 };
            let arguments = (0..many).map(|_| tree_of(u, "number", depth));
            Tree::Call(name, arguments.collect::<Result<_>>()?)
        }
        2 => Tree::If(
            boxed(u, "truth", depth)?,
            boxed(u, "number", depth)?,
            boxed(u, "number", depth)?,
        ),
        _ => {
            let operator = *u.choose(&["+", "-", "*", "/", "mod", "^"])?;
            Tree::Binary(operator, boxed(u, "number", depth)?, boxed(u, "number", depth)?)
        }
    })
}

fn list(u: &mut Unstructured<'_>, depth: usize) -> Result<Tree> {
    let length = u.int_in_range(1..=3)?;
    let parts = (0..length).map(|_| tree_of(u, "any", depth)).collect::<Result<_>>()?;
    Ok(Tree::List(parts))
}

fn any(u: &mut Unstructured<'_>, depth: usize) -> Result<Tree> {
    Ok(match u.int_in_range(0..=5)? {
        0 => list(u, depth)?,
        1 => Tree::Of(u.choose(&["a", "b", "odd-name"])?, boxed(u, "any", depth)?),
        2 => Tree::If(boxed(u, "truth", depth)?, boxed(u, "any", depth)?, boxed(u, "any", depth)?),
        3 => number(u, depth)?,
        4 => truth(u, depth)?,
        _ => leaf(u, "any")?,
    })
}

/// A value for a context.
pub(super) fn json_value(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let kinds = if depth == 0 { 5 } else { 8 };
    Ok(match u.int_in_range(0..=kinds)? {
        0 => Value::Null,
        1 | 2 => json!(u.arbitrary::<bool>()?),
        3 => json!(u.int_in_range(-2..=3)?),
        4 => json!(*u.choose(&[0.5, 1.0, -0.0, 2.5])?),
        5 => json!(*u.choose(&["", "x", "abc"])?),
        6 => {
            let length = u.int_in_range(0..=2)?;
            (0..length).map(|_| json_value(u, depth - 1)).collect::<Result<Vec<_>>>()?.into()
        }
        _ => object(u, &["a", "b", "0", "odd-name"], depth - 1)?,
    })
}

pub(super) fn object(u: &mut Unstructured<'_>, names: &[&str], depth: usize) -> Result<Value> {
    let mut fields = Map::new();
    for name in names {
        if u.ratio(4, 5)? {
            fields.insert((*name).to_owned(), json_value(u, depth)?);
        }
    }
    Ok(fields.into())
}

/// The meaning of a tree.
pub(super) fn meaning(
    tree: &Tree,
    context: &Value,
    marking: &[(String, u32)],
) -> std::result::Result<Value, Wrong> {
    let of = |tree: &Tree| meaning(tree, context, marking);
    let truth = |tree: &Tree| of(tree)?.as_bool().ok_or(Wrong);
    let number = |tree: &Tree| of(tree)?.as_f64().ok_or(Wrong);
    match tree {
        Tree::Literal(value) => Ok(value.clone()),
        Tree::Field(path) => look_up(context, path).cloned().ok_or(Wrong),
        Tree::Exists(path) => Ok(look_up(context, path).is_some().into()),
        Tree::Place(name) => {
            let found = marking.iter().find(|(place, _)| place == name);
            found.map(|(_, tokens)| json!(tokens)).ok_or(Wrong)
        }
        Tree::Of(name, object) => of(object)?.get(name).cloned().ok_or(Wrong),
        Tree::Unary("not", operand) => Ok((!truth(operand)?).into()),
        Tree::Unary(_, operand) => finite(-number(operand)?),
        Tree::Binary("and", a, b) => Ok((truth(a)? && truth(b)?).into()),
        Tree::Binary("or", a, b) => Ok((truth(a)? || truth(b)?).into()),
        Tree::Binary(word @ ("in" | "not in"), a, b) => {
            let (item, list) = (of(a)?, of(b)?);
            let (false, Some(list)) = (item.is_array(), list.as_array()) else { return Err(Wrong) };
            Ok((list.iter().any(|other| same(&item, other)) == (*word == "in")).into())
        }
        Tree::Binary(operator, a, b) => arithmetic(operator, number(a)?, number(b)?),
        Tree::Chain(first, rest) => {
            let mut left: &Tree = first;
            for (sign, right) in rest {
                if !compared(sign, &of(left)?, &of(right)?)? {
                    return Ok(false.into());
                }
                left = right;
            }
            Ok(true.into())
        }
        Tree::If(when, yes, no) => of(if truth(when)? { yes } else { no }),
        Tree::List(parts) => parts.iter().map(of).collect::<std::result::Result<_, _>>(),
        Tree::Matches(text, pattern) => {
            let text = of(text)?;
            let pattern = regex::Regex::new(pattern).unwrap();
            Ok(pattern.is_match(text.as_str().ok_or(Wrong)?).into())
        }
        Tree::Call("empty", arguments) => {
            let value = of(&arguments[0])?;
            Ok([json!(null), json!(""), json!([]), json!({})].contains(&value).into())
        }
        Tree::Call(name, arguments) => {
            let numbers: Vec<f64> =
                arguments.iter().map(number).collect::<std::result::Result<_, _>>()?;
            called(name, &numbers)
        }
    }
}

fn look_up<'c>(context: &'c Value, path: &[&str]) -> Option<&'c Value> {
    path.iter().try_fold(context, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        value => value.get(name),
    })
}

fn finite(number: f64) -> std::result::Result<Value, Wrong> {
    if number.is_finite() { Ok(json!(number)) } else { Err(Wrong) }
}

fn arithmetic(operator: &str, a: f64, b: f64) -> std::result::Result<Value, Wrong> {
    finite(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "^" => a.powf(b),
        // The remainder has the sign of the divisor.
        _ if b == 0.0 => return Err(Wrong),
        _ if a % b != 0.0 && (a % b).signum() != b.signum() => a % b + b,
        _ => a % b,
    })
}

fn called(name: &str, numbers: &[f64]) -> std::result::Result<Value, Wrong> {
    let first = numbers[0];
    finite(match name {
        "abs" => first.abs(),
        "ceil" => first.ceil(),
        "floor" => first.floor(),
        "round" => (first + 0.5).floor(),
        "sqrt" => first.sqrt(),
        "log" => first.ln(),
        "log2" => first.log2(),
        "log10" => first.log10(),
        "min" => numbers.iter().copied().fold(first, f64::min),
        _ => numbers.iter().copied().fold(first, f64::max),
    })
}

fn compared(sign: &str, a: &Value, b: &Value) -> std::result::Result<bool, Wrong> {
    match sign {
        "==" => return Ok(same(a, b)),
        "!=" => return Ok(!same(a, b)),
        _ => {}
    }
    let (a, b) = (a.as_f64().ok_or(Wrong)?, b.as_f64().ok_or(Wrong)?);
    Ok(match sign {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    })
}

/// Equality of values: every number as a float, which is exact for those made here.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    fn floats(value: &Value) -> Value {
        match value {
            // Zero has two signs.
            Value::Number(number) => json!(number.as_f64().unwrap() + 0.0),
            Value::Array(items) => items.iter().map(floats).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), floats(value))).collect()
            }
            other => other.clone(),
        }
    }
    floats(a) == floats(b)
}

/// How strongly a tree holds together when written; an operand that is weaker needs parentheses.
fn strength(tree: &Tree) -> u8 {
    match tree {
        Tree::If(..) => 0,
        Tree::Binary("or", ..) => 1,
        Tree::Binary("and", ..) => 2,
        Tree::Binary("in" | "not in", ..) => 3,
        Tree::Chain(..) | Tree::Matches(..) => 4,
        Tree::Binary("+" | "-", ..) => 5,
        Tree::Binary("*" | "/" | "mod", ..) => 6,
        Tree::Unary(..) => 7,
        Tree::Binary(..) => 8,
        Tree::Of(..) => 9,
        _ => 10,
    }
}

/// Writes a tree, with parentheses everywhere or only where they are needed.
pub(super) fn written(tree: &Tree, minimal: bool) -> String {
    // An operand that must be at least as strong as `least`.
    let part = |tree: &Tree, least: u8| {
        let text = written(tree, minimal);
        if minimal && strength(tree) >= least { text } else { format!("({text})") }
    };
    let whole = |tree: &Tree| part(tree, 0);
    match tree {
        Tree::Literal(value) => value.to_string(),
        Tree::Field(path) => names(path),
        Tree::Exists(path) => format!("exists({})", names(path)),
        Tree::Place(name) => format!("marking.{}", names(&[name])),
        Tree::Of(name, object) => format!("{} of {}", names(&[name]), part(object, 9)),
        Tree::Unary(operator, operand) => format!("{operator} {}", part(operand, 7)),
        // Right associative, and a sign may stand in the exponent.
        Tree::Binary("^", a, b) => format!("{} ^ {}", part(a, 9), part(b, 7)),
        Tree::Binary(operator @ ("in" | "not in"), a, b) => {
            format!("{} {operator} {}", part(a, 4), part(b, 4))
        }
        Tree::Binary(operator, a, b) => {
            let own = strength(tree);
            format!("{} {operator} {}", part(a, own), part(b, own + 1))
        }
        Tree::Chain(first, rest) => {
            let rest = rest.iter().map(|(sign, tree)| format!(" {sign} {}", part(tree, 5)));
            part(first, 5) + &rest.collect::<String>()
        }
        Tree::Matches(text, pattern) => format!("{} ~= {}", part(text, 5), json!(pattern)),
        Tree::If(when, yes, no) => {
            format!("if {} then {} else {}", whole(when), whole(yes), whole(no))
        }
        Tree::List(parts) => {
            let parts: Vec<_> = parts.iter().map(whole).collect();
            format!("({},)", parts.join(", "))
        }
        Tree::Call(name, arguments) => {
            format!("{name}({})", arguments.iter().map(whole).collect::<Vec<_>>().join(", "))
        }
    }
}

fn names(path: &[&str]) -> String {
    let plain = |name: &str| name.chars().all(char::is_alphanumeric);
    let names =
        path.iter().map(|name| if plain(name) { (*name).to_owned() } else { format!("`{name}`") });
    names.collect::<Vec<_>>().join(".")
}
