//! The session as it went: per run the load's seconds with rate, latency, CPU use, and what the server said of itself. Long
//! sessions are thinned out by merging neighbouring intervals: rates of the sum, percentiles of the merged histogram, and the slowest interval
//! beside them, so that a stall does not vanish in a mean. Full resolution stays in the record.

use model::histogram::Histogram;
use model::record::run::RunRecord;
use model::record::second::TimedSecond;
use model::record::series::Series;
use model::record::{Details, Record};
use model::units::Nanos;
use serde::Serialize;
use std::collections::BTreeMap;

/// Points of one series over the whole session: two per pixel of a wide screen.
const POINTS: usize = 2000;
/// Even a very long session shows this much of each run: its beginning, its end and two points between.
const POINTS_OF_A_RUN: usize = 4;

/// Seconds among which another worker's like is looked for.
const NEAR: usize = 3;

const CLIENT: &[&str] = &["client.cpu.process"];
const SERVER: &[&str] = &["server.cpu.user", "server.cpu.system"];
const BUSY: &[&str] = &["host.cpu.user", "host.cpu.system", "host.cpu.irq"];

/// What a reader may lay beside rate and latency, where it was measured and moved: name, and whether it is told per second.
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
struct Lane {
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

/// By run.
pub fn of(record: &Record, details: &dyn Details) -> serde_json::Value {
    let each = (POINTS / record.runs.len().max(1)).max(POINTS_OF_A_RUN);
    let lanes: BTreeMap<&str, Lane> =
        record.runs.iter().map(|run| (run.id.0.as_str(), lane(run, details, each))).collect();
    serde_json::to_value(lanes).expect("plain values with text keys")
}

fn lane(run: &RunRecord, details: &dyn Details, points: usize) -> Lane {
    let moments = moments(details.timed_seconds(&run.id));
    let more: Vec<&str> = MORE.iter().map(|(name, _)| *name).collect();
    let names: Vec<&str> = [CLIENT, SERVER, BUSY, &more].concat();
    let series = details.series(&run.id, &names);
    let mut lane = Lane::default();
    for chunk in moments.chunks(moments.len().div_ceil(points).max(1)) {
        let (from, to) = (chunk[0].0.0, chunk[chunk.len() - 1].0.1);
        lane.push(chunk, from, to);
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

/// The seconds of a run with what all workers and groups counted in them. Workers cut theirs a little apart from each other.
fn moments(intervals: Vec<TimedSecond>) -> Vec<((Nanos, Nanos), Vec<TimedSecond>)> {
    let mut moments: Vec<((Nanos, Nanos), Vec<TimedSecond>)> = Vec::new();
    for interval in intervals {
        let half = Nanos(interval.from.0 + interval.length().0 / 2);
        let same = moments
            .iter_mut()
            .rev()
            .take(NEAR)
            .find(|((from, to), others)| (*from..*to).contains(&half) && others[0].phase == interval.phase);
        match same {
            Some((_, others)) => others.push(interval),
            None => moments.push(((interval.from, interval.to), vec![interval])),
        }
    }
    moments
}

impl Lane {
    fn push(&mut self, chunk: &[((Nanos, Nanos), Vec<TimedSecond>)], from: Nanos, to: Nanos) {
        let answered = |groups: &[TimedSecond]| groups.iter().map(|i| i.calls + i.refused).sum::<u64>() as f64;
        let per_second = |count: f64, from: Nanos, to: Nanos| count / Nanos((to.0 - from.0).max(1)).seconds();
        let slowest = chunk.iter().map(|((from, to), groups)| per_second(answered(groups), *from, *to));
        let mut latency = Histogram::new();
        chunk.iter().flat_map(|(_, groups)| groups).for_each(|second| latency.merge(&second.latency));
        self.from.push(from.0 / 1_000_000);
        self.to.push(to.0 / 1_000_000);
        self.qps.push(short(per_second(chunk.iter().map(|(_, groups)| answered(groups)).sum(), from, to)));
        self.slowest.push(short(slowest.fold(f64::INFINITY, f64::min)));
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
