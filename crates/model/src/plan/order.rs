//! The order of runs: randomised complete blocks. Each block holds every cell once, so that whatever drifts over the
//! hours (heat, a neighbour, a filling disk) touches all cells alike. Within a block, cells that share a server stay
//! together, because changing the server costs a restart; the groups and the cells within them are shuffled anew for
//! every block. Searches are an exception: they have many blocks, so each server is met once, and the cells of one
//! server take turns.

use super::{Cell, PlannedRun, RunId, Server};
use crate::experiment::Repeat;
use crate::functions::Spent;
use crate::seed::Seed;
use std::collections::BTreeMap;

pub(super) fn runs(cells: &[Cell], repetitions: u32, seed: Seed) -> Vec<PlannedRun> {
    let mut groups: BTreeMap<&Server, Vec<usize>> = BTreeMap::new();
    for (i, cell) in cells.iter().enumerate() {
        groups.entry(&cell.server).or_default().push(i);
    }
    if cells.iter().any(|c| c.search.is_some()) {
        return searches(cells, groups.into_values().collect(), repetitions, seed);
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

fn searches(cells: &[Cell], mut groups: Vec<Vec<usize>>, most: u32, seed: Seed) -> Vec<PlannedRun> {
    let order = seed.child("order");
    shuffle(&mut groups, order.child("servers"));
    let mut runs = Vec::with_capacity(cells.len() * most as usize);
    for mut group in groups {
        for block in 1..=most {
            shuffle(&mut group, order.nth(u64::from(block)).child("cells"));
            runs.extend(group.iter().map(|i| run(&cells[*i], *i, block, seed)));
        }
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
        explain: false,
        profile: None,
        spent: Spent::OnCpu,
    }
}

/// Blocks behind those that make numbers: each cell once in each, or twice where pairs are wanted, neighbours in either
/// order, one of them without samples; behind those, blocks in which waits are sampled. The A/A arm too, since what
/// profiles of equal cells differ by is what a difference has to exceed. A search has no level to profile before it is
/// over.
pub(super) fn profile(cells: &[Cell], runs: &mut Vec<PlannedRun>, repeat: &Repeat) {
    if cells.iter().any(|cell| cell.search.is_some()) {
        return;
    }
    let last = |runs: &[PlannedRun]| runs.iter().map(|r| r.block).max().unwrap_or(0);
    let before = last(runs);
    let profiled = self::runs(cells, repeat.profiles, repeat.seed.child("profile"));
    for run in profiled {
        let beside = |word: &str, hz: u32| PlannedRun {
            id: RunId(format!("{}-{word}-{}", run.cell, run.repetition)),
            block: before + run.block,
            profile: Some(hz),
            ..run.clone()
        };
        let mut pair = vec![beside("profile", repeat.profile_hz)];
        if repeat.profile_pairs {
            pair.insert((run.seed.0 % 2) as usize, beside("bare", 0));
        }
        runs.extend(pair);
    }
    let before = last(runs);
    let waits = self::runs(cells, repeat.profile_waits, repeat.seed.child("waits"));
    runs.extend(waits.into_iter().map(|run| PlannedRun {
        id: RunId(format!("{}-waits-{}", run.cell, run.repetition)),
        block: before + run.block,
        profile: Some(repeat.profile_hz),
        spent: Spent::Waiting,
        ..run
    }));
}

/// One more block behind all others: each cell once with instruments on. The runs before it then cannot pay for them. A
/// search has no level to explain before it is over, and the A/A arm explains nothing that its twin does not.
pub(super) fn explain(cells: &[Cell], runs: &mut Vec<PlannedRun>, seed: Seed) {
    let block = runs.iter().map(|r| r.block).max().unwrap_or(0) + 1;
    let mut explained: Vec<_> =
        cells.iter().enumerate().filter(|(_, c)| c.repeats.is_none() && c.search.is_none()).collect();
    explained.sort_by_key(|(i, cell)| (&cell.server, *i));
    runs.extend(explained.into_iter().map(|(i, cell)| PlannedRun {
        id: RunId(format!("{}-explain", cell.id)),
        cell: cell.id.clone(),
        repetition: 0,
        block,
        seed: seed.child("explain").nth(i as u64),
        explain: true,
        profile: None,
        spent: Spent::OnCpu,
    }));
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
