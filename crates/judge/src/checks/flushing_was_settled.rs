//! A fresh redo log and clean pages are a honeymoon: until the log has filled once, InnoDB writes no page because it
//! must, and the rate is that of a server that owes its flushing. The part of the log that is not yet checkpointed, and
//! the pages that are not yet written, are read over the window; where they still rise from its first third through to
//! its last, the window lies in the honeymoon.
//!
//! A rise by 5 % of the log, or by 5 % of the pool in dirty pages, warns. Where the rise would reach 75 % of the log
//! within two more windows, at which flushing is forced, it fails. A log that has filled to there before, and was
//! flushed, has had its honeymoon: it fills and empties in turns from then on, and a rise is one edge of that.

use crate::frame::applies::{Absence, innodb};
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "flushing_was_settled",
    claim: || format!("the redo log's part that is not checkpointed no longer rose towards {REDO_FAIL} of it"),
    source: include_str!("flushing_was_settled.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[REDO_WARN, REDO_FAIL, DIRTY_WARN],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "warm up until the log has filled once, or make the log smaller",
    look: Look::Run(look),
};

const REDO_WARN: Limit = Limit::share(
    "redo_warn",
    0.05,
    "of the redo log by which its unwritten part grew; flushing has not yet found its pace",
)
.convention();
const REDO_FAIL: Limit =
    Limit::share("redo_fail", 0.75, "of the redo log, reached within two more windows; flushing is forced there")
        .convention();
const DIRTY_WARN: Limit =
    Limit::share("dirty_warn", 0.05, "of the buffer pool by which dirty pages grew; their writing is still to be paid")
        .convention();

pub(crate) const AGE: &str = "db.checkpoint_age";
const MOST: &str = "db.checkpoint_max_age";
pub(crate) const DIRTY: &str = "db.pages_dirty";
const PAGES: &str = "db.pages_total";

/// Redo of the server's own within a window, as of its statistics: 12 KB at most in the runs of 57 read-only ones that
/// had any.
const OWN: f64 = 1024.0 * 1024.0;
/// Further windows over which the rise is drawn out.
const WINDOWS: f64 = 2.0;
/// To this part of what it had filled to, the log falls where it was flushed and not only overtaken for a moment.
const FLUSHED: f64 = 0.5;
/// Readings in each third of the window.
const FEWEST_READINGS: usize = 2;

/// A level over the window, as shares of the most that it can be.
struct Course {
    from: f64,
    to: f64,
    rises: bool,
}

impl Course {
    fn grown(&self) -> f64 {
        if self.rises { self.to - self.from } else { 0.0 }
    }
}

fn absent(run: &RunEvidence) -> Absence {
    let idle = || (is_written(run) == Some(false)).then(|| "Nobody wrote, so nothing has to be flushed.".into());
    innodb(run, "is no redo log of InnoDB's to fill").or_else(idle)
}

fn look(run: &RunEvidence) -> Sight {
    let (warn, fail, dirty_warn) =
        (run.limits.share(&REDO_WARN), run.limits.share(&REDO_FAIL), run.limits.share(&DIRTY_WARN));
    let limit =
        format!("{fail} of the log within {WINDOWS} windows; warns at {warn} of the log, {dirty_warn} of the pool");
    let mut age = course(run, AGE, MOST)?;
    let turns = age.rises && has_filled_once(run, fail);
    age.rises = age.rises && !turns;
    let dirty = course(run, DIRTY, PAGES).unwrap_or(Course { from: 0.0, to: 0.0, rises: false });
    let ahead = age.to + WINDOWS * age.grown();
    let status = if age.grown() > warn.0 && ahead >= fail.0 && age.to < fail.0 {
        Status::Fail
    } else if age.grown() > warn.0 || dirty.grown() > dirty_warn.0 {
        Status::Warn
    } else {
        Status::Pass
    };
    let told = format!(
        "of the redo log {} was not yet checkpointed at the beginning and {} at the end, of the pool {} and {} was dirty",
        Share(age.from),
        Share(age.to),
        Share(dirty.from),
        Share(dirty.to)
    );
    let sentence = match status {
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => {
            let how = if turns { "The log fills and is flushed in turns" } else { "Flushing had found its pace" };
            format!("{how}: {told}.")
        }
        Status::Warn => {
            format!(
                "Flushing falls behind what is written: {told}. What is owed must be written after the measurement."
            )
        }
        Status::Fail => {
            format!(
                "The log is still filling: {told}. At this pace flushing is forced within {WINDOWS} more windows, and the rate falls."
            )
        }
    };
    Ok(Seen::new(status, format!("{} of the log", Share(age.to - age.from)), limit, sentence))
}

/// Whether the log had filled up to `full` before the window's end, from the run's first reading on, and was flushed.
fn has_filled_once(run: &RunEvidence, full: Share) -> bool {
    let Some(last) = run.phases.last() else { return false };
    let most = last.counters.get(MOST).map_or(f64::INFINITY, |ends| ends.end);
    let series = run.details.series(&run.run.id, &[AGE]);
    let mut peak = 0.0_f64;
    series.iter().flat_map(|s| &s.readings).filter(|(at, _)| *at <= last.to).any(|(_, age)| {
        peak = peak.max(*age);
        peak >= full.0 * most && *age <= FLUSHED * peak
    })
}

/// Whether redo was written that fills a log: any where users write, and more than the server's own where they only
/// read. `None` where it was not measured.
pub(super) fn is_written(run: &RunEvidence) -> Option<bool> {
    let redo = run.growth("db.redo_written")?.delta;
    let by_users = run.run.whole.writes.is_none_or(|writes| writes.statements > 0);
    Some(redo > if by_users { 0.0 } else { OWN })
}

fn course(run: &RunEvidence, level: &str, most: &str) -> Result<Course, String> {
    let missing = || format!("{level} or {most} was not measured");
    let (first, last) = (run.phases.first().ok_or_else(missing)?, run.phases[run.phases.len() - 1]);
    let end = |phase: &model::record::run::PhaseRecord, name: &str| phase.counters.get(name).copied();
    let most = end(last, most).map(|ends| ends.end).filter(|m| *m > 0.0).ok_or_else(missing)?;
    let (from, to) = end(first, level).zip(end(last, level)).map(|(a, b)| (a.begin, b.end)).ok_or_else(missing)?;
    let series = run.details.series(&run.run.id, &[level]);
    let readings = series.iter().flat_map(|s| &s.readings).filter(|(at, _)| (first.from..=last.to).contains(at));
    let values: Vec<f64> = readings.map(|(_, value)| *value).collect();
    let third = values.len() / 3;
    if third < FEWEST_READINGS {
        return Ok(Course { from: from / most, to: to / most, rises: false });
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let [one, two, three] = [&values[..third], &values[third..2 * third], &values[2 * third..]].map(mean);
    Ok(Course { from: from / most, to: to / most, rises: one < two && two < three })
}
