//! The data that a run needs, as values: which datasets, and what they are called.
//! Members of a family share a dataset when the parameters that shape data agree, so a matrix of workloads loads once.

use super::loading::Loaded;
use crate::disturbances;
use crate::os::digest::digest;
use model::words::Class;
use model::{Cell, DatasetRecord, Nanos, Seed, Value, Work};
use serde_json::json;
use std::collections::BTreeMap;
use workload::Workloads;
use workload::dataset::{Dataset, Rows};

/// The seed of all data: two records with equal parameters hold equal rows, whatever seed orders their runs.
const DATA: Seed = Seed(20_150_707);

/// Rows of each table that speak for its generator, at its begin and spread over it.
const SAMPLE: u64 = 8;

/// One dataset that a run needs.
pub struct DatasetNeed {
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
    /// What was found of it in a schema of that instance.
    pub fn record(&self, instance: &str, schema: &str, loaded: Loaded, load_time: Option<Nanos>) -> DatasetRecord {
        DatasetRecord {
            key: key(instance, &self.name),
            instance: instance.to_string(),
            schema: schema.to_string(),
            family: self.family.clone(),
            parameters: self.parameters.clone(),
            rows: loaded.rows,
            rows_checked: loaded.rows_checked,
            rows_wrong: loaded.rows_wrong,
            tables: loaded.tables,
            load_time,
            snapshot: None,
        }
    }
}

/// What runs call their dataset: instance and name.
pub(crate) fn key(instance: &str, name: &str) -> String {
    format!("{instance}-{name}")
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

/// What one run needs, in the order of its groups, each once; none for workloads without data.
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

/// A digest of the tables and of rows that stand for all: equal where two generators make the same data.
pub fn fingerprint(dataset: &dyn Dataset) -> String {
    let mut all = Vec::new();
    for (index, table) in dataset.tables().iter().enumerate() {
        let head = json!([table.name, table.create, table.rows, table.after, dataset.columns(index)]);
        all.extend_from_slice(head.to_string().as_bytes());
        let Rows::ByTable(rows) = dataset.rows() else { continue };
        rows.lines(index, 0, SAMPLE.min(table.rows), &mut all);
        for n in 1..=SAMPLE {
            let row = (table.rows.saturating_sub(1) as u128 * u128::from(n) / u128::from(SAMPLE)) as u64;
            rows.lines(index, row.min(table.rows), (row + 1).min(table.rows), &mut all);
        }
    }
    match dataset.rows() {
        Rows::ByUnit(rows) => rows.sample(&mut all),
        Rows::ByItself(data) => all.extend_from_slice(data.identity().as_bytes()),
        Rows::None | Rows::ByTable(_) => {}
    }
    digest(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_follows_rows_seed_engine_and_charset() {
        let oltp = workload::Workloads::built_in().planned("oltp.point_selects");
        let parameters = |change: Option<(&str, Value)>| -> workload::Parameters {
            let words = oltp.words();
            let defaults = words.parameters.iter().map(|p| (p.name.to_string(), p.default.as_ref().unwrap().value()));
            defaults.chain(change.map(|(k, v)| (k.to_string(), v))).collect()
        };
        let of =
            |change, engine, seed| fingerprint(oltp.dataset(&parameters(change), engine, Seed(seed)).unwrap().as_ref());
        let base = of(None, "innodb", 1);
        assert_eq!(base, of(None, "innodb", 1));
        assert_ne!(base, of(None, "innodb", 2));
        assert_ne!(base, of(None, "rocksdb", 1));
        assert_ne!(base, of(Some(("rows", Value::Count(77))), "innodb", 1));
        assert_ne!(base, of(Some(("charset", "utf8mb4-generic".into())), "innodb", 1));
    }
}
