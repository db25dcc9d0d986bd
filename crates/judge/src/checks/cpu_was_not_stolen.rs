//! A virtual machine that wants to run and may not is told so: the kernel counts the time as stolen. Other machines of
//! the same host took it, nothing inside this one can be stopped for it, and nothing in a rate shows it.
//!
//! Steal warns above 1 % and fails above 2 % of all CPU time, beside twice what the clock's ticks of 10 ms resolve.
//! On a machine that is not virtual nothing can be stolen. Where several ranks drove the load, the machine of each is
//! looked at by itself, from before its users came until they left.

use crate::frame::ranks::{stolen, worst};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, Need, Seen, Sight, graded};
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "cpu_was_not_stolen",
    claim: || format!("other machines of the same host took less than {STEAL_FAIL} of the CPU time"),
    source: include_str!("cpu_was_not_stolen.rs"),
    applies: Applies::Always,
    needs: &[Need::Counter("host.cpu.total"), Need::Counter("host.cpu.steal")],
    limits: &[STEAL_WARN, STEAL_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "choose another hour, another host, or a machine with CPUs of its own",
    look: Look::Cell(look),
};

const STEAL_WARN: Limit =
    Limit::share("steal_warn", 0.01, "of all CPU time; half of the smallest difference that is claimed").convention();
const STEAL_FAIL: Limit = Limit::share("steal_fail", 0.02, "as much as the smallest difference that is claimed").law();

fn look(cell: &CellEvidence) -> Sight {
    let sum = |name: &str| cell.runs.iter().filter_map(|run| run.growth(name)).map(|g| g.delta).sum::<f64>();
    let total = sum("host.cpu.total");
    if total <= 0.0 {
        return Err("no CPU time passed between the readings".into());
    }
    // Each end of each phase may have counted one tick more or less.
    let ends = cell.runs.iter().map(|run| run.phases.len()).sum::<usize>() as f64;
    let resolution = crate::checks::machine_was_quiet::TICK * ends.sqrt() / total;
    let (warn, fail) = (cell.limits.share(&STEAL_WARN), cell.limits.share(&STEAL_FAIL));
    if resolution > fail.0 {
        return Err(format!(
            "over so short a time the ticks of the clock resolve {} of the CPU time only",
            Share(resolution)
        ));
    }
    let steal = Share((sum("host.cpu.steal") / total).max(0.0));
    let status = graded(steal.0, warn.0 + 2.0 * resolution, fail.0 + 2.0 * resolution);
    let of_ranks = cell.runs.iter().filter_map(|run| worst(run, stolen).map(|found| (run, found)));
    let rank = of_ranks.max_by(|a, b| a.1.1.total_cmp(&b.1.1));
    if let Some((run, (rank, share))) = rank
        && graded(share, warn.0 + 2.0 * resolution, fail.0 + 2.0 * resolution) > status
    {
        let (status, share) = (graded(share, warn.0 + 2.0 * resolution, fail.0 + 2.0 * resolution), Share(share));
        let sentence = format!(
            "Other machines took {share} of the CPU time of {} in run {}: its users asked for so much less.",
            rank.name(),
            run.run.id
        );
        return Ok(Seen::new(status, format!("{share} stolen there"), format!("{fail}; warns at {warn}"), sentence));
    }
    let worse = if status == Status::Pass { "" } else { ": rates move by as much" };
    let sentence =
        format!("Other machines took {steal} of the CPU time{worse} (the readings resolve {}).", Share(resolution));
    Ok(Seen::new(status, format!("{steal} stolen"), format!("{fail}; warns at {warn}"), sentence))
}
