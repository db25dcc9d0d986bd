//! What a limit is, and which of them hold for a record. Each stands with its reason in the file of the check that
//! judges by it, and an experiment can set another value (`[limits] NAME = VALUE`). A check asks [`Limits`] for the one
//! in force; the frame judges once more by ours and says what an experiment's own has changed.

use model::units::{Nanos, Share, round3};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// As in `[limits]`.
    pub name: &'static str,
    pub value: f64,
    pub unit: Unit,
    /// Half a sentence.
    pub why: &'static str,
    /// Nothing only while it is being written: a test holds that none lacks it.
    pub basis: Option<Basis>,
}

/// Where a limit comes from, which says how it may be argued with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// It follows: from arithmetic, from probability, from how queues grow, from what the lab itself does.
    Law,
    /// Read off a distribution of what healthy machines show, which docs/statistics.md has.
    Measured,
    /// What the field has agreed on, or we for want of anything better: no more than a place to draw a line.
    Convention,
}

impl Basis {
    pub fn words(self) -> &'static str {
        match self {
            Self::Law => "by law",
            Self::Measured => "as measured",
            Self::Convention => "by convention",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A part of a whole, 0 to 1.
    Share,
    Seconds,
    /// A number or a factor.
    Number,
}

impl Limit {
    pub const fn share(name: &'static str, value: f64, why: &'static str) -> Self {
        Self { name, value, unit: Unit::Share, why, basis: None }
    }
    pub const fn seconds(name: &'static str, value: f64, why: &'static str) -> Self {
        Self { name, value, unit: Unit::Seconds, why, basis: None }
    }
    pub const fn number(name: &'static str, value: f64, why: &'static str) -> Self {
        Self { name, value, unit: Unit::Number, why, basis: None }
    }
    #[must_use]
    pub const fn law(self) -> Self {
        Self { basis: Some(Basis::Law), ..self }
    }
    #[must_use]
    pub const fn measured(self) -> Self {
        Self { basis: Some(Basis::Measured), ..self }
    }
    #[must_use]
    pub const fn convention(self) -> Self {
        Self { basis: Some(Basis::Convention), ..self }
    }
    /// The most that makes sense.
    pub const fn most(&self) -> f64 {
        match self.unit {
            Unit::Share => 1.0,
            Unit::Seconds | Unit::Number => 1e9,
        }
    }
    pub fn shown(&self, value: f64) -> String {
        match self.unit {
            Unit::Share => Share(value).to_string(),
            Unit::Seconds => Nanos((value * 1e9) as u64).to_string(),
            Unit::Number => round3(value),
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown(self.value))
    }
}

/// The limits in force: ours, but for those that the experiment sets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a>(Option<&'a BTreeMap<String, f64>>);

impl<'a> Limits<'a> {
    pub const OURS: Limits<'static> = Limits(None);

    pub fn set_by(experiment: &'a BTreeMap<String, f64>) -> Self {
        Self(Some(experiment))
    }
    pub fn of(self, limit: &Limit) -> f64 {
        self.set(limit).unwrap_or(limit.value)
    }
    pub fn share(self, limit: &Limit) -> Share {
        Share(self.of(limit))
    }
    /// The experiment's own, where it differs from ours.
    pub fn set(self, limit: &Limit) -> Option<f64> {
        self.0.and_then(|set| set.get(limit.name)).copied().filter(|value| *value != limit.value)
    }
}
