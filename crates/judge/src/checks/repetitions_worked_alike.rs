//! Repetitions of one cell ask the same of a server, and so what it counts of its own doing grows alike in all of them:
//! rows read by key or by scanning, tables opened, temporary tables, sorts, pages of other engines. Where one of them
//! grew in one run as in no other, that run did other work: somebody flushed its tables, a plan was another, a cache
//! was emptied, a dump went by. Nothing needs to be known of the cause for that to be told.
//!
//! A run did other work where a counter of the server's own layer grew by three times as much as in any other run of
//! the cell, per operation as well as in all, and by 50 more. What engines do in the background they do when it is due:
//! their counters are left out, as are levels, which somewhere in the record went down, and requests and sessions,
//! which `nobody_else_asked` counts to the last. Less work than elsewhere is not told, for the others may share a
//! cause.
//!
//! So it is with the machine's interrupts: a profiler that samples threads, a timer of somebody else's or a device that
//! floods the machine interrupts whoever runs, and is in no process's account.
//!
//! It warns: the number is right for what was done, and its runs did not all do the same. In 300 runs of 20 A/A records
//! on a machine at rest no counter stood out.

use crate::frame::applies::{Absence, mysql};
use crate::frame::naming::{self, counted, listed};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::Status;
use model::record::run::RunRecord;
use model::units::round3;
use std::collections::{BTreeMap, BTreeSet};

pub const CHECK: Check = Check {
    id: "repetitions_worked_alike",
    claim: || format!("no counter of the server's grew in one repetition by {TIMES} times as much as in any other"),
    source: include_str!("repetitions_worked_alike.rs"),
    applies: Applies::Cell(absent),
    needs: &[],
    limits: &[TIMES, MORE],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "look what the counters named stand for and who was at the server in that run (the general log for a minute); compare its plans with the others'",
    look: Look::Cell(look),
};

const TIMES: Limit =
    Limit::number("work_times", 3.0, "as much as in any other run; in 300 healthy ones none of the server's did")
        .measured();
const MORE: Limit =
    Limit::number("work_more", 50.0, "more than in any other run; what a session or two do besides is less").measured();

/// The fewest runs of which one can stand out.
const RUNS: usize = 3;
const STATUS: &str = "status.";
/// What interrupts the machine; 50 more are nothing, but then they are not three times as many.
const INTERRUPTS: &str = "host.interrupts";
/// Counters of engines' work in the background, of memory, and of what other checks keep to the last one.
const LEFT_OUT: &[&str] = &[
    "Innodb_",
    "Rocksdb_",
    "rocksdb_",
    "Memory_",
    "Performance_schema_",
    "Error_log_",
    "Com_",
    "Questions",
    "Queries",
    "Connections",
    "Uptime",
    "Ssl_",
];
/// Those that a sentence names, and which of them say most to a reader.
const NAMED: usize = 3;
const FIRST: &[&str] = &["Opened_table", "Created_tmp", "Select_", "Sort_", "Handler_"];

fn absent(cell: &CellEvidence) -> Absence {
    let few = || {
        let is_few = cell.planned_runs() < RUNS || cell.search.is_some();
        is_few.then(|| format!("Of fewer than {RUNS} runs of the same load none can stand out."))
    };
    cell.runs.iter().map(mysql).reduce(Option::and).flatten().or_else(few)
}

/// What the server counted of its own doing in one run, and the machine of its interrupts.
fn grown<'a>(run: &RunEvidence<'a>) -> BTreeMap<&'a str, f64> {
    let own = |name: &'a String| {
        let of_server = || name.strip_prefix(STATUS).filter(|own| !LEFT_OUT.iter().any(|left| own.starts_with(left)));
        if name == INTERRUPTS { Some(INTERRUPTS) } else { of_server() }
    };
    let counters = run.run.whole.counters.iter();
    counters.filter_map(|(name, ends)| Some((own(name)?, ends.delta()))).collect()
}

