//! What one key accepts, and the reading of a value against it. Values come out in their plain form (durations as
//! nanoseconds, sizes as bytes, names in their spelling), so that nobody after this parses a text again.

use super::document::Raw;
use crate::dsn::{Dsn, Malformed};
use crate::errors;
use crate::plan::cpus::CpuSet;
use crate::plan::memory::MemoryPolicy;
use crate::precision::Precision;
use crate::problem::nearest;
use crate::rate::Rate;
use crate::search::Keep;
use crate::topology::Topology;
use crate::units::{Bytes, Nanos};
use crate::value::Value;
use crate::words::{Kind, Words};

/// Longer phases are slips of a unit, and sums of shorter ones cannot overflow.
pub(super) const LONGEST: Nanos = Nanos::from_secs(30 * 24 * 3600);

/// The word for a phase without a disturbance, where one is a value of an axis.
pub(crate) const NO_DISTURBANCE: &str = "none";

/// What a key accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    Of(Kind),
    /// A time with its unit; kept as `Value::Count` of nanoseconds.
    Duration {
        zero: bool,
    },
    /// Operations per second, or a text of steps and ramps.
    Rate,
    /// A limit on a percentile, as `p99 < 5ms`.
    Keep,
    /// A whole number up to this, or as `until 2 %`.
    Repetitions {
        most: u32,
    },
    Build,
    Engine,
    /// A server that is there already, as `mysql://user@host:port/schema`, `mongodb://host:port/database` or
    /// `memcached://host:port`.
    Dsn,
    Cpus,
    /// The same, or a list of one for each rank; kept as one text.
    CpusOfRanks,
    /// A policy of memory, as numactl(8) has them.
    Memory,
    Topology,
    Workload,
    Disturbance,
    /// A list of errors; kept as their numbers in one text.
    Errors,
    /// Any single value: the server's own variables.
    Native,
}

/// What is wrong with a value, and the mend.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wrong {
    pub what: String,
    pub mend: String,
}

pub(super) fn wrong<T>(what: impl Into<String>, mend: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { what: what.into(), mend: mend.into() })
}

impl Shape {
    pub fn read(self, raw: &Raw, words: &Words) -> Result<Value, Wrong> {
        let value = match raw {
            Raw::List(items) if self == Self::Errors => return errors(items.iter().map(|(_, raw)| raw)),
            Raw::List(items) if self == Self::CpusOfRanks => return cpus_of_ranks(items),
            Raw::Value(_) if self == Self::Errors => return errors([raw].into_iter()),
            Raw::Value(value) => value,
            Raw::List(_) => {
                return wrong(format!("a list, where {} is wanted", self.wanted()), "lists belong in [axes]");
            }
            Raw::Nothing => return wrong(format!("a table, where {} is wanted", self.wanted()), "write KEY = VALUE"),
            Raw::Other(what) => return wrong(format!("{what}, where {} is wanted", self.wanted()), ""),
        };
        match self {
            Self::Of(kind) => of_kind(kind, value),
            Self::Duration { zero } => duration(zero, value),
            Self::Rate => rate(value),
            Self::Keep => keep(value),
            Self::Repetitions { most } => repetitions(most, value),
            Self::Native => Ok(value.clone()),
            Self::Errors => unreachable!("lists and values are read above"),
            Self::Build
            | Self::Engine
            | Self::Dsn
            | Self::Cpus
            | Self::CpusOfRanks
            | Self::Memory
            | Self::Topology
            | Self::Workload
            | Self::Disturbance => match value.text() {
                Some(text) => self.word(text, words).map(Value::Text),
                None => wrong(format!("{value} is not {}", self.wanted()), "write a text in quotes"),
            },
        }
    }

    fn word(self, text: &str, words: &Words) -> Result<String, Wrong> {
        match self {
            Self::Build if words.builds.is_empty() || text == super::DEFAULT_BUILD => Ok(text.into()),
            Self::Build => known(text, "build", words.builds.iter().map(String::as_str)),
            Self::Workload => workload(text, words),
            Self::Disturbance if text == NO_DISTURBANCE => Ok(text.into()),
            Self::Disturbance => known(text, "disturbance", words.disturbances.iter().map(|d| d.name)),
            Self::Engine if text.is_empty() => wrong("no engine", "write innodb"),
            Self::Engine => Ok(text.to_lowercase()),
            Self::Cpus if CpuSet::parse(text).is_some() => Ok(text.into()),
            Self::Cpus => wrong(format!("`{text}` is not a set of CPUs"), format!("write {}", CpuSet::FORMS)),
            Self::CpusOfRanks if CpuSet::of_ranks(text).is_some() => Ok(text.into()),
            Self::CpusOfRanks => {
                let mend = format!("write {}; of several ranks also a list of one for each", CpuSet::FORMS);
                wrong(format!("`{text}` is not a set of CPUs"), mend)
            }
            Self::Memory if MemoryPolicy::parse(text).is_some() => Ok(text.into()),
            Self::Memory => {
                wrong(format!("`{text}` is not a policy of memory"), format!("write {}", MemoryPolicy::FORMS))
            }
            Self::Topology if Topology::parse(text).is_some() => Ok(text.into()),
            Self::Topology => wrong(format!("`{text}` is not a topology"), format!("write {}", Topology::FORMS)),
            Self::Dsn => dsn(text),
            Self::Of(_)
            | Self::Duration { .. }
            | Self::Rate
            | Self::Keep
            | Self::Repetitions { .. }
            | Self::Errors
            | Self::Native => {
                unreachable!("read elsewhere")
            }
        }
    }

