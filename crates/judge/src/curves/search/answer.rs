//! What a search found: the answer with its interval, in a sentence that also says why there may be none, and the runs
//! that carry it: those at the highest rate that held below the knee, or at the best number of users. Only they are
//! judged as numbers; runs over the limit were made to be over it.

use super::peak::{FLAT, Peak, Sight};
use super::threshold::{Belief, Knee};
use super::{Point, belief, next, points, sight};
use model::experiment::keys::WORKLOAD;
use model::search::{Goal, Step};
use model::{Cell, Estimate, RunId, RunRecord, Search, SearchJudgement, Status, TrialJudgement};
use std::collections::BTreeSet;

pub struct Told {
    pub judgement: SearchJudgement,
    pub carriers: BTreeSet<RunId>,
}

/// What was found, in words that follow the cell's name.
struct Found {
    answer: Option<Estimate>,
    status: Status,
    text: String,
    carriers: BTreeSet<RunId>,
}

/// What the search of a cell found, from its finished runs in order.
pub fn tell(cell: &Cell, runs: &[&RunRecord]) -> Told {
    let search = cell.search.as_ref().expect("asked of a search only");
    let points = points(search, runs);
    let found = if points.is_empty() {
        let text = "was not searched: no run was done".to_string();
        Found { answer: None, status: Status::NotEvaluable, text, carriers: BTreeSet::new() }
    } else {
        match search.goal {
            Goal::Rate { .. } => rate(search, &points),
            Goal::Users => users(search, &points),
        }
    };
    let step = next(cell, runs);
    let over = matches!(step, Step::Over { .. });
    let (status, end) = match step {
        Step::Run { .. } => (Status::Warn, format!(", and the search is not over: {} runs were made", runs.len())),
        Step::Over { found: true, .. } => (Status::Pass, format!(", from {} runs", runs.len())),
        Step::Over { found: false, why } => (Status::Warn, format!("; {why}")),
    };
    let judgement = SearchJudgement {
        cell: cell.id.clone(),
        sentence: format!("{} {}{end}.", name(cell), found.text),
        trials: points.iter().map(trial).collect(),
        answer: found.answer,
        over,
        status: found.status.max(status),
        search: search.clone(),
    };
    Told { judgement, carriers: found.carriers }
}

/// The workload and the values on the axes.
fn name(cell: &Cell) -> String {
    let axes = cell.axes.iter().filter(|(key, _)| *key != WORKLOAD).map(|(key, value)| format!("{key} {value}"));
    let axes: Vec<String> = axes.collect();
    if axes.is_empty() { cell.workload.clone() } else { format!("{} ({})", cell.workload, axes.join(", ")) }
}

fn trial(point: &Point) -> TrialJudgement {
    TrialJudgement {
        run: point.run.id.to_string(),
        level: point.trial.level,
        value: point.value,
        over: point.over,
        cut: point.trial.cut.clone(),
        why: point.trial.why.clone(),
    }
}

fn rate(search: &Search, points: &[Point]) -> Found {
    let Goal::Rate { keep } = search.goal else { unreachable!("asked of a search for a rate") };
    let belief: Belief = belief(search, points);
    let Knee { value, low, high } = belief.knee();
    let held = |at_most: f64| {
        let held = points.iter().filter(|p| !p.over && p.trial.level <= at_most);
        let highest = held.clone().map(|p| p.trial.level).fold(0.0, f64::max);
        held.filter(|p| p.trial.level == highest).map(|p| p.run.id.clone()).collect()
    };
    let outside = |text: String| Found { answer: None, status: Status::Warn, text, carriers: BTreeSet::new() };
    if belief.is_below() || value < search.from {
        return outside(format!(
            "breaks {keep} at {} already, the lowest rate of the search",
            search.shown(search.from)
        ));
    }
    if belief.is_above() || value > search.to {
        return outside(format!("keeps {keep} at {} still, the highest rate of the search", search.shown(search.to)));
    }
    let ends = [low, high].map(|end| search.shown(end));
    let text = format!("keeps {keep} up to {} ({} to {})", search.shown(value), ends[0], ends[1]);
    let answer = estimate(value, low, high, points.len(), "operations/s");
    Found { answer: Some(answer), status: Status::Pass, text, carriers: held(value) }
}

fn users(search: &Search, points: &[Point]) -> Found {
    let sight: Sight = sight(search, points);
    let Some((best, Peak { users, low, high })) = sight.best().zip(sight.peak()) else {
        let text = "was not looked at with every number of users yet".to_string();
        return Found { answer: None, status: Status::Warn, text, carriers: BTreeSet::new() };
    };
    let (rate, interval) = best.rate();
    let three = |rate: f64| format!("{rate:.2e}").parse::<f64>().expect("a float printed by us");
    let interval = interval.map_or(String::new(), |(a, b)| format!(" ({} to {})", three(a), three(b)));
    let place = search.shown(users);
    let mut text = format!("does most with {place} ({low} to {high}): {} operations/s{interval}", three(rate));
    if sight.is_flat() && high > low {
        text += &format!("; what lies between differs by less than {FLAT}");
    }
    let mut status = Status::Pass;
    if sight.is_at_end() {
        text += ", and may do more beyond the end of the search";
        status = Status::Warn;
    }
    let carriers = points.iter().filter(|p| p.trial.level == users).map(|p| p.run.id.clone()).collect();
    Found { answer: Some(estimate(users, low, high, points.len(), "users")), status, text, carriers }
}

fn estimate(value: f64, low: f64, high: f64, n: usize, unit: &str) -> Estimate {
    Estimate { value, low: Some(low), high: Some(high), n: n as u32, unit: unit.into() }
}
