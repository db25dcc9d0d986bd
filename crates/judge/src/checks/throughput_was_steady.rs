//! One number for a run says that the run had one state. A warm-up that was too short, a log that filled, a purge that
//! fell behind give a rate that is a mixture and depends on how long one looked. The operations of each second are cut
//! into levels by change points (calibrated so that an unchanged series has one), and the last level must hold still.
//!
//! A rate that fell from an earlier level, that never held still, or that rose when its first third was over, fails:
//! what held it back is in one part of the number. So does a drift of 5 % over the last level. A drift of 2 % warns,
//! and so does a warm-up within the first third.
//!
//! Phases of 3 to 30 s have too few seconds: their levels are those of their tenths of seconds, cut by the same rule,
//! and what a second level does is held against the number itself: where it moved the mean away from the longest level
//! by 5 % it fails, by 2 % it warns, and a warm-up warns at most. Where tenths were not recorded, or hold too few
//! operations, phases from 8 s on are asked for one step of 5 % or more that stands out of their seconds. A phase that
//! is disturbed on purpose is not looked at: there the course is the result.
//!
//! What half of a cell's runs or more had is in its number. What fewer had moves it by their share (one run of five
//! that a step moved by 6 % moves their mean by 1.2 %), is in its interval, and fails only when it moves the number by
//! 5 % or more.

use crate::frame::applies::Absence;
use crate::frame::few::{self, Had};
use crate::frame::naming;
use crate::frame::tenths::{self, Points};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use crate::stats::average;
use crate::stats::steady::{self, Class, FEWEST_POINTS, SHORTEST_SECONDS, Steady, WARM_UP};
use crate::stats::step::{self, Step};
use model::load::Until;
use model::record::second::Second;
use model::units::round3;
use model::{PhaseRecord, Share, Status};

