//! The session as it went: per run the load's moments with rate, latency, CPU use, and what the server said of itself.
//! Of long sessions moments are several seconds (`model::record::moment`); full resolution stays in the record.

use model::record::moment::{self, Moment};
use model::record::run::RunRecord;
use model::record::series::Series;
use model::record::{Details, Record};
use model::units::Nanos;
use serde::Serialize;
use std::collections::BTreeMap;

const CLIENT: &[&str] = &["client.cpu.process"];
const SERVER: &[&str] = &["server.cpu.user", "server.cpu.system"];
const BUSY: &[&str] = &["host.cpu.user", "host.cpu.system", "host.cpu.irq"];

/// What a reader may lay beside rate and latency, where it was measured and moved: name, and whether it is told per
/// second.
const MORE: &[(&str, bool)] = &[
    ("db.history_list_length", false),
    ("db.checkpoint_age", false),
    ("db.page_reads", true),
    ("db.page_read_requests", true),
    ("db.pages_written", true),
    ("db.rows_read", true),
    ("db.row_lock_waits", true),
    ("db.redo_written", true),
    ("db.tombstones_skipped", true),
    ("db.keys_skipped", true),
    ("db.handler_reads", true),
    ("server.memory.resident", false),
    ("server.io.read_bytes", true),
    ("server.io.write_bytes", true),
];

/// Columns of equal length, one entry per drawn interval.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Lane {
    /// Milliseconds since the start of the run's first phase.
    from: Vec<u64>,
    to: Vec<u64>,
    /// Statements per second; then that of the slowest interval merged into it.
    qps: Vec<f64>,
    slowest: Vec<f64>,
    p50_us: Vec<Option<f64>>,
    p99_us: Vec<Option<f64>>,
    /// CPUs kept busy by assay, by the server, by all else on the host.
    client: Vec<Option<f64>>,
    server: Vec<Option<f64>>,
    other: Vec<Option<f64>>,
    /// Further metrics by name: levels, or growth per second.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    more: BTreeMap<&'static str, Vec<Option<f64>>>,
}

/// What it reads of a run's series.
pub fn metrics() -> Vec<&'static str> {
    let more: Vec<&str> = MORE.iter().map(|(name, _)| *name).collect();
    [CLIENT, SERVER, BUSY, &more].concat()
}

/// By run.
pub fn of<'a>(record: &'a Record, details: &dyn Details) -> BTreeMap<&'a str, Lane> {
    let each = moment::of_a_run(record.runs.len());
    record.runs.iter().map(|run| (run.id.0.as_str(), lane(run, details, each))).collect()
}

fn lane(run: &RunRecord, details: &dyn Details, moments: usize) -> Lane {
    let series = details.series(&run.id, &metrics());
    let mut lane = Lane::default();
    for moment in details.moments(&run.id, moments) {
        let (from, to) = (moment.from, moment.to);
        lane.push(&moment);
        let cpus = |names: &[&str]| busy(&series, names, from, to);
        let (client, server) = (cpus(CLIENT), cpus(SERVER));
        let other = cpus(BUSY).zip(client).zip(server).map(|((all, c), s)| (all - c - s).max(0.0));
        lane.client.push(client.map(short));
        lane.server.push(server.map(short));
        lane.other.push(other.map(short));
        for (name, per_second) in MORE {
            let value = if *per_second { grown(&series, name, from, to) } else { level(&series, name, to) };
            lane.more.entry(name).or_default().push(value.map(short));
        }
    }
    lane.more.retain(|_, values| values.iter().flatten().any(|v| Some(v) != values.iter().flatten().next()));
    lane
}

impl Lane {
    fn push(&mut self, moment: &Moment) {
        let Moment { from, to, answered, slowest, latency } = moment;
        self.from.push(from.0 / 1_000_000);
        self.to.push(to.0 / 1_000_000);
        self.qps.push(short(*answered as f64 / Nanos((to.0 - from.0).max(1)).seconds()));
        self.slowest.push(short(*slowest));
        self.p50_us.push(latency.percentile(50.0).map(|v| short(v.micros())));
        self.p99_us.push(latency.percentile(99.0).map(|v| short(v.micros())));
    }
}

/// A counter's growth per second in the window.
fn grown(series: &[Series], name: &str, from: Nanos, to: Nanos) -> Option<f64> {
    let readings = &series.iter().find(|s| s.metric.name == name)?.readings;
    Some((at(readings, to)? - at(readings, from)?) / Nanos(to.0.saturating_sub(from.0).max(1)).seconds())
}

fn level(series: &[Series], name: &str, moment: Nanos) -> Option<f64> {
    at(&series.iter().find(|s| s.metric.name == name)?.readings, moment)
}

/// CPUs that the counters (nanoseconds of CPU time) say were busy in the window; `None` unless all were read.
fn busy(series: &[Series], names: &[&str], from: Nanos, to: Nanos) -> Option<f64> {
    let grown = names.iter().map(|name| {
        let readings = &series.iter().find(|s| s.metric.name == *name)?.readings;
        Some((at(readings, to)? - at(readings, from)?) / to.0.saturating_sub(from.0).max(1) as f64)
    });
    grown.sum()
}

/// The counter at that moment, on the line between its neighbouring readings; the first and last hold beyond them.
fn at(readings: &[(Nanos, f64)], moment: Nanos) -> Option<f64> {
    let after = readings.partition_point(|(t, _)| *t < moment);
    let (last, next) = (readings.get(after.wrapping_sub(1)), readings.get(after));
    Some(match (last, next) {
        (Some((t0, v0)), Some((t1, v1))) => v0 + (v1 - v0) * (moment.0 - t0.0) as f64 / (t1.0 - t0.0).max(1) as f64,
        (Some((_, v)), None) | (None, Some((_, v))) => *v,
        (None, None) => return None,
    })
}

/// What a drawing can show.
fn short(x: f64) -> f64 {
    format!("{x:.3e}").parse().expect("a float printed by us")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_read_between_its_readings() {
        let readings = [(Nanos(0), 0.0), (Nanos(10), 100.0)];
        assert_eq!(at(&readings, Nanos(5)), Some(50.0));
        assert_eq!(at(&readings, Nanos(20)), Some(100.0));
        assert_eq!(at(&[], Nanos(5)), None);
    }
}
