//! The order of runs: randomised complete blocks. Each block holds every cell once, so that whatever drifts over the hours
//! (heat, a neighbour, a filling disk) touches all cells alike. Within a block, cells that share a server stay together,
//! because changing the server costs a restart; the groups and the cells within them are shuffled anew for every block.

use super::{Cell, PlannedRun, RunId, Server};
use crate::seed::Seed;
use std::collections::BTreeMap;

pub(super) fn runs(cells: &[Cell], repetitions: u32, seed: Seed) -> Vec<PlannedRun> {
    let mut groups: BTreeMap<&Server, Vec<usize>> = BTreeMap::new();
    for (i, cell) in cells.iter().enumerate() {
        groups.entry(&cell.server).or_default().push(i);
    }
    let mut runs = Vec::with_capacity(cells.len() * repetitions as usize);
    for block in 1..=repetitions {
        let order = seed.child("order").nth(u64::from(block));
        let mut groups: Vec<Vec<usize>> = groups.values().cloned().collect();
        shuffle(&mut groups, order.child("servers"));
        for (g, group) in groups.iter_mut().enumerate() {
            shuffle(group, order.child("cells").nth(g as u64));
        }
        runs.extend(groups.into_iter().flatten().map(|i| run(&cells[i], i, block, seed)));
    }
    runs
}

fn run(cell: &Cell, index: usize, repetition: u32, seed: Seed) -> PlannedRun {
    PlannedRun {
        id: RunId(format!("{}-{repetition}", cell.id)),
        cell: cell.id.clone(),
        repetition,
        block: repetition,
        seed: seed.child("run").nth(index as u64).nth(u64::from(repetition)),
    }
}

/// Fisher and Yates. The modulo's bias is below 2^-30 for any list of runs.
fn shuffle<T>(items: &mut [T], seed: Seed) {
    for i in (1..items.len()).rev() {
        let j = seed.nth(i as u64).0 % (i as u64 + 1);
        items.swap(i, usize::try_from(j).expect("at most i"));
    }
}

/// How often the server changes while the runs go by, the first start included.
pub(super) fn server_changes(cells: &[Cell], runs: &[PlannedRun]) -> u64 {
    let by_id: BTreeMap<_, _> = cells.iter().map(|c| (&c.id, &c.server)).collect();
    let mut last = None;
    let mut changes = 0;
    for run in runs {
        let server = by_id[&run.cell];
        if last != Some(server) {
            changes += 1;
        }
        last = Some(server);
    }
    changes
}
