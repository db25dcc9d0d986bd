//! Curves over users and the universal scalability law: whether it describes a curve, which only then has parameters
//! worth a reader's time. A curve is one workload with one value on every axis but `users`, or the runs of a search for
//! users. Runs that the client held back are left out: they would bend any curve.

use crate::checks::client_had_headroom;
use crate::compare::comparisons::MARGIN;
use crate::frame::evidence::{CellEvidence, Evidence};
use crate::stats::average;
use crate::stats::usl::{Errors, Fit, fit};
use model::experiment::keys::{USERS, WORKLOAD};
use model::search::Goal;
use model::units::round3;
use model::{CellId, CurveJudgement, Estimate, LawJudgement, Seed, Share, Users, Value};
use statrs::function::beta::beta_reg;
use std::collections::{BTreeMap, BTreeSet};

/// Three parameters and as many levels to contradict them (usl4j and the R package usl ask for as many).
pub const LEVELS: usize = 6;
/// Repetitions beyond the first, over all levels: below it nobody knows what noise is.
pub const REPEATED: usize = 3;
/// No level may lie further from the law.
pub const OFF: Share = Share(0.10);
/// The peak may lie so many times beyond the last level.
pub const BEYOND: f64 = 2.0;
/// Levels that lie off by more than repetitions differ have a structure, at this probability of being wrong.
const STRUCTURE: f64 = 0.01;
/// Points of the drawn line.
const DRAWN: u32 = 40;

/// The values on all axes but users and workload.
type Others<'a> = Vec<(&'a String, &'a Value)>;

struct Curve<'a> {
    place: String,
    cells: Vec<&'a CellId>,
    unit: &'static str,
    /// Users and rate of each run.
    points: Vec<(f64, f64)>,
    /// The same by block, where runs have one.
    blocks: BTreeMap<u32, Vec<(f64, f64)>>,
    seed: Seed,
    client_bound: usize,
}

/// What a curve is to have.
#[derive(Default)]
struct Planned {
    levels: BTreeSet<Option<i64>>,
    runs: usize,
}

/// Whether some curve is to have what a law takes; how many levels a search will try is not known beforehand.
pub fn is_planned(evidence: &Evidence) -> bool {
    let mut curves: BTreeMap<(&str, Others), Planned> = BTreeMap::new();
    for cell in evidence.cells.iter().filter(|cell| cell.cell.repeats.is_none()) {
        if cell.cell.search.as_ref().is_some_and(|s| s.goal == Goal::Users) {
            return true;
        }
        let Some(users) = cell.cell.axes.get(USERS) else { continue };
        let curve = curves.entry((&cell.cell.workload, others(cell))).or_default();
        curve.levels.insert(users.count());
        let of_cell = evidence.record.plan.runs.iter().filter(|run| run.cell == cell.cell.id && !run.is_beside());
        curve.runs += of_cell.count();
    }
    curves.values().any(|curve| curve.levels.len() >= LEVELS && curve.runs >= curve.levels.len() + REPEATED)
}

fn others<'a>(cell: &CellEvidence<'a>) -> Others<'a> {
    cell.cell.axes.iter().filter(|(key, _)| *key != USERS && *key != WORKLOAD).collect()
}

/// Every curve with at least two levels.
pub fn curves(evidence: &Evidence) -> Vec<CurveJudgement> {
    let mut curves: BTreeMap<(&str, Others), Curve> = BTreeMap::new();
    for cell in &evidence.cells {
        let axes = &cell.cell.axes;
        let sought = cell.cell.search.as_ref().is_some_and(|s| s.goal == Goal::Users);
        if !sought && axes.get(USERS).is_none() || cell.cell.repeats.is_some() {
            continue;
        }
        let curve = curves.entry((&cell.cell.workload, others(cell))).or_insert_with_key(|(workload, others)| Curve {
            place: place(workload, others),
            cells: Vec::new(),
            unit: if sought { "operations/s" } else { "statements/s" },
            points: Vec::new(),
            blocks: BTreeMap::new(),
            seed: evidence.record.plan.seed.child("law"),
            client_bound: 0,
        });
        curve.cells.push(&cell.cell.id);
        curve.add(cell);
    }
    curves.into_values().filter(|c| c.levels().len() > 1).map(|c| c.judge()).collect()
}

fn place(workload: &str, others: &[(&String, &Value)]) -> String {
    let others: Vec<String> = others.iter().map(|(key, value)| format!("{key} {value}")).collect();
    if others.is_empty() { workload.into() } else { format!("{workload} ({})", others.join(", ")) }
}

