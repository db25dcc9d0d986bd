//! A fast wrong answer is no answer. Workloads know what their statements must return (a point select within the table
//! its one row, a range as many rows as it spans), and count every answer that does not. One such answer fails the run:
//! it means lost rows, a wrong dataset or a misread protocol, and never noise.

use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "answers_were_expected",
    claim: || "no answer broke an expectation of the workload".into(),
    source: include_str!("answers_were_expected.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "look at the dataset (data_as_generated) and at the statement's plan in the record before believing any number",
    look: Look::Run(look),
};

fn look(run: &RunEvidence) -> Sight {
    let calls = run.calls();
    if calls == 0 {
        return Err("no statement was answered".into());
    }
    let unexpected: u64 = run.statements().map(|(_, s)| s.unexpected).sum();
    let worst = run.statements().max_by_key(|(_, s)| s.unexpected).map_or("", |(name, _)| name);
    let (status, sentence) = match unexpected {
        0 => (Status::Pass, format!("All {calls} answers were as the workload expects them.")),
        n => (
            Status::Fail,
            format!(
                "{n} of {calls} answers were not what the workload expects, most of them of `{worst}`: the rate counts wrong answers.{}",
                evicted(run)
            ),
        ),
    };
    Ok(Seen::new(status, format!("{unexpected} answers"), "0 answers", sentence))
}

/// A cache that is full drops keys, and who asks for them misses.
fn evicted(run: &RunEvidence) -> String {
    let dropped = run.growth("memcached.evictions").map(|g| g.delta).filter(|dropped| *dropped > 0.0);
    dropped.map_or(String::new(), |n| format!(" The cache was full and dropped {n} keys meanwhile, maybe not ours."))
}
