//! A server that writes works in cycles: the log fills, a checkpoint is made, pages are written. A window with less than two of them
//! has a mean that depends on where in the cycle it was cut. Checkpoints are counted by how often the position up to
//! which the log is checkpointed moved on between the readings of the window.
//!
//! Fewer than two warn. It never fails: the number is right for its window, and another window may have another.

use crate::check::{Check, Look, Seen, Sight};
use crate::evidence::RunEvidence;
use crate::limits::CYCLES;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "window_covers_cycles",
    code: "S5",
    claim: || format!("the window of a run that writes holds at least {CYCLES} checkpoints"),
    source: include_str!("window_covers_cycles.rs"),
    needs: &[],
    limits: &[CYCLES],
    quarantined: true,
    advice: "measure longer, or make the redo log smaller",
    look: Look::Run(look),
};

const POSITION: &str = "db.checkpoint_lsn";

fn look(run: &RunEvidence) -> Sight {
    let engine = &run.cell.server.engine;
    let fewest = run.limits.of(&CYCLES);
    let limit = format!("{fewest} checkpoints");
    if !engine.eq_ignore_ascii_case("innodb") {
        return Err(format!("the cycles of {engine} are not known"));
    }
    if run.growth("db.redo_written").ok_or("db.redo_written was not measured")?.delta == 0.0 {
        return Ok(Seen::new(Status::Pass, "no redo", limit, "Nothing was written, so there is no cycle to cover."));
    }
    if run.growth(POSITION).is_none() {
        return Err(format!("{POSITION} was not measured"));
    }
    let series = run.details.series(&run.run.id, &[POSITION]);
    let window = |at: &model::units::Nanos| run.phases.iter().any(|p| (p.from..=p.to).contains(at));
    let values: Vec<f64> =
        series.iter().flat_map(|s| &s.readings).filter(|(at, _)| window(at)).map(|(_, v)| *v).collect();
    let moved = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let (status, first) = if moved as f64 >= fewest {
        (Status::Pass, "The window holds")
    } else {
        (Status::Warn, "The window holds only")
    };
    Ok(Seen::new(status, format!("{moved} checkpoints"), limit, format!("{first} {moved} checkpoints.")))
}
