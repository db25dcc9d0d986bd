//! Who is read while a run goes on, what of it somebody wants, and which threads serve those who read.

use super::audit::Auditor;
use crate::backends::access::{LoadPlan, UserGroup};
use crate::backends::samplers::SamplerNeeds;
use crate::backends::up::Up;
use crate::backends::{MakeSources, Sampled, of_up};
use crate::samplers::Process;
use crate::samplers::Workers;
use model::plan::{Cell, Stage};
use model::value::Value;
use std::time::Duration;

pub(crate) fn of_run(
    up: &Up,
    cell: &Cell,
    stages: &[(Stage, LoadPlan)],
    auditor: &Auditor,
    process: Option<Process>,
    workers: Workers,
) -> MakeSources {
    let mut user_groups = stages.iter().flat_map(|(_, load_plan)| &load_plan.user_groups);
    let needs = SamplerNeeds {
        questions: auditor.watched(),
        engine_counters: cell.server.settings.get("engine_counters").and_then(Value::flag) == Some(true),
        beside: user_groups.find_map(|user_group| user_group.access.beside.clone()),
    };
    let patience = Duration::from_nanos(cell.load.deadline.0);
    let users = &stages[0].1.user_groups[0];
    of_up(up).sources(up, Sampled { server: &cell.server, users, patience, needs, process, workers })
}

/// The threads of the server's that serve the lab's own sessions, once its users have left.
pub(crate) fn of_the_lab(up: Option<&Up>, stages: &[(Stage, LoadPlan)]) -> Vec<u32> {
    let users: Vec<&UserGroup> = stages.iter().flat_map(|(_, load_plan)| &load_plan.user_groups).collect();
    up.map_or_else(Vec::new, |up| of_up(up).serving(up, &users))
}
