//! The instance's process as a whole: CPU, faults, memory, I/O, number of threads. Cheap whatever the number of its
//! threads; what the kernel keeps per thread is `server_threads`.

use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Server, Source, Turn};
use crate::os::procfs::{field, io, resident, stat, ticks_to_nanos};

pub(crate) const SAMPLER: Sampler = Sampler { name: "server_process", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    match available.server.as_ref()? {
        Server::OneProcess(process) => Some(Box::new(ServerProcess(process.clone()))),
        Server::Processes(_) => None,
    }
}

pub(crate) struct ServerProcess(pub(crate) Process);

impl Source for ServerProcess {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let folder = format!("/proc/{}", self.0.pid());
        if let Some(stat) = reading.file(&format!("{folder}/stat"), stat) {
            reading.tell("server.cpu.user", ticks_to_nanos(stat.user));
            reading.tell("server.cpu.system", ticks_to_nanos(stat.system));
            reading.tell("server.faults.minor", stat.minor_faults);
            reading.tell("server.faults.major", stat.major_faults);
            reading.tell("server.threads", stat.threads);
        }
        if let Some(pages) = reading.file(&format!("{folder}/statm"), resident) {
            reading.tell("server.memory.resident", pages * rustix::param::page_size() as u64);
        }
        if let Some(swapped) = reading.file(&format!("{folder}/status"), |t| field(t, "VmSwap")) {
            reading.tell("server.memory.swapped", swapped * 1024);
        }
        if let Some((read, written)) = reading.file(&format!("{folder}/io"), io) {
            reading.tell("server.io.read_bytes", read);
            reading.tell("server.io.write_bytes", written);
        }
    }
}
