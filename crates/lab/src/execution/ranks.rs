//! A load that several ranks drive, from the leader's side: which CPUs each has, what each is told, and what its part
//! came to. Clocks are read before the users come and after they left, outside of everything that is measured.

use crate::backends::access::LoadPlan;
use crate::backends::orders::Order;
use crate::load::beside::{Own, deal, part_end};
use crate::load::failure::Cause;
use crate::load::leader::{Leader, Seen};
use crate::load::{Outcome, Witness, drive_beside};
use crate::os::clock;
use crate::os::placement::{Placement, place};
use crate::ranks::machine;
use crate::ranks::message::Message;
use crate::ranks::peers::Peers;
use model::load::{Io, Threads, Waiting};
use model::plan::Stage;
use model::record::ranks::RankRecord;
use model::record::way::Way;
use model::{CpuSet, Host, Nanos, Server};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Where one rank's part of a load runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankPlace {
    /// Threads that it may have.
    pub room: u32,
    /// Each keeps to one of these; empty leaves them free.
    pub cpus: Vec<u32>,
}

/// The other ranks, lent to one run, with the places of all.
pub struct Led<'p> {
    pub peers: &'p mut Peers,
    pub places: Vec<RankPlace>,
    /// The floors of all ranks but the leader, by rank.
    ways: BTreeMap<u32, Way>,
}

/// The places of all ranks. Those of one machine share its CPUs evenly; on another machine than the server's all that a
/// rank may use is the load's, or what `load_cpus` names there.
pub(crate) fn places(peers: &Peers, server: &Server, host: &Host, waiting: Waiting) -> Vec<RankPlace> {
    let here = place(server, host);
    let leader = &peers.hellos[0];
    let allowed: Vec<Placement> = (peers.hellos.iter())
        .map(|hello| {
            let beside = hello.shares_a_machine_with(leader);
            let named = || {
                let set = CpuSet::parse(server.load_cpus.as_ref()?)?;
                set.on(&Host { cpus: hello.cpus.clone(), ..Host::default() }).ok()
            };
            let wished = if beside { here.load.clone() } else { named().unwrap_or_else(|| hello.cpus.clone()) };
            let both: Vec<u32> = wished.into_iter().filter(|cpu| hello.cpus.contains(cpu)).collect();
            let load = if both.is_empty() { hello.cpus.clone() } else { both };
            Placement { server: Vec::new(), load, apart: here.apart || !beside }
        })
        .collect();
    let of = |rank: usize| {
        let own = &allowed[rank];
        let is_sibling = |other: &usize| {
            peers.hellos[*other].shares_a_machine_with(&peers.hellos[rank]) && allowed[*other].load == own.load
        };
        let siblings: Vec<usize> = (0..allowed.len()).filter(|other| *other == rank || is_sibling(other)).collect();
        let place = siblings.iter().position(|other| *other == rank).expect("it is its own sibling");
        let mine: Vec<u32> = own.load.iter().copied().skip(place).step_by(siblings.len()).collect();
        let per_cpu = (mine.len() as u32).max(1);
        let room = match (waiting.io, own.apart || waiting.threads == Threads::PerCpu) {
            (Io::Blocking, _) => u32::MAX,
            (_, true) => per_cpu,
            (_, false) => 1,
        };
        RankPlace { room, cpus: if own.apart { mine } else { Vec::new() } }
    };
    (0..allowed.len()).map(of).collect()
}

/// The loads of a run's stages, as those of so many ranks.
pub(crate) fn spread(stages: Vec<(Stage, LoadPlan)>, places: &[RankPlace]) -> Vec<(Stage, LoadPlan)> {
    let workers = places.iter().fold(0_u32, |sum, place| sum.saturating_add(place.room));
    let cpus = &places[0].cpus;
    stages.into_iter().map(|(stage, plan)| (stage, LoadPlan { workers, cpus: cpus.clone(), ..plan })).collect()
}

impl<'p> Led<'p> {
    pub fn new(peers: &'p mut Peers, places: Vec<RankPlace>) -> Self {
        Self { peers, places, ways: BTreeMap::new() }
    }

    /// Ranks of the leader's machine are no neighbours of its load.
    pub fn pids_here(&self) -> impl Iterator<Item = u32> {
        let (leader, others) = self.peers.hellos.split_first().expect("there is a leader");
        others.iter().filter(|hello| hello.shares_a_machine_with(leader)).map(|hello| hello.pid)
    }

    /// Lets one rank after the other take the floor of its way to the server of this load; the first is before it.
    pub fn take_floors(&mut self, load_plan: &LoadPlan) {
        let order = Order::of(load_plan, &Own::default(), &[], None);
        let text = serde_json::to_string(&order).expect("an order is JSON");
        for rank in self.peers.port.others() {
            let request = load_plan.user_groups[0].cheapest().request().to_string();
            let way = self.ways.entry(rank).or_insert_with(|| Way { request, ..Way::default() });
            let is_first = way.before.is_none() && way.failed.is_none();
            match self.peers.floor_of(rank, text.clone()) {
                Ok(trips) if is_first => way.before = Some(trips),
                Ok(trips) => way.after = Some(trips),
                Err(why) => drop(way.failed.get_or_insert(why)),
            }
        }
    }

