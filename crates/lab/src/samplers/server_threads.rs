//! What the kernel counts per thread of the server: waiting for a CPU, and context switches. The sums must only grow,
//! though threads come and go: what a thread had counted at its last reading stays in the sum. Two files per thread are
//! dear when every user has a thread, so many threads are read at the marks only.

use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Server, Source, Turn};
use crate::os::procfs::{schedstat, switches};
use std::collections::HashMap;
use std::fs;

pub(crate) const SAMPLER: Sampler = Sampler { name: "server_threads", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    match available.server.as_ref()? {
        Server::OneProcess(process) => Some(Box::new(ServerThreads::new(process.clone()))),
        Server::Processes(_) => None,
    }
}

/// About 20 µs a thread: beyond this, once a second would cost more than 0.3 % of a core.
const THREADS_EVERY_SECOND: usize = 128;

/// Waiting (ns), voluntary and involuntary switches.
type Counts = [u64; 3];

pub(crate) struct ServerThreads {
    process: Process,
    sums: Sums<3>,
}

/// Sums over threads that come and go, by their number.
pub(crate) struct Sums<const N: usize> {
    last: HashMap<String, [u64; N]>,
    total: [u64; N],
}

impl<const N: usize> Default for Sums<N> {
    fn default() -> Self {
        Self { last: HashMap::new(), total: [0; N] }
    }
}

impl ServerThreads {
    pub(crate) fn new(process: Process) -> Self {
        Self { process, sums: Sums::default() }
    }
}

impl Source for ServerThreads {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, occasion: Occasion, reading: &mut Reading) {
        if occasion == Occasion::Second && self.sums.last.len() > THREADS_EVERY_SECOND {
            return;
        }
        let folder = format!("/proc/{}/task", self.process.pid());
        let threads = match fs::read_dir(&folder) {
            Ok(threads) => threads,
            Err(e) => return reading.missing(&folder, e),
        };
        // A thread that ends between the listing and the reading is as one that ended before.
        let counts = threads.flatten().filter_map(|t| Some((t.file_name().into_string().ok()?, read(&t.path())?)));
        let [wait, voluntary, involuntary] = self.sums.add(counts.collect());
        reading.tell("server.runqueue.wait", wait);
        reading.tell("server.switches.voluntary", voluntary);
        reading.tell("server.switches.involuntary", involuntary);
    }
}

fn read(thread: &std::path::Path) -> Option<Counts> {
    let file = |name: &str| fs::read_to_string(thread.join(name)).ok();
    let (voluntary, involuntary) = switches(&file("status")?)?;
    Some([schedstat(&file("schedstat")?)?.1, voluntary, involuntary])
}

impl<const N: usize> Sums<N> {
    pub(crate) fn add(&mut self, now: HashMap<String, [u64; N]>) -> [u64; N] {
        for (thread, counts) in &now {
            let last = self.last.get(thread).copied().unwrap_or([0; N]);
            for (i, count) in counts.iter().enumerate() {
                // A count that shrank belongs to a new thread of an old number.
                self.total[i] += count.checked_sub(last[i]).unwrap_or(*count);
            }
        }
        self.last = now;
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::Sums;

    #[test]
    fn sums_only_grow_though_threads_come_and_go() {
        let mut sums = Sums::default();
        let now = |threads: &[(&str, u64)]| threads.iter().map(|(t, n)| (t.to_string(), [*n, 0, 1])).collect();
        assert_eq!(sums.add(now(&[("1", 10), ("2", 5)])), [15, 0, 2]);
        assert_eq!(sums.add(now(&[("1", 12)])), [17, 0, 2]);
        assert_eq!(sums.add(now(&[("1", 3), ("4", 1)])), [21, 0, 3]);
    }
}
