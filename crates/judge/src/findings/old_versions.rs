//! A transaction left open at REPEATABLE READ holds a snapshot: whatever is changed or deleted meanwhile must be kept
//! for it, and queries wade through what is kept. In InnoDB purge stands still, and each update of an indexed column
//! leaves a stale entry in the very range that a short list reads; in RocksDB compaction may not drop what the
//! snapshot sees, and scans skip tombstones; in PostgreSQL no vacuum and no reader may remove it. Its mark is work
//! inside the engine that its handler does not see: logical reads (or skipped keys) per operation rise, rows asked of
//! the handler do not. A phase before and one after are the off arms of the same run; an open transaction that holds
//! no snapshot is the placebo.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, Place, SUFFICIENT, Scene, Time, Trial};
use crate::checks;
use crate::compare::comparisons::MARGIN;
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::frame::staleness;
use crate::stats::{Interval, average, mean, ratio};
use model::disturbance::{Does, OPEN_SNAPSHOT, does};
use model::load::PhaseKind;
use model::plan::served::HEAP;
use model::record::tally::OperationTally;
use model::units::{Share, round3};
use model::verdict::Status;
use std::collections::BTreeMap;

/// Work inside the engine per operation rises at least so much more than the rows asked of the handler, which rise with
/// the lists: LinkBench adds links.
const MORE_INSIDE: f64 = 1.2;
/// In PostgreSQL: how many transactions began since the oldest snapshot that somebody holds.
const OLDEST: &str = "postgres.oldest_snapshot_xids";
/// So much history of each committed transaction is left, at the least.
const KEPT_PER_COMMIT: f64 = 0.5;

pub const CAUSE: Cause = Cause {
    id: "open_snapshot_keeps_old_versions",
    symptom: || {
        format!("while a snapshot is open at least {MARGIN} fewer statements are answered than before, in the same run")
    },
    necessary: || {
        format!(
            "InnoDB: the history list grows by at least {KEPT_PER_COMMIT} for each commit, and logical reads per operation rise to at \
             least {MORE_INSIDE} times what rows asked of the handler rise to (`db.history_list_length`, `db.page_read_requests`, \
             `db.handler_reads`); RocksDB: the same of keys and tombstones skipped (`db.keys_skipped`, `db.tombstones_skipped`); \
             PostgreSQL: the oldest snapshot's age grows by at least {KEPT_PER_COMMIT} transactions for each commit \
             (`postgres.oldest_snapshot_xids`), and logical reads as in InnoDB, beside live rows by index \
             (`postgres.tup_fetched`)"
        )
    },
    test: || {
        format!(
            "the logical reads that an operation makes more, each at what one cost before, cover {SUFFICIENT} of the CPU time that it takes more"
        )
    },
    intervention: || {
        format!("closing the snapshot gives back {CLOSES} of the loss in the phase after, and placebos cost nothing")
    },
    source: include_str!("old_versions.rs"),
    indicator: None,
    within: &[],
    look,
};

/// One cell with an open snapshot in one of its phases, by run.
struct Stretch<'a> {
    cell: &'a CellEvidence<'a>,
    phase: String,
    base: String,
    before: Vec<RunEvidence<'a>>,
    open: Vec<RunEvidence<'a>>,
    after: Vec<RunEvidence<'a>>,
}

fn look(scene: &Scene) -> Vec<Case> {
    let usable = |c: &&CellEvidence| {
        let is_one = c.cell.repeats.is_none() && c.search.is_none() && c.cell.groups.is_empty();
        is_one && !c.runs.is_empty() && !scene.wrong.contains(&c.cell.id)
    };
    let cells: Vec<_> = scene.evidence.cells.iter().filter(usable).collect();
    let hold = |stretch: &Stretch| !scene.struck.contains(&stretch.cell.cell.id) || stretch.holds();
    let case = |cell: &&CellEvidence| Stretch::of(cell, |name| name == OPEN_SNAPSHOT).filter(hold)?.case(&cells);
    cells.iter().filter_map(case).collect()
}

impl<'a> Stretch<'a> {
    /// The first phase that is disturbed so, with the undisturbed ones around it.
    fn of(cell: &'a CellEvidence<'a>, is: impl Fn(&str) -> bool) -> Option<Self> {
        let measured: Vec<_> = cell.cell.phases.iter().filter(|p| p.kind == PhaseKind::Measure).collect();
        let disturbed = |p: &model::load::Phase| p.disturb.as_ref().map(|d| d.name.clone());
        let place = measured.iter().position(|p| disturbed(p).is_some_and(|name| is(&name)))?;
        let calm = |phases: &[&model::load::Phase]| -> Option<String> {
            phases.iter().find(|p| disturbed(p).is_none()).map(|p| p.name.clone())
        };
        let alone = |name: Option<String>| name.map_or_else(Vec::new, |name| cell.of_phase(&name).runs);
        let base = calm(&measured[..place])?;
        let before = alone(Some(base.clone()));
        let open = cell.of_phase(&measured[place].name).runs;
        let after = alone(calm(&measured[place + 1..]));
        (before.len() == open.len() && !open.is_empty()).then(|| Self {
            cell,
            phase: measured[place].name.clone(),
            base,
            before,
            open,
            after,
        })
    }

