//! What was observed while a plan was carried out, and nothing else. A record is a folder that grows by appending;
//! these are the shapes of what lies in it, so that the lab can write and the judge can read without knowing each
//! other. `docs/record.md` tells the folder's layout.

pub mod answer;
pub mod around;
pub mod audit;
pub mod canary;
pub mod counters;
pub mod course;
pub mod disturbance;
pub mod event;
pub mod explain;
pub mod gaps;
pub mod kind;
pub mod moment;
pub mod profile;
pub mod ranks;
pub mod rates;
pub mod run;
pub mod second;
pub mod series;
pub mod serving;
pub mod start;
pub mod state;
pub mod tally;
pub mod way;

use crate::dsn;
use crate::host::Host;
use crate::plan::{Cell, Plan, served};
use crate::protocol::Protocol;
use answer::{DatasetRecord, InstanceRecord};
use canary::Canary;
use event::Event;
use run::RunRecord;
use state::State;
use std::collections::BTreeMap;

/// Raised when a field changes its meaning; additions keep it.
pub const RECORD_SCHEMA: u32 = 1;

/// A whole record in memory. Per-second series and intervals stay on disk until somebody asks (`series`, `tally`).
#[derive(Clone, Debug)]
pub struct Record {
    /// The experiment, byte for byte as written.
    pub experiment: String,
    pub plan: Plan,
    pub host: Host,
    pub canary: Option<Canary>,
    pub events: Vec<Event>,
    pub instances: Vec<InstanceRecord>,
    pub datasets: Vec<DatasetRecord>,
    /// Finished runs (done, failed or skipped) in the order in which they were carried out.
    pub runs: Vec<RunRecord>,
    /// What held at the ends of runs, by its digest; empty in records from before.
    pub states: BTreeMap<String, State>,
}

/// Access to what lies per second in a record, read when asked for: a record of a thousand runs does not fit in memory
/// as series, and most readers need the sums only. The lab implements it over a folder; a test over values.
pub trait Details {
    /// The run's intervals in order of time; empty when there are none.
    fn intervals(&self, run: &crate::plan::RunId) -> Vec<tally::Interval>;
    /// The same as sums, for whoever needs no histogram.
    fn seconds(&self, run: &crate::plan::RunId) -> Vec<second::Second> {
        self.intervals(run).iter().map(second::Second::from).collect()
    }
    /// The same as at most so many moments, for whoever draws it.
    fn moments(&self, run: &crate::plan::RunId, count: usize) -> Vec<moment::Moment> {
        let seconds: Vec<_> = self.intervals(run).iter().map(second::TimedSecond::from).collect();
        moment::thinned(&seconds, count)
    }
    /// The stacks of a profile run with their samples; why there are none.
    fn stacks(&self, run: &crate::plan::RunId) -> Result<Vec<profile::Stack>, String> {
        Err(format!("{run} has no profile here"))
    }
    /// The named metrics over the run; metrics that were not measured are absent.
    fn series(&self, run: &crate::plan::RunId, metrics: &[&str]) -> Vec<series::Series>;
    /// All metrics that were measured in the run, for whoever lets a reader choose among them.
    fn all_series(&self, run: &crate::plan::RunId) -> Vec<series::Series> {
        self.series(run, &counters::names())
    }
}

impl Record {
    /// A plan of before protocols were written down is taken to ask each server in its own.
    pub fn tell_protocols(&mut self) {
        let (runs, instances) = (&self.runs, &self.instances);
        let of_instance = |cell: &Cell| {
            let key = runs.iter().filter(|run| run.cell == cell.id).find_map(|run| run.instance.as_ref())?;
            served::own(&instances.iter().find(|instance| instance.key == *key)?.kind)
        };
        for cell in self.plan.cells.iter_mut().filter(|cell| cell.protocols.is_empty()) {
            let named = || cell.server.on.as_deref().map_or(Protocol::MySql, dsn::protocol);
            let protocol = of_instance(cell).unwrap_or_else(named);
            cell.protocols.insert(protocol);
        }
    }
    pub fn instance(&self, key: &str) -> Option<&InstanceRecord> {
        self.instances.iter().find(|i| i.key == key)
    }
    pub fn dataset(&self, key: &str) -> Option<&DatasetRecord> {
        self.datasets.iter().find(|d| d.key == key)
    }
}
