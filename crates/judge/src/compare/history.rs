//! A metric over many records of one question: where its level changed, and by how much. A record is one point, because
//! what differs between days is more than what differs between its runs; levels are told by the vote of three methods
//! (`stats::change`), a change is between two records and never at one. Another machine, or other work, begins a line
//! anew: that is known, and need not be detected. Records are taken one at a time, since a year of them does not fit in
//! memory.

use super::comparisons::MARGIN;
use super::costs::is_cost;
use crate::stats::change::vote;
use crate::stats::{median, ratio, variance};
use model::experiment::keys::WORKLOAD;
use model::history::{Break, Change, HISTORY_SCHEMA, History, Line, Member, Point};
use model::units::round3;
use model::{Bytes, Cell, Estimate, Host, Judgement, Record, Seed, Share, Status, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What is kept of a record.
pub struct Taken {
    member: Member,
    seed: Seed,
    /// Axes on which its cells differ.
    varied: BTreeSet<String>,
    cells: Vec<CellTaken>,
}

struct CellTaken {
    workload: String,
    axes: BTreeMap<String, Value>,
    /// What it does; another one is another line.
    parameters: BTreeMap<String, Value>,
    status: Status,
    metrics: BTreeMap<String, Estimate>,
}

/// A workload, and the values on axes that tell a cell from the others.
type Place = (String, Vec<(String, String)>);

/// A cell with the place of its record and its number.
type Found<'a> = (usize, &'a CellTaken, &'a Estimate);

/// What a history needs of a record; `None` for one without a finished run.
pub fn take(name: &str, record: &Record, judgement: &Judgement) -> Option<Taken> {
    let started_unix_ms = record.runs.iter().map(|run| run.started_unix_ms).min()?;
    let cells: Vec<&Cell> = record.plan.cells.iter().filter(|cell| cell.repeats.is_none()).collect();
    let builds: BTreeSet<&String> = cells.iter().map(|cell| &cell.server.build).collect();
    let values =
        |key: &str| cells.iter().filter_map(|c| c.axes.get(key)).map(Value::to_string).collect::<BTreeSet<_>>();
    let keys: BTreeSet<&String> = cells.iter().flat_map(|c| c.axes.keys()).collect();
    let cell = |cell: &&Cell| {
        let judged = judgement.cell(&cell.id)?;
        Some(CellTaken {
            workload: cell.workload.clone(),
            axes: cell.axes.clone(),
            parameters: cell.parameters.clone(),
            status: judged.status,
            metrics: judged.metrics.clone(),
        })
    };
    Some(Taken {
        member: Member {
            name: name.into(),
            started_unix_ms,
            machine: machine(&record.host),
            builds: builds.into_iter().cloned().collect(),
            servers: servers(record),
        },
        seed: record.plan.seed,
        varied: keys.into_iter().filter(|key| values(key).len() > 1).cloned().collect(),
        cells: cells.iter().filter_map(cell).collect(),
    })
}

/// Version, and the commit that it was made from where the server knows it.
fn servers(record: &Record) -> Vec<String> {
    let said = record.instances.iter().map(|instance| {
        let short = instance.commit().map(|commit| commit.chars().take(COMMIT).collect::<String>());
        short.map_or(instance.version_text.clone(), |commit| format!("{} ({commit})", instance.version_text))
    });
    said.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The letters by which a commit is known.
const COMMIT: usize = 12;

fn machine(host: &Host) -> String {
    format!("{} × {}, {}", host.cpus.len(), host.cpu_model, Bytes(host.memory.0 >> 30 << 30))
}

/// The lines of these metrics, over records in any order.
pub fn over(mut records: Vec<Taken>, metrics: &[&str]) -> History {
    records.sort_by(|a, b| (a.member.started_unix_ms, &a.member.name).cmp(&(b.member.started_unix_ms, &b.member.name)));
    let varied: BTreeSet<&String> = records.iter().flat_map(|r| &r.varied).collect();
    let place = |cell: &CellTaken| -> Place {
        let axes = cell.axes.iter().filter(|(key, _)| varied.contains(key) && *key != WORKLOAD);
        (cell.workload.clone(), axes.map(|(key, value)| (key.clone(), value.to_string())).collect())
    };
    let mut lines: BTreeMap<_, Vec<(usize, &CellTaken)>> = BTreeMap::new();
    for (i, record) in records.iter().enumerate() {
        record.cells.iter().for_each(|cell| lines.entry(place(cell)).or_default().push((i, cell)));
    }
    let line = |(place, cells): (&Place, &Vec<(usize, &CellTaken)>), metric: &str| line(&records, place, cells, metric);
    let lines = lines.iter().flat_map(|of| metrics.iter().filter_map(move |metric| line(of, metric))).collect();
    History { schema: HISTORY_SCHEMA, lines, records: records.iter().map(|r| r.member.clone()).collect() }
}

fn line(records: &[Taken], (workload, axes): &Place, cells: &[(usize, &CellTaken)], metric: &str) -> Option<Line> {
    let with: Vec<Found> = cells
        .iter()
        .filter_map(|(i, cell)| Some((*i, *cell, cell.metrics.get(metric).filter(|e| e.value > 0.0)?)))
        .collect();
    let unit = with.first()?.2.unit.clone();
    let point = |(record, cell, estimate): &Found| Point {
        record: *record,
        estimate: (*estimate).clone(),
        status: cell.status,
    };
    let points: Vec<Point> = with.iter().map(point).collect();
    let breaks = breaks(records, &with);
    let begins: Vec<usize> = [0].into_iter().chain(breaks.iter().map(|b| b.at)).collect();
    let ends = begins.iter().skip(1).copied().chain([points.len()]);
    let stretches = begins.iter().zip(ends).map(|(from, to)| *from..to);
    let seed = records[points[0].record].seed.child(metric);
    let changes = stretches.flat_map(|stretch| changes(records, &points, stretch, metric, seed)).collect();
    let values: Vec<String> = axes.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let cell = if values.is_empty() { workload.clone() } else { format!("{workload} ({})", values.join(", ")) };
    Some(Line { workload: workload.clone(), cell, metric: metric.into(), unit, points, changes, breaks })
}

/// Where neighbours cannot be held against each other.
fn breaks(records: &[Taken], with: &[Found]) -> Vec<Break> {
    let why = |(one, a, _): &Found, (other, b, _): &Found| {
        let (one, other) = (&records[*one].member.machine, &records[*other].member.machine);
        if one != other {
            return Some(format!("another machine: {one} → {other}"));
        }
        let keys: BTreeSet<&String> = a.parameters.keys().chain(b.parameters.keys()).collect();
        let text = |cell: &CellTaken, key: &str| cell.parameters.get(key).map_or("(absent)".into(), Value::to_string);
        let moved = keys.into_iter().find(|key| text(a, key) != text(b, key))?;
        Some(format!("other work: {moved} {} → {}", text(a, moved), text(b, moved)))
    };
    let pairs = with.windows(2).enumerate();
    pairs.filter_map(|(i, pair)| Some(Break { at: i + 1, why: why(&pair[0], &pair[1])? })).collect()
}

/// The changes within one stretch, without the points that failed a check.
fn changes(records: &[Taken], points: &[Point], stretch: Range<usize>, metric: &str, seed: Seed) -> Vec<Change> {
    let valid: Vec<usize> = stretch.filter(|i| points[*i].status != Status::Fail).collect();
    let logs: Vec<f64> = valid.iter().map(|i| points[*i].estimate.value.ln()).collect();
    let found = vote::changes(&logs, MARGIN.0.ln_1p(), seed);
    let begins: Vec<usize> = [0].into_iter().chain(found.iter().map(|c| c.after)).collect();
    let ends: Vec<usize> = found.iter().map(|c| c.before + 1).chain([logs.len()]).collect();
    let level = |i: usize| &logs[begins[i]..ends[i]];
    let one = |(i, change): (usize, &vote::Change)| {
        let (before, after) = (valid[change.before], valid[change.after]);
        let ratio = between(level(i), level(i + 1));
        let name = |i: usize| records[points[i].record].member.name.as_str();
        let verb = if ratio.value > 1.0 { "rose" } else { "fell" };
        let interval = match (ratio.low, ratio.high) {
            (Some(low), Some(high)) => format!(" (ratio {}, {} to {})", round3(ratio.value), round3(low), round3(high)),
            (None | Some(_), _) => format!(" (ratio {})", round3(ratio.value)),
        };
        let sentence = format!(
            "{metric} {verb} by {} between {} and {}{interval}.",
            Share((ratio.value - 1.0).abs()),
            name(before),
            name(after)
        );
        Change { before, after, better: (ratio.value > 1.0) != is_cost(metric), ratio, sentence, beside: Vec::new() }
    };
    found.iter().enumerate().map(one).collect()
}

/// The new level over the old one, of logarithms. The interval is that of two levels; it knows nothing of how they were
/// found.
fn between(old: &[f64], new: &[f64]) -> Estimate {
    let rates = |logs: &[f64]| logs.iter().map(|x| x.exp()).collect::<Vec<_>>();
    let interval = ratio::unpaired(&rates(old), &rates(new)).map(|r| r.interval());
    let medians = || (median(&mut new.to_vec()) - median(&mut old.to_vec())).exp();
    Estimate {
        value: interval.map_or_else(medians, |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: old.len().min(new.len()) as u32,
        unit: "ratio".into(),
    }
}

/// How the numbers of one cell vary from record to record on one machine: the variance of a record on the log scale,
/// and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sessions {
    pub variance: f64,
    pub freedom: f64,
}

/// What earlier records say of that, of cells that do the same at the same place as either of these two. Each of the
/// two places has a level of its own (another build, say), and what varies around both is pooled. `None` for too few.
pub fn sessions(past: &[Taken], host: &Host, cells: [&Cell; 2], metric: &str) -> Option<Sessions> {
    let same = |taken: &CellTaken, cell: &Cell| {
        taken.workload == cell.workload && taken.axes == cell.axes && taken.parameters == cell.parameters
    };
    let here = machine(host);
    let of_record = |record: &Taken, cell: &Cell| {
        let taken = record.cells.iter().find(|taken| same(taken, cell) && taken.status != Status::Fail)?;
        taken.metrics.get(metric).map(|e| e.value).filter(|value| *value > 0.0).map(f64::ln)
    };
    let level = |cell: &Cell| -> Vec<f64> {
        let records = past.iter().filter(|record| record.member.machine == here);
        records.filter_map(|record| of_record(record, cell)).collect()
    };
    let alike = cells[0].axes == cells[1].axes;
    let levels = [Some(level(cells[0])), (!alike).then(|| level(cells[1]))];
    let known = levels.into_iter().flatten().filter(|level| level.len() > 1);
    let (squares, freedom) = known.fold((0.0, 0.0), |(squares, freedom), level| {
        let more = level.len() as f64 - 1.0;
        (squares + variance(&level) * more, freedom + more)
    });
    (freedom >= FEWEST_SESSIONS).then(|| Sessions { variance: squares / freedom, freedom })
}

/// Degrees of freedom: three records of one place. Fewer do not tell how much days differ.
const FEWEST_SESSIONS: f64 = 2.0;

/// Records that a line takes before a change can be told.
pub const FEWEST_RECORDS: usize = vote::FEWEST;