    /// Whether the two phases of the loss hold by themselves: what struck the cell may be a third one.
    fn holds(&self) -> bool {
        [&self.base, &self.phase].into_iter().all(|name| {
            let part = self.cell.of_phase(name);
            let mut verdicts = checks::ALL.iter().filter_map(|check| check.on_cell(&part));
            verdicts.all(|verdict| verdict.counts_as() != Status::Fail)
        })
    }

    /// What it kept of its rate in the phase and after it.
    fn kept(&self) -> Option<(Interval, Interval)> {
        let closed: Vec<_> = self.before.iter().zip(&self.after).map(|(b, a)| (b.qps(), a.qps())).collect();
        (!closed.is_empty()).then(|| (ratio_of(&self.rates()), ratio_of(&closed)))
    }

    /// Statements per second, before and in the phase, run by run.
    fn rates(&self) -> Vec<(f64, f64)> {
        self.before.iter().zip(&self.open).map(|(b, o)| (b.qps(), o.qps())).collect()
    }

    fn case(&self, cells: &[&'a CellEvidence<'a>]) -> Option<Case> {
        let rates = self.rates();
        let fell = ratio_of(&rates);
        if fell.high >= 1.0 - MARGIN.0 {
            return None;
        }
        let engine = &self.cell.cell.server.engine;
        let symptom = format!(
            "With a snapshot open ({}, {engine}) {} of {} statements/s are lost ({}).{}",
            self.phase,
            Share(1.0 - fell.value),
            round3(average(&rates.iter().map(|(before, _)| *before).collect::<Vec<_>>())),
            told(&fell),
            self.slowest().unwrap_or_default(),
        );
        let id = self.cell.cell.id.clone();
        Some(Case {
            // Longer than in another phase of its own.
            place: Place { cell: id.clone(), time: Time::Loss(id) },
            symptom,
            necessary: match engine.as_str() {
                "rocksdb" => self.skips(),
                HEAP => self.holds_vacuum(),
                _ => self.wades(),
            },
            cost: self.cost(),
            trial: self.trial(cells),
            unseen: self.predicted(),
            evidence: self.open.iter().map(RunEvidence::path).collect(),
            next_experiment: None,
        })
    }

    /// Which operation suffers most, by its mean time.
    fn slowest(&self) -> Option<String> {
        let (before, open) = (times(&self.before), times(&self.open));
        let ratios = open.iter().filter_map(|(name, time)| Some((name, time / before.get(name)?, *time)));
        let (name, ratio, time) = ratios.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(format!(" `{name}` suffers most: {} times its mean time, {} µs.", round3(ratio), round3(time)))
    }

    /// Growth of a counter per operation in the phase over that before, averaged over runs.
    fn rise(&self, counters: &[&str]) -> Option<f64> {
        let each = self.before.iter().zip(&self.open).map(|(b, o)| {
            let before = per_operation(b, counters)?;
            (before > 0.0).then_some(per_operation(o, counters)? / before)
        });
        each.collect::<Option<Vec<f64>>>().map(|all| average(&all))
    }

    fn wades(&self) -> Necessary {
        let kept: Option<Vec<f64>> = self.open.iter().map(kept_per_commit).collect();
        let (Some(kept), Some(inside), Some(outside)) =
            (kept, self.rise(&["db.page_read_requests"]), self.rise(&["db.handler_reads"]))
        else {
            return Necessary::NotMeasured("history, logical reads or handler reads were not counted".into());
        };
        let kept = average(&kept);
        if kept < KEPT_PER_COMMIT || inside < MORE_INSIDE * outside.max(1.0) {
            return Necessary::Contradicted;
        }
        Necessary::Present(format!(
            "The history list grows by {kept:.2} per commit, an operation makes {inside:.2} times the logical reads, and asks the \
             handler for {outside:.2} times the rows: what it wades through are old versions, not more rows."
        ))
    }

