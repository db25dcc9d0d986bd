//! A load as data: what the leader tells each rank of it, and what a rank makes of that. Workloads travel by name, for
//! every rank has read the same experiment; where users connect travels as it is, secrets included, to processes of
//! the same program that were started by the same person.

use super::access::{Access, LoadPlan, UserGroup};
use super::endpoint::SqlEndpoint;
use super::of as backend;
use crate::load::beside::Own;
use model::errors::Errors;
use model::load::{Arrivals, Io, Pause, Phase};
use model::{Nanos, Protocol, Seed};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use workload::{Parameters, Workloads};

#[derive(Serialize, Deserialize)]
pub struct Order {
    user_groups: Vec<Group>,
    io: Io,
    phases: Vec<Phase>,
    /// Over all ranks.
    workers: u32,
    /// This rank's.
    cpus: Vec<u32>,
    own_workers: Vec<u32>,
    share: (u32, u32),
    at_most: Option<Nanos>,
}

#[derive(Serialize, Deserialize)]
struct Group {
    workload: String,
    parameters: Parameters,
    seed: Seed,
    users: u32,
    arrivals: Option<Arrivals>,
    pause: Option<Pause>,
    deadline: Nanos,
    reconnect_every: Option<u64>,
    errors: Errors,
    access: Told,
    outlasts: bool,
}

/// How users come to their sessions, as text.
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "Words", try_from = "Words")]
struct Told(Access);

/// The endpoint of another protocol is told as that protocol tells it.
#[derive(Serialize, Deserialize)]
struct Words {
    endpoint: SqlEndpoint,
    others: Vec<SqlEndpoint>,
    setup: Vec<String>,
    beside: Option<(Protocol, serde_json::Value)>,
}

impl From<Told> for Words {
    fn from(Told(Access { endpoint, others, setup, beside }): Told) -> Self {
        let beside = beside.map(|beside| (beside.protocol(), beside.told()));
        Self { endpoint, others, setup, beside }
    }
}

impl TryFrom<Words> for Told {
    type Error = String;
    fn try_from(Words { endpoint, others, setup, beside }: Words) -> Result<Self, String> {
        let understood = |(protocol, told): (Protocol, serde_json::Value)| {
            backend(protocol).endpoint_told(told).ok_or_else(|| format!("no endpoint of {}", protocol.name()))
        };
        Ok(Self(Access { endpoint, others, setup, beside: beside.map(understood).transpose()? }))
    }
}

impl Order {
    /// The part of this load that a rank has: its workers, and the CPUs that they keep to.
    pub fn of(load_plan: &LoadPlan, own: &Own, cpus: &[u32], at_most: Option<Nanos>) -> Self {
        Self {
            user_groups: load_plan.user_groups.iter().map(Group::of).collect(),
            io: load_plan.io,
            phases: load_plan.phases.clone(),
            workers: load_plan.workers,
            cpus: cpus.to_vec(),
            own_workers: own.workers.clone(),
            share: own.share,
            at_most,
        }
    }

    pub fn own(&self) -> Own {
        Own { workers: self.own_workers.clone(), share: self.share }
    }

    pub fn at_most(&self) -> Option<Nanos> {
        self.at_most
    }

    pub fn load_plan(&self, workloads: &Workloads) -> LoadPlan {
        LoadPlan {
            user_groups: self.user_groups.iter().map(|group| group.user_group(workloads)).collect(),
            io: self.io,
            phases: self.phases.clone(),
            workers: self.workers,
            cpus: self.cpus.clone(),
        }
    }
}

impl Group {
    fn of(group: &UserGroup) -> Self {
        Self {
            workload: group.workload.words().name.to_string(),
            parameters: (*group.parameters).clone(),
            seed: group.seed,
            users: group.users,
            arrivals: group.arrivals.clone(),
            pause: group.pause.clone(),
            deadline: group.deadline,
            reconnect_every: group.reconnect_every,
            errors: group.errors.clone(),
            access: Told(group.access.clone()),
            outlasts: group.outlasts,
        }
    }

    fn user_group(&self, workloads: &Workloads) -> UserGroup {
        UserGroup {
            workload: workloads.planned(&self.workload),
            parameters: Arc::new(self.parameters.clone()),
            seed: self.seed,
            users: self.users,
            arrivals: self.arrivals.clone(),
            pause: self.pause.clone(),
            deadline: self.deadline,
            reconnect_every: self.reconnect_every,
            errors: self.errors.clone(),
            access: self.access.0.clone(),
            outlasts: self.outlasts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::endpoint::Address;
    use super::super::keyed::KeyEndpoint;
    use super::super::tls::{Mode, Tls};
    use super::*;

    #[test]
    fn a_load_that_was_told_is_the_same_load() {
        let workloads = Workloads::built_in();
        let tls = Some(Tls::new(Mode::Required, None).unwrap());
        let address = Address::Tcp { host: "db".into(), port: 3306 };
        let endpoint = SqlEndpoint { address, user: "u".into(), password: "secret".into(), schema: None, tls };
        let access = Access { setup: vec!["SET NAMES utf8mb4".into()], ..Access::to(endpoint) };
        let beside = KeyEndpoint::of_cache(Address::Unix("/run/cache".into()));
        let access = Access { beside: Some(Arc::new(beside.clone())), ..access };
        let group = UserGroup::asking(workloads.by_name("noop").unwrap(), Arc::default(), access);
        let phases = vec![Phase::new("m", model::PhaseKind::Measure, model::load::Until::Count(5))];
        let plan = LoadPlan { user_groups: vec![group], io: Io::Epoll, phases, workers: 6, cpus: vec![0] };
        let own = Own { workers: vec![1, 4], share: (1, 3) };
        let text = serde_json::to_string(&Order::of(&plan, &own, &[7, 8], None)).unwrap();
        let order: Order = serde_json::from_str(&text).unwrap();
        let told = order.load_plan(&workloads);
        assert_eq!((order.own(), told.workers, &told.cpus[..], told.io), (own, 6, &[7, 8][..], Io::Epoll));
        let (one, two) = (&told.user_groups[0], &plan.user_groups[0]);
        assert_eq!((one.access.endpoint.clone(), &one.access.setup), (two.access.endpoint.clone(), &two.access.setup));
        assert_eq!(one.access.beside_as::<KeyEndpoint>(), Some(&beside));
        assert_eq!((one.workload.words().name, one.seed), (two.workload.words().name, two.seed));
    }
}
