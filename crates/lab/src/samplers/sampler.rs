//! What sampling itself costs: statements for the server; CPU for the client, of the thread that reads and of those
//! that look more often. Read right after `status`, so that the statements told are those that the status had
//! counted; where a server has no SQL they are the requests for its statistics.

use super::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use crate::os::{clock, ticking};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "sampler", turn: Turn::Second, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    let statements = |asker: Rc<RefCell<Asker>>| Box::new(move || asker.borrow().statements) as Count;
    let requests = available.requests.clone().map(|requests| Box::new(move || requests.get()) as Count);
    Some(Box::new(OwnCost(available.asker.clone().map(statements).or(requests)?)))
}

/// Counts what the server was asked so far.
type Count = Box<dyn Fn() -> u64>;

struct OwnCost(Count);

impl Source for OwnCost {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }
    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        reading.tell("sampler.statements", (self.0)());
        reading.tell("sampler.cpu", clock::of_this_thread().0 + ticking::spent());
    }
}