    /// In PostgreSQL, where an index entry of a dead row is passed by going to the row.
    fn holds_vacuum(&self) -> Necessary {
        let kept: Option<Vec<f64>> = self.open.iter().map(|run| grown_per_commit(run, OLDEST)).collect();
        let dead: Option<Vec<f64>> =
            self.open.iter().map(|run| Some(run.growth("postgres.dead_rows")?.delta)).collect();
        let (Some(kept), Some(dead), Some(inside), Some(outside)) =
            (kept, dead, self.rise(&["db.page_read_requests"]), self.rise(&["postgres.tup_fetched"]))
        else {
            let what = "the oldest snapshot, dead rows, logical reads or rows fetched were not counted";
            return Necessary::NotMeasured(what.into());
        };
        let (kept, dead) = (average(&kept), average(&dead));
        if kept < KEPT_PER_COMMIT || inside < MORE_INSIDE * outside.max(1.0) {
            return Necessary::Contradicted;
        }
        // The server counts them by guesses, which a vacuum that could remove none of them makes anew.
        let dead = if dead > 0.0 { format!(": {dead:.0} dead rows more lie in the tables") } else { String::new() };
        Necessary::Present(format!(
            "The oldest snapshot's age grows by {kept:.2} transactions per commit, and vacuum may remove nothing that was changed \
             since{dead}. An operation makes {inside:.2} times the logical reads and fetches {outside:.2} \
             times the live rows."
        ))
    }

    fn skips(&self) -> Necessary {
        let skipped = |runs: &[RunEvidence]| -> Option<f64> {
            let each = runs.iter().map(|r| per_operation(r, &["db.keys_skipped", "db.tombstones_skipped"]));
            each.collect::<Option<Vec<f64>>>().map(|all| average(&all))
        };
        let (Some(before), Some(open)) = (skipped(&self.before), skipped(&self.open)) else {
            return Necessary::NotMeasured("keys and tombstones skipped were not counted (`engine_counters`)".into());
        };
        let outside = self.rise(&["db.handler_reads"]).unwrap_or(1.0);
        if open < MORE_INSIDE * before * outside.max(1.0) {
            return Necessary::Contradicted;
        }
        Necessary::Present(format!(
            "An operation skips {} keys and tombstones where it skipped {} before, and asks the handler for {outside:.2} times the rows.",
            round3(open),
            round3(before)
        ))
    }

    /// Logical reads at what one cost before, against the CPU time that an operation takes more.
    fn cost(&self) -> Option<Cost> {
        let reads = ["db.page_read_requests"];
        let cpu = ["server.cpu.user", "server.cpu.system"];
        let each = self.before.iter().zip(&self.open).map(|(b, o)| {
            let (reads_before, reads_open) = (per_operation(b, &reads)?, per_operation(o, &reads)?);
            let (cpu_before, cpu_open) = (per_operation(b, &cpu)?, per_operation(o, &cpu)?);
            let more = cpu_open - cpu_before;
            (more > 0.0 && reads_before > 0.0)
                .then(|| ((reads_open - reads_before) * cpu_before / reads_before / more, more / 1000.0))
        });
        let each: Vec<(f64, f64)> = each.collect::<Option<_>>()?;
        let (shares, more): (Vec<f64>, Vec<f64>) = each.into_iter().unzip();
        let share = interval(&shares);
        let sentence = format!(
            "Of the {} µs of CPU that an operation takes more, its further logical reads cover {} at what one cost before.",
            round3(average(&more)),
            Share(share.value)
        );
        Some(Cost { share, open: Share(0.0), sentence })
    }

    /// The snapshot closed, and transactions that hold none.
    fn trial(&self, cells: &[&'a CellEvidence<'a>]) -> Option<Trial> {
        let placebos: Vec<(Interval, Interval)> = cells
            .iter()
            .filter(|c| differ_in_disturbance_alone(self.cell, c))
            .filter_map(|c| Stretch::of(c, |name| does(name, Does::Placebo))?.kept())
            .collect();
        // What the arms share, as a workload that changes while it runs, is not the snapshot's.
        let shared = |of: fn(&(Interval, Interval)) -> f64| match placebos.len() {
            0 => 1.0,
            _ => average(&placebos.iter().map(of).collect::<Vec<_>>()),
        };
        let (in_phase, afterwards) = (shared(|(open, _)| open.value), shared(|(_, after)| after.value));
        let both = self.before.iter().zip(&self.open).zip(&self.after);
        let closed = both.map(|((b, o), a)| {
            let (open, after) = (o.qps() / b.qps() / in_phase, a.qps() / b.qps() / afterwards);
            (after - open) / (1.0 - open)
        });
        let closed: Vec<f64> = closed.collect();
        if closed.is_empty() {
            return None;
        }
        let closed = interval(&closed);
        let held = |(open, _): &(Interval, Interval)| open.high >= 1.0 - MARGIN.0;
        let control_held = !placebos.is_empty() && placebos.iter().all(held);
        let worst = placebos.iter().min_by(|a, b| a.0.value.total_cmp(&b.0.value));
        let beside = match (worst, placebos.len()) {
            (None, _) => "; no placebo was run beside it".to_string(),
            (Some((open, after)), many) => {
                let who = if many == 1 { "its placebo".into() } else { format!("of {many} placebos the worst") };
                format!("; {who} keeps {} of its rate, and {} afterwards", Share(open.value), Share(after.value))
            }
        };
        let sentence = format!("Closed, it gives back {} of the loss{beside}.", Share(closed.value));
        let drains = |r: &RunEvidence| match r.cell.server.engine.as_str() {
            // Dead rows stay until a vacuum comes by; what kept it from them is gone.
            HEAP => grown_per_commit(r, OLDEST).is_none_or(|grown| grown < KEPT_PER_COMMIT),
            _ => r.growth("db.history_list_length").is_none_or(|g| g.delta <= 0.0),
        };
        let is_gone = self.after.iter().all(drains);
        Some(Trial { closed, control_held, is_gone, sentence })
    }

