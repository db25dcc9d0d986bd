//! An LSM tree takes writes as fast as it can append them, and sorts them into its levels afterwards. What its levels
//! hold beyond their targets is work that the window leaves to be done, and when it grows with the writes the rate is
//! borrowed, until the engine slows down or stops the writers.
//!
//! A growth of 2 % of the bytes written warns and of 10 % fails; writers that were held up for 1 % of the time warn.

use super::stalls_were_few::STALLED;
use crate::frame::applies::{Absence, engine};
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::{Bytes, Share, Status};

pub const CHECK: Check = Check {
    id: "compaction_kept_up",
    claim: || format!("what waits for compaction grew by less than {COMPACTION_FAIL} of the bytes written"),
    source: include_str!("compaction_kept_up.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[COMPACTION_WARN, COMPACTION_FAIL, STALLED],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "measure until compaction keeps up, give it more threads, or say that the rate is borrowed",
    look: Look::Run(look),
};

const COMPACTION_WARN: Limit =
    Limit::share("compaction_warn", 0.02, "of the bytes written, by which those that wait for compaction grew")
        .convention();
const COMPACTION_FAIL: Limit =
    Limit::share("compaction_fail", 0.1, "the rate is borrowed from the compaction that must follow").convention();

fn absent(run: &RunEvidence) -> Absence {
    let wrote_nothing = || run.growth(WRITTEN).is_some_and(|grown| grown.delta == 0.0);
    let idle = || wrote_nothing().then(|| "Nothing was written, so nothing has to be compacted.".into());
    engine(run, "rocksdb", "are no levels to compact").or_else(idle)
}

const WRITTEN: &str = "db.bytes_written";

fn look(run: &RunEvidence) -> Sight {
    let (warn, fail, stalled) =
        (run.limits.share(&COMPACTION_WARN), run.limits.share(&COMPACTION_FAIL), run.limits.share(&STALLED));
    let limit = format!("{fail} of the bytes written; warns at {warn}, and at {stalled} of the time held up");
    let grown = |name: &str| run.growth(name).map(|g| g.delta).ok_or(format!("{name} was not measured"));
    let (debt, written) = (grown("db.compaction_debt")?.max(0.0), grown(WRITTEN)?);
    let held = Share(run.rate("db.write_stall_us").map_or(0.0, |us| us / 1e6));
    let share = Share(debt / written);
    let by_stall = if held.0 > stalled.0 { Status::Warn } else { Status::Pass };
    let status = graded(share.0, warn.0, fail.0).max(by_stall);
    let borrowed = if status == Status::Fail { ": the rate is borrowed from work that must follow" } else { "" };
    let sentence = format!(
        "What waits for compaction grew by {} while {} were written ({share}), and writers were held up for {held} of the time{borrowed}.",
        Bytes(debt as u64),
        Bytes(written as u64)
    );
    Ok(Seen::new(status, share.to_string(), limit, sentence))
}
