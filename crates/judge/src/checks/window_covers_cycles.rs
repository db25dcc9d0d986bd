//! A server that writes works in cycles: the log fills, a checkpoint is made, pages are written. A window with less
//! than two of them has a mean that depends on where in the cycle it was cut. Checkpoints are counted by how often the
//! position up to which the log is checkpointed moved on between the readings of the window. What is owed at the end of
//! it is paid by nobody's number: where the experiment waits for that (`drain`), it took so long, and the rate over
//! both times stands beside the other.
//!
//! Fewer than two warn, and so does a drain of more than 5 % of the measured time, or one that was not over when its
//! time was up. It never fails: the number is right for its window, and another window may have another. As the length
//! of the window is the same for all cells it is told once of the record; of nine recorded runs that write eight were
//! too short for two checkpoints.

use super::flushing_was_settled::is_written;
use crate::frame::applies::{Absence, innodb};
use crate::frame::metrics::of_run;
use crate::frame::naming::counted;
use crate::frame::{Applies, Check, Doubts, Each, Limit, Look, RunEvidence, Seen, Sight};
use model::units::round3;
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "window_covers_cycles",
    claim: || format!("the window of a run that writes holds at least {CYCLES} checkpoints"),
    source: include_str!("window_covers_cycles.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[CYCLES, DRAIN],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "measure longer, or make the redo log smaller; where much is owed, tell the debt-adjusted rate",
    look: Look::Once(Each::Run(look)),
};

const DRAIN: Limit = Limit::share(
    "drain",
    0.05,
    "of the measured time, that the server goes on paying when its users have gone; what the rate borrowed",
)
.convention();
const CYCLES: Limit =
    Limit::number("cycles", 2.0, "one cycle may be cut at both ends, so that its mean depends on where").law();

pub(crate) const POSITION: &str = "db.checkpoint_lsn";

/// Who waits for what is owed has asked how long that takes, whoever owes it.
fn absent(run: &RunEvidence) -> Absence {
    if run.run.whole.drain.is_some() {
        return None;
    }
    let idle = || (is_written(run) == Some(false)).then(|| "Nobody wrote, so there is no cycle to cover.".into());
    innodb(run, "are no checkpoints of InnoDB's to count").or_else(idle)
}

fn look(run: &RunEvidence) -> Sight {
    match (cycles(run), drained(run)) {
        (cycles, None) => cycles,
        (Ok(cycles), Some(drained)) => Ok(Seen {
            status: cycles.status.max(drained.status),
            measured: format!("{}, {}", cycles.measured, drained.measured),
            limit: format!("{}, {}", cycles.limit, drained.limit),
            sentence: format!("{} {}", cycles.sentence, drained.sentence),
            evidence: cycles.evidence,
        }),
        // What is owed is known, and how often it is paid is not.
        (Err(_), Some(drained)) if drained.status > Status::Pass => Ok(drained),
        (Err(why), Some(_)) => Err(why),
    }
}

/// How long the server went on paying; `None` where nobody waited for that.
fn drained(run: &RunEvidence) -> Option<Seen> {
    let drain = run.run.whole.drain.as_ref()?;
    let measured: f64 = run.run.measured().map(|phase| phase.length().seconds()).sum();
    let share = Share(drain.took.seconds() / measured);
    let most = run.limits.share(&DRAIN);
    let late = drain.owed.iter().filter(|(_, [before, first, now])| !drain.is_over && first.max(*now) > *before);
    let late: Vec<&str> = late.map(|(name, _)| name.strip_prefix("db.").unwrap_or(name)).collect();
    let (status, mut sentence) = if !drain.is_over {
        (Status::Warn, format!("What it owed was not paid {} after the load ({}).", drain.took, late.join(", ")))
    } else if share.0 > most.0 {
        (Status::Warn, format!("What it owed was paid {} after the load, {share} of the measured time.", drain.took))
    } else {
        (Status::Pass, format!("What it owed was paid {} after the load.", drain.took))
    };
    if status > Status::Pass {
        let adjusted = round3(of_run::debt_adjusted(run).unwrap_or_default());
        sentence.push_str(&format!(" Over both times the rate is {adjusted} operations per second at most."));
    }
    Some(Seen::new(status, format!("drained in {}", drain.took), format!("{most} of the time"), sentence))
}

fn cycles(run: &RunEvidence) -> Sight {
    let engine = &run.cell.server.engine;
    let fewest = run.limits.of(&CYCLES);
    let limit = format!("{fewest} checkpoints");
    if !engine.eq_ignore_ascii_case("innodb") {
        return Err(format!("the cycles of {engine} are not known"));
    }
    if !is_written(run).ok_or("db.redo_written was not measured")? {
        return Ok(Seen::new(Status::Pass, "no redo", limit, "Nobody wrote, so there is no cycle to cover."));
    }
    if run.growth(POSITION).is_none() {
        return Err(format!("{POSITION} was not measured"));
    }
    let series = run.details.series(&run.run.id, &[POSITION]);
    let window = |at: &model::units::Nanos| run.phases.iter().any(|p| (p.from..=p.to).contains(at));
    let values: Vec<f64> =
        series.iter().flat_map(|s| &s.readings).filter(|(at, _)| window(at)).map(|(_, v)| *v).collect();
    let moved = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let held = counted(moved, "checkpoint");
    let (status, sentence) = if moved as f64 >= fewest {
        (Status::Pass, format!("The measured time holds {held}."))
    } else {
        let held = if moved == 0 { "no checkpoint".into() } else { format!("only {held}") };
        (Status::Warn, format!("The measured time holds {held}: what checkpoints cost is hardly in the number."))
    };
    Ok(Seen::new(status, format!("{moved} checkpoints"), limit, sentence))
}
