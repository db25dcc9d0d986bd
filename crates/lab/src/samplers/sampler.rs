//! What sampling itself costs: statements for the server, CPU for the client. Read right after `status`, so that the
//! statements told are those that the status had counted.

use super::{Asker, Occasion, Reading, Source};
use model::record::series::Unit;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) const NAME: &str = "sampler";

pub(super) struct Sampler(pub(super) Rc<RefCell<Asker>>);

impl Source for Sampler {
    fn name(&self) -> &'static str {
        NAME
    }
    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        reading.counter("sampler.statements", Unit::Count, self.0.borrow().statements);
        let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        reading.counter("sampler.cpu", Unit::Nanos, cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64);
    }
}