    /// Puts the floors where each rank is told of.
    pub fn put_ways(&mut self, ranks: &mut [RankRecord]) {
        for rank in ranks {
            rank.way = self.ways.remove(&rank.rank);
        }
    }

    /// Carries out one load with all ranks.
    pub fn drive(
        &mut self,
        load_plan: &LoadPlan,
        at_most: Option<Nanos>,
        stop: &AtomicBool,
        witness: &mut dyn Witness,
    ) -> std::io::Result<Outcome> {
        let offsets = match self.peers.lost.clone().map_or_else(|| self.peers.synchronise(), Err) {
            Ok(offsets) => offsets,
            Err(why) => return Ok(not_begun(load_plan, why)),
        };
        let rooms: Vec<u32> = self.places.iter().map(|place| place.room).collect();
        let dealt = deal(&rooms, load_plan.workers());
        let seen = self.places.iter().zip(dealt).zip(offsets).map(|((place, workers), before)| {
            Seen::new(load_plan.users_on(&workers), workers, place.cpus.clone(), before)
        });
        let mut leader = Leader::new(self.peers, &load_plan.phases, seen.collect());
        for (rank, own, cpus) in leader.parts() {
            let order = Order::of(load_plan, &own, &cpus, at_most);
            let text = serde_json::to_string(&order).expect("an order is JSON");
            leader.peers().port.send(rank, &Message::Order(text));
        }
        let (begun, before) = (clock::now(), machine::look());
        let mut outcome = drive_beside(load_plan, at_most, stop, witness, Some(&mut leader))?;
        let own = part_end(&outcome, begun, before);
        let after = if outcome.cause == Cause::Lost { Ok(Vec::new()) } else { leader.peers().synchronise() };
        let after = after.unwrap_or_else(|why| {
            outcome.failure.get_or_insert(why);
            Vec::new()
        });
        outcome.timer_error.merge(&leader.timers());
        outcome.ranks = leader.records(own, &after);
        Ok(outcome)
    }
}

fn not_begun(load_plan: &LoadPlan, why: String) -> Outcome {
    let counted = vec![Default::default(); load_plan.user_groups.len()];
    let workers = load_plan.workers();
    Outcome { failure: Some(why), cause: Cause::Lost, start: clock::now(), workers, counted, ..Outcome::default() }
}

/// The ranks of several loads of one run, as one.
pub(crate) fn join(all: &mut Vec<RankRecord>, next: Vec<RankRecord>) {
    for record in next {
        match all.iter_mut().find(|known| known.rank == record.rank) {
            Some(known) => known.merge(&record),
            None => all.push(record),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::hello::Hello;
    use crate::ranks::within::Within;

    fn placed(ranks: &[(&str, &[u32])], load_cpus: Option<&str>, on: bool) -> Vec<(u32, Vec<u32>)> {
        let hello =
            |(boot, cpus): &(&str, &[u32])| Hello { boot: (*boot).into(), cpus: cpus.to_vec(), ..Hello::default() };
        let mut peers = Peers::gather(Box::new(Within::together(1).remove(0)), hello(&ranks[0])).unwrap();
        peers.hellos = ranks.iter().map(hello).collect();
        let server = Server {
            build: String::new(),
            on: on.then(|| "mysql://u@db".into()),
            topology: Default::default(),
            engine: String::new(),
            profile: String::new(),
            settings: BTreeMap::new(),
            native: BTreeMap::new(),
            tcp: false,
            cpus: None,
            load_cpus: load_cpus.map(Into::into),
        };
        let host = Host { cpus: ranks[0].1.to_vec(), ..Host::default() };
        let waiting = Waiting { io: Io::IoUring, threads: Threads::One };
        places(&peers, &server, &host, waiting).into_iter().map(|place| (place.room, place.cpus)).collect()
    }

    #[test]
    fn ranks_of_one_machine_share_its_cpus_and_others_have_their_own() {
        let all: Vec<u32> = (0..8).collect();
        // Of eight CPUs two are the load's, and two ranks have one each; on a second machine all are.
        let told = placed(&[("a", &all), ("a", &all), ("b", &[0, 1, 2])], None, false);
        assert_eq!(told, [(1, vec![6]), (1, vec![7]), (3, vec![0, 1, 2])]);
        let two = placed(&[("a", &[0, 1]), ("a", &[0, 1]), ("a", &[0, 1])], None, false);
        assert_eq!(two, vec![(1, vec![]); 3], "on two CPUs nobody has one to itself");
        let named = placed(&[("a", &all), ("b", &all)], Some("4-7"), true);
        assert_eq!(named, [(4, vec![4, 5, 6, 7]), (4, vec![4, 5, 6, 7])]);
        let bound = placed(&[("a", &all), ("b", &[2, 3]), ("b", &[0, 1])], None, true);
        assert_eq!(bound[1..], [(2, vec![2, 3]), (2, vec![0, 1])], "a launcher's binding holds");
    }
}
