//! The vocabulary that an experiment may use. Workloads, settings, disturbances and builds are known in other rooms;
//! they hand their words in as values, so that the experiment is checked against everything that exists and this room
//! still depends on nothing.

use crate::load::Disturb;
use crate::protocol::Protocol;
use crate::value::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A word of the vocabulary: one of ours, or one that a script brought along.
pub type Name = Cow<'static, str>;

/// What a parameter or setting accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Flag,
    /// A whole number within the bounds, both included.
    Count {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
    },
    /// A size, written as `512 MiB` or a number of bytes; kept as `Value::Count` of bytes.
    Size,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
}

/// What a difference in this key means between two compared cells (the classes of check `parameters_agree`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Defines what is done per operation.
    Work,
    /// Defines what the data are; also part of a dataset's identity.
    Data,
    /// A setting of the server.
    Server,
}

/// Stands for all values of a parameter that not every server knows, but its default.
pub const ANY_BUT_DEFAULT: &str = "*";

/// One knob of a workload, or one word for a setting of a server; its texts ours (then it can be copied), or brought.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<Text = &'static str> {
    pub name: Text,
    pub kind: Kind,
    /// As it would be written in the file; `None` when the experiment must say it or the server's own default holds.
    pub default: Option<Literal<Text>>,
    pub class: Class,
    /// One sentence: what it changes.
    pub why: Text,
    /// Values that only servers of one protocol know: choices, or `ANY_BUT_DEFAULT`.
    pub of_one: &'static [(&'static str, Protocol)],
}

/// Says what data are; what it accepts, and its default, follow.
pub const fn data(name: &'static str, why: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, default: None, class: Class::Data, why, of_one: &[] }
}
/// Says what is done per operation; likewise.
pub const fn work(name: &'static str, why: &'static str) -> Parameter {
    Parameter { class: Class::Work, ..data(name, why) }
}

impl Parameter {
    pub const fn flag(self, default: bool) -> Self {
        self.accepting(Kind::Flag).by(Literal::Flag(default))
    }
    pub const fn count(self, default: i64, [min, max]: [i64; 2]) -> Self {
        self.accepting(Kind::Count { min, max }).by(Literal::Count(default))
    }
    pub const fn real(self, default: f64, [min, max]: [f64; 2]) -> Self {
        self.accepting(Kind::Real { min, max }).by(Literal::Real(default))
    }
    /// One of these words; the first where nothing is said.
    pub const fn choice(self, of: &'static [&'static str]) -> Self {
        self.accepting(Kind::Choice(of)).by(Literal::Text(of[0]))
    }
    /// The values among them that only servers of one protocol know.
    pub const fn known_to(self, of_one: &'static [(&'static str, Protocol)]) -> Self {
        Self { of_one, ..self }
    }
    pub const fn text(self, default: &'static str) -> Self {
        self.accepting(Kind::Text).by(Literal::Text(default))
    }
    /// Bytes.
    pub const fn size(self, default: i64) -> Self {
        self.accepting(Kind::Size).by(Literal::Count(default))
    }
    pub const fn accepting(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }
    /// With another default.
    pub const fn by(self, default: Literal) -> Self {
        Self { default: Some(default), ..self }
    }
    /// A table of ours beside those that scripts bring.
    pub fn ours(all: &[Self]) -> Vec<Parameter<Name>> {
        let ours = |p: &Self| Parameter {
            name: p.name.into(),
            kind: p.kind,
            default: p.default.map(Literal::ours),
            class: p.class,
            why: p.why.into(),
            of_one: p.of_one,
        };
        all.iter().map(ours).collect()
    }
}

/// A default that can stand in a `const` table, its text ours (and then it can be copied) or brought along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal<Text = &'static str> {
    Flag(bool),
    Count(i64),
    Real(f64),
    Text(Text),
}

impl Literal {
    /// The same, where a script may have brought it.
    fn ours(self) -> Literal<Name> {
        match self {
            Self::Flag(b) => Literal::Flag(b),
            Self::Count(n) => Literal::Count(n),
            Self::Real(x) => Literal::Real(x),
            Self::Text(s) => Literal::Text(s.into()),
        }
    }
}

