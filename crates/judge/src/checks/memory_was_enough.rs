//! A machine short of memory swaps, reads the server's own pages back from disk, or makes whoever asks for memory wait
//! until some is found; each of these costs milliseconds where a statement takes microseconds. Read are the pages
//! swapped in, the server's part in the swap, its faults that went to disk, the stalls of the kernel's allocator, and
//! processes killed for want of memory.
//!
//! A server with pages in the swap (1 MiB) fails; everything else warns: pages swapped in, more than one fault from
//! disk per hundred operations, an allocator that stalls more than once a second, a process that was killed.

use crate::frame::{Applies, Check, Doubts, Limit, Look, Need, RunEvidence, Seen, Sight};
use model::units::round3;
use model::{Bytes, Status};

pub const CHECK: Check = Check {
    id: "memory_was_enough",
    claim: || {
        format!(
            "the server was not swapped out, and fewer than {FAULTS} of its pages per operation came back from disk"
        )
    },
    source: include_str!("memory_was_enough.rs"),
    applies: Applies::Always,
    needs: &[Need::Counter("host.swap.in"), Need::Counter("server.faults.major")],
    limits: &[FAULTS],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "give the server less memory (buffer_pool) or the machine more, and stop who else needs it",
    look: Look::Run(look),
};

const FAULTS: Limit = Limit::number(
    "faults",
    0.01,
    "pages read from disk by the server's memory per operation; its working set does not fit",
)
.convention();

/// Pages that lay idle before the run may stay out.
const SWAPPED: Bytes = Bytes(1 << 20);
/// Stalls of the allocator per second: page caches that are full meet one now and then.
const STALLS: f64 = 1.0;

fn look(run: &RunEvidence) -> Sight {
    let grown = |name: &str| run.growth(name).map_or(0.0, |g| g.delta);
    let last = run.phases.last().ok_or("no phase measures")?;
    let swapped = Bytes(last.counters.get("server.memory.swapped").map_or(0.0, |ends| ends.end) as u64);
    let most = run.limits.of(&FAULTS);
    let faults = grown("server.faults.major") / run.done().max(1) as f64;
    let stalls = run.rate("host.memory.stalls").unwrap_or(0.0);
    let mut troubles = Vec::new();
    if swapped.0 > SWAPPED.0 {
        troubles.push(format!("{swapped} of the server were swapped out"));
    }
    let mut tell = |happened: bool, what: String| troubles.extend(happened.then_some(what));
    let swapped_in = grown("host.swap.in");
    tell(swapped_in > 0.0, format!("{swapped_in} pages were swapped in"));
    tell(
        faults > most,
        format!("the server met {} major page faults per operation: its own pages came back from disk", round3(faults)),
    );
    tell(stalls > STALLS, format!("the kernel stalled {} times a second looking for memory", round3(stalls)));
    tell(grown("host.memory.kills") > 0.0, "a process was killed for want of memory".into());
    let status = match troubles.is_empty() {
        true => Status::Pass,
        false if swapped.0 > SWAPPED.0 => Status::Fail,
        false => Status::Warn,
    };
    let sentence = match status {
        Status::Pass => "Nothing was swapped, and the server's memory was all there.".to_string(),
        Status::NotApplicable | Status::NotEvaluable | Status::Warn | Status::Fail => {
            format!("Memory was short, or somebody paged it out: {}.", troubles.join("; "))
        }
    };
    let measured = format!("{} faults/operation, {swapped} swapped out", round3(faults));
    Ok(Seen::new(status, measured, format!("{most} faults/operation, {SWAPPED} swapped out"), sentence))
}
