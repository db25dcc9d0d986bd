//! How a rate falls while something is done to a server, and how it comes back: from the seconds of each run, because a
//! mean over the phase hides both. The rate of a second is a median over its neighbours, so that one stall is neither a
//! decline nor the end of one. What stands in line because of it (old row versions, arrivals without a user) has a time
//! of its own.

use crate::frame::metrics::over;
use crate::frame::{CellEvidence, RunEvidence};
use model::record::second::Second;
use model::units::round3;
use model::{Estimate, Nanos, Phase, Share};
use std::collections::BTreeMap;

/// A rate has come back when it reaches this share of what it was.
pub const RECOVERED: Share = Share(0.95);
/// Seconds whose median stands for one of them.
const NEIGHBOURS: usize = 5;
/// The last part of a disturbed phase, which shows how far the rate fell.
const END: Share = Share(0.2);
/// Old row versions that wait for purge, as the lab calls them.
const HISTORY: &str = "db.history_list_length";

const SECOND: u64 = 1_000_000_000;

/// What the seconds of a phase tell beside its sums.
#[derive(Default)]
pub struct Course {
    pub metrics: BTreeMap<String, Estimate>,
    pub sentences: Vec<String>,
}

/// How a rate went in a phase in which it fell, or in one after it.
pub fn of(cell: &CellEvidence, phase: &Phase, base: &Phase) -> Course {
    let runs: Vec<Seconds> = cell.runs.iter().filter_map(|run| Seconds::of(run, phase, base)).collect();
    let mut course = Course::default();
    if runs.is_empty() || runs.len() < cell.runs.len() {
        return course;
    }
    if phase.disturb.is_some() {
        course.tell("decline_half_life_s", &runs, Seconds::half_life, |s| {
            Some(format!("Half of the decline came within {s} s."))
        });
    } else {
        course.tell("recovery_s", &runs, Seconds::recovery, |s| {
            Some(format!("The rate was back at {RECOVERED} of `{}` after {s} s.", base.name))
        });
        if !course.metrics.contains_key("recovery_s") {
            let low = runs.iter().filter(|r| r.recovery().is_none()).count();
            let text = format!(
                "In {low} of {} runs the rate did not come back to {RECOVERED} of `{}`.",
                runs.len(),
                base.name
            );
            course.sentences.push(text);
        }
        course.tell(
            "history_drained_s",
            &runs,
            |r| r.history_drained,
            |s| Some(format!("Old row versions were back at their level after {s} s.")),
        );
        course.tell(
            "backlog_drained_s",
            &runs,
            |r| r.backlog_drained,
            |s| Some(format!("Operations that had waited for a user were done after {s} s.")),
        );
    }
    course
}

impl Course {
    /// A time that every run has.
    fn tell(
        &mut self,
        name: &str,
        runs: &[Seconds],
        of: impl Fn(&Seconds) -> Option<f64>,
        sentence: impl Fn(&str) -> Option<String>,
    ) {
        let Some(values) = runs.iter().map(of).collect::<Option<Vec<f64>>>() else { return };
        let estimate = over(&values, "s");
        self.sentences.extend(sentence(&round3(estimate.value)));
        self.metrics.insert(name.into(), estimate);
    }
}

/// One run's phase by seconds since it began, beside the rate of its base.
struct Seconds {
    base: f64,
    /// Statements per second; medians over neighbours.
    rates: Vec<f64>,
    history_drained: Option<f64>,
    backlog_drained: Option<f64>,
}

impl Seconds {
    fn of(run: &RunEvidence, phase: &Phase, base: &Phase) -> Option<Self> {
        let (from, to) = window(run, &phase.name)?;
        let (base_from, base_to) = window(run, &base.name)?;
        let intervals = run.details.seconds(&run.run.id);
        let raw = rates(&intervals, from, to);
        let mut quiet = rates(&intervals, base_from, base_to);
        if raw.len() < NEIGHBOURS || quiet.is_empty() {
            return None;
        }
        let around = |i: usize| {
            // As many to both sides, so that neither end is drawn towards the middle.
            let side = (NEIGHBOURS / 2).min(i).min(raw.len() - 1 - i);
            median(&mut raw[i - side..=i + side].to_vec())
        };
        Some(Self {
            base: median(&mut quiet),
            rates: (0..raw.len()).map(around).collect(),
            history_drained: history(run, (from, to), (base_from, base_to)),
            backlog_drained: backlog(&intervals, from, to),
        })
    }

