//! Who is read while a run goes on: the server that it is about, every node of it, and this host.

use super::audit::Auditor;
use crate::backends::access::{LoadPlan, UserGroup};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::asking::asker;
use crate::backends::postgres::servers as postgres;
use crate::backends::samplers::{SamplerNeeds, sources, sources_of_node, sources_of_postgres};
use crate::backends::up::Up;
use crate::samplers::client::Workers;
use crate::samplers::{Process, Source};
use model::plan::served::serves;
use model::plan::{Cell, Stage};
use model::protocol::Protocol;
use model::value::Value;
use std::time::Duration;

/// Makes the sources of a run, on the thread that reads them.
pub(crate) fn of_run(
    up: &Up,
    cell: &Cell,
    stages: &[(Stage, LoadPlan)],
    auditor: &Auditor,
    process: Option<Process>,
    workers: Workers,
) -> impl FnOnce() -> Vec<Box<dyn Source>> + Send + use<> {
    let first: &UserGroup = &stages[0].1.user_groups[0];
    let user_groups = || stages.iter().flat_map(|(_, load_plan)| &load_plan.user_groups);
    let wanted = SamplerNeeds {
        questions: auditor.watched(),
        engine_counters: cell.server.settings.get("engine_counters").and_then(Value::flag) == Some(true),
        endpoint: user_groups().find_map(|user_group| user_group.access.past_sql.as_ref()?.keys().cloned()),
    };
    let (sampled, patience) = (first.access.endpoint.clone(), Duration::from_nanos(cell.load.deadline.0));
    let has_sql = serves(&up.build.installed.kind, Protocol::MySql);
    let postgres = postgres::endpoint(&cell.server, first);
    let engine = cell.server.engine.clone();
    let nodes: Vec<_> = up.nodes.iter().map(|node| (node.endpoint.clone(), node.instance.pid())).collect();
    move || {
        if let Some(endpoint) = &postgres {
            return sources_of_postgres(postgres::asker(endpoint, patience), process, &workers);
        }
        let of_node = |(number, (endpoint, pid)): (u32, &(SqlEndpoint, u32))| {
            sources_of_node(number, asker(endpoint, patience), *pid, &engine)
        };
        let asks = has_sql.then(|| asker(&sampled, patience));
        let first = sources(asks, process, &workers, &engine, wanted);
        first.into_iter().chain((2..).zip(&nodes).flat_map(of_node)).collect()
    }
}
