//! The datasets of a cell and their sizes: what a plan costs, how data grow and whether they fit are all told from
//! these.

use super::Cell;
use crate::load::Work;
use crate::value::Value;
use crate::words::{Class, Footprint, Words};
use std::collections::BTreeMap;

/// Family of a workload, and the parameters that shape its data.
pub(super) type Dataset<'w> = (&'w str, BTreeMap<String, Value>);

pub(super) fn dataset_of<'w>(work: &Work, words: &'w Words) -> Dataset<'w> {
    let workload = words.workload(&work.workload);
    let of_data = |name: &String| workload.parameters.iter().any(|p| p.name == *name && p.class == Class::Data);
    let data = work.parameters.iter().filter(|(n, _)| of_data(n)).map(|(n, v)| (n.clone(), v.clone())).collect();
    (workload.family(), data)
}

/// The datasets of a cell with their sizes.
pub(super) fn data_of<'w>(cell: &Cell, words: &'w Words) -> BTreeMap<Dataset<'w>, Footprint> {
    let mut sizes = BTreeMap::new();
    for work in cell.works() {
        let footprint = || (words.workload(&work.workload).footprint)(&work.parameters);
        sizes.entry(dataset_of(&work, words)).or_insert_with(footprint);
    }
    sizes
}
