//! A row in the list of a folder of samplers: what it is called, when it has its turn, and what it takes of what a run
//! has. Where that is missing, it is not there.

use super::Source;
use super::asking::Asker;
use super::process::{Process, Workers};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use workload::audit::Question;

pub struct Sampler {
    pub(crate) name: &'static str,
    pub(crate) turn: Turn,
    pub(crate) owner: Owner,
    pub(crate) make: fn(&Available) -> Option<Box<dyn Source>>,
}

/// When it is read, among all that are read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Turn {
    /// Nearest to the mark: it holds the counts that must agree with the client's own (check `counts_agree`).
    First,
    /// It counts what was asked of the server until then.
    Second,
    /// In the order of the lists.
    Between,
    /// It says again, in the lab's own names, what the others told.
    Last,
}

/// Whose numbers it tells: each node of a cluster is read for itself; the host, the load and the data once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Server,
    Host,
}

/// How a server on this host runs.
#[derive(Clone, Debug)]
pub(crate) enum Server {
    OneProcess(Process),
    /// The first of several, which is the parent of the others.
    Processes(Process),
}

impl Server {
    pub(crate) fn first(&self) -> Process {
        let (Self::OneProcess(process) | Self::Processes(process)) = self;
        process.clone()
    }
}

/// What a run has that can be read.
#[derive(Default)]
pub(crate) struct Available {
    /// `None` where it runs elsewhere.
    pub server: Option<Server>,
    /// The session by which a server of MySQL's family is asked.
    pub asker: Option<Rc<RefCell<Asker>>>,
    /// How often a server without SQL was asked so far.
    pub requests: Option<Rc<Cell<u64>>>,
    pub workers: Workers,
    /// Under test.
    pub engine: String,
    /// Counters that are off by default were switched on.
    pub engine_counters: bool,
    /// The questions of the workload to its data, at marks.
    pub questions: Vec<Question>,
}

/// The sources of these lists that can be read there, in the order in which they are read.
pub(crate) fn make(lists: &[&[Sampler]], owners: &[Owner], available: &Available) -> Vec<Box<dyn Source>> {
    let mut samplers: Vec<&Sampler> = lists.iter().copied().flatten().collect();
    samplers.retain(|sampler| owners.contains(&sampler.owner));
    samplers.sort_by_key(|sampler| sampler.turn);
    samplers.into_iter().filter_map(|sampler| (sampler.make)(available)).collect()
}
