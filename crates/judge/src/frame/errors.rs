//! What went wrong in a cell, added up over its runs: what `operations_succeeded` judges in one sentence, for a reader
//! who wants to see it. Nothing is said of a cell in which nothing went wrong.

use super::evidence::CellEvidence;
use model::errors::shown;
use model::judgement::Errors;
use model::{ErrorCount, Histogram, Nanos, OperationTally, Tally};
use std::collections::BTreeMap;

pub fn of(cell: &CellEvidence) -> Option<Errors> {
    let runs = cell.runs.iter().map(|r| r.run).chain(cell.endings.iter().copied());
    let mut by_number = BTreeMap::new();
    let (mut errors, mut connects, mut connect_time) = (Errors::default(), 0, Histogram::new());
    for tally in runs.flat_map(|run| &run.phases).flat_map(|phase| phase.groups.values()).map(|group| &group.tally) {
        let Tally { operations, reconnects, connect_time: time, .. } = tally;
        operations.values().for_each(|operation| add(&mut by_number, operation));
        errors.reconnects += reconnects;
        connects += tally.connects;
        time.iter().for_each(|time| connect_time.merge(time));
    }
    errors.by_number = by_number.into_values().collect();
    errors.by_number.sort_by_key(|e| std::cmp::Reverse(e.retried + e.failed));
    errors.renewed = connects - errors.reconnects.min(connects);
    errors.connect_us_p50 = connect_time.percentile(50.0).map(Nanos::micros);
    errors.connect_us_p99 = connect_time.percentile(99.0).map(Nanos::micros);
    (errors != Errors::default()).then_some(errors)
}

fn add(by_number: &mut BTreeMap<u32, ErrorCount>, operation: &OperationTally) {
    let mut entry = |number: u32, add: &dyn Fn(&mut ErrorCount)| {
        let new = || ErrorCount { number, error: shown(number), retried: 0, failed: 0, message: None };
        add(by_number.entry(number).or_insert_with(new));
    };
    operation.retried.iter().for_each(|(number, count)| entry(*number, &|e| e.retried += count));
    operation.failed.iter().for_each(|(number, count)| entry(*number, &|e| e.failed += count));
    for (number, text) in &operation.messages {
        entry(*number, &|e| {
            e.message.get_or_insert_with(|| text.clone());
        });
    }
}
