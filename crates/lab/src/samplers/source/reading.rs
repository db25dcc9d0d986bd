//! What one source gave at one moment: values by name, and what was not there.

use model::record::counters::{self, Counter};
use model::record::series::{Metric, Shape, Unit};
use model::units::Nanos;

/// What one source gave at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// When it was read, on the lab's clock.
    pub at: Nanos,
    pub values: Vec<(Metric, f64)>,
    /// What was not there, with the reason.
    pub missing: Vec<(String, String)>,
}

impl Reading {
    /// What a source calls by a name of its own.
    pub(crate) fn add(&mut self, name: &str, unit: Unit, shape: Shape, value: f64) {
        // JSON has no word for the others, and no source has a use for them.
        if value.is_finite() {
            self.values.push((Metric { name: name.to_string(), unit, shape }, value));
        }
    }
    /// A counter of ours, as its row says; the rows are complete, which house.rs holds.
    pub(crate) fn tell(&mut self, name: &str, value: u64) {
        self.row(counters::named(name).expect("a counter of ours has a row"), value as f64);
    }
    pub(crate) fn row(&mut self, counter: &Counter, value: f64) {
        self.add(counter.name, counter.unit, counter.shape, value);
    }
    pub(crate) fn missing(&mut self, what: &str, why: impl ToString) {
        self.missing.push((what.to_string(), why.to_string()));
    }
    /// Reads a file and understands it, or names what is missing without it.
    pub(crate) fn file<T>(&mut self, path: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let found = parse(&text);
                if found.is_none() {
                    self.missing(path, "it is not written as expected");
                }
                found
            }
            Err(e) => {
                self.missing(path, e);
                None
            }
        }
    }
}
