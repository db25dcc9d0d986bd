//! One question, as a human wrote it: a TOML file parsed strictly, with a scale's overrides applied. Everything that
//! can be wrong is told at once, with the line, the key and the mend.

use crate::load::{Load, Phase};
use crate::plan::Axis;
use crate::seed::Seed;
use crate::value::Value;
use std::collections::BTreeMap;

/// A parsed experiment. Values are checked against the vocabulary; nothing is multiplied or ordered yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// File stem.
    pub name: String,
    pub question: String,
    /// The file as written.
    pub text: String,
    pub scale: Option<String>,
    pub axes: Vec<Axis>,
    pub server: ServerWish,
    /// Parameters by workload or family name, as written.
    pub workloads: BTreeMap<String, BTreeMap<String, Value>>,
    pub load: Load,
    pub phases: Vec<Phase>,
    pub repeat: Repeat,
}

/// The server as asked for: what is not said is left to the profile.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerWish {
    pub build: Option<String>,
    /// A DSN, without a secret.
    pub on: Option<String>,
    pub engine: String,
    pub profile: String,
    pub settings: BTreeMap<String, Value>,
    pub native: BTreeMap<String, Value>,
    pub cpus: Option<String>,
    pub load_cpus: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    pub repetitions: u32,
    pub seed: Seed,
    /// Run one cell a second time under another label, to know what "no change" looks like here.
    pub aa: bool,
}
