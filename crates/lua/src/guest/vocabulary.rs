//! The words of a script: its name, and its options as the parameters of a workload. All of them shape the data,
//! because nobody but the script knows which of them its `prepare` reads; so do its text and the text of what it
//! requires.

use crate::Compat;
use crate::cmdline::{BUILTIN, DISTRIBUTIONS_10, DISTRIBUTIONS_11, Group};
use crate::option::{Declared, Kind};
use model::experiment::{SHOWN, Script};
use model::words::{self, Class, Footprint, Literal, Name, SCRIPTS};
use model::{Parameter, Protocol, Value, WorkloadWords};
use std::path::Path;

/// sysbench's own options that say what a script does, beside those of random numbers.
const OWN: [&str; 3] = ["db-ps-mode", "mysql-ignore-errors", "validate"];
const MODES: &[&str] = &["auto", "disable"];

/// As a double, an integer that every one of them holds.
const MOST: i64 = 1 << 53;

pub(super) fn words(wanted: &Script, compat: Compat, declared: Option<&[Declared]>, digest: &str) -> WorkloadWords {
    let mut parameters: Vec<Parameter<Name>> = declared.unwrap_or_default().iter().map(of_script).collect();
    if declared.is_none() && compat == Compat::V10 {
        // Scripts of sysbench 0.5 declare nothing, and take whatever they are given.
        parameters.extend(wanted.options.iter().map(|(name, value)| undeclared(name, value)));
    }
    let own = BUILTIN.iter().filter(|option| option.is_in(compat) && option.name != "rand-seed");
    let own = own.filter(|option| option.group == Group::Random || OWN.contains(&option.name));
    for option in own {
        let name = option.name.replace('-', "_");
        if parameters.iter().all(|p| p.name != name) {
            let (description, default) = (option.description.to_string(), option.default.map(str::to_string));
            let own = of_script(&Declared { name, description, kind: option.kind, default });
            parameters.push(Parameter { kind: choice(option.name, compat).unwrap_or(own.kind), ..own });
        }
    }
    let [path, sha256, version] = SHOWN;
    let compat = if compat == Compat::V10 { "1.0" } else { "1.1" };
    for (name, text, why) in [
        (path, wanted.name.as_str(), "the script"),
        (sha256, digest, "digest of the script and of what it requires"),
        (version, compat, "the version of sysbench that it is written for"),
    ] {
        parameters.push(parameter(name, words::Kind::Text, Some(Literal::Text(text.to_string().into())), why));
    }
    let stem = Path::new(&wanted.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("script");
    WorkloadWords {
        name: format!("{SCRIPTS}.{stem}").into(),
        why: "a script of sysbench's kind",
        writes: true,
        protocols: &[Protocol::MySql],
        parameters,
        operations: crate::scripted::OPERATIONS,
        footprint: |_| Footprint::default(),
        grows: None,
    }
}

fn parameter(name: &str, kind: words::Kind, default: Option<Literal<Name>>, why: &str) -> Parameter<Name> {
    Parameter {
        name: name.to_string().into(),
        kind,
        default,
        class: Class::Data,
        why: why.to_string().into(),
        of_one: &[],
    }
}

fn of_script(option: &Declared) -> Parameter<Name> {
    use crate::cmdline::default;
    use crate::option::Value as Given;
    let kind = match option.kind {
        Kind::Bool => words::Kind::Flag,
        Kind::Int => words::Kind::Count { min: -MOST, max: MOST },
        Kind::Size => words::Kind::Size,
        Kind::Double => words::Kind::Real { min: f64::MIN, max: f64::MAX },
        Kind::Null | Kind::String | Kind::List | Kind::File => words::Kind::Text,
    };
    let literal = match default(option.kind, option.default.as_deref()) {
        Given::Bool(flag) => Literal::Flag(flag),
        Given::Number(n) if option.kind == Kind::Double => Literal::Real(n),
        Given::Number(n) => Literal::Count(n as i64),
        Given::Text(text) => Literal::Text(text.into()),
        Given::List(words) => Literal::Text(words.join(",").into()),
        Given::File => Literal::Text("".into()),
    };
    parameter(&option.name, kind, Some(literal), &option.description)
}

fn undeclared(name: &str, value: &Value) -> Parameter<Name> {
    let kind = match value {
        Value::Flag(_) => words::Kind::Flag,
        Value::Count(_) => words::Kind::Count { min: -MOST, max: MOST },
        Value::Real(_) => words::Kind::Real { min: f64::MIN, max: f64::MAX },
        Value::Text(_) => words::Kind::Text,
    };
    parameter(name, kind, None, "taken by the script as it is")
}

fn choice(builtin: &str, compat: Compat) -> Option<words::Kind> {
    let words = match (builtin, compat) {
        ("rand-type", Compat::V10) => DISTRIBUTIONS_10,
        ("rand-type", Compat::V11) => DISTRIBUTIONS_11,
        ("db-ps-mode", _) => MODES,
        _ => return None,
    };
    Some(words::Kind::Choice(words))
}
