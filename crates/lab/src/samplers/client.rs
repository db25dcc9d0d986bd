//! What the load costs its own machine: the workers' CPU, their waiting for a CPU and their switches, and the memory of
//! the process. Only worker threads count as client: the sampler and the conductor share the process, not the work.
//! When a worker is gone its counts are too, so that the sums are left out rather than lowered.

use super::source::{Available, Occasion, Owner, Reading, Sampler, Source, Turn, Workers};
use crate::os::procfs::{resident, schedstat, stat, switches, ticks_to_nanos};
use std::fs;

pub(crate) const SAMPLER: Sampler = Sampler { name: "client", turn: Turn::Between, owner: Owner::Host, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(Client::new(available.workers.clone())))
}

pub(crate) struct Client {
    workers: Workers,
    /// Largest user time given so far.
    user: u64,
}

#[derive(Default)]
struct Sums {
    on_cpu: u64,
    busiest: u64,
    system: u64,
    waiting: u64,
    voluntary: u64,
    involuntary: u64,
}

impl Client {
    pub(crate) fn new(workers: Workers) -> Self {
        Self { workers, user: 0 }
    }
}

impl Source for Client {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        reading.tell("client.cpu.process", cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64);
        if let Some(pages) = reading.file("/proc/self/statm", resident) {
            reading.tell("client.memory.resident", pages * rustix::param::page_size() as u64);
        }
        if let Some((read, written)) = reading.file("/proc/self/io", crate::os::procfs::io) {
            reading.tell("client.io.read_bytes", read);
            reading.tell("client.io.write_bytes", written);
        }
        let threads = self.workers.get();
        let Some(sums) = sum(&threads).filter(|_| !threads.is_empty()) else { return };
        // The kernel tells user and system apart in ticks of 10 ms, and their sum exactly: user is what is left.
        self.user = self.user.max(sums.on_cpu.saturating_sub(sums.system));
        reading.tell("client.cpu.user", self.user);
        reading.tell("client.cpu.system", sums.system);
        reading.tell("client.cpu.busiest_worker", sums.busiest);
        reading.tell("client.runqueue.wait", sums.waiting);
        reading.tell("client.switches.voluntary", sums.voluntary);
        reading.tell("client.switches.involuntary", sums.involuntary);
    }
}

/// Over all these threads of this process; `None` when one is gone.
fn sum(threads: &[u32]) -> Option<Sums> {
    let mut sums = Sums::default();
    for thread in threads {
        let file = |name: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{name}")).ok();
        let (on_cpu, waiting) = schedstat(&file("schedstat")?)?;
        let (voluntary, involuntary) = switches(&file("status")?)?;
        sums.on_cpu += on_cpu;
        sums.busiest = sums.busiest.max(on_cpu);
        sums.system += ticks_to_nanos(stat(&file("stat")?)?.system);
        sums.waiting += waiting;
        sums.voluntary += voluntary;
        sums.involuntary += involuntary;
    }
    Some(sums)
}
