//! Servers of MySQL's family: those that the lab has just started, alone or as nodes of a cluster, and those that were
//! there before.

use super::asking::asker;
use super::control::Control;
use super::data::DataDirectory;
use super::describe::{describe, of_ours};
use super::found::{has_room, knock, knock_at, serving, session_limit};
use super::instruments::PerformanceSchema;
use super::kinds;
use super::plugins::PortEndpoints;
use super::rest::warm;
use super::settling::ToRest;
use super::{start, state};
use crate::backends::access::UserGroup;
use crate::backends::contract::{Files, Filling, Instruments, MakeSources, Met, Sampled, Servers, Settling, Started};
use crate::backends::described::{is_ready, of_found};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::build_of;
use crate::backends::needs::DatasetNeed;
use crate::backends::samplers::{sources, sources_of_node};
use crate::backends::schemas;
use crate::backends::up::{Node, Serving, Up, key_of};
use crate::notebook::reporter::Reporter;
use crate::servers::Kind;
use crate::servers::process::instance::Instance;
use crate::trouble::{Trouble, Unready};
use model::plan::Cell;
use model::record::event::EventKind;
use model::record::start::{Prepared, StartingState};
use model::record::state::State;
use model::units::Users;
use std::sync::{Arc, Mutex};
use workload::session::Fault;

pub struct MySql;

impl Servers for MySql {
    fn kinds(&self) -> &'static [&'static dyn Kind] {
        kinds::ALL
    }

    fn check(&self, dsn: &str, users: Users) -> Result<(), Trouble> {
        has_room(dsn, users)
    }

    fn started(&self, mut started: Started<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let others = std::mem::take(&mut started.others);
        let endpoint = SqlEndpoint::root(started.instance.socket().to_path_buf());
        let mut control =
            Control::connect(&endpoint).map_err(|e| Trouble::new("the new server refuses the lab").because(e))?;
        let asked = describe(started.key, started.server, &mut control)
            .map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let record = of_ours(asked, &started.build.installed, &started.instance, started.tcp);
        let ca = started.instance.ca();
        let endpoints = started.tcp.map(|port| PortEndpoints::open(port, ca, &mut control)).transpose()?;
        if started.restored.is_some() {
            warm(&mut control, reporter.stop);
        }
        control.quit();
        is_ready(&record, reporter)?;
        for complaint in &record.complaints {
            reporter.note(EventKind::Note, None, format!("{} says: {complaint}", started.key))?;
        }
        let nodes = (2..).zip(others).map(|(number, instance)| node(number, instance, &started, reporter));
        let nodes = nodes.collect::<Result<_, Trouble>>()?;
        let Started { key, build, instance, restored, .. } = started;
        let prepared = if restored.is_some() { Prepared::Snapshot } else { Prepared::Loaded };
        let serving = Serving::Ours(Arc::new(Mutex::new(instance)));
        let up = Up::new(key, serving, build.clone(), endpoint, prepared);
        Ok(Up { restored, nodes, endpoints: endpoints.unwrap_or_default(), ..up })
    }

    fn meet(&self, met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let (found, endpoint, mut control) = match met.known {
            Some(known) => knock_at(known.clone(), met.dsn)?,
            None => knock(met.dsn)?,
        };
        let told = describe(met.key, met.server, &mut control)
            .map_err(|e| Trouble::new(format!("{} does not say what it is", met.dsn)).because(e))?;
        control.quit();
        let record = of_found(told, &found);
        reporter.notebook.instance(&record)?;
        reporter.note(EventKind::InstanceReady, None, format!("{} is {}", met.dsn, record.version_text))?;
        let build = build_of(met.server, record);
        Ok(Up::new(met.key, Serving::Found(found), build, endpoint, Prepared::Found))
    }

    fn files(&self) -> Option<&'static dyn Files> {
        Some(&DataDirectory)
    }

    fn fill(&self, filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
        schemas::fill(&DataDirectory, filling, needs)
    }

    fn begin_use(&self, up: &Up, needs: &[DatasetNeed], writes: bool) -> Result<(), Fault> {
        schemas::begin_use(&DataDirectory, up, needs, writes)
    }

    fn instruments(&self, up: &Up, cell: &Cell, _: &[&UserGroup]) -> Result<Box<dyn Instruments>, String> {
        Ok(Box::new(PerformanceSchema::of(up, cell)?))
    }

    fn serving(&self, up: &Up, _: &[&UserGroup]) -> Vec<u32> {
        serving(&up.endpoint).unwrap_or_default()
    }

    fn session_limit(&self, users: &UserGroup) -> Option<String> {
        session_limit(&users.access.endpoint)
    }

    fn sources(&self, up: &Up, sampled: Sampled<'_>) -> MakeSources {
        let Sampled { server, users, patience, needs, process, workers } = sampled;
        let (engine, endpoint) = (server.engine.clone(), users.access.endpoint.clone());
        let nodes: Vec<_> = up.nodes.iter().map(|node| (node.endpoint.clone(), node.instance.pid())).collect();
        Box::new(move || {
            let of_node = |(number, (endpoint, pid)): (u32, &(SqlEndpoint, u32))| {
                sources_of_node(number, asker(endpoint, patience), *pid, &engine)
            };
            let first = sources(Some(asker(&endpoint, patience)), process, &workers, &engine, needs);
            first.into_iter().chain((2..).zip(&nodes).flat_map(of_node)).collect()
        })
    }

    fn settling(&self, up: &Up, needs: &[DatasetNeed], engine: &str) -> Result<Box<dyn Settling>, String> {
        Ok(Box::new(ToRest::of(up, needs, engine)?))
    }

    fn state(&self, up: &Up, needs: &[DatasetNeed]) -> Option<StartingState> {
        start::state(up, needs)
    }

    fn observe(&self, up: &Up, users: &[&UserGroup], needs: &[DatasetNeed]) -> Vec<State> {
        state::read(up, users, needs)
    }
}

/// Asks another node of a cluster what it is.
fn node(number: u32, instance: Instance, of: &Started<'_>, reporter: &Reporter<'_>) -> Result<Node, Trouble> {
    let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
    let asked = Control::connect(&endpoint).and_then(|mut control| {
        let asked = describe(&key_of(of.key, number), of.server, &mut control)?;
        warm(&mut control, reporter.stop);
        control.quit();
        Ok(asked)
    });
    let asked = asked.map_err(|e| Trouble::new(format!("node {number} does not say what it is")).because(e))?;
    reporter.notebook.instance(&of_ours(asked, &of.build.installed, &instance, None))?;
    Ok(Node { instance, endpoint })
}
