//! How long the kernel kept the server, and the load, from CPUs that were there because a quota was spent: the control
//! groups of each count it, their own and all above. Host-wide shares know nothing of it, since the CPUs are idle.

use super::server_threads::Sums;
use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Server, Source, Turn};
use crate::os::cgroups::{Hierarchies, throttled};
use std::collections::HashMap;

pub(crate) const SAMPLER: Sampler = Sampler { name: "throttled", turn: Turn::Between, owner: Owner::Host, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(Throttled::new(available.server.as_ref().map(Server::first))))
}

pub(crate) struct Throttled {
    /// `None` where the server's process is not known.
    server: Option<Process>,
    hierarchies: Hierarchies,
    of_server: Sums<1>,
    of_client: Sums<1>,
}

impl Throttled {
    pub(crate) fn new(server: Option<Process>) -> Self {
        let hierarchies = Hierarchies::of_this_host();
        Self { server, hierarchies, of_server: Sums::default(), of_client: Sums::default() }
    }

    /// By folder; empty where no group of the process counts it.
    fn counts(&self, pid: u32) -> HashMap<String, [u64; 1]> {
        let folders = self.hierarchies.folders(pid, "cpu").into_iter();
        let counts = folders.filter_map(|folder| {
            let text = std::fs::read_to_string(folder.join("cpu.stat")).ok()?;
            Some((folder.to_string_lossy().into_owned(), [throttled(&text)?]))
        });
        counts.collect()
    }
}

impl Source for Throttled {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let client = self.counts(std::process::id());
        let server = self.server.as_ref().map(|process| self.counts(process.pid()));
        let sides = [("server", server.as_ref(), &mut self.of_server), ("client", Some(&client), &mut self.of_client)];
        for (side, counts, sums) in sides {
            let Some(counts) = counts else { continue };
            if counts.is_empty() {
                reading.missing(&format!("what quotas held back the {side}"), "no control group of it counts that");
                continue;
            }
            let [held_back] = sums.add(counts.clone());
            reading.tell(&format!("{side}.throttled"), held_back);
        }
    }
}
