//! The shapes that arguments of verbs have: a word that stands by itself, an option with a value, a flag. A verb says
//! name, value and help of each; what clap must be told beside that follows from the shape.

use clap::{Arg, ArgAction, ArgMatches};

/// By its place.
pub fn positional(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).help(help)
}

/// By its place, and always.
pub fn needed(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    positional(name, value, help).required(true)
}

pub fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    positional(name, value, help).long(name)
}

/// An option that may be given again.
pub fn many(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).action(ArgAction::Append)
}

pub fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// What was said by a needed argument, or one with a default.
pub fn said<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).expect("clap requires it, or has a default")
}
