//! Profiles for the page: the stacks of each cell as a tree of calls, over its runs and phases that measure. Branches
//! with hardly a sample are left out, since nobody sees them and the page is to be mailed around; their samples stay in
//! the function that called them.

use model::functions::{FunctionTable, Spent};
use model::record::profile::Stack;
use model::record::serving;
use model::{Details, PhaseKind, Record, RunRecord};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A branch with a smaller share of the samples is not drawn.
const LEAST: f64 = 0.001;
/// Deeper frames are thinner than a hair and repeat what is above them.
const DEEPEST: usize = 80;

/// Where the time of a cell's operations goes, call by call.
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Flame {
    cell: String,
    spent: Spent,
    /// Functions by number.
    names: Vec<String>,
    /// Microseconds per operation that one sample stands for.
    us: f64,
    root: Call,
}

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Call {
    /// Number of the function; of the root, which is everything, it means nothing.
    name: u32,
    /// In it and in what it called.
    samples: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Call>,
}

/// The flames of cells that have a table of functions.
pub fn flames(record: &Record, tables: &[FunctionTable], details: &dyn Details) -> Vec<Flame> {
    tables.iter().map(|table| flame(record, table, details)).collect()
}

fn flame(record: &Record, table: &FunctionTable, details: &dyn Details) -> Flame {
    let mut root = Tree::default();
    let spent = table.sampled.spent;
    let is_such = |run: &&RunRecord| run.profile.as_ref().is_some_and(|p| p.is_sampled() && p.spent == spent);
    let runs = record.runs.iter().filter(|run| run.is_done()).filter(is_such);
    for run in runs.filter(|run| run.cell.0 == table.sampled.cell) {
        let measured = run.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
        let names: BTreeSet<&str> = measured.map(|phase| phase.name.as_str()).collect();
        let stacks = details.stacks(&run.id).unwrap_or_default();
        let stacks = stacks.iter().filter(|stack| names.contains(stack.phase.as_str())).collect();
        let stacks = if spent.is_on_cpu() { stacks } else { serving::only(stacks).0 };
        stacks.into_iter().for_each(|stack| root.add(stack));
    }
    let mut names = Names::default();
    let least = (root.samples as f64 * LEAST).ceil() as u64;
    let us = table.sampled.operation.value / root.samples.max(1) as f64;
    let root = root.call(0, least, &mut names);
    let mut all: Vec<_> = names.0.into_iter().collect();
    all.sort_by_key(|(_, number)| *number);
    let (cell, names) = (table.sampled.cell.clone(), all.into_iter().map(|(name, _)| name).collect());
    Flame { cell, spent, names, us, root }
}

#[derive(Default)]
struct Names(BTreeMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(name.to_string()).or_insert(next)
    }
}

#[derive(Default)]
struct Tree {
    samples: u64,
    calls: BTreeMap<String, Tree>,
}

impl Tree {
    fn add(&mut self, stack: &Stack) {
        self.samples += stack.samples;
        let mut at = self;
        for frame in stack.frames.iter().take(DEEPEST) {
            at = at.calls.entry(frame.clone()).or_default();
            at.samples += stack.samples;
        }
    }

    fn call(self, name: u32, least: u64, names: &mut Names) -> Call {
        let seen = self.calls.into_iter().filter(|(_, tree)| tree.samples >= least);
        let calls = seen.map(|(name, tree)| (names.number(&name), tree)).collect::<Vec<_>>();
        let calls = calls.into_iter().map(|(name, tree)| tree.call(name, least, names)).collect();
        Call { name, samples: self.samples, calls }
    }
}
