//! The session as it went: per run the load's moments with rate, latency, CPU use, and what the server said of itself.
//! The moments of long sessions are several seconds (`model::record::moment`); full resolution stays in the record.

use model::record::counters::{self, Who};
use model::record::moment::{self, Moment};
use model::record::series::{Shape, Unit};
use model::{Details, Metric, Nanos, Record, Series};
use serde::Serialize;
use std::collections::BTreeMap;

/// In a session of so many runs, of which each has ten moments, a reader may choose among all that was measured; in a
/// longer one among those that its table keeps, which were read with what the judge asks for.
const RUNS_WITH_ALL: usize = 200;

/// A counter that a reader may lay beside rate and latency: it was measured, and moved.
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Counter {
    name: String,
    /// What its lane counts: levels, or growth per second.
    unit: &'static str,
    /// Drawn until the reader chooses.
    is_first: bool,
    meaning: &'static str,
}

/// A counter's place among all, its least and its largest value, and its values between these, two digits of base 64
/// each (`LEVELS`) and `..` where there is none.
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Course(usize, f64, f64, String);

/// The digits of a course.
const LEVELS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

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
    /// The courses of further counters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<Course>,
}

/// Lanes by run, and the counters that they have beside rate and latency.
pub fn of<'a>(record: &'a Record, details: &dyn Details) -> (BTreeMap<&'a str, Lane>, Vec<Counter>) {
    let each = moment::of_a_run(record.runs.len());
    let is_all = record.runs.len() <= RUNS_WITH_ALL;
    let mut metrics: Vec<Metric> = Vec::new();
    let lanes = record.runs.iter().map(|run| {
        let series =
            if is_all { details.all_series(&run.id) } else { details.series(&run.id, &counters::in_any_timeline()) };
        (run.id.0.as_str(), lane(&details.moments(&run.id, each), &series, &mut metrics))
    });
    let lanes = lanes.collect();
    (lanes, metrics.iter().map(Counter::of).collect())
}

/// `metrics` are those of the runs so far.
fn lane(moments: &[Moment], series: &[Series], metrics: &mut Vec<Metric>) -> Lane {
    let mut lane = Lane::default();
    let of = |who| counters::in_lane(counters::Lane::Cpus(who));
    let (client, server, host) = (of(Who::Client), of(Who::Server), of(Who::Host));
    for moment in moments {
        lane.push(moment);
        let cpus = |names: &[&str]| busy(series, names, moment.from, moment.to);
        let (client, server) = (cpus(&client), cpus(&server));
        let other = cpus(&host).zip(client).zip(server).map(|((all, c), s)| (all - c - s).max(0.0));
        lane.client.push(client.map(short));
        lane.server.push(server.map(short));
        lane.other.push(other.map(short));
    }
    for series in series {
        let Some((least, most, levels)) = levels(&course(series, moments)) else { continue };
        let place = metrics.iter().position(|metric| *metric == series.metric).unwrap_or_else(|| {
            metrics.push(series.metric.clone());
            metrics.len() - 1
        });
        lane.more.push(Course(place, short(least), short(most), levels));
    }
    lane
}

impl Counter {
    fn of(metric: &Metric) -> Self {
        let row = counters::named(&metric.name);
        let unit = match (metric.unit, metric.shape) {
            (Unit::Count, Shape::Counter) => "per second",
            (Unit::Count, Shape::Gauge) => "",
            (Unit::Bytes, Shape::Counter) => "bytes per second",
            (Unit::Bytes, Shape::Gauge) => "bytes",
            (Unit::Nanos, Shape::Counter) => "seconds per second",
            (Unit::Nanos, Shape::Gauge) => "seconds",
            (Unit::Share, _) => "share",
            (Unit::PerSecond, _) => "per second",
        };
        Self {
            name: metric.name.clone(),
            unit,
            is_first: row.is_some_and(|row| row.lane == counters::Lane::First),
            meaning: row.map_or("", |row| row.meaning),
        }
    }
}

/// What a lane draws of a series, moment by moment.
fn course(series: &Series, moments: &[Moment]) -> Vec<Option<f64>> {
    let readings = &series.readings;
    let scale = if series.metric.unit == Unit::Nanos { 1e-9 } else { 1.0 };
    let value = |moment: &Moment| match series.metric.shape {
        Shape::Counter => {
            let length = Nanos(moment.to.0.saturating_sub(moment.from.0).max(1)).seconds();
            Some((at(readings, moment.to)? - at(readings, moment.from)?) / length)
        }
        Shape::Gauge => at(readings, moment.to),
    };
    moments.iter().map(|moment| value(moment).map(|value| value * scale)).collect()
}

/// The least and the largest value, and all as digits; `None` of what never moves.
fn levels(values: &[Option<f64>]) -> Option<(f64, f64, String)> {
    const MOST: f64 = (LEVELS.len() * LEVELS.len() - 1) as f64;
    let told = || values.iter().flatten();
    let first = told().next()?;
    if told().all(|value| value == first) {
        return None;
    }
    let (least, most) = told().fold((0_f64, f64::MIN), |(least, most), value| (least.min(*value), most.max(*value)));
    let digits = |value: &Option<f64>| match value {
        None => ['.'; 2],
        Some(value) => {
            let level = ((value - least) / (most - least).max(f64::MIN_POSITIVE) * MOST).round() as usize;
            [level / LEVELS.len(), level % LEVELS.len()].map(|digit| char::from(LEVELS[digit]))
        }
    };
    Some((least, most, values.iter().flat_map(digits).collect()))
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
    fn a_course_keeps_least_largest_and_what_was_not_read_and_what_never_moves_has_none() {
        let told = levels(&[Some(0.0), None, Some(50.0), Some(100.0)]);
        assert_eq!(told, Some((0.0, 100.0, "00..w0__".to_string())));
        assert_eq!(levels(&[Some(-1.0), Some(1.0)]), Some((-1.0, 1.0, "00__".to_string())));
        assert_eq!((levels(&[Some(7.0), None, Some(7.0)]), levels(&[None])), (None, None));
    }

    #[test]
    fn a_counter_is_read_between_its_readings() {
        let readings = [(Nanos(0), 0.0), (Nanos(10), 100.0)];
        assert_eq!(at(&readings, Nanos(5)), Some(50.0));
        assert_eq!(at(&readings, Nanos(20)), Some(100.0));
        assert_eq!(at(&[], Nanos(5)), None);
    }
}
