//! What one step of a run leaves undone the next one pays for: old row versions to purge, dirty pages to write, runs of
//! an LSM tree to merge. An experiment that puts a phase of rest between them (`settle`) means that the next step
//! begins without debts, and that phase is over when each gauge of what the server owes is down at its mark: dirty
//! pages at a hundredth of the pool, old row versions and compaction debt at nothing.
//!
//! It warns where the time of a phase was up before that, and names what was still owed: the steps behind it began with
//! it. How long a rest took is the metric `settle_s`.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::Status;
use model::record::run::Settled;
use model::units::round3;

pub const CHECK: Check = Check {
    id: "server_came_to_rest",
    claim: || "in each phase of rest the server paid what it owed before its time was up".into(),
    source: include_str!("server_came_to_rest.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "give the phase more time, or raise io_capacity; what is measured behind it pays for what was left",
    look: Look::Run(look),
};

fn absent(run: &RunEvidence) -> Absence {
    rests(run).next().is_none().then(|| "No phase of this experiment brings the server to rest.".into())
}

fn rests<'a>(run: &RunEvidence<'a>) -> impl Iterator<Item = (&'a str, &'a Settled)> + use<'a> {
    run.run.phases.iter().filter_map(|phase| Some((phase.name.as_str(), phase.settled.as_ref()?)))
}

fn look(run: &RunEvidence) -> Sight {
    let told: Vec<String> = rests(run).map(|(name, settled)| format!("{name} {}", settled.took)).collect();
    let measured = told.join(", ");
    let limit = "at rest when it ends";
    if let Some((name, settled)) = rests(run).find(|(_, settled)| settled.gauges.is_empty()) {
        return Err(format!("what the server owed in {name} was not measured ({})", settled.took));
    }
    let Some((name, settled)) = rests(run).find(|(_, settled)| !settled.is_over) else {
        return Ok(Seen::new(Status::Pass, &measured, limit, format!("The server was at rest after {measured}.")));
    };
    let late = settled.gauges.iter().filter(|(_, [_, now, mark])| now > mark);
    let late: Vec<String> = late
        .map(|(gauge, [first, now, mark])| {
            let gauge = gauge.strip_prefix("db.").unwrap_or(gauge);
            format!("{gauge} {} of {}, where {} is rest", round3(*now), round3(*first), round3(*mark))
        })
        .collect();
    let why = settled.unaided.as_ref().map_or(String::new(), |why| format!(" It was not helped to it: {why}."));
    let sentence = format!("{name} ended after {} with debts: {}.{why}", settled.took, late.join("; "));
    Ok(Seen::new(Status::Warn, measured, limit, sentence))
}