    /// In words, as a mend names it.
    pub fn wanted(self) -> String {
        match self {
            Self::Of(Kind::Flag) => "true or false".into(),
            Self::Of(Kind::Count { .. }) => "a whole number".into(),
            Self::Of(Kind::Real { .. }) => "a number".into(),
            Self::Of(Kind::Size) => "a size as \"512 MiB\"".into(),
            Self::Of(Kind::Choice(choices)) => format!("one of {}", choices.join(", ")),
            Self::Of(Kind::Text) => "a text".into(),
            Self::Duration { .. } => "a time as \"40s\"".into(),
            Self::Rate => "a rate".into(),
            Self::Keep => format!("a limit as {}", Keep::FORMS),
            Self::Repetitions { most } => format!("a whole number, 1 to {most}, or as {}", Precision::FORMS),
            Self::Build => "the name of a build".into(),
            Self::Engine => "the name of an engine".into(),
            Self::Dsn => "a DSN".into(),
            Self::Cpus => "a set of CPUs".into(),
            Self::CpusOfRanks => "a set of CPUs, or a list of one for each rank".into(),
            Self::Memory => "a policy of memory".into(),
            Self::Topology => "a topology".into(),
            Self::Workload => "the name of a workload".into(),
            Self::Disturbance => "the name of a disturbance".into(),
            Self::Errors => "a list of errors".into(),
            Self::Native => "a single value".into(),
        }
    }
}

/// How often, or until when.
fn repetitions(most: u32, value: &Value) -> Result<Value, Wrong> {
    match value.text() {
        Some(text) => match Precision::parse(text, most) {
            Ok(until) => Ok(Value::Text(until.to_string())),
            Err(what) => wrong(what, format!("write a whole number, or {}", Precision::FORMS)),
        },
        None => of_kind(Kind::Count { min: 1, max: most.into() }, value),
    }
}

fn errors<'a>(items: impl Iterator<Item = &'a Raw>) -> Result<Value, Wrong> {
    let number = |raw: &Raw| match raw {
        Raw::Value(value) => error(&value.to_string()),
        Raw::List(_) | Raw::Nothing | Raw::Other(_) => wrong("not an error", "write its number or its name"),
    };
    let numbers = items.map(number).collect::<Result<Vec<_>, _>>()?;
    Ok(errors::words(numbers).into())
}

fn cpus_of_ranks(items: &[(Option<usize>, Raw)]) -> Result<Value, Wrong> {
    let set = |(_, raw): &(_, Raw)| match raw {
        Raw::Value(Value::Text(text)) => Shape::Cpus.word(text, &Words::default()),
        Raw::Value(_) | Raw::List(_) | Raw::Nothing | Raw::Other(_) => {
            wrong("not a set of CPUs", format!("write {}", CpuSet::FORMS))
        }
    };
    match items.iter().map(set).collect::<Result<Vec<_>, _>>()? {
        sets if sets.is_empty() => wrong("a list without sets of CPUs", "name one for each rank, or leave it out"),
        sets => Ok(sets.join(CpuSet::BETWEEN_RANKS).into()),
    }
}

/// The number of an error that a key or a value names.
pub(super) fn error(name: &str) -> Result<u32, Wrong> {
    match errors::number(name) {
        Some(number) => Ok(number),
        None => wrong(
            format!("`{name}` is not an error"),
            format!(
                "write the server's number, as 1213, or a name; {}",
                suggestion(name, errors::NAMES.iter().map(|(n, _)| *n))
            ),
        ),
    }
}

