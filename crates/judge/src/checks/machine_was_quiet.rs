//! CPU time that somebody else took was missing to the server, and nothing in a rate shows it. Two thieves are looked for: other
//! processes of this machine (busy CPU time less the server's and assay's own), and other machines of the same host
//! (steal, which a virtual machine is told).
//!
//! Steal warns above 0.5 % and fails above 2 % of all CPU time; others warn above 2 % and fail above 5 %. The kernel counts busy time
//! in ticks of 10 ms, so that short runs resolve little: all repetitions are taken together, twice the resolution is
//! allowed beside the limits, and where one resolution exceeds 5 % nothing can be said.

use crate::check::{Check, Look, Need, Seen, Sight, graded};
use crate::evidence::{CellEvidence, RunEvidence};
use crate::limits::{OTHERS_FAIL, OTHERS_WARN, STEAL_FAIL, STEAL_WARN};
use crate::metrics::{CLIENT_PROCESS, SERVER_SYSTEM, SERVER_USER};
use model::units::Share;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "machine_was_quiet",
    code: "E1",
    claim: || {
        format!(
            "other processes took less than {OTHERS_FAIL} and other machines less than {STEAL_FAIL} of the CPU time"
        )
    },
    source: include_str!("machine_was_quiet.rs"),
    needs: &[
        Need::Counter("host.cpu.total"),
        Need::Counter("host.cpu.idle"),
        Need::Counter("host.cpu.iowait"),
        Need::Counter("host.cpu.steal"),
        Need::Counter(CLIENT_PROCESS),
        Need::Counter(SERVER_USER),
        Need::Counter(SERVER_SYSTEM),
    ],
    limits: &[STEAL_WARN, STEAL_FAIL, OTHERS_WARN, OTHERS_FAIL],
    quarantined: false,
    advice: "find out who else runs here (`top`), stop it, and run again; on a shared virtual machine choose another hour or host",
    look: Look::Cell(look),
};

/// A tick of `/proc/stat`, in nanoseconds: USER_HZ is 100 on every Linux that runs a database.
const TICK: f64 = 1e7;

/// Nanoseconds over all CPUs.
#[derive(Default)]
struct Times {
    total: f64,
    steal: f64,
    others: f64,
    /// Variance of the ticks that were or were not counted at the ends.
    variance: f64,
}

fn look(cell: &CellEvidence) -> Sight {
    let mut times = Times::default();
    for run in &cell.runs {
        add(&mut times, run).ok_or("a reading is missing")?;
    }
    if times.total <= 0.0 {
        return Err("no CPU time passed between the readings".into());
    }
    let resolution = times.variance.sqrt() / times.total;
    if resolution > OTHERS_FAIL.value {
        return Err(format!(
            "over so short a time the ticks of the clock resolve {} of the CPU time only",
            Share(resolution)
        ));
    }
    let (steal, others) = (Share((times.steal / times.total).max(0.0)), Share((times.others / times.total).max(0.0)));
    let (allowed, limits) = (2.0 * resolution, cell.limits);
    let by_steal = graded(steal.0, limits.of(&STEAL_WARN) + allowed, limits.of(&STEAL_FAIL) + allowed);
    let by_others = graded(others.0, limits.of(&OTHERS_WARN) + allowed, limits.of(&OTHERS_FAIL) + allowed);
    let status = by_steal.max(by_others);
    let first = if status == Status::Pass { "The machine was quiet" } else { "Somebody else used the CPUs" };
    let sentence = format!(
        "{first}: other processes took {others}, other machines {steal} of the CPU time (resolution {}).",
        Share(resolution)
    );
    let limit = format!(
        "{} others, {} steal, beside {} of resolution",
        limits.share(&OTHERS_FAIL),
        limits.share(&STEAL_FAIL),
        Share(allowed)
    );
    Ok(Seen::new(status, format!("{others} others, {steal} steal"), limit, sentence))
}

fn add(times: &mut Times, run: &RunEvidence) -> Option<()> {
    let host = run.growth("host.cpu.total")?;
    let grown = |counter: &str| run.growth(counter).map(|g| g.delta);
    let steal = grown("host.cpu.steal")?;
    let busy = host.delta - grown("host.cpu.idle")? - grown("host.cpu.iowait")? - steal;
    // The processes' own windows may differ from the host's by the time that reading takes.
    let own = run.rates(&[SERVER_USER, SERVER_SYSTEM, CLIENT_PROCESS])? * host.seconds;
    times.total += host.delta;
    times.steal += steal;
    times.others += busy - own;
    // Each CPU's count is up to one tick late at each end: uniform, so a variance of a sixth of a tick squared.
    times.variance += run.phases.len() as f64 * run.record.host.cpus.len().max(1) as f64 * TICK * TICK / 6.0;
    Some(())
}
