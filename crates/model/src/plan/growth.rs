//! How far the data of a cell grow from phase to phase, and the phase in which they leave the engine's cache, told
//! before anything runs: an author believed that his tables would never pass 40 GB, and in the tenth iteration they had
//! 66 and another machine under them. Phases by count are foreseen; what a phase by time adds depends on the rate, and
//! is told by the readings of the run alone (`regime_was_cached`).

use super::room::{self, FULL};
use super::{Cell, axis_text, footprints};
use crate::load::{Phase, Until};
use crate::units::{Bytes, Share};
use crate::value::Value;
use crate::words::{Extent, Words};
use std::collections::BTreeMap;

/// All data of a cell at the end of each of its phases.
pub(super) fn course<'c>(cell: &'c Cell, words: &Words) -> Vec<(&'c Phase, Extent)> {
    let mut data: BTreeMap<_, Extent> = BTreeMap::new();
    for (dataset, footprint) in footprints::data_of(cell, words) {
        data.insert(dataset, Extent { current: footprint.bytes, history: 0, files: footprint.bytes });
    }
    let mut after = |phase: &'c Phase| {
        // How the operations of a phase fall among several groups is not foreseen.
        if let ([group], Until::Count(count)) = (&cell.groups_in(phase)[..], phase.until)
            && let Some(grows) = words.workload(&group.work.workload).grows
            && let Some(extent) = data.get_mut(&footprints::dataset_of(&group.work, words))
        {
            *extent = grows(&group.work.parameters, count, *extent);
        }
        (phase, data.values().fold(Extent::default(), sum))
    };
    cell.phases.iter().map(&mut after).collect()
}

fn sum(all: Extent, one: &Extent) -> Extent {
    Extent {
        current: all.current.saturating_add(one.current),
        history: all.history.saturating_add(one.history),
        files: all.files.saturating_add(one.files),
    }
}

/// Bytes by which the data of that cell grow.
pub(super) fn of_run(cell: &Cell, words: &Words) -> u64 {
    let loaded = footprints::data_of(cell, words).into_values().fold(0_u64, |sum, data| sum.saturating_add(data.bytes));
    course(cell, words).last().map_or(0, |(_, data)| data.files.saturating_sub(loaded))
}

/// A sentence for each place where data leave their cache on the way, with the cells that leave it there.
pub(super) fn warnings(cells: &[Cell], words: &Words) -> Vec<String> {
    let mut told: Vec<(String, Vec<&Cell>)> = Vec::new();
    for cell in cells.iter().filter(|c| c.repeats.is_none()) {
        let Some(sentence) = leaves(cell, words) else { continue };
        match told.iter_mut().find(|(same, _)| *same == sentence) {
            Some((_, cells)) => cells.push(cell),
            None => told.push((sentence, vec![cell])),
        }
    }
    told.into_iter().map(|(sentence, of)| format!("{} {sentence}", who(&of, cells))).collect()
}

/// In which phase the data of a cell that begins in memory pass what its cache may hold.
fn leaves(cell: &Cell, words: &Words) -> Option<String> {
    let pool = room::pool_of(cell)?;
    let full = FULL.0 * pool.0 as f64;
    let course = course(cell, words);
    let (phase, data) = course.iter().find(|(_, data)| data.files as f64 > full)?;
    // Data that are loaded and too large have a sentence of their own.
    if room::loaded(cell, words) as f64 > full {
        return None;
    }
    let (step, iteration) = phase.step();
    let last = cell.phases.iter().filter_map(|p| p.step().1).max().unwrap_or(1);
    let place = match iteration {
        Some(n) if last > 1 => format!("in iteration {n} of {last}, with `{step}`"),
        Some(_) | None => format!("with `{step}`"),
    };
    let history = match data.history {
        0 => String::new(),
        bytes => format!(", {} of it history", Bytes(bytes)),
    };
    let mend =
        if room::is_asked(cell) { "what follows is told apart" } else { "enlarge it, end before, or make it an axis" };
    Some(format!(
        "will leave the cache {place}: the data take about {} then{history}, {} of a buffer_pool of {pool}; {mend}.",
        Bytes(data.files),
        Share(data.files as f64 / pool.0 as f64),
    ))
}

/// `c005, c009 (variant timestamp or transaction)`: on each axis the values of these, where others have others.
fn who(cells: &[&Cell], all: &[Cell]) -> String {
    let names: Vec<&str> = cells.iter().map(|c| c.id.0.as_str()).collect();
    let axes = cells.first().into_iter().flat_map(|c| c.axes.keys());
    let told = axes.filter_map(|axis| {
        let mut own: Vec<&Value> = Vec::new();
        for value in cells.iter().filter_map(|c| c.axes.get(axis)) {
            if !own.contains(&value) {
                own.push(value);
            }
        }
        let is_all = all.iter().filter_map(|c| c.axes.get(axis)).all(|value| own.contains(&value));
        let values: Vec<String> = own.iter().map(|value| axis_text(axis, value)).collect();
        (!is_all).then(|| format!("{axis} {}", values.join(" or ")))
    });
    let told: Vec<String> = told.collect();
    let place = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
    format!("{}{place}", names.join(", "))
}
