//! A metric over time, self-describing: whoever reads a series needs to know its name, unit and shape, never the
//! sampler that took it. On disk (`runs/<id>/series.jsonl`) each source begins with a header line naming its columns;
//! a sample line then carries only the columns that changed since the source's last line.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Metric {
    /// `subject.thing.aspect`, as `client.cpu.time`; the server's own counters as `status.Questions`,
    /// `innodb.buffer_pool_reads`.
    pub name: String,
    pub unit: Unit,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Count,
    Bytes,
    Nanos,
    Share,
    PerSecond,
}

/// Whether differences or levels carry the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Only grows; use its difference over a window.
    Counter,
    /// A level at a moment.
    Gauge,
}

/// A line of `series.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Source { source: String, metrics: Vec<Metric> },
    Sample(Sample),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub source: String,
    /// Since the start of the run's first phase.
    pub at: Nanos,
    /// Column number and its new value, for columns that changed.
    pub changed: Vec<(u32, f64)>,
}

/// One metric with its readings over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub metric: Metric,
    /// Ascending in time.
    pub readings: Vec<(Nanos, f64)>,
}
