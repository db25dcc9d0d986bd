//! What sampling itself costs: statements for the server, CPU for the client. Read right after `status`, so that the
//! statements told are those that the status had counted. Of a server without SQL they are the requests for its
//! statistics.

use super::{Occasion, Reading, Source};

pub(crate) const NAME: &str = "sampler";

/// With what counts the statements so far.
pub(crate) struct Sampler(pub(crate) Box<dyn Fn() -> u64>);

impl Source for Sampler {
    fn name(&self) -> &'static str {
        NAME
    }
    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        reading.tell("sampler.statements", (self.0)());
        let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        reading.tell("sampler.cpu", cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64);
    }
}
