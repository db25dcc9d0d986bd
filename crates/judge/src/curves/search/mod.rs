//! Searches: which level the next run takes, and what all runs together say. Both are pure functions of the plan's
//! search and of the records of its finished runs, so a lab that was killed goes on where it was, and the answer can be
//! computed again from the files alone. The lab is handed [`next`] by whoever starts it: it knows no statistics.

pub mod answer;
pub mod peak;
pub mod threshold;

use model::search::{Goal, Keep, Step, Trial};
use model::{Cell, Ending, PhaseKind, RunRecord, Search};
use peak::Sight;
use threshold::Belief;

/// A server that fails so many runs in a row is not searched any further.
const FAILURES: usize = 3;

/// What one run says.
pub struct Point<'a> {
    pub run: &'a RunRecord,
    pub trial: &'a Trial,
    /// The percentile in microseconds, or operations per second; `None` when nothing was done.
    pub value: Option<f64>,
    /// Where the level is a rate: the limit was broken.
    pub over: bool,
}

/// The step after these runs of a cell that searches.
pub fn next(cell: &Cell, runs: &[&RunRecord]) -> Step {
    let search = cell.search.as_ref().expect("asked of a search only");
    let failed = runs.iter().rev().take_while(|r| matches!(r.ending, Ending::Failed { .. })).count();
    if failed >= FAILURES {
        return Step::Over { found: false, why: format!("{failed} runs in a row failed") };
    }
    if let Some(skipped) = runs.iter().find(|r| matches!(r.ending, Ending::Skipped { .. })) {
        let why = format!("{} was skipped, and so would be the others", skipped.id);
        return Step::Over { found: false, why };
    }
    let points = points(search, runs);
    let (told, (level, why)) = match search.goal {
        Goal::Rate { .. } => {
            let belief = belief(search, &points);
            (belief.is_told(), belief.next())
        }
        Goal::Users => {
            let sight = sight(search, &points);
            (sight.is_told(), sight.next())
        }
    };
    if told {
        Step::Over { found: true, why: format!("the answer is known after {} runs", runs.len()) }
    } else if runs.len() >= search.runs as usize {
        Step::Over { found: false, why: format!("all {} runs that the plan allows were made", search.runs) }
    } else {
        Step::Run { level, why }
    }
}

/// The runs that were done, in order.
pub fn points<'a>(search: &Search, runs: &[&'a RunRecord]) -> Vec<Point<'a>> {
    let point = |run: &&'a RunRecord| {
        let trial = run.trial.as_ref().filter(|_| run.is_done())?;
        Some(match search.goal {
            Goal::Rate { keep } => Point { run, trial, value: percentile(run, keep), over: is_over(run, trial, keep) },
            Goal::Users => Point { run, trial, value: rate(run), over: false },
        })
    };
    runs.iter().filter_map(point).collect()
}

pub fn belief<'a>(search: &'a Search, points: &[Point]) -> Belief<'a> {
    Belief::of(search, points.iter().map(|p| (p.trial.level, p.over)))
}

pub fn sight<'a>(search: &'a Search, points: &[Point]) -> Sight<'a> {
    Sight::of(search, points.iter().filter_map(|p| Some((p.trial.level, p.value?))))
}

/// Whether too many of the operations due while it was measured were answered late, with an error, or still waited at
/// the end.
fn is_over(run: &RunRecord, trial: &Trial, keep: Keep) -> bool {
    let arrivals = |kind: Option<PhaseKind>| {
        let of_kind = run.phases.iter().filter(|p| kind.is_none_or(|k| p.kind == k));
        let tallies = of_kind.flat_map(|p| p.groups.values()).filter_map(|g| g.tally.arrivals);
        tallies.fold((0, 0), |(due, begun), a| (due + a.due, begun + a.begun))
    };
    let (due_ever, begun_ever) = arrivals(None);
    let (due, _) = arrivals(Some(PhaseKind::Measure));
    let missed: u64 = run.measured().map(|p| keep.missed(&p.tally())).sum();
    trial.cut.is_some() || due == 0 || keep.is_broken(missed + due_ever.saturating_sub(begun_ever), due)
}

/// The percentile over all operations together, in microseconds.
fn percentile(run: &RunRecord, keep: Keep) -> Option<f64> {
    let mut all = model::histogram::Histogram::default();
    for phase in run.measured() {
        phase.tally().operations.values().for_each(|o| all.merge(&o.latency));
    }
    Some(all.percentile(keep.percent)?.micros())
}

/// Operations per second.
fn rate(run: &RunRecord) -> Option<f64> {
    let (done, seconds) =
        run.measured().fold((0, 0.0), |(done, seconds), p| (done + p.tally().done(), seconds + p.length().seconds()));
    (done > 0 && seconds > 0.0).then(|| done as f64 / seconds)
}
