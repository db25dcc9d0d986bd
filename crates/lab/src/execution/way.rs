//! The floor of the way to the server, taken just before the users come and just after they left: the cheapest request
//! of their own protocol, over a session that is opened as theirs are, one after the other by a thread that blocks for
//! each answer. Outside of everything that is counted, and bounded, because a way that is slow is asked no less often.

use crate::backends::access::{LoadPlan, UserGroup};
use crate::load::{Witness, drive_within};
use crate::os::address::Address;
use crate::os::{names, network};
use model::load::{Io, Phase, PhaseKind, Until};
use model::record::ranks::Interface;
use model::record::way::{Trips, Way};
use model::{Nanos, Tally};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Enough that ten lie beyond the 95th percentile.
const TRIPS: u64 = 200;
/// A way of several milliseconds is known as well from fewer.
const AT_MOST: Nanos = Nanos::from_millis(400);
/// A server that says nothing for so long has no floor to be told.
const DEADLINE: Nanos = Nanos::from_secs(2);

/// What was taken so far.
pub(crate) struct Floor(Option<Way>);

impl Floor {
    /// The floor of the first users of a run, where it is wanted.
    pub(crate) fn before(load_plan: &LoadPlan, is_wanted: bool, stop: &AtomicBool) -> Self {
        Self(is_wanted.then(|| {
            let mut way = Way { request: load_plan.user_groups[0].cheapest().request().into(), ..Way::default() };
            way.before = kept(trips(load_plan, stop), &mut way);
            way
        }))
    }

    pub(crate) fn and_after(self, load_plan: &LoadPlan, stop: &AtomicBool) -> Option<Way> {
        let mut way = self.0?;
        way.after = kept(trips(load_plan, stop), &mut way);
        Some(way)
    }
}

fn kept(taken: Result<Trips, String>, way: &mut Way) -> Option<Trips> {
    taken.map_err(|why| way.failed = way.failed.take().or(Some(why))).ok()
}

/// One floor, now.
pub(crate) fn trips(load_plan: &LoadPlan, stop: &AtomicBool) -> Result<Trips, String> {
    let users = &load_plan.user_groups[0];
    let one = UserGroup { deadline: Nanos(users.deadline.0.min(DEADLINE.0)), ..users.asking_least() };
    let asked = LoadPlan {
        user_groups: vec![one],
        io: Io::Blocking,
        phases: vec![Phase::new("way", PhaseKind::Measure, Until::Count(TRIPS))],
        workers: 1,
        cpus: load_plan.cpus.clone(),
    };
    let outcome = drive_within(&asked, Some(AT_MOST), stop, &mut Nobody).map_err(|e| e.to_string())?;
    if let Some(why) = outcome.failure {
        return Err(why);
    }
    let taken = &outcome.whole.statements.values().next().ok_or("nothing was answered")?.service;
    let at = |percent: f64| taken.percentile(percent).ok_or("nothing was answered");
    let connect = outcome.whole.connect_time.as_ref().and_then(|times| times.percentile(50.0));
    Ok(Trips {
        requests: taken.count(),
        quarter: at(25.0)?,
        median: at(50.0)?,
        p95: at(95.0)?,
        connect: connect.ok_or("no session was opened")?,
    })
}

/// A name that the users' sessions were opened by is answered at once, or nothing is said of the way.
const RESOLVING: Duration = Duration::from_secs(1);

/// The network interface that carries the way of a load's first users.
pub(crate) fn interface(load_plan: &LoadPlan) -> Option<Interface> {
    let Address::Tcp { host, port } = load_plan.user_groups[0].access.address() else { return None };
    let found = names::addresses(host, *port, RESOLVING).ok()?;
    network::interface_to(found.first()?.ip())
}

/// Nobody watches: the outcome has it all.
struct Nobody;

impl Witness for Nobody {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, _: Tally) {}
    fn progress(&mut self, _: f64) {}
}
