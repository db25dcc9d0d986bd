//! Whether the replays may be believed, and whose their lateness was: the server's, a wait for another session, or the
//! replayer's own. What makes the numbers doubtful strikes them; what a reader should know beside them is a note.

use super::hearing::pairs;
use crate::stats::median;
use model::units::Nanos;
use model::upgrade::{Observed, Replay, Run, Stall, Which};

/// A replayer that waits for a CPU of its own for so large a part of a replay measures that and no server.
const STARVED: f64 = 0.25;
/// Or that sends statements so late, beside the time that they then take.
const LATE: f64 = 0.25;
/// Statements that could not be kept in their order.
const OUT_OF_ORDER: f64 = 0.01;
/// Statements answered with other rows or errors than in the trace: the data are not quite those of the trace.
const MISFITS: f64 = 0.05;
/// Lateness below this part of the trace's length is not worth a line.
const TOLD: f64 = 0.02;

pub fn struck(observed: &Observed) -> Vec<String> {
    let mut struck: Vec<String> = Vec::new();
    struck.extend(observed.replays.iter().find_map(|replay| {
        let which = observed.asked(replay.run.which);
        replay.ended.as_ref().map(|why| format!("Replay {} on {} was ended: {why}.", replay.run.block, which.build))
    }));
    let share = |of: fn(&Replay) -> f64| worst(&observed.replays, of);
    let starved = share(|replay| part(replay.own_starved, replay.wall));
    let late = share(|replay| replay.lag.0 as f64 / (replay.lag.0 + replay.service.0).max(1) as f64);
    if starved > STARVED {
        struck.push(format!(
            "The replayer was slow and not the servers: it was ready to run and had no CPU for {:.0} % of a replay (at most \
             {:.0} % is believed). Leave it a CPU: stop what else runs here, or replay at a slower pace.",
            starved * 100.0,
            STARVED * 100.0
        ));
    } else if late > LATE {
        struck.push(format!(
            "The replayer was late and not the servers: {:.0} % of what a statement took was its own lag (at most {:.0} % \
             is believed). Replay at a slower pace (--pace), or on more CPUs.",
            late * 100.0,
            LATE * 100.0
        ));
    }
    let passed = share(|replay| replay.out_of_order as f64 / replay.asked.max(1) as f64);
    if passed > OUT_OF_ORDER {
        struck.push(format!(
            "The order of the trace could not be kept: {:.1} % of the statements went before one that they should have \
             waited for (at most {:.0} % is believed).",
            passed * 100.0,
            OUT_OF_ORDER * 100.0
        ));
    }
    struck
}

fn worst(replays: &[Replay], of: fn(&Replay) -> f64) -> f64 {
    Which::BOTH.into_iter().map(|which| typical(replays, which, of).unwrap_or(0.0)).fold(0.0, f64::max)
}

/// The median of one build's replays.
fn typical(replays: &[Replay], which: Which, of: impl Fn(&Replay) -> f64) -> Option<f64> {
    let mut all: Vec<f64> = replays.iter().filter(|replay| replay.run.which == which).map(of).collect();
    (!all.is_empty()).then(|| median(&mut all))
}

fn part(time: Nanos, of: Nanos) -> f64 {
    time.0 as f64 / of.0.max(1) as f64
}

pub fn notes(observed: &Observed) -> Vec<String> {
    let mut notes = stalls(observed);
    notes.extend(Which::BOTH.into_iter().filter_map(|which| lateness(observed, which)));
    let misfits = worst(&observed.replays, |replay| replay.misfits as f64 / replay.asked.max(1) as f64);
    if misfits > MISFITS {
        notes.push(format!(
            "{:.0} % of the statements were answered with other rows or errors than in the trace: the data are not quite \
             those that it began with.",
            misfits * 100.0
        ));
    }
    notes.extend(Which::BOTH.into_iter().filter_map(|which| {
        let lost = observed.replays.iter().filter(|replay| replay.run.which == which);
        let text = lost.flat_map(|replay| &replay.errors).find(|error| error.number == 0)?;
        Some(format!("{} broke off a session: {}.", observed.asked(which).build, text.text.lines().next()?))
    }));
    notes.extend(observed.limits.iter().cloned());
    notes
}

/// Silences of the servers, and of the replayer.
fn stalls(observed: &Observed) -> Vec<String> {
    let mut notes = Vec::new();
    let all = |own: bool| {
        let found =
            observed.replays.iter().flat_map(|replay| replay.stalls.iter().map(move |stall| (replay.run, stall)));
        found.filter(move |(_, stall)| stall.own == own).collect::<Vec<(Run, &Stall)>>()
    };
    for which in Which::BOTH {
        let own: Vec<_> = all(false).into_iter().filter(|(run, _)| run.which == which).collect();
        let Some((run, longest)) = own.iter().max_by_key(|(_, stall)| stall.took) else { continue };
        notes.push(format!(
            "{} stood still {}: it answered nothing for {:.1} s at {:.1} s of replay {}, while {} sessions waited and \
             the replayer was awake. Statements under way then are left out of the times.",
            observed.asked(which).build,
            times(own.len()),
            longest.took.0 as f64 / 1e9,
            longest.at.0 as f64 / 1e9,
            run.block,
            longest.sessions
        ));
    }
    let own = all(true);
    if let Some((run, longest)) = own.iter().max_by_key(|(_, stall)| stall.took) {
        notes.push(format!(
            "The replayer itself stood still {}, for {:.1} s in replay {}: no server is blamed for it.",
            times(own.len()),
            longest.took.0 as f64 / 1e9,
            run.block
        ));
    }
    notes
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_string() } else { format!("{count} times") }
}

/// How long replays took beside the trace, and whose that was.
fn lateness(observed: &Observed, which: Which) -> Option<String> {
    let of = |of: fn(&Replay) -> f64| typical(&observed.replays, which, of);
    let wall = of(|replay| replay.wall.0 as f64 / 1e9)?;
    let captured = of(|replay| replay.captured.0 as f64 / 1e9)?;
    let slower = of(|replay| (replay.service.0 as f64 - replay.captured_service.0 as f64) / 1e9)?;
    let [wait, lag] = [of(|replay| replay.wait.0 as f64 / 1e9)?, of(|replay| replay.lag.0 as f64 / 1e9)?];
    let is_worth = observed.pace != "as captured" || (wall - captured).abs() > TOLD * captured;
    is_worth.then(|| {
        format!(
            "A replay on {} took {wall:.1} s where the trace took {captured:.1} s. Over all sessions the server took \
             {slower:+.2} s beside the trace, sessions waited {wait:.2} s for each other, and the replayer was {lag:.2} s late.",
            observed.asked(which).build
        )
    })
}

/// How much longer sessions of the new build waited for row locks, as a part of the time that it took more.
pub fn lock_waits(observed: &Observed, runs: &[Run], more: f64) -> Option<String> {
    const COUNTER: &str = "Innodb_row_lock_time";
    /// A smaller part explains nothing.
    const PART: f64 = 0.3;
    let waited = |which| typical(&observed.replays, which, |replay| *replay.counted.get(COUNTER).unwrap_or(&0) as f64);
    let (from, to) = (waited(Which::From)? / 1e3, waited(Which::To)? / 1e3);
    let sure = pairs(runs, |at| observed.replays[at].counted.get(COUNTER).map(|n| *n as f64 + 1.0));
    let is_always = !sure.is_empty() && sure.iter().all(|(before, after)| after > before);
    (is_always && more > 0.0 && to - from > PART * more)
        .then(|| format!("lock waits: sessions waited {to:.2} s for rows in a replay, {from:.2} s before"))
}
