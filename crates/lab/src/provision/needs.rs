//! The data that a run needs, as values: which datasets, what they are called, and which of them are kept together.
//! Members of a family share a dataset when the parameters that shape data agree, so a matrix of workloads loads once.

use super::snapshots::key::{fingerprint, shape};
use crate::disturbances;
use model::load::Work;
use model::plan::{Cell, Plan};
use model::seed::Seed;
use model::value::Value;
use model::words::Class;
use std::collections::BTreeMap;
use workload::Workloads;
use workload::dataset::Dataset;

/// The seed of all data: two records with equal parameters hold equal rows, whatever seed orders their runs.
const DATA: Seed = Seed(20_150_707);

/// One dataset that a run needs.
pub(crate) struct DatasetNeed {
    /// Within an instance.
    pub name: String,
    pub family: String,
    /// Those that shape the data.
    pub parameters: BTreeMap<String, Value>,
    pub dataset: Box<dyn Dataset>,
}

impl DatasetNeed {
    /// Where it lies in a server of ours.
    pub fn schema(&self) -> String {
        format!("assay_{}", self.name)
    }
    /// For a reader.
    pub fn label(&self) -> String {
        self.parameters.iter().map(|(n, v)| format!("{n} {v}")).collect::<Vec<_>>().join(", ")
    }
    pub fn fingerprint(&self) -> String {
        fingerprint(self.dataset.as_ref())
    }
}

/// The dataset's name within its instance, and the parameters that shape the data.
pub(crate) fn identity(workloads: &Workloads, work: &Work, engine: &str) -> (String, BTreeMap<String, Value>) {
    let words = workloads.planned(&work.workload).words();
    let shaping = |name: &String| words.parameters.iter().any(|p| p.name == *name && p.class == Class::Data);
    let parameters: BTreeMap<_, _> =
        work.parameters.iter().filter(|(n, _)| shaping(n)).map(|(n, v)| (n.clone(), v.clone())).collect();
    let text = serde_json::to_string(&(words.family(), engine, &parameters)).expect("values are JSON");
    (format!("{}_{:012x}", words.family(), Seed(0).child(&text).0 >> 5), parameters)
}

/// Of one run, in the order of its groups, each once; none for workloads without data.
pub(crate) fn of(workloads: &Workloads, cell: &Cell) -> Vec<DatasetNeed> {
    let engine = &cell.server.engine;
    let mut all: Vec<DatasetNeed> = Vec::new();
    for work in cell.works() {
        let workload = workloads.planned(&work.workload);
        let (name, parameters) = identity(workloads, &work, engine);
        let dataset = workload.dataset(&work.parameters, engine, DATA).filter(|_| all.iter().all(|w| w.name != name));
        let family = workload.words().family().to_string();
        all.extend(dataset.map(|dataset| DatasetNeed { name, family, parameters, dataset }));
    }
    all
}

/// Whether a run changes its data.
pub(crate) fn writes(workloads: &Workloads, cell: &Cell) -> bool {
    let writes = |work: Work| workloads.planned(&work.workload).words().writes;
    let disturbed = cell.phases.iter().filter_map(|phase| phase.disturb.as_ref());
    cell.works().into_iter().any(writes) || disturbed.into_iter().any(|d| disturbances::writes(&d.name))
}

/// What is loaded and kept together: for a run that writes its own data and nothing else, so that its copy is as small
/// as can be; for a run that reads the data of all runs that only read on such a server, so that one instance
/// serves them all.
pub(crate) fn together(workloads: &Workloads, plan: &Plan, cell: &Cell) -> Vec<DatasetNeed> {
    let mut all = of(workloads, cell);
    if !writes(workloads, cell) {
        let shape_here = shape(&cell.server);
        let reads = |c: &&Cell| !writes(workloads, c) && c.server.on.is_none() && shape(&c.server) == shape_here;
        all.extend(plan.cells.iter().filter(reads).flat_map(|c| of(workloads, c)));
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    all
}