    /// When the rate first was half-way down to where it ended; `None` where it did not fall.
    fn half_life(&self) -> Option<f64> {
        let end = ((self.rates.len() as f64 * END.0).ceil() as usize).max(1);
        let floor = median(&mut self.rates[self.rates.len() - end..].to_vec());
        let half = (self.base + floor) / 2.0;
        let at = (floor < self.base * RECOVERED.0).then(|| self.rates.iter().position(|r| *r <= half))?;
        at.map(|seconds| seconds as f64 + 1.0)
    }

    /// When the rate was first back; `None` where it never was.
    fn recovery(&self) -> Option<f64> {
        self.rates.iter().position(|r| *r >= self.base * RECOVERED.0).map(|seconds| seconds as f64 + 1.0)
    }
}

fn window(run: &RunEvidence, phase: &str) -> Option<(Nanos, Nanos)> {
    run.phases.iter().find(|p| p.name == phase).map(|p| (p.from, p.to))
}

/// Statements answered in each whole second of a window. Workers cut their seconds apart from each other, so each
/// interval is spread evenly over the time that it holds.
pub fn rates(intervals: &[Second], from: Nanos, to: Nanos) -> Vec<f64> {
    let mut rates = vec![0.0; (to.0.saturating_sub(from.0) / SECOND) as usize];
    for interval in intervals.iter().filter(|i| i.to > from && i.from < to) {
        let length = interval.length().0.max(1) as f64;
        let first = interval.from.0.saturating_sub(from.0) / SECOND;
        let touched = rates.iter_mut().skip(first as usize);
        for (second, rate) in (first..).zip(touched).take_while(|(second, _)| from.0 + second * SECOND < interval.to.0)
        {
            let (begin, end) = (from.0 + second * SECOND, from.0 + (second + 1) * SECOND);
            let shared = interval.to.0.min(end).saturating_sub(interval.from.0.max(begin));
            *rate += interval.calls as f64 * shared as f64 / length;
        }
    }
    rates
}

/// Seconds until no more old row versions waited than at most in the base; `None` where that is not measured or did not
/// come.
fn history(run: &RunEvidence, phase: (Nanos, Nanos), base: (Nanos, Nanos)) -> Option<f64> {
    let series = run.details.series(&run.run.id, &[HISTORY]);
    let readings = &series.first()?.readings;
    let within = |(from, to): (Nanos, Nanos)| readings.iter().filter(move |(at, _)| (from..=to).contains(at));
    let level = within(base).map(|(_, v)| *v).fold(f64::NAN, f64::max);
    let (at, _) = within(phase).find(|(_, v)| *v <= level)?;
    Some(Nanos(at.0 - phase.0.0).seconds())
}

/// Seconds until nothing that was due had not begun; `None` under loads without arrivals and where that did not come.
fn backlog(intervals: &[Second], from: Nanos, to: Nanos) -> Option<f64> {
    let mut waiting = 0_i64;
    let mut drained = None;
    for interval in intervals {
        let arrivals = interval.arrivals?;
        waiting += arrivals.due as i64 - arrivals.begun as i64;
        if drained.is_none() && interval.to > from && interval.to <= to && waiting <= 0 {
            drained = Some(Nanos(interval.to.0 - from.0).seconds());
        }
    }
    drained
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decline_is_half_done_half_way_down_and_over_when_the_rate_is_back() {
        let course = |rates: &[f64]| Seconds {
            base: 100.0,
            rates: rates.to_vec(),
            history_drained: None,
            backlog_drained: None,
        };
        let falling = course(&[98.0, 80.0, 62.0, 58.0, 40.0, 22.0, 20.0, 20.0, 20.0, 20.0]);
        assert_eq!((falling.half_life(), falling.recovery()), (Some(4.0), Some(1.0)));
        assert_eq!(course(&[97.0, 96.0, 97.0, 98.0, 97.0]).half_life(), None, "it did not fall");
        assert_eq!(course(&[20.0, 60.0, 94.0, 96.0, 99.0]).recovery(), Some(4.0));
        assert_eq!(course(&[20.0; 9]).recovery(), None);
    }
}
