//! Whoever measures takes part. The sampling threads ask the server a few statements a second and read a few files;
//! their CPU time and their statements are counted, so that one can see that they are no part of the number.
//!
//! More than 1 % of one CPU warns, and so does more than 0.1 % of the server's statements where they are more than the
//! five a second that sampling is made of. The reading at an end of the window falls into it however short the window
//! is, and takes up to 15 ms and four statements: that much is not counted, since it would make every run of a second
//! look dear.

use crate::frame::{Applies, Check, Doubts, Each, Limit, Look, Need, RunEvidence, Seen, Sight};
use model::units::round3;
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "observer_was_cheap",
    claim: || {
        format!(
            "sampling took less than {OBSERVER_CPU} of one CPU and asked fewer than {OBSERVER_STATEMENTS} of the statements"
        )
    },
    source: include_str!("observer_was_cheap.rs"),
    applies: Applies::Always,
    needs: &[Need::Counter("sampler.cpu"), Need::Counter("sampler.statements")],
    limits: &[OBSERVER_CPU, OBSERVER_STATEMENTS],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "have the server keep fewer counters (engine_counters, performance_schema), or measure with fewer threads of it",
    look: Look::Once(Each::Run(look)),
};

const OBSERVER_CPU: Limit =
    Limit::share("observer_cpu", 0.01, "of one CPU; smaller than any difference that is claimed").law();
const OBSERVER_STATEMENTS: Limit =
    Limit::share("observer_statements", 0.001, "of all statements that the server answered").convention();

/// Statements per second that sampling is made of.
const USUAL: f64 = 5.0;
/// What the reading at an end of the window takes: nanoseconds of CPU (5 to 15 ms were seen) and statements.
const END_CPU: f64 = 15e6;
const END_STATEMENTS: f64 = 4.0;

fn look(run: &RunEvidence) -> Sight {
    let beyond_end = |counter: &str, end: f64| {
        run.growth(counter).filter(|g| g.seconds > 0.0).map(|g| (g.delta - end).max(0.0) / g.seconds)
    };
    let (cpu, asked) = (beyond_end("sampler.cpu", END_CPU), beyond_end("sampler.statements", END_STATEMENTS));
    let (cpu, asked) = cpu.zip(asked).ok_or("the reading's window is empty")?;
    let (cpu, share) = (Share(cpu / 1e9), Share(asked / (run.qps() + asked)));
    let (most_cpu, most_share) = (run.limits.share(&OBSERVER_CPU), run.limits.share(&OBSERVER_STATEMENTS));
    let dear = cpu.0 > most_cpu.0 || (share.0 > most_share.0 && asked > USUAL);
    let status = if dear { Status::Warn } else { Status::Pass };
    let part = if dear { ": that is part of the number" } else { "" };
    let sentence = format!(
        "Reading the counters took {cpu} of one CPU and {} statements per second ({share} of all){part}.",
        round3(asked)
    );
    Ok(Seen::new(
        status,
        format!("{cpu} of a CPU"),
        format!("{most_cpu} of a CPU, {most_share} of the statements"),
        sentence,
    ))
}
