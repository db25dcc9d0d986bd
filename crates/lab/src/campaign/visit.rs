//! A run that is somebody else's, noted down whole: the command line of sysbench made its users, its server and its
//! ends, and hears what the record hears. What is asked, sampled and written is what it is for every run.

use super::{Lab, Progress, carried_out};
use crate::backends::endpoint::SqlEndpoint;
use crate::load::{LoadPlan, Outcome, Witness};
use crate::notebook::Notebook;
use crate::os::process::Guard;
use model::host::Host;
use model::plan::{Cell, Plan};
use model::record::run::RunRecord;
use model::search::Step;
use model::units::Nanos;
use std::sync::atomic::AtomicBool;
use workload::Workloads;

pub(crate) struct Visit<'a> {
    pub load_plan: LoadPlan,
    /// A time after which a phase by count ends in any case.
    pub at_most: Option<Nanos>,
    pub beside: &'a mut dyn Witness,
    /// How the load ended, once it did.
    pub outcome: Option<Outcome>,
}

impl Visit<'_> {
    /// Where the first user comes in.
    pub fn endpoint(&self) -> &SqlEndpoint {
        &self.load_plan.user_groups[0].endpoint
    }
}

/// What a run is noted down with.
pub struct Noting<'a> {
    /// Of one run.
    pub plan: &'a Plan,
    pub host: &'a Host,
    /// With the run's own among them.
    pub workloads: &'a Workloads,
    pub guard: Guard,
    pub notebook: &'a mut Notebook,
    pub progress: &'a mut (dyn Progress + 'static),
}

fn nothing_is_sought(_: &Cell, _: &[&RunRecord]) -> Step {
    unreachable!("one run looks for nothing")
}

/// Carries the visit out; why there was no load, where there was none.
pub(crate) fn noted<'a>(noting: Noting<'a>, stop: &'a AtomicBool, visit: Visit<'a>) -> Result<Outcome, String> {
    let Noting { plan, host, workloads, guard, notebook, progress } = noting;
    let lab = Lab::new(plan, host, workloads, nothing_is_sought, guard, notebook, progress, stop, Some(visit));
    let lab = lab.map_err(|trouble| trouble.to_string())?;
    let (lab, carried) = carried_out(lab);
    let why = carried.err().map(|halt| halt.to_string());
    match lab.visit.and_then(|visit| visit.outcome) {
        Some(outcome) => Ok(outcome),
        None => Err(why.unwrap_or(lab.told)),
    }
}