    /// What LinkBench's own arithmetic expects.
    fn predicted(&self) -> Option<String> {
        let open = self.open.first()?;
        let updates: u64 = open.statements().filter(|(name, _)| staleness::is_update(name)).map(|(_, s)| s.calls).sum();
        let stale = staleness::of_linkbench(&self.cell.cell.parameters, updates as f64)?;
        let reads = |r: &RunEvidence| per_operation(r, &["db.page_read_requests"]);
        let lists: f64 =
            open.operations().filter(|(name, _)| *name == "get_links_list").map(|(_, o)| o.done as f64).sum();
        let measured = reads(self.before.first()?).zip(reads(open)).filter(|_| lists > 0.0);
        let measured = measured.map_or(String::new(), |(before, open_reads)| {
            format!(
                "; measured were {} further logical reads per list",
                round3((open_reads - before) * open.done() as f64 / lists)
            )
        });
        Some(format!(
            "After {updates} updates of links a list is expected to meet {} stale entries at the end of the phase, half of it on \
             average{measured}.",
            round3(stale)
        ))
    }
}

/// Mean times in µs by operation, over runs.
fn times(runs: &[RunEvidence]) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mean = |o: &OperationTally| o.latency.mean().map(|t| t.0 as f64 / 1000.0);
    for (name, operation) in runs.iter().flat_map(RunEvidence::operations) {
        all.entry(name.clone()).or_default().extend(mean(operation));
    }
    all.into_iter().filter(|(_, times)| !times.is_empty()).map(|(name, times)| (name, average(&times))).collect()
}

fn per_operation(run: &RunEvidence, counters: &[&str]) -> Option<f64> {
    let grown = counters.iter().map(|c| run.growth(c).map(|g| g.delta)).sum::<Option<f64>>()?;
    (run.done() > 0).then(|| grown / run.done() as f64)
}

fn kept_per_commit(run: &RunEvidence) -> Option<f64> {
    grown_per_commit(run, "db.history_list_length")
}

fn grown_per_commit(run: &RunEvidence, counter: &str) -> Option<f64> {
    let kept = run.growth(counter)?.delta;
    let commits: u64 = run.tallies().map(|t| t.commits).sum();
    (commits > 0).then(|| kept / commits as f64)
}

/// With an interval where there are enough repetitions for one; otherwise nothing is certain.
fn interval(values: &[f64]) -> Interval {
    mean::plain(values).unwrap_or(Interval { value: average(values), low: f64::NEG_INFINITY, high: f64::INFINITY })
}

/// The paired ratio; from few repetitions the point alone, whatever it is worth.
fn ratio_of(pairs: &[(f64, f64)]) -> Interval {
    ratio::paired(pairs).map(|r| r.interval()).unwrap_or_else(|| {
        let value = average(&pairs.iter().map(|(base, other)| other / base).collect::<Vec<_>>());
        Interval { value, low: value, high: value }
    })
}

fn told(ratio: &Interval) -> String {
    if ratio.low < ratio.high {
        format!("ratio {:.2}, {:.2}–{:.2}", ratio.value, ratio.low, ratio.high)
    } else {
        format!("ratio {:.2}, of too few repetitions for an interval", ratio.value)
    }
}

/// The same cell, what is done to its server aside.
fn differ_in_disturbance_alone(one: &CellEvidence, other: &CellEvidence) -> bool {
    let others = |c: &CellEvidence| -> BTreeMap<String, model::value::Value> {
        c.cell.axes.iter().filter(|(key, _)| !key.ends_with(".disturb")).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    one.cell.id != other.cell.id && others(one) == others(other)
}
