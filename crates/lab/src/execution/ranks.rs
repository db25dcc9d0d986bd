//! A load that several ranks drive, from the leader's side: which CPUs each has, what each is told, and what its part
//! came to. Clocks are read before the users come and after they left, outside of everything that is measured.

use super::way;
use crate::backends::access::LoadPlan;
use crate::backends::orders::Order;
use crate::load::beside::{Own, deal, part_end};
use crate::load::failure::Cause;
use crate::load::leader::{Leader, Seen};
use crate::load::{Outcome, Witness, drive_beside};
use crate::os::clock;
use crate::os::placement::{Placement, place};
use crate::ranks::hello::Hello;
use crate::ranks::machine;
use crate::ranks::message::{Message, PartEnd};
use crate::ranks::peers::Peers;
use model::load::{Io, Threads, Waiting};
use model::plan::Stage;
use model::record::ranks::RankRecord;
use model::record::way::Way;
use model::{CpuSet, Host, Nanos, Server};
use std::collections::{BTreeMap, BTreeSet};
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
    let allowed: Vec<Placement> = (0..)
        .zip(&peers.hellos)
        .map(|(rank, hello)| {
            let beside = hello.shares_a_machine_with(leader);
            let named = own_set(server, rank).map(|set| cpus_of(&set, hello, beside.then_some(host)));
            let wished = match named {
                Some(named) if !beside || has_own_sets(server) => named.unwrap_or_else(|_| hello.cpus.clone()),
                Some(_) | None if beside => here.load.clone(),
                Some(_) | None => hello.cpus.clone(),
            };
            let both: Vec<u32> = wished.into_iter().filter(|cpu| hello.cpus.contains(cpu)).collect();
            let load = if both.is_empty() { hello.cpus.clone() } else { both };
            Placement { server: Vec::new(), load, apart: here.apart || !beside || has_own_sets(server) }
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

fn sets(server: &Server) -> Vec<CpuSet> {
    server.load_cpus.as_deref().and_then(CpuSet::of_ranks).unwrap_or_default()
}

/// Whether each rank has a set of CPUs to itself.
fn has_own_sets(server: &Server) -> bool {
    sets(server).len() > 1
}

/// The CPUs that `load_cpus` names for a rank.
fn own_set(server: &Server, rank: usize) -> Option<CpuSet> {
    let mut sets = sets(server);
    let at = if sets.len() > 1 { rank } else { 0 };
    (at < sets.len()).then(|| sets.swap_remove(at))
}

/// Those of a set that a rank may use. Its own machine tells no sockets; that of the leader does.
fn cpus_of(set: &CpuSet, hello: &Hello, host: Option<&Host>) -> Result<Vec<u32>, String> {
    let sockets = host.map(|host| host.sockets.clone()).unwrap_or_default();
    set.on(&Host { cpus: hello.cpus.clone(), sockets, ..Host::default() })
}

/// Why these ranks cannot have the CPUs that are named for them.
pub(crate) fn misplaced(server: &Server, host: &Host, peers: Option<&Peers>) -> Option<(String, &'static str)> {
    let (named, ranks) = (sets(server).len(), peers.map_or(1, Peers::size) as usize);
    if named > 1 && named != ranks {
        let (who, mend) = match ranks {
            1 => ("one process drives the load".to_string(), "name one set, or start as many ranks (docs/ranks.md)"),
            ranks => (format!("{ranks} ranks drive the load"), "name one set for each rank, or one for all"),
        };
        return Some((format!("server.load_cpus names CPUs for {named} ranks, and {who}"), mend));
    }
    let peers = peers.filter(|_| named > 1)?;
    let mut ranks = (0..peers.size()).zip(&peers.hellos).zip(sets(server));
    ranks.find_map(|((rank, hello), set)| {
        let beside = hello.shares_a_machine_with(&peers.hellos[0]);
        let why = cpus_of(&set, hello, beside.then_some(host)).err()?;
        let what = format!("{} cannot use the CPUs that server.load_cpus names for it: {why}", peers.name(rank));
        Some((what, "name CPUs that its launcher leaves it, or none"))
    })
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

    /// CPUs of the leader's machine that workers of ranks keep to; none where they are free.
    pub fn cpus_here(&self) -> Vec<u32> {
        let leader = &self.peers.hellos[0];
        let here = self.peers.hellos.iter().zip(&self.places).filter(|(hello, _)| hello.shares_a_machine_with(leader));
        here.flat_map(|(_, place)| place.cpus.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect()
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
        let own = PartEnd { interface: way::interface(load_plan), ..part_end(&outcome, begun, before) };
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
    use crate::ranks::within::Within;

    fn peers(ranks: &[(&str, &[u32])]) -> Peers {
        let hello =
            |(boot, cpus): &(&str, &[u32])| Hello { boot: (*boot).into(), cpus: cpus.to_vec(), ..Hello::default() };
        let mut peers = Peers::gather(Box::new(Within::together(1).remove(0)), hello(&ranks[0])).unwrap();
        peers.hellos = ranks.iter().map(hello).collect();
        peers
    }

    fn server(load_cpus: Option<&str>, on: bool) -> Server {
        let on = on.then(|| "mysql://u@db".into());
        Server { on, load_cpus: load_cpus.map(Into::into), ..Server::default() }
    }

    fn placed(ranks: &[(&str, &[u32])], load_cpus: Option<&str>, on: bool) -> Vec<(u32, Vec<u32>)> {
        let host = Host { cpus: ranks[0].1.to_vec(), ..Host::default() };
        let waiting = Waiting { io: Io::IoUring, threads: Threads::One };
        let places = places(&peers(ranks), &server(load_cpus, on), &host, waiting);
        places.into_iter().map(|place| (place.room, place.cpus)).collect()
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

    #[test]
    fn each_rank_keeps_to_the_cpus_that_are_named_for_it() {
        let all: Vec<u32> = (0..8).collect();
        let here = placed(&[("a", &all), ("a", &all)], Some("4-5 | 6-7"), false);
        assert_eq!(here, [(2, vec![4, 5]), (2, vec![6, 7])]);
        let elsewhere = placed(&[("a", &all), ("b", &[0, 1, 2])], Some("4-5 | 0"), true);
        assert_eq!(elsewhere, [(2, vec![4, 5]), (1, vec![0])]);
        let same = placed(&[("a", &all), ("a", &all), ("a", &all)], Some("4-5 | 4-5 | 6"), false);
        assert_eq!(same, [(1, vec![4]), (1, vec![5]), (1, vec![6])], "who has the same set shares it");
        let shared = placed(&[("a", &[0, 1]), ("a", &[0, 1])], Some("0 | 1"), false);
        assert_eq!(shared, [(1, vec![0]), (1, vec![1])], "whoever else is there");
    }

    #[test]
    fn cpus_that_fit_no_ranks_are_told_with_the_mend() {
        let (all, few): (Vec<u32>, Vec<u32>) = ((0..8).collect(), vec![0, 1]);
        let host = Host { cpus: all.clone(), ..Host::default() };
        let two = peers(&[("a", &all), ("b", &few)]);
        let told = |load_cpus: &str, peers: Option<&Peers>| misplaced(&server(Some(load_cpus), true), &host, peers);
        assert_eq!(told("4-7", None), None);
        assert_eq!(told("4-7", Some(&two)), None, "one set is for all who have it");
        assert_eq!(told("4-7 | 1", Some(&two)), None);
        let alone = told("0-3 | 4-7", None).unwrap();
        assert_eq!(alone.0, "server.load_cpus names CPUs for 2 ranks, and one process drives the load");
        let three = told("0 | 1 | 2", Some(&two)).unwrap();
        assert_eq!(three.0, "server.load_cpus names CPUs for 3 ranks, and 2 ranks drive the load");
        let lacking = told("0-3 | 4-7", Some(&two)).unwrap().0;
        assert!(lacking.starts_with("rank 1 on ") && lacking.contains("the host has 2 CPUs"), "{lacking}");
    }
}
