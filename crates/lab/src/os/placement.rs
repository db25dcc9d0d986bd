//! Which CPUs the server and the load may use. On four CPUs or more they are kept apart, because a load that takes
//! its CPU from the server under test measures itself; on fewer there is nothing to keep apart, and they share.

use model::load::Threads;
use model::{CpuSet, Host, Server};
use std::collections::BTreeSet;

/// Below this, giving the load a CPU of its own takes too much from the server.
const APART_FROM: usize = 4;

/// The load's part of the machine when nobody says otherwise: measured clients spend about a third of a point select's
/// total CPU, and less of everything else.
const LOAD_PART: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    pub server: Vec<u32>,
    pub load: Vec<u32>,
    /// Whether each worker of the load keeps to one CPU: only when nobody else runs there.
    pub apart: bool,
}

/// What was asked for, completed. The plan has found the words possible on this host.
pub fn place(server: &Server, host: &Host) -> Placement {
    let sets = |text: &Option<String>| text.as_ref().and_then(|t| CpuSet::of_ranks(t)).unwrap_or_default();
    // Of ranks that have CPUs of their own those of all who may be here.
    let resolve = |text: &Option<String>| {
        let all: BTreeSet<u32> = sets(text).iter().filter_map(|set| set.on(host).ok()).flatten().collect();
        (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>())
    };
    let (asked, load) = (resolve(&server.cpus), resolve(&server.load_cpus));
    let rest = |taken: &[u32]| host.cpus.iter().copied().filter(|c| !taken.contains(c)).collect::<Vec<_>>();
    let (server, load) = match (asked, load) {
        (Some(server), Some(load)) => (server, load),
        (Some(server), None) => {
            let rest = rest(&server);
            let load = if rest.is_empty() { host.cpus.clone() } else { rest };
            (server, load)
        }
        (None, Some(load)) => {
            let rest = rest(&load);
            (if rest.is_empty() { host.cpus.clone() } else { rest }, load)
        }
        (None, None) if host.cpus.len() >= APART_FROM => {
            let load = host.cpus[host.cpus.len() - host.cpus.len() / LOAD_PART..].to_vec();
            (rest(&load), load)
        }
        (None, None) => (host.cpus.clone(), host.cpus.clone()),
    };
    let apart = load.iter().all(|c| !server.contains(c));
    Placement { server, load, apart }
}

impl Placement {
    /// Workers for that many users: one per CPU, or one in all where the load shares its CPUs and is to.
    pub fn workers(&self, users: u32, threads: Threads) -> u32 {
        let most = if self.apart || threads == Threads::PerCpu { self.load.len() as u32 } else { 1 };
        most.clamp(1, users.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn placed(cpus: u32, server: Option<&str>, load: Option<&str>) -> (Vec<u32>, Vec<u32>, bool) {
        let host = Host { cpus: (0..cpus).collect(), ..Host::default() };
        let server = Server {
            build: String::new(),
            on: None,
            topology: Default::default(),
            engine: String::new(),
            profile: String::new(),
            settings: BTreeMap::new(),
            native: BTreeMap::new(),
            tcp: false,
            cpus: server.map(Into::into),
            memory: None,
            load_cpus: load.map(Into::into),
        };
        let p = place(&server, &host);
        (p.server, p.load, p.apart)
    }

    #[test]
    fn server_and_load_are_kept_apart_where_there_is_room() {
        assert_eq!(placed(2, None, None), (vec![0, 1], vec![0, 1], false));
        assert_eq!(placed(8, None, None), ((0..6).collect(), vec![6, 7], true));
        assert_eq!(placed(8, Some("0-3"), None), ((0..4).collect(), (4..8).collect(), true));
        assert!(!placed(8, Some("all"), None).2);
        assert_eq!(placed(8, None, Some("4-5 | 6")), (vec![0, 1, 2, 3, 7], vec![4, 5, 6], true), "of all ranks");
        assert_eq!(placed(8, None, Some("0")), ((1..8).collect(), vec![0], true));
    }
}
