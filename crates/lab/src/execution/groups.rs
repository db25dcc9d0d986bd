//! Who goes on a run: the users of each stage as groups that the load can drive, and what their sessions say of
//! themselves before they come: when their stage begins, because the stages before it have changed the data.

use crate::backends::access::{Access, LoadPlan, UserGroup};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::needs::identity;
use crate::backends::of_work;
use crate::backends::up::Up;
use crate::disturbances::ends_the_server;
use crate::os::placement::place;
use crate::provision::needs::RunNeeds;
use model::errors::LOST_CONNECTION;
use model::host::Host;
use model::load::{Group, Waiting, Work};
use model::plan::{Cell, Stage};
use model::record::answer::SessionAnswer;
use model::record::run::RunRecord;
use model::seed::Seed;
use std::sync::Arc;
use std::time::Duration;
use workload::Workloads;
use workload::session::Fault;

/// How often an operation is tried again whose server was killed under it: more than anybody kills one.
const TRIES: u32 = 1_000;
/// Further values of statements are asked for as long as all of them took no longer: a statement that scans is not
/// asked eight times.
pub(crate) const PATIENCE: Duration = Duration::from_millis(300);
/// The same between stages, of which a study has hundreds.
pub(crate) const PATIENCE_BETWEEN: Duration = Duration::from_millis(30);

/// The users whom the plan names, for each stage of the cell, who wait for answers in this way.
pub(crate) fn load_plans(up: &Up, host: &Host, needs: &RunNeeds<'_>, waiting: Waiting) -> Vec<(Stage, LoadPlan)> {
    let RunNeeds { workloads, cell, run: planned, .. } = *needs;
    let placement = place(&cell.server, host);
    let load_plan = |(number, stage): (u64, Stage)| {
        // What a user draws in a later stage is not what it drew before.
        let seed = if number == 0 { planned.seed } else { planned.seed.child("stages").nth(number) };
        let outlasts = cell.phases[stage.phases.clone()].iter().any(|p| ends_the_server(p.disturb.as_ref()));
        let is_one = stage.groups.len() == 1 && cell.groups.is_empty();
        let user_group = |group: &Group| {
            let seed = if is_one { seed } else { seed.child("groups").child(&group.name) };
            UserGroup { outlasts, ..user_group(up, seed, workloads, cell, group) }
        };
        let mut user_groups: Vec<UserGroup> = stage.groups.iter().map(user_group).collect();
        for user_group in user_groups.iter_mut().filter(|user_group| user_group.outlasts) {
            user_group.errors.retry.entry(LOST_CONNECTION).or_insert(TRIES);
        }
        let load_plan = LoadPlan {
            user_groups,
            io: waiting.io,
            phases: cell.phases[stage.phases.clone()].to_vec(),
            workers: placement.workers(stage.users().0, waiting.threads),
            cpus: if placement.apart { placement.load.clone() } else { Vec::new() },
        };
        (stage, load_plan)
    };
    (0..).zip(cell.stages()).map(load_plan).collect()
}

fn user_group(up: &Up, seed: Seed, workloads: &Workloads, cell: &Cell, group: &Group) -> UserGroup {
    let workload = workloads.planned(&group.work.workload);
    let parameters = Arc::new(group.work.parameters.clone());
    let beside = of_work(workloads, &group.work, &cell.server).endpoint(up, workloads, &group.work, cell);
    // Those who come by key leave SQL to the lab.
    let endpoint = if beside.is_some() { &up.endpoint } else { up.endpoints.of(cell.load.transport, &up.endpoint) };
    let inside = |endpoint: &SqlEndpoint| within(up, endpoint, workloads, &group.work, &cell.server.engine);
    UserGroup {
        access: Access {
            beside,
            setup: workload.session_setup(&parameters),
            endpoint: inside(endpoint),
            others: up.nodes.iter().map(|node| inside(&node.endpoint)).collect(),
        },
        workload,
        parameters,
        seed,
        users: group.users.0,
        arrivals: group.arrivals.clone(),
        pause: group.pause.clone(),
        deadline: cell.load.deadline,
        reconnect_every: cell.load.reconnect_every,
        errors: cell.load.errors.clone(),
        outlasts: false,
    }
}

fn within(up: &Up, endpoint: &SqlEndpoint, workloads: &Workloads, work: &Work, engine: &str) -> SqlEndpoint {
    match up.datasets.get(&identity(workloads, work, engine).0) {
        Some(Ok(schema)) => endpoint.within(schema),
        Some(Err(_)) | None => endpoint.clone(),
    }
}

/// What sessions say of a stage's users now, and the plans of their statements: once for each work, by name.
pub(crate) fn ask(
    (stage, load_plan): &(Stage, LoadPlan),
    workloads: &Workloads,
    cell: &Cell,
    patience: Duration,
) -> Result<Vec<(String, SessionAnswer)>, Fault> {
    let mut told: Vec<&Work> = Vec::new();
    let mut answers = Vec::new();
    for (user_group, group) in load_plan.user_groups.iter().zip(&stage.groups) {
        if told.contains(&&group.work) {
            continue;
        }
        let answer = of_work(workloads, &group.work, &cell.server).ask(user_group, patience)?;
        answers.push((name(cell, stage, group), answer));
        told.push(&group.work);
    }
    Ok(answers)
}

/// Plans when a stage is over; a server that no longer says them leaves them unsaid.
pub(crate) fn ask_again(
    (stage, load_plan): &(Stage, LoadPlan),
    workloads: &Workloads,
    cell: &Cell,
    record: &mut RunRecord,
) {
    for (number, (user_group, group)) in load_plan.user_groups.iter().zip(&stage.groups).enumerate() {
        let session = match record.more_sessions.get_mut(&name(cell, stage, group)) {
            Some(session) => session,
            None if stage.phases.start == 0 && number == 0 => &mut record.session,
            None => continue,
        };
        session.plans_after = of_work(workloads, &group.work, &cell.server).ask_again(user_group, &session.plans);
    }
}

/// The place of the sessions that do this work: their group, or the first phase of their stage, and of several groups
/// that it has, which.
fn name(cell: &Cell, stage: &Stage, group: &Group) -> String {
    let phase = &cell.phases[stage.phases.start];
    match (cell.groups.is_empty(), stage.groups.len()) {
        (true, 1) => phase.name.clone(),
        (true, _) => format!("{}: {}", phase.name, group.name),
        (false, _) => group.name.clone(),
    }
}
