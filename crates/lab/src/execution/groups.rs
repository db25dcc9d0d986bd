//! Who goes on a run: the users of each stage as groups that the load can drive, and what their sessions say of
//! themselves before they come: when their stage begins, because the stages before it have changed the data.

use super::answers;
use crate::backends::endpoint::{Endpoint, SqlEndpoint, protocol_of};
use crate::backends::keyed::provision::{self as keyed, key_endpoint};
use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::mongodb::provision as documents;
use crate::backends::postgres::provision as postgres;
use crate::campaign::Lab;
use crate::disturbances::ends_the_server;
use crate::load::{LoadPlan, UserGroup};
use crate::provision::instance::Up;
use crate::provision::needs::identity;
use crate::servers::placement::place;
use model::errors::LOST_CONNECTION;
use model::load::{Group, Work};
use model::plan::{Cell, PlannedRun, Stage};
use model::protocol::Protocol;
use model::record::answer::SessionAnswer;
use model::record::run::RunRecord;
use model::seed::Seed;
use std::sync::Arc;
use std::time::Duration;
use workload::Workloads;
use workload::session::Fault;

/// How often an operation is tried again whose server was killed under it: more than anybody kills one.
const TRIES: u32 = 1_000;

impl Lab<'_> {
    /// One for each stage of the cell.
    pub(crate) fn load_plans(&self, planned: &PlannedRun, cell: &Cell) -> Vec<(Stage, LoadPlan)> {
        if let Some(visit) = &self.visit {
            return cell.stages().into_iter().map(|stage| (stage, visit.load_plan.clone())).collect();
        }
        let placement = place(&cell.server, self.host);
        let load_plan = |(number, stage): (u64, Stage)| {
            // What a user draws in a later stage is not what it drew before.
            let seed = if number == 0 { planned.seed } else { planned.seed.child("stages").nth(number) };
            let outlasts = cell.phases[stage.phases.clone()].iter().any(|p| ends_the_server(p.disturb.as_ref()));
            let user_group = |group| UserGroup { outlasts, ..self.user_group(seed, cell, group) };
            let mut user_groups: Vec<UserGroup> = stage.groups.iter().map(user_group).collect();
            for user_group in user_groups.iter_mut().filter(|user_group| user_group.outlasts) {
                user_group.errors.retry.entry(LOST_CONNECTION).or_insert(TRIES);
            }
            let load_plan = LoadPlan {
                user_groups,
                io: cell.load.io,
                phases: cell.phases[stage.phases.clone()].to_vec(),
                workers: placement.workers(stage.users().0),
                cpus: if placement.apart { placement.load.clone() } else { Vec::new() },
            };
            (stage, load_plan)
        };
        (0..).zip(cell.stages()).map(load_plan).collect()
    }

    fn user_group(&self, seed: Seed, cell: &Cell, group: &Group) -> UserGroup {
        let up = self.up.as_ref().expect("an instance is up before its users come");
        let workload = self.workloads.planned(&group.work.workload);
        let parameters = Arc::new(group.work.parameters.clone());
        let past_sql = past_sql(self.workloads, up, &group.work, &cell.server.engine);
        // Those who come by key leave SQL to the lab.
        let endpoint =
            if past_sql.is_some() { &up.endpoint } else { up.endpoints.of(cell.load.transport, &up.endpoint) };
        let inside = |endpoint: &SqlEndpoint| within(self.workloads, up, endpoint, &group.work, &cell.server.engine);
        UserGroup {
            postgres: None,
            past_sql,
            setup: workload.session_setup(&parameters),
            endpoint: inside(endpoint),
            others: up.nodes.iter().map(|node| inside(&node.endpoint)).collect(),
            workload,
            parameters,
            seed: if cell.groups.is_empty() { seed } else { seed.child("groups").child(&group.name) },
            users: group.users.0,
            arrivals: group.arrivals.clone(),
            pause: group.pause.clone(),
            deadline: cell.load.deadline,
            reconnect_every: cell.load.reconnect_every,
            errors: cell.load.errors.clone(),
            outlasts: false,
        }
    }
}

fn within(workloads: &Workloads, up: &Up, endpoint: &SqlEndpoint, work: &Work, engine: &str) -> SqlEndpoint {
    match up.datasets.get(&identity(workloads, work, engine).0) {
        Some(Ok(schema)) => endpoint.within(schema),
        Some(Err(_)) | None => endpoint.clone(),
    }
}

/// What sessions say of a stage's users now, and the plans of their statements: once for each work, by name.
pub(crate) fn ask(
    (stage, load_plan): &(Stage, LoadPlan),
    cell: &Cell,
    patience: Duration,
) -> Result<Vec<(String, SessionAnswer)>, Fault> {
    let mut told: Vec<&Work> = Vec::new();
    let mut answers = Vec::new();
    for (user_group, group) in load_plan.user_groups.iter().zip(&stage.groups) {
        if told.contains(&&group.work) {
            continue;
        }
        let answer = match &user_group.past_sql {
            Some(Endpoint::Documents(endpoint)) => documents::ask(endpoint)?,
            Some(Endpoint::Keys(endpoint)) => keyed::ask(endpoint, has_sql(endpoint).then_some(&user_group.endpoint))?,
            None if postgres::is_named(&cell.server) => {
                postgres::ask(&postgres::endpoint(&cell.server, user_group).expect("a visit knows its endpoint"))?
            }
            None => answers::ask(
                &user_group.endpoint,
                &user_group.setup,
                &answers::probes(&*user_group.workload, &user_group.parameters),
                patience,
            )?,
        };
        answers.push((name(cell, stage, group), answer));
        told.push(&group.work);
    }
    Ok(answers)
}

/// Whether there is SQL beside the endpoint: a cache has no schema to be within.
fn has_sql(endpoint: &KeyEndpoint) -> bool {
    match &endpoint.protocol {
        KeyProtocol::Memcached { keys, .. } => matches!(keys, Keys::Container(_)),
        KeyProtocol::HandlerSocket { .. } => true,
    }
}

/// The endpoint of users who do this work, where it is not that of SQL.
fn past_sql(workloads: &Workloads, up: &Up, work: &Work, engine: &str) -> Option<Endpoint> {
    match protocol_of(workloads, work) {
        Protocol::MySql | Protocol::PostgreSql => None,
        Protocol::MongoDb => documents::endpoint(up, &identity(workloads, work, engine).0).map(Endpoint::Documents),
        Protocol::Memcached | Protocol::HandlerSocket => key_endpoint(workloads, up, work, engine).map(Endpoint::Keys),
    }
}

/// Plans when a stage is over; a server that no longer says them leaves them unsaid.
pub(crate) fn ask_again((stage, load_plan): &(Stage, LoadPlan), cell: &Cell, record: &mut RunRecord) {
    for (number, (user_group, group)) in load_plan.user_groups.iter().zip(&stage.groups).enumerate() {
        let session = match record.more_sessions.get_mut(&name(cell, stage, group)) {
            Some(session) => session,
            None if stage.phases.start == 0 && number == 0 => &mut record.session,
            None => continue,
        };
        if user_group.past_sql.is_some() || postgres::is_named(&cell.server) {
            continue;
        }
        session.plans_after = answers::again(&user_group.endpoint, &user_group.setup, &session.plans).ok();
    }
}

/// Of the sessions that do this work: their group, or the first phase of their stage.
fn name(cell: &Cell, stage: &Stage, group: &Group) -> String {
    match cell.groups.is_empty() {
        true => cell.phases[stage.phases.start].name.clone(),
        false => group.name.clone(),
    }
}
