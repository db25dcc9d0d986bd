//! What an operation costs the server: CPU, context switches, pages and bytes read and written, syncs, each divided by
//! the operations done in the same time, over all runs of a cell together. Then the same relative to the base, as
//! studies of regressions publish it, because a cost moves where a rate is capped by something else.

use super::form::pasted;
use super::side::{Sides, Test, is_struck, place, runs_of};
use super::{Pasted, PastedCell};
use crate::axes;
use crate::figures::three;
use model::{CellJudgement, Record};

/// A column: its head, the counters that are added up (of several lists the first that was read), what one counted unit
/// is worth.
struct Cost {
    head: &'static str,
    counters: &'static [&'static [&'static str]],
    worth: f64,
}

const MICROS: f64 = 1e-3;
const KIB: f64 = 1.0 / 1024.0;

const COSTS: &[Cost] = &[
    Cost { head: "CPU µs/op", counters: &[&["server.cpu.user", "server.cpu.system"]], worth: MICROS },
    Cost {
        head: "switches/op",
        counters: &[&["server.switches.voluntary", "server.switches.involuntary"]],
        worth: 1.0,
    },
    Cost { head: "page reads/op", counters: &[&["db.page_reads"]], worth: 1.0 },
    Cost { head: "read KiB/op", counters: &[&["server.io.read_bytes"]], worth: KIB },
    Cost { head: "written KiB/op", counters: &[&["server.io.write_bytes"]], worth: KIB },
    Cost { head: "fsyncs/op", counters: &[&["db.data_fsyncs"], &["db.redo_fsyncs"]], worth: 1.0 },
];

pub fn of(sides: &Sides) -> Option<Pasted> {
    let costs_of = |test: &Test| test.cells.iter().map(|cell| Some(costs(sides.record, (*cell)?))).collect::<Vec<_>>();
    let groups = sides.grouped(|test| rows(sides, test, &costs_of(test)));
    let any =
        sides.tests.iter().any(|test| costs_of(test).iter().flatten().any(|costs| costs.iter().any(Option::is_some)));
    if !any {
        return None;
    }
    let heads = ["test".to_string()].into_iter().chain(COSTS.iter().map(|cost| cost.head.to_string())).collect();
    let base = sides.axis.map_or(String::new(), |axis| {
        format!(", then relative to {} {}", axis.key, sides.columns().first().map_or("", String::as_str))
    });
    let title = format!("What an operation of {} costs the server{base}.", sides.record.plan.name);
    let note = "Struck: a check failed, the number does not count. –: not read, or nothing to divide by.";
    Some(pasted("cost", title, note.into(), heads, groups))
}

/// Per operation over all runs of the cell, by column.
fn costs(record: &Record, cell: &CellJudgement) -> Vec<Option<f64>> {
    COSTS
        .iter()
        .map(|cost| cost.counters.iter().find_map(|counters| per_operation(record, cell, counters, cost.worth)))
        .collect()
}

/// Growth per second of the counters' own window ÷ operations per second, so that a reading that came a little early or
/// late does not enter. `None` where a phase of a run lacks one of them.
fn per_operation(record: &Record, cell: &CellJudgement, counters: &[&str], worth: f64) -> Option<f64> {
    let (mut grown, mut done) = (0.0, 0.0);
    for phase in runs_of(record, cell).flat_map(model::RunRecord::measured) {
        let length = phase.length().seconds();
        done += phase.groups.values().map(|group| group.tally.done() as f64).sum::<f64>();
        for counter in counters {
            let ends = phase.counters.get(*counter)?;
            grown += if ends.seconds() > 0.0 { ends.delta() / ends.seconds() * length } else { 0.0 };
        }
    }
    (done > 0.0).then(|| grown * worth / done)
}

fn rows(sides: &Sides, test: &Test, costs: &[Option<Vec<Option<f64>>>]) -> Vec<Vec<PastedCell>> {
    let mut rows = Vec::new();
    let mut push = |name: String, struck: bool, values: Vec<Option<String>>| {
        let cell = |text: Option<String>| text.map_or(PastedCell::plain("–"), |text| PastedCell { text, struck });
        rows.push([PastedCell::plain(name)].into_iter().chain(values.into_iter().map(cell)).collect());
    };
    let named = |column: usize| match place(sides, column) {
        Some(value) => format!("{}, {}", test.name, axes::text(value)),
        None => test.name.clone(),
    };
    for (column, (cell, costs)) in test.cells.iter().zip(costs).enumerate() {
        if let (Some(cell), Some(costs)) = (cell, costs) {
            push(named(column), is_struck(cell), costs.iter().map(|cost| cost.map(three)).collect());
        }
    }
    let (Some(Some(base)), Some(base_costs)) = (test.cells.first(), costs.first().and_then(Option::as_ref)) else {
        return rows;
    };
    for (column, (cell, costs)) in test.cells.iter().zip(costs).enumerate().skip(1) {
        if let (Some(cell), Some(costs)) = (cell, costs) {
            let ratio = |(cost, base): (&Option<f64>, &Option<f64>)| {
                let base = base.filter(|base| *base > 0.0)?;
                Some(format!("{:.2}", (*cost)? / base))
            };
            let ratios = costs.iter().zip(base_costs).map(ratio).collect();
            push(format!("{} ÷ base", named(column)), is_struck(base) || is_struck(cell), ratios);
        }
    }
    rows
}
