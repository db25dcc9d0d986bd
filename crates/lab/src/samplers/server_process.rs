//! The instance's process as a whole: CPU, faults, memory, I/O, number of threads. Cheap whatever the number of its
//! threads; what the kernel keeps per thread is `server_threads`.

use super::{Occasion, Process, Reading, Source};
use crate::os::procfs::{field, io, resident, stat, ticks_to_nanos};
use model::record::series::Unit;

pub(crate) const NAME: &str = "server_process";

pub(crate) struct ServerProcess(pub(crate) Process);

impl Source for ServerProcess {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let folder = format!("/proc/{}", self.0.pid());
        if let Some(stat) = reading.file(&format!("{folder}/stat"), stat) {
            reading.counter("server.cpu.user", Unit::Nanos, ticks_to_nanos(stat.user));
            reading.counter("server.cpu.system", Unit::Nanos, ticks_to_nanos(stat.system));
            reading.counter("server.faults.minor", Unit::Count, stat.minor_faults);
            reading.counter("server.faults.major", Unit::Count, stat.major_faults);
            reading.gauge("server.threads", Unit::Count, stat.threads);
        }
        if let Some(pages) = reading.file(&format!("{folder}/statm"), resident) {
            reading.gauge("server.memory.resident", Unit::Bytes, pages * rustix::param::page_size() as u64);
        }
        if let Some(swapped) = reading.file(&format!("{folder}/status"), |t| field(t, "VmSwap")) {
            reading.gauge("server.memory.swapped", Unit::Bytes, swapped * 1024);
        }
        if let Some((read, written)) = reading.file(&format!("{folder}/io"), io) {
            reading.counter("server.io.read_bytes", Unit::Bytes, read);
            reading.counter("server.io.write_bytes", Unit::Bytes, written);
        }
    }
}