pub const CHECK: Check = Check {
    id: "throughput_was_steady",
    claim: || format!("the rate had one level over the whole window, and drifted by less than {DRIFT_FAIL} of it"),
    source: include_str!("throughput_was_steady.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[DRIFT_WARN, DRIFT_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "warm up longer, or measure until it is steady; if it never is, publish the course and not one number",
    look: Look::Cell(look),
};

const DRIFT_WARN: Limit =
    Limit::share("drift_warn", 0.02, "over the whole window; smaller than any difference that is claimed").convention();
const DRIFT_FAIL: Limit = Limit::share("drift_fail", 0.05, "one number no longer stands for the window").convention();

fn absent(run: &RunEvidence) -> Absence {
    let mut calm = run.phases.iter().copied().filter(|phase| phase.disturb.is_none()).peekable();
    if calm.peek().is_none() {
        return Some("Each phase is disturbed on purpose: there the course is the result.".into());
    }
    let planned = |name: &str| run.cell.phases.iter().find(|phase| phase.name == name).map(|phase| &phase.until);
    let is_short = |phase: &PhaseRecord| {
        let was_to_be = match planned(&phase.name) {
            Some(Until::Time(time)) => time.seconds(),
            Some(Until::Count(_) | Until::Rest(_)) | None => 0.0,
        };
        was_to_be.max(phase.length().seconds()) < step::FEWEST as f64
    };
    let seconds = run.details.seconds(&run.run.id);
    if calm.clone().any(|phase| tenths::of(phase, &seconds, FEWEST_POINTS).is_some()) {
        return None;
    }
    calm.all(is_short)
        .then(|| format!("No phase is as long as {} s: shorter ones have no states to tell apart.", step::FEWEST))
}

/// What is seen of one run, and by which share of itself its number lies beside its longest level.
struct RunSeen {
    seen: Seen,
    moved: f64,
}

fn look(cell: &CellEvidence) -> Sight {
    let (mut courses, mut unknown) = (Vec::new(), None);
    for run in &cell.runs {
        match of_run(run) {
            Ok(course) => courses.push((run, course)),
            Err(why) => unknown = unknown.or(Some(why)),
        }
    }
    // Runs that counted too few operations for it say nothing, and the others speak for them.
    if let Some(why) = unknown.filter(|_| courses.is_empty()) {
        return Err(why);
    }
    let had = |run: &RunSeen| Had { status: run.seen.status, moved_by: run.moved };
    let runs: Vec<Had> = courses.iter().map(|(_, course)| had(course)).collect();
    let fail = cell.limits.share(&DRIFT_FAIL);
    let order = |one: &Had, other: &Had| one.status.cmp(&other.status).then(one.moved_by.total_cmp(&other.moved_by));
    let worst = courses.iter().zip(&runs).max_by(|one, other| order(one.1, other.1));
    let (run, RunSeen { seen, .. }) = worst.ok_or("there is no run")?.0;
    let mut seen = Seen { status: few::status(&runs, fail.0), ..seen.clone() };
    let unsteady = runs.iter().filter(|run| run.status.is_open()).count();
    if unsteady > 0 && runs.len() > 1 {
        seen.sentence = format!("{}: {}", naming::run(run), seen.sentence);
    }
    if unsteady > 0 && unsteady * 2 < runs.len() {
        let others = naming::counted(runs.len() - unsteady, "other run");
        let moved = Share(few::moved(&runs));
        seen.sentence.push_str(&format!(" The rate of {others} held still, and the mean of all is moved by {moved}."));
    }
    Ok(seen)
}

fn of_run(run: &RunEvidence) -> Result<RunSeen, String> {
    let seconds = run.details.seconds(&run.run.id);
    let is_long = |p: &&PhaseRecord| {
        p.length().seconds() >= step::FEWEST as f64 || tenths::of(p, &seconds, FEWEST_POINTS).is_some()
    };
    let mut calm = run.phases.iter().copied().filter(|p| p.disturb.is_none());
    let phase = calm.find(is_long).ok_or_else(|| format!("no phase is as long as {} s", step::FEWEST))?;
    if phase.length().seconds() >= SHORTEST_SECONDS {
        return of_seconds(run, &rates(phase, &seconds));
    }
    match tenths::of(phase, &seconds, FEWEST_POINTS) {
        Some(points) => of_tenths(run, &points),
        None => of_short(run, &rates(phase, &seconds)),
    }
}

/// By how much the mean lies beside the level that lasted longest and was at work; how far a mean is from standing
/// still is no number.
fn beside_longest(steady: &Steady, rates: &[f64]) -> Option<(Share, f64)> {
    let length = |level: &steady::Level| level.to - level.from;
    let at_work = steady.levels.iter().filter(|level| level.rate > 0.0);
    let longest = at_work.max_by(|a, b| length(a).total_cmp(&length(b)))?;
    Some((Share((average(rates) / longest.rate - 1.0).abs()), longest.rate))
}

fn of_seconds(run: &RunEvidence, rates: &[f64]) -> Result<RunSeen, String> {
    let steady = steady::of(rates, 1.0).ok_or("its seconds were not recorded")?;
    let (moved, _) = beside_longest(&steady, rates).ok_or("nothing was done in it")?;
    let (warn, fail) = (run.limits.share(&DRIFT_WARN), run.limits.share(&DRIFT_FAIL));
    let drift = Share(if steady.drifts { steady.drift.abs() } else { 0.0 });
    let (by_class, mut sentence) = of_class(&steady);
    let by_drift = graded(drift.0, warn.0, fail.0);
    if by_drift > Status::Pass {
        sentence.push_str(&format!(
            " It still {} by {drift} over its last level.",
            if steady.drift > 0.0 { "rose" } else { "fell" }
        ));
    }
    if !steady.stalls.is_empty() {
        sentence.push_str(&format!(" In {} seconds it stood far from its neighbours.", steady.stalls.len()));
    }
    let measured = format!("{} levels, drift {drift}", steady.levels.len());
    let limit = format!("1 level; drift {fail}, warns at {warn}");
    let moved = if steady.levels.len() > 1 { moved.0 } else { 0.0 };
    Ok(RunSeen { seen: Seen::new(by_class.max(by_drift), measured, limit, sentence), moved: moved.max(drift.0) })
}

fn of_class(steady: &Steady) -> (Status, String) {
    let last = steady.last();
    let before = || steady.levels[..steady.levels.len() - 1].iter().map(|l| l.rate).fold(0.0, f64::max);
    match steady.class {
        Class::Flat => (Status::Pass, format!("The rate had one level, {} operations per second.", round3(last.rate))),
        Class::Cyclic => (
            Status::Pass,
            format!("The rate swung around one level, every {} s.", round3(steady.cycle.unwrap_or_default())),
        ),
        Class::WarmUp => (
            Status::Warn,
            format!(
                "The first {} s were slower: the run had not warmed up, and its number is too low.",
                round3(steady.from())
            ),
        ),
        Class::Rise => (
            Status::Fail,
            format!(
                "The rate rose from {} to {} operations per second after {} s, which is no warm-up: one number stands for neither.",
                round3(steady.levels[steady.levels.len() - 2].rate),
                round3(last.rate),
                round3(steady.from())
            ),
        ),
        Class::Slowdown => (
            Status::Fail,
            format!(
                "The rate fell from {} to {} operations per second after {} s: one number stands for neither.",
                round3(before()),
                round3(last.rate),
                round3(steady.from())
            ),
        ),
        Class::NoSteadyState => (
            Status::Fail,
            format!("The rate never held still: {} levels, the last one for too short a time.", steady.levels.len()),
        ),
    }
}

/// A phase of a few seconds by its tenths, which the rule for seconds takes for so many seconds.
fn of_tenths(run: &RunEvidence, points: &Points) -> Result<RunSeen, String> {
    let steady = steady::of(&points.rates, 1.0).ok_or("it has too few points")?;
    let (warn, fail) = (run.limits.share(&DRIFT_WARN), run.limits.share(&DRIFT_FAIL));
    let (moved, longest) = beside_longest(&steady, &points.rates).ok_or("nothing was done in it")?;
    let by_effect = graded(moved.0, warn.0, fail.0);
    let seconds = |points_since: f64| round3(points_since * points.width);
    let (count, longest) = (steady.levels.len(), round3(longest));
    let measured = format!("{count} levels, mean moved by {moved}");
    let limit = format!("moved by {fail}, warns at {warn}");
    if count == 1 || by_effect == Status::Pass {
        let more = if count == 1 { String::new() } else { format!(", and {count} levels moved it by {moved} only") };
        let sentence = format!("The rate had one level, {longest} operations per second{more}.");
        return Ok(RunSeen { seen: Seen::new(Status::Pass, measured, limit, sentence), moved: 0.0 });
    }
    let (status, course) = of_levels(&steady, by_effect, seconds);
    let sentence =
        format!("{course}: the mean is {moved} away from its longest level, {longest} operations per second.");
    Ok(RunSeen { seen: Seen::new(status, measured, limit, sentence), moved: moved.0 })
}

/// What the levels are, and the worst that is said of them.
fn of_levels(steady: &Steady, by_effect: Status, seconds: impl Fn(f64) -> String) -> (Status, String) {
    let (levels, last) = (&steady.levels, steady.last());
    let before = levels[levels.len() - 2].rate;
    match steady.class {
        Class::WarmUp => {
            (by_effect.min(Status::Warn), format!("The first {} s were slower, a warm-up", seconds(last.from)))
        }
        Class::Rise | Class::Slowdown | Class::NoSteadyState if levels.len() == 2 => {
            let verb = if last.rate > before { "rose" } else { "fell" };
            let (was, is) = (round3(before), round3(last.rate));
            (
                by_effect,
                format!("The rate {verb} from {was} to {is} operations per second after {} s", seconds(last.from)),
            )
        }
        Class::Flat | Class::Cyclic | Class::Rise | Class::Slowdown | Class::NoSteadyState => {
            let all = levels.iter().map(|level| format!("{} from {} s", round3(level.rate), seconds(level.from)));
            (by_effect, format!("The rate had {} levels ({})", levels.len(), all.collect::<Vec<_>>().join(", ")))
        }
    }
}

/// A phase of a few seconds, which may have made one step.
fn of_short(run: &RunEvidence, rates: &[f64]) -> Result<RunSeen, String> {
    if rates.iter().all(|rate| *rate == 0.0) {
        return Err("its seconds were not recorded".into());
    }
    let fail = run.limits.share(&DRIFT_FAIL);
    let limit = format!("no step of {fail}");
    let size = |step: &Step| (step.after - step.before).abs() / step.after.max(step.before);
    let Some(Step { at, before, after }) = step::of(rates).filter(|step| size(step) > fail.0) else {
        let sentence = format!("In {} s the rate made no step that stands out of its seconds.", rates.len());
        return Ok(RunSeen { seen: Seen::new(Status::Pass, "no step", limit, sentence), moved: 0.0 });
    };
    let warms_up = after > before && at as f64 <= WARM_UP.0 * rates.len() as f64;
    let (status, sentence) = if warms_up {
        (Status::Warn, format!("The first {at} s were slower: the run had not warmed up, and its number is too low."))
    } else {
        let verb = if after > before { "rose" } else { "fell" };
        let told = format!(
            "The rate {verb} from {} to {} operations per second after {at} s: one number stands for neither.",
            round3(before),
            round3(after)
        );
        (Status::Fail, told)
    };
    let longest = if at * 2 > rates.len() { before } else { after };
    let moved = (average(rates) / longest - 1.0).abs();
    Ok(RunSeen { seen: Seen::new(status, format!("a step after {at} s"), limit, sentence), moved })
}

/// Operations done in each whole second of a phase, shared out where an interval lies across its end.
fn rates(phase: &PhaseRecord, seconds: &[Second]) -> Vec<f64> {
    let mut rates = vec![0.0; phase.length().seconds() as usize];
    for interval in seconds.iter().filter(|i| i.phase == phase.name && i.to > i.from) {
        let since = |at: model::units::Nanos| at.seconds() - phase.from.seconds();
        let (from, to) = (since(interval.from).max(0.0), since(interval.to));
        let (first, last) = (from as usize, (to.ceil() as usize).min(rates.len()));
        for (second, rate) in rates.iter_mut().enumerate().take(last).skip(first) {
            let inside = to.min(second as f64 + 1.0) - from.max(second as f64);
            *rate += interval.done as f64 * inside.max(0.0) / (to - from);
        }
    }
    rates
}