/// Those that went down, within a run or from one to the next on the same server.
fn levels(all: &[RunRecord]) -> BTreeSet<&str> {
    let mut runs: Vec<&RunRecord> = all.iter().collect();
    runs.sort_by_key(|run| (run.position, &run.id));
    let mut last: BTreeMap<(Option<&str>, &str), f64> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for run in runs {
        for (name, ends) in &run.whole.counters {
            let Some(name) = name.strip_prefix(STATUS) else { continue };
            let before = last.insert((run.instance.as_deref(), name), ends.end);
            if ends.end < ends.begin || before.is_some_and(|before| ends.begin < before) {
                found.insert(name);
            }
        }
    }
    found
}

/// A counter that stands out in one run.
struct Excess<'a> {
    name: &'a str,
    here: f64,
    elsewhere: (f64, f64),
}

impl Excess<'_> {
    fn told(&self) -> String {
        let (least, most) = (round3(self.elsewhere.0), round3(self.elsewhere.1));
        let usual = if least == most { most.to_string() } else { format!("{least} to {most}") };
        format!("`{}` grew by {} ({usual} in the others)", self.name, round3(self.here))
    }
    fn says_most(&self) -> bool {
        FIRST.iter().any(|first| self.name.starts_with(first))
    }
    fn times(&self) -> f64 {
        self.here / self.elsewhere.1.max(1.0)
    }
}

fn look(cell: &CellEvidence) -> Sight {
    let first = cell.runs.first().ok_or("there is no run")?;
    let levels = levels(&first.record.runs);
    let runs: Vec<(&RunEvidence, f64, BTreeMap<&str, f64>)> =
        cell.runs.iter().map(|run| (run, run.done().max(1) as f64, grown(run))).collect();
    if runs.len() < RUNS || runs.iter().any(|(_, _, counters)| counters.is_empty()) {
        return Err("the server's counters were not read around three runs".into());
    }
    let (times, more) = (cell.limits.of(&TIMES), cell.limits.of(&MORE));
    let excess = |at: usize, name: &str, here: f64| {
        let others = runs.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Option<Vec<(f64, f64)>> =
            others.map(|(_, (_, done, counters))| Some((*counters.get(name)?, *done))).collect();
        let others = others?;
        let most = others.iter().map(|(count, _)| *count).fold(0.0, f64::max);
        let least = others.iter().map(|(count, _)| *count).fold(f64::INFINITY, f64::min);
        let per_operation = others.iter().map(|(count, done)| count / done).fold(0.0, f64::max);
        let stands_out = here - most >= more && here > times * most && here / runs[at].1 > times * per_operation;
        stands_out.then_some((least, most))
    };
    let mut found: Vec<(&RunEvidence, Vec<Excess>)> = Vec::new();
    for (at, (run, _, counters)) in runs.iter().enumerate() {
        let of_run = counters.iter().filter(|(name, _)| !levels.contains(*name)).filter_map(|(name, here)| {
            excess(at, name, *here).map(|elsewhere| Excess { name, here: *here, elsewhere })
        });
        let mut of_run: Vec<Excess> = of_run.collect();
        of_run.sort_by(|a, b| b.says_most().cmp(&a.says_most()).then(b.times().total_cmp(&a.times())));
        if !of_run.is_empty() {
            found.push((run, of_run));
        }
    }
    found.sort_by_key(|(_, excess)| std::cmp::Reverse(excess.len()));
    let counters = runs[0].2.keys().filter(|name| !levels.contains(*name)).count();
    let limit = format!("{times} times any other run's, and {more} more");
    let Some((run, excess)) = found.first() else {
        let sentence =
            format!("None of {counters} counters of the server stood out in one of {} repetitions.", runs.len());
        return Ok(Seen::new(Status::Pass, "0 counters", limit, sentence));
    };
    let named: Vec<String> = excess.iter().take(NAMED).map(Excess::told).collect();
    let rest = match excess.len().saturating_sub(NAMED) {
        0 => String::new(),
        rest => format!(", and {} more stood out", counted(rest, "counter")),
    };
    let also = match found.len() - 1 {
        0 => String::new(),
        others => format!(" So did {}.", counted(others, "other run")),
    };
    let sentence =
        format!("{} did work that no other repetition did: {}{rest}.{also}", naming::run(run), listed(&named));
    Ok(Seen::new(Status::Warn, counted(excess.len(), "counter"), limit, sentence))
}