impl<Text: ToString> Literal<Text> {
    pub fn value(&self) -> Value {
        match self {
            Self::Flag(b) => Value::Flag(*b),
            Self::Count(n) => Value::Count(*n),
            Self::Real(x) => Value::Real(*x),
            Self::Text(s) => Value::Text(s.to_string()),
        }
    }
}

/// One workload as an experiment sees it.
#[derive(Clone, Debug)]
pub struct WorkloadWords {
    /// `family.member`, or the family's name alone when it has one member.
    pub name: Name,
    pub why: &'static str,
    /// Whether it changes its dataset: each of its runs then begins with a fresh copy.
    pub writes: bool,
    /// Those that its users can speak, the one that it is at home in first; never empty. All are SQL, or none is.
    pub protocols: &'static [Protocol],
    pub parameters: Vec<Parameter<Name>>,
    /// Names of what is counted and timed as one, in the order of the workload's `Operation`.
    pub operations: &'static [&'static str],
    /// Rough bytes that the dataset of these parameters takes on disk and rows that must be loaded, for the plan.
    pub footprint: fn(&BTreeMap<String, Value>) -> Footprint,
    /// What becomes of its data by so many operations, for the plan; `None` where that is not foreseen.
    pub grows: Option<Grows>,
}

pub type Grows = fn(&BTreeMap<String, Value>, operations: u64, Extent) -> Extent;

impl WorkloadWords {
    pub fn family(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }
    /// Every parameter that has a default, by it.
    pub fn defaults(&self) -> BTreeMap<String, Value> {
        let default = |p: &Parameter<Name>| Some((p.name.to_string(), p.default.as_ref()?.value()));
        self.parameters.iter().filter_map(default).collect()
    }
    /// The one that it is at home in.
    pub fn protocol(&self) -> Protocol {
        self.protocols[0]
    }
}

/// The family of scripts.
pub const SCRIPTS: &str = "lua";

/// One disturbance as an experiment sees it.
#[derive(Clone, Copy, Debug)]
pub struct DisturbanceWords {
    pub name: &'static str,
    /// One sentence: what it does to the instance.
    pub why: &'static str,
    pub parameters: &'static [Parameter],
    /// Whether it changes the dataset or what lies beside it: its run then begins with a fresh copy.
    pub writes: bool,
}

impl DisturbanceWords {
    /// One that leaves the dataset as it is.
    pub const fn new(name: &'static str, why: &'static str, parameters: &'static [Parameter]) -> Self {
        Self { name, why, parameters, writes: false }
    }
    pub const fn that_writes(self) -> Self {
        Self { writes: true, ..self }
    }
    /// Every parameter, as `said` or by its default.
    pub fn with(&self, said: &BTreeMap<String, Value>) -> Disturb {
        let all = self.parameters.iter().filter_map(|p| {
            Some((p.name.to_string(), said.get(p.name).cloned().or_else(|| p.default.as_ref().map(Literal::value))?))
        });
        Disturb { name: self.name.to_string(), parameters: all.collect() }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub bytes: u64,
    pub rows: u64,
}

/// Bytes of a workload's tables at one moment of a run, as foreseen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Rows that queries mean.
    pub current: u64,
    /// What is kept of rows that are no longer current.
    pub history: u64,
    /// What the tables take on disk; files never shrink.
    pub files: u64,
}

/// Everything an experiment may name.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub workloads: Vec<WorkloadWords>,
    pub disturbances: Vec<DisturbanceWords>,
    /// Builds that the catalogue or this host knows.
    pub builds: Vec<String>,
    /// Limits of checks: name, and the most that makes sense.
    pub limits: Vec<(&'static str, f64)>,
}

impl Words {
    /// One that a checked experiment names.
    pub(crate) fn workload(&self, name: &str) -> &WorkloadWords {
        self.workloads.iter().find(|w| w.name == name).expect("an experiment names only known workloads")
    }
    /// Likewise.
    pub(crate) fn disturbance(&self, name: &str) -> &DisturbanceWords {
        self.disturbances.iter().find(|d| d.name == name).expect("an experiment names only known disturbances")
    }
}