impl Curve<'_> {
    /// Operations are what a search counts; statements what cells are compared by.
    fn add(&mut self, cell: &CellEvidence) {
        let (runs, searches) = if cell.search.is_some() { (&cell.trials, true) } else { (&cell.runs, false) };
        for run in runs {
            let rate = if searches { run.done() as f64 / run.seconds() } else { run.qps() };
            if client_had_headroom::is_client_bound(run) {
                self.client_bound += 1;
            } else if rate > 0.0 {
                let point = (f64::from(run.users()), rate);
                self.points.push(point);
                // Blocks of a search hold what was next, and not every level.
                if !searches {
                    self.blocks.entry(run.run.block).or_default().push(point);
                }
            }
        }
    }

    /// Users of each level with the logarithms of its rates, ascending.
    fn levels(&self) -> Vec<(f64, Vec<f64>)> {
        let mut levels: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        self.points.iter().for_each(|(n, x)| levels.entry(*n as u64).or_default().push(x.ln()));
        levels.into_iter().map(|(n, logs)| (n as f64, logs)).collect()
    }

    fn judge(self) -> CurveJudgement {
        let levels = self.levels();
        let repeated = repeated(&levels);
        let bound = match self.client_bound {
            0 => String::new(),
            n => format!(" ({n} runs that the client held back are left out)"),
        };
        let (law, refusal) = if levels.len() < LEVELS || repeated < REPEATED {
            (None, Some(format!("{} levels with {repeated} runs more", levels.len())))
        } else {
            match fit(&self.points, Errors::Relative) {
                None => (None, Some("no parameters bring it near".to_string())),
                Some(mut fit) => {
                    let blocks: Vec<_> = self.blocks.values().cloned().collect();
                    fit.known_by(&blocks, Errors::Relative, self.seed);
                    let refusal = refusal(&fit, &levels);
                    (Some(fit), refusal)
                }
            }
        };
        let place = &self.place;
        let sentence = match (&law, &refusal) {
            (Some(fit), None) => format!("{place} follows the universal scalability law{bound}: {}.", self.told(fit)),
            (None, Some(few)) if levels.len() < LEVELS || repeated < REPEATED => {
                format!("{place} has {few}{bound}, and a law takes {LEVELS} with {REPEATED} more.")
            }
            (_, refusal) => {
                let why = refusal.as_deref().unwrap_or_default();
                format!("The universal scalability law does not describe {place}{bound}: {why}.")
            }
        };
        let (first, last) = (levels[0].0, levels[levels.len() - 1].0);
        CurveJudgement {
            cells: self.cells.iter().map(|id| (*id).clone()).collect(),
            is_fitted: law.is_some(),
            law: law.filter(|_| refusal.is_none()).map(|fit| judged(&fit, self.unit, self.points.len(), first, last)),
            place: self.place,
            sentence,
        }
    }

    fn told(&self, fit: &Fit) -> String {
        let (peak, low, high) = fit.peak().expect("an admissible law has a peak");
        let (alpha, beta) = (Share(fit.law.alpha), fit.law.beta);
        let users = |n: f64| Users(n.round() as u32);
        format!(
            "one user alone brings {} {}, contention is {alpha}, coherency {}, and its peak is {} at {} ({} to {})",
            round3(fit.law.gamma),
            self.unit,
            round3(beta),
            round3(fit.law.rate(peak)),
            users(peak),
            users(low).0,
            users(high).0
        )
    }
}

/// Runs beyond the first of each level.
fn repeated(levels: &[(f64, Vec<f64>)]) -> usize {
    levels.iter().map(|(_, logs)| logs.len() - 1).sum()
}

/// Why a fit may not be shown.
fn refusal(fit: &Fit, levels: &[(f64, Vec<f64>)]) -> Option<String> {
    let last = levels[levels.len() - 1].0;
    for (name, (value, ..)) in [("contention", fit.alpha()), ("coherency", fit.beta())] {
        if value < 0.0 {
            return Some(format!("its {name} comes out negative ({})", round3(value)));
        }
    }
    let off = |(n, logs): &(f64, Vec<f64>)| (*n, average(logs) - fit.law.rate(*n).ln());
    let (users, worst) = levels.iter().map(off).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let worst_share = Share(worst.abs());
    if worst_share.0 > OFF.0 {
        return Some(format!("at {} it is off by {worst_share}", Users(users as u32)));
    }
    if worst_share.0 > MARGIN.0 && structure(fit, levels) < STRUCTURE {
        return Some(format!(
            "levels lie off by more than their repetitions differ (at most {worst_share}, at {})",
            Users(users as u32)
        ));
    }
    if fit.beta().1 <= 0.0 {
        return Some("the curve does not tell coherency apart from none, so its peak is not known".into());
    }
    match fit.law.peak() {
        Some(peak) if peak <= BEYOND * last => None,
        Some(peak) => Some(format!("its peak would lie at {} users, where nothing was measured", round3(peak))),
        None => Some("it has no peak".into()),
    }
}

/// The probability of levels this far off by chance alone: the F test for lack of fit.
fn structure(fit: &Fit, levels: &[(f64, Vec<f64>)]) -> f64 {
    let pure: f64 = levels.iter().map(|(_, logs)| logs.iter().map(|x| (x - average(logs)).powi(2)).sum::<f64>()).sum();
    let (above, below) = (levels.len() as f64 - 3.0, repeated(levels) as f64);
    let ratio = ((fit.squares - pure).max(0.0) / above) / (pure / below);
    if ratio.is_finite() { beta_reg(below / 2.0, above / 2.0, below / (below + above * ratio)) } else { 0.0 }
}

fn judged(fit: &Fit, unit: &str, n: usize, first: f64, last: f64) -> LawJudgement {
    let estimate = |(value, low, high): (f64, f64, f64), unit: &str| Estimate {
        value,
        low: Some(low),
        high: Some(high),
        n: n as u32,
        unit: unit.into(),
    };
    let peak = fit.peak().expect("an admissible law has a peak");
    let end = last.max(peak.0);
    let point = |i: u32| {
        let users = first * (end / first).powf(f64::from(i) / f64::from(DRAWN));
        let (value, low, high) = fit.rate(users);
        [users, value, low, high]
    };
    LawJudgement {
        gamma: estimate(fit.gamma(), unit),
        alpha: estimate(fit.alpha(), "share"),
        beta: estimate(fit.beta(), "share"),
        peak_users: estimate(peak, "users"),
        peak_rate: estimate(fit.rate(peak.0), unit),
        line: (0..=DRAWN).map(point).collect(),
    }
}
