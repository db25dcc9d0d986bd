//! A script's run that is noted down whole, as a campaign of one run: the command line of sysbench made its users, its
//! server and its ends, and hears what the record hears. What is asked, sampled and written is what it is for every
//! run.

use crate::backends::access::LoadPlan;
use crate::backends::endpoint::SqlEndpoint;
use crate::campaign::under_way::{Campaign, Coming};
use crate::execution::driving::Caller;
use crate::load::Outcome;
use crate::notebook::Notebook;
use crate::notebook::reporter::{Progress, Reporter};
use crate::os::process::Guard;
use crate::provision::needs::RunNeeds;
use crate::trouble::Halt;
use model::dsn;
use model::host::Host;
use model::plan::{Plan, Server};
use model::protocol::Protocol;
use model::record::event::EventKind;
use std::sync::atomic::AtomicBool;
use workload::Workloads;

/// What a run is noted down with.
pub struct Noting<'a> {
    /// The plan of one run.
    pub plan: &'a Plan,
    pub host: &'a Host,
    pub workloads: &'a Workloads,
    pub guard: Guard,
    pub notebook: &'a mut Notebook,
    pub progress: &'a mut (dyn Progress + 'static),
}

/// Carries the run out; why there was no load, where there was none.
pub(super) fn noted(
    noting: Noting<'_>,
    stop: &AtomicBool,
    load_plan: &LoadPlan,
    caller: &mut Caller<'_>,
) -> Result<Outcome, String> {
    let Noting { plan, host, workloads, guard, notebook, progress } = noting;
    let campaign = Campaign::new(plan, host, workloads, guard, Reporter { notebook, progress, stop });
    let mut campaign = campaign.map_err(|trouble| trouble.to_string())?;
    let carried = campaign.script(load_plan, caller);
    campaign.close(&carried);
    match (caller.outcome.take(), carried) {
        (Some(outcome), _) => Ok(outcome),
        (None, Err(halt)) => Err(halt.to_string()),
        (None, Ok(())) => Err(campaign.told),
    }
}

impl Campaign<'_> {
    fn script(&mut self, load_plan: &LoadPlan, caller: &mut Caller<'_>) -> Result<(), Halt> {
        let todo = self.plan.runs.clone();
        self.begin(&todo)?;
        for run in &todo {
            self.reporter.check_stop()?;
            self.show(&todo, "");
            let cell = self.plan.cell(&run.cell);
            let needs = RunNeeds::of(self.workloads, self.plan, cell, run);
            // A script brings its own data.
            let prepared = self.provision.instance(cell, way_in(&cell.server, load_plan), &mut self.reporter);
            let stages = |_: &_| cell.stages().into_iter().map(|stage| (stage, load_plan.clone())).collect();
            let coming = Coming { stages: &stages, caller: Some(&mut *caller), places: None };
            self.one(&needs, None, &todo, prepared, coming)?;
        }
        self.reporter.note(EventKind::LabStopped, None, "every run of the plan is over")?;
        Ok(())
    }
}

/// Where the first user comes in.
fn way_in<'l>(server: &Server, load_plan: &'l LoadPlan) -> Option<&'l SqlEndpoint> {
    let user_group = &load_plan.user_groups[0];
    let is_postgres = server.on.as_deref().map(dsn::protocol) == Some(Protocol::PostgreSql);
    if is_postgres { user_group.access.beside_as() } else { Some(&user_group.access.endpoint) }
}
