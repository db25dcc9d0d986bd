//! An interval as most readers want it: how much was done in it, over all operations and statements. Read straight from
//! the interval's line, with its histograms passed over (they are nine tenths of it) or with those of operations
//! merged, because a record of a thousand runs has a million such lines.

use super::course::Course;
use super::tally::{ArrivalTally, Interval};
use crate::histogram::Histogram;
use crate::units::Nanos;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// One second (or the remainder of a phase) of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second<L = ()> {
    /// Since the start of the run's first phase.
    pub from: Nanos,
    pub to: Nanos,
    pub phase: String,
    /// Operations done.
    pub done: u64,
    /// Statements answered without error, and with one.
    pub calls: u64,
    pub refused: u64,
    pub arrivals: Option<ArrivalTally>,
    pub course: Option<Course>,
    /// The latency of operations done, where it was asked for.
    pub latency: L,
}

/// With the latencies of its operations.
pub type TimedSecond = Second<Histogram>;

impl<L> Second<L> {
    pub fn length(&self) -> Nanos {
        Nanos(self.to.0 - self.from.0)
    }
    /// As the sums alone.
    pub fn sums(&self) -> Second {
        let Self { from, to, phase, done, calls, refused, arrivals, course, .. } = self;
        let (from, to, phase, done, calls) = (*from, *to, phase.clone(), *done, *calls);
        let (refused, arrivals, course) = (*refused, *arrivals, course.clone());
        Second { from, to, phase, done, calls, refused, arrivals, course, latency: () }
    }
    fn of(interval: &Interval, latency: L) -> Self {
        let statements = interval.tally.statements.values();
        Self {
            from: interval.from,
            to: interval.to,
            phase: interval.phase.clone(),
            done: interval.tally.done(),
            calls: statements.clone().map(|s| s.calls).sum(),
            refused: statements.flat_map(|s| s.failed.values()).sum(),
            arrivals: interval.tally.arrivals,
            course: interval.tally.course.clone(),
            latency,
        }
    }
}

impl From<&Interval> for Second {
    fn from(interval: &Interval) -> Self {
        Self::of(interval, ())
    }
}

impl From<&Interval> for TimedSecond {
    fn from(interval: &Interval) -> Self {
        let mut latency = Histogram::default();
        interval.tally.operations.values().for_each(|operation| latency.merge(&operation.latency));
        Self::of(interval, latency)
    }
}

/// What becomes of a histogram in a line.
pub trait Latency: Default {
    /// What is read of it.
    type Read: for<'de> Deserialize<'de>;
    fn add(&mut self, read: Self::Read);
}

impl Latency for () {
    type Read = IgnoredAny;
    fn add(&mut self, _: IgnoredAny) {}
}

impl Latency for Histogram {
    type Read = Histogram;
    fn add(&mut self, read: Histogram) {
        // Most have one kind of operation.
        if self.count() == 0 {
            *self = read;
        } else {
            self.merge(&read);
        }
    }
}

/// The line of an [`Interval`], as far as it is wanted.
#[derive(serde::Deserialize)]
#[serde(bound = "L: Latency")]
struct Line<L: Latency> {
    from: Nanos,
    to: Nanos,
    phase: String,
    tally: Sums<L>,
}

#[derive(serde::Deserialize)]
#[serde(bound = "L: Latency")]
struct Sums<L: Latency> {
    operations: Folded<Operations<L>>,
    statements: Folded<Statements>,
    #[serde(default)]
    arrivals: Option<ArrivalTally>,
    #[serde(default)]
    course: Option<Course>,
}

#[derive(Default)]
struct Operations<L> {
    done: u64,
    latency: L,
}

#[derive(serde::Deserialize)]
#[serde(bound = "L: Latency")]
struct Operation<L: Latency> {
    done: u64,
    latency: L::Read,
}

#[derive(Default)]
struct Statements {
    calls: u64,
    refused: u64,
}

#[derive(serde::Deserialize)]
struct Statement {
    calls: u64,
    #[serde(default)]
    failed: BTreeMap<u32, u64>,
}

/// The values of a map, summed up as they are read.
struct Folded<S>(S);

trait Fold: Default {
    type Part: for<'de> Deserialize<'de>;
    fn add(&mut self, part: Self::Part);
}

impl<L: Latency> Fold for Operations<L> {
    type Part = Operation<L>;
    fn add(&mut self, part: Operation<L>) {
        self.done += part.done;
        self.latency.add(part.latency);
    }
}

impl Fold for Statements {
    type Part = Statement;
    fn add(&mut self, part: Statement) {
        self.calls += part.calls;
        self.refused += part.failed.values().sum::<u64>();
    }
}

impl<'de, S: Fold> Deserialize<'de> for Folded<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<S>(PhantomData<S>);
        impl<'de, S: Fold> Visitor<'de> for Parts<S> {
            type Value = Folded<S>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of tallies by name")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Folded<S>, M::Error> {
                let mut sum = S::default();
                while let Some((_, part)) = map.next_entry::<IgnoredAny, S::Part>()? {
                    sum.add(part);
                }
                Ok(Folded(sum))
            }
        }
        deserializer.deserialize_map(Parts(PhantomData))
    }
}

impl<'de, L: Latency> Deserialize<'de> for Second<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Line { from, to, phase, tally } = Line::<L>::deserialize(deserializer)?;
        let Sums { operations: Folded(operations), statements: Folded(statements), arrivals, course } = tally;
        Ok(Self {
            from,
            to,
            phase,
            done: operations.done,
            calls: statements.calls,
            refused: statements.refused,
            arrivals,
            course,
            latency: operations.latency,
        })
    }
}
