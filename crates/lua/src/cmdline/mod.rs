//! sysbench's command line as values. Three steps, because only the script knows its options: the words are split, the
//! built-in options are read, and when the script has declared its own, what is left is theirs or an error. Nothing
//! here prints or reads a file: texts and where they belong are told to the caller.

mod builtin;
mod config;
mod help;
mod settings;
mod value;
mod words;

pub use builtin::{BUILTIN, Builtin, Group};
pub use config::read as read_config;
pub use help::help;
pub use settings::{DISTRIBUTIONS_10, DISTRIBUTIONS_11, Forced, Settings};
pub use value::default;
pub use words::{Given, Words, split};

use crate::Compat;
use crate::option::{Declared, Options};
use value::read;

/// What is wrong with a command line, and where sysbench says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// On stderr, before anything else.
    Early(String),
    /// On stderr, behind the banner.
    Late(String),
    /// On stdout as a line of the log, before anything else.
    Logged(String),
}

/// A command line whose built-in options are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Invoked {
    pub settings: Settings,
    /// Built-in options with their values.
    pub options: Options,
    /// What nobody knows until the script has spoken.
    pub unknown: Vec<Given>,
    /// To be told before anything else: on stdout lines of the log, on stderr the rest.
    pub warnings: Vec<String>,
}

/// Reads the built-in options. `given` is in the order in which it counts: a configuration file's first.
pub fn invoke(compat: Compat, given: Vec<Given>) -> Result<Invoked, Complaint> {
    let known: Vec<&Builtin> = BUILTIN.iter().filter(|option| option.is_in(compat)).collect();
    let shown = known.iter().filter(|option| option.group != Group::Assay);
    let of = |option: &&Builtin| value::default(option.kind, option.default);
    let mut options: Options = shown.map(|option| (option.name.replace('-', "_"), of(option))).collect();
    let (mut unknown, mut warnings, mut old) = (Vec::new(), Vec::new(), Vec::new());
    for given in given {
        let Some(option) = known.iter().find(|option| option.name.replace('-', "_") == given.name) else {
            unknown.push(given);
            continue;
        };
        let read = read(option.kind, &given)?;
        warnings.extend(read.warning);
        if let Some(instead) = option.stands_for {
            old.push(option.name);
            options.insert(instead.to_string(), read.value.clone());
        }
        options.insert(given.name, read.value);
    }
    // In sysbench's order, however they were given.
    for option in known.iter().rev().filter(|option| old.contains(&option.name)) {
        let instead = option.stands_for.unwrap_or_default();
        warnings.push(format!("WARNING: --{} is deprecated, use --{instead} instead", option.name));
    }
    let settings = Settings::of(compat, &options)?;
    Ok(Invoked { settings, options, unknown, warnings })
}

/// Adds the options of a script, `None` where it declares none. Then sysbench 1.0 takes whatever was given as text,
/// because scripts of 0.5 have no other way; whether it did is told, because such options are globals too.
pub fn with_script(
    compat: Compat,
    mut invoked: Invoked,
    declared: Option<&[Declared]>,
) -> Result<(Invoked, bool), Complaint> {
    let legacy = declared.is_none() && compat == Compat::V10;
    let declared = declared.unwrap_or_default();
    for option in declared {
        // A built-in option that a script declares again: what was given on the command line is what both see.
        let default = value::default(option.kind, option.default.as_deref());
        let built_in = BUILTIN.iter().any(|b| b.is_in(compat) && b.name.replace('-', "_") == option.name);
        if !built_in {
            invoked.options.insert(option.name.clone(), default);
        }
    }
    for given in std::mem::take(&mut invoked.unknown) {
        let kind = match declared.iter().find(|option| option.name == given.name) {
            Some(option) => option.kind,
            None if legacy => crate::option::Kind::String,
            None => return Err(Complaint::Late(format!("invalid option: {}", given.typed))),
        };
        let read = read(kind, &given).map_err(late)?;
        invoked.warnings.extend(read.warning);
        invoked.options.insert(given.name, read.value);
    }
    Ok((invoked, legacy))
}

fn late(complaint: Complaint) -> Complaint {
    match complaint {
        Complaint::Early(text) | Complaint::Late(text) => Complaint::Late(text),
        Complaint::Logged(text) => Complaint::Logged(text),
    }
}

#[cfg(test)]
mod tests;
