//! A server of many processes, PostgreSQL's one for each session and some of its own: the first and its children
//! together, under the names of a server of one. The sums must only grow, though children come and go: what one had
//! counted at its last reading stays in the sum, and what it did behind that is missing. Memory is left out, because
//! most of it is shared and would count again and again.

use super::server_threads::Sums;
use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Server, Source, Turn};
use crate::os::procfs::{children, io, schedstat, stat, ticks_to_nanos};
use std::fs;

pub(crate) const SAMPLER: Sampler =
    Sampler { name: "server_processes", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    match available.server.as_ref()? {
        Server::Processes(first) => Some(Box::new(ServerProcesses::new(first.clone()))),
        Server::OneProcess(_) => None,
    }
}

/// As they are summed.
const COUNTED: [&str; 7] = [
    "server.cpu.user",
    "server.cpu.system",
    "server.faults.minor",
    "server.faults.major",
    "server.runqueue.wait",
    "server.io.read_bytes",
    "server.io.write_bytes",
];

pub(crate) struct ServerProcesses {
    first: Process,
    sums: Sums<7>,
}

impl ServerProcesses {
    pub(crate) fn new(first: Process) -> Self {
        Self { first, sums: Sums::default() }
    }
}

impl Source for ServerProcesses {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let first = self.first.pid();
        let Some(counts) = counted(first) else { return reading.missing("the server's processes", "one is not told") };
        let others = children(first).into_iter().filter_map(|pid| Some((pid.to_string(), counted(pid)?)));
        let sums = self.sums.add(others.chain([(first.to_string(), counts)]).collect());
        for (name, sum) in COUNTED.into_iter().zip(sums) {
            reading.tell(name, sum);
        }
    }
}

fn counted(pid: u32) -> Option<[u64; 7]> {
    let file = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).ok();
    let stat = stat(&file("stat")?)?;
    let (_, wait) = schedstat(&file("schedstat")?)?;
    let (read, written) = io(&file("io")?)?;
    let [user, system] = [stat.user, stat.system].map(ticks_to_nanos);
    Some([user, system, stat.minor_faults, stat.major_faults, wait, read, written])
}