fn of_kind(kind: Kind, value: &Value) -> Result<Value, Wrong> {
    match (kind, value) {
        (Kind::Flag, Value::Flag(_)) | (Kind::Text, Value::Text(_)) => Ok(value.clone()),
        (Kind::Count { min, max }, Value::Count(n)) if (min..=max).contains(n) => Ok(value.clone()),
        (Kind::Count { min, max }, Value::Count(n)) => {
            wrong(format!("{n} is out of bounds"), format!("between {min} and {max}"))
        }
        (Kind::Real { min, max }, Value::Count(_) | Value::Real(_)) => {
            let x = value.number().unwrap_or(f64::NAN);
            if (min..=max).contains(&x) {
                Ok(Value::Real(x))
            } else {
                wrong(format!("{x} is out of bounds"), format!("between {min} and {max}"))
            }
        }
        (Kind::Size, Value::Count(_) | Value::Text(_)) => size(value),
        (Kind::Choice(choices), Value::Text(text)) => known(text, "word", choices.iter().copied()).map(Value::Text),
        (Kind::Flag, _) => wrong(format!("`{value}` is not true or false"), "write true or false, without quotes"),
        (Kind::Count { .. } | Kind::Real { .. }, Value::Text(_)) => {
            wrong(format!("the text \"{value}\" is not a number"), "write a number without quotes, as in 10_000")
        }
        (Kind::Choice(choices), _) => {
            wrong(format!("`{value}` is not a text"), format!("write one of \"{}\"", choices.join("\", \"")))
        }
        (Kind::Count { .. } | Kind::Real { .. } | Kind::Size | Kind::Text, _) => {
            let wanted = Shape::Of(kind).wanted();
            wrong(format!("`{value}` is not {wanted}"), format!("write {wanted}"))
        }
    }
}

fn size(value: &Value) -> Result<Value, Wrong> {
    let bytes = match value {
        Value::Count(n) => u64::try_from(*n).ok(),
        Value::Text(text) => Bytes::parse(text).map(|b| b.0),
        Value::Flag(_) | Value::Real(_) => None,
    };
    match bytes.and_then(|b| i64::try_from(b).ok()) {
        Some(bytes) if bytes > 0 => Ok(Value::Count(bytes)),
        Some(_) | None => {
            wrong(format!("`{value}` is not a size"), "write it as \"512 MiB\", \"10 GiB\" or as a number of bytes")
        }
    }
}

fn duration(zero: bool, value: &Value) -> Result<Value, Wrong> {
    let Some(text) = value.text() else {
        return wrong(format!("{value} has no unit of time"), format!("write \"{value}s\", or \"{value}ms\""));
    };
    match Nanos::parse(text) {
        Some(Nanos(0)) if !zero => wrong("a time of no length", "write how long it lasts, as in \"40s\""),
        Some(time) if time > LONGEST => wrong(format!("\"{text}\" is longer than {LONGEST}"), "check the unit"),
        Some(time) => Ok(Value::Count(i64::try_from(time.0).expect("at most LONGEST"))),
        None => wrong(format!("\"{text}\" is not a time"), "write it as \"250ms\", \"40s\", \"10m\" or \"1h30m\""),
    }
}

fn rate(value: &Value) -> Result<Value, Wrong> {
    match value.text().filter(|text| text.parse::<f64>().is_err()).map(Rate::parse) {
        None => of_kind(Kind::Real { min: Rate::LEAST, max: Rate::MOST }, value),
        Some(Ok(_)) => Ok(value.clone()),
        Some(Err(what)) => wrong(what, format!("write {}", Rate::FORMS)),
    }
}

fn keep(value: &Value) -> Result<Value, Wrong> {
    match Keep::parse(&value.to_string()) {
        Ok(_) => Ok(value.clone()),
        Err(what) => wrong(what, format!("write {}", Keep::FORMS)),
    }
}

/// The word itself when it is known, else a mend that names the nearest, or all.
pub(super) fn known<'a>(word: &str, noun: &str, all: impl Iterator<Item = &'a str> + Clone) -> Result<String, Wrong> {
    if all.clone().any(|w| w == word) {
        return Ok(word.to_string());
    }
    wrong(format!("there is no {noun} `{word}`"), suggestion(word, all))
}

pub(super) fn suggestion<'a>(word: &str, all: impl Iterator<Item = &'a str> + Clone) -> String {
    let begun = || all.clone().find(|known| !word.is_empty() && known.starts_with(word));
    match nearest(word, all.clone()).or_else(begun) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let mut all: Vec<_> = all.collect();
            all.sort_unstable();
            all.dedup();
            if all.is_empty() { "none is known here".into() } else { format!("known: {}", all.join(", ")) }
        }
    }
}

fn workload(name: &str, words: &Words) -> Result<String, Wrong> {
    let members: Vec<_> = words.workloads.iter().filter(|w| w.family() == name).map(|w| &*w.name).collect();
    if members.is_empty() || members.contains(&name) {
        return known(name, "workload", words.workloads.iter().map(|w| &*w.name));
    }
    wrong(format!("`{name}` is a family of workloads"), format!("name its members: {}", members.join(", ")))
}

/// Only the form: who is there is found out by the lab. A secret in the file would end in every record.
fn dsn(text: &str) -> Result<String, Wrong> {
    match Dsn::parse(text) {
        Ok(dsn) => Ok(dsn.to_string()),
        Err(Malformed { what, mend }) => wrong(what, mend),
    }
}
