//! The experiment resolved to an ordered list of runs with nothing left to choose: every parameter with its default
//! filled in, every seed drawn, every order decided. A plan is a pure function of the experiment and of what the host
//! offers, so it can be read before anything starts, and a resumed lab finds the same runs under the same names.

mod cells;
pub mod cost;
pub mod cpus;
mod footprints;
mod growth;
mod hash;
mod interleaved;
pub mod memory;
mod near_miss;
mod obstacle;
mod order;
mod room;
pub mod served;
mod table;
mod topology;

use crate::experiment::keys::WORKLOAD;
use crate::experiment::{Axis, Experiment};
use crate::functions::Spent;
use crate::host::Host;
use crate::intervention::Intervention;
use crate::load::{Group, Load, Phase};
use crate::precision::Precision;
use crate::problem::Problem;
use crate::protocol::Protocol;
use crate::search::Search;
use crate::seed::Seed;
use crate::units::{Bytes, Nanos, Users};
use crate::value::Value;
use crate::words::Words;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use crate::server::Server;
pub use obstacle::LAB_SESSIONS;
pub use table::{axis_text, not_here, table};

/// More runs than a human can want, fewer than fill the memory: an experiment beyond it multiplied something by
/// mistake.
pub const MOST_RUNS: usize = 100_000;

/// Raised when a field changes its meaning; additions keep it.
pub const PLAN_SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub schema: u32,
    /// File stem of the experiment, as `read-only-charsets`.
    pub name: String,
    pub question: String,
    /// The scale whose overrides were applied; `None` when the file was used as it stands.
    pub scale: Option<String>,
    /// What the command line set beside the file, as `KEY=VALUE`, in its order: what the plan came from, not what it
    /// is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    pub seed: Seed,
    /// The axes in the order of the file: what the experiment varies, in the order a reader meets it.
    pub axes: Vec<Axis>,
    /// It takes the cause of another experiment's finding away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervention: Option<Intervention>,
    pub cells: Vec<Cell>,
    /// In the order in which they are carried out; of a search, as many as it may take.
    pub runs: Vec<PlannedRun>,
    /// What was asked and cannot be run here, with the reason.
    pub skipped: Vec<Skipped>,
    pub cost: Cost,
    /// Near misses that deserve a look before hours are spent (check `parameters_agree` judges them afterwards), as
    /// sentences.
    pub warnings: Vec<String>,
    /// Limits of checks that the experiment sets itself, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, f64>,
    /// Noise says how many of the blocks are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Precision>,
    /// The runs of a block are under way at once, and take turns stage by stage.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interleaved: bool,
}

/// One combination of axis values, with everything that defines it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub id: CellId,
    /// The value on each axis that applies to this cell; an axis over a parameter that the workload lacks is absent.
    pub axes: BTreeMap<String, Value>,
    /// Set on the second arm of an A/A pair: the cell that this one repeats under another label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<CellId>,
    pub server: Server,
    pub workload: String,
    /// Those in which its users ask. Plans of before it was written down have none; who reads a record of theirs fills
    /// it in ([`Record::tell_protocols`](crate::record::Record::tell_protocols)).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub protocols: BTreeSet<Protocol>,
    /// Every parameter of the workload, defaults filled in.
    pub parameters: BTreeMap<String, Value>,
    pub load: Load,
    /// The level of the load is looked for: each run takes another one ([`Cell::at`]), and `load` has the lowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// Empty where all users do the same; else parameters are each group's own, and `workload` lists theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    pub phases: Vec<Phase>,
}

/// Neighbouring phases of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Places among the cell's phases.
    pub phases: Range<usize>,
    pub groups: Vec<Group>,
}

/// `c001`: stable within a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CellId(pub String);

/// `c001-1`: cell and repetition; the name of the run's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RunId(pub String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedRun {
    pub id: RunId,
    pub cell: CellId,
    /// 1-based.
    pub repetition: u32,
    /// Runs of one block are neighbours in time: each cell occurs once in it, in random order.
    pub block: u32,
    pub seed: Seed,
    /// Carried out with the server's instruments on, after all others and beside the numbers.
    #[serde(default, skip_serializing_if = "is_false")]
    pub explain: bool,
    /// Samples per second of each CPU, of a run that is profiled: after those that make numbers, and beside them. None,
    /// where it is the pair of one, which tells what profiling costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<u32>,
    /// What the profile is of.
    #[serde(default, skip_serializing_if = "Spent::is_on_cpu")]
    pub spent: Spent,
}

impl PlannedRun {
    /// It tells where time goes, and makes no number.
    pub fn is_beside(&self) -> bool {
        self.explain || self.profile.is_some()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Skipped {
    pub axes: BTreeMap<String, Value>,
    pub reason: String,
}

/// What carrying out the plan is expected to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub time: Nanos,
    pub disk: Bytes,
    /// Rows that must be loaded before the runs.
    pub rows: u64,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Plan {
    /// The keys of the axes, that first which the experiment most probably asks about: what has a name (a build, a
    /// character set) before what has a size, whose cost nobody doubts. Different work has different rates, which is
    /// seldom the question of an experiment that has other axes, too.
    pub fn in_order_of_interest(&self) -> Vec<&str> {
        let mut axes: Vec<&Axis> = self.axes.iter().collect();
        let has_sizes = |axis: &Axis| axis.values.iter().all(|value| value.number().is_some());
        axes.sort_by_key(|axis| (axis.key == WORKLOAD, has_sizes(axis)));
        axes.into_iter().map(|axis| axis.key.as_str()).collect()
    }

    /// A plan of no run, for who makes one of something else than an experiment.
    pub fn blank(name: &str, seed: Seed) -> Self {
        Self {
            schema: PLAN_SCHEMA,
            name: name.to_string(),
            question: String::new(),
            scale: None,
            sets: Vec::new(),
            seed,
            axes: Vec::new(),
            intervention: None,
            cells: Vec::new(),
            runs: Vec::new(),
            skipped: Vec::new(),
            cost: Cost::default(),
            warnings: Vec::new(),
            limits: BTreeMap::new(),
            until: None,
            interleaved: false,
        }
    }

    /// Every choice and every seed, before anything starts. Pure: the same experiment, host and words give the same
    /// plan.
    pub fn of(experiment: &Experiment, host: &Host, words: &Words) -> Result<Self, Vec<Problem>> {
        let asked = experiment
            .axes
            .iter()
            .map(|a| a.values.len())
            .fold(experiment.repeat.repetitions as usize, usize::saturating_mul);
        if asked > MOST_RUNS {
            let what = format!("the axes multiply to {asked} runs, more than {MOST_RUNS}");
            return Err(vec![experiment.problem("axes", what, "split the question, or take fewer values")]);
        }
        let (mut cells, skipped) = cells::cells(experiment, host, words);
        if cells.is_empty() {
            return Err(skipped.into_iter().map(|(_, problem)| problem).collect());
        }
        if experiment.repeat.aa {
            cells::repeat_one(&mut cells);
        }
        if experiment.repeat.interleave
            && let Some(problem) = interleaved::problem(experiment, &cells)
        {
            return Err(vec![problem]);
        }
        let seed = experiment.repeat.seed;
        cells::seed_searches(&mut cells, seed);
        let mut runs = order::runs(&cells, experiment.repeat.repetitions, seed);
        order::profile(&cells, &mut runs, &experiment.repeat);
        if experiment.repeat.explain {
            order::explain(&cells, &mut runs, seed);
        }
        let cost = cost::of(&cells, &runs, words);
        let mut warnings = near_miss::warnings(experiment, words);
        warnings.extend(room::of_host(&cells, cost.disk, host));
        warnings.extend(interleaved::warning(experiment, &cells, host));
        warnings.extend(cells::rate_warnings(&cells));
        warnings.extend(room::of_pool(&cells, words));
        warnings.extend(growth::warnings(&cells, words));
        if experiment.server.on.is_some()
            && !(experiment.server.settings.is_empty() && experiment.server.native.is_empty())
        {
            warnings.push("The settings are not applied: assay did not start this server.".into());
        }
        if experiment.server.on.is_some() && experiment.running(words).iter().any(|w| w.writes) {
            warnings.push(
                "Runs that write load their data anew, each before it begins: assay keeps no snapshot of a server that it did \
                 not start."
                    .into(),
            );
        }
        Ok(Self {
            schema: PLAN_SCHEMA,
            name: experiment.name.clone(),
            question: experiment.question.clone(),
            scale: experiment.scale.clone(),
            sets: experiment.sets.clone(),
            seed,
            axes: served::axes_of(experiment, &cells),
            intervention: experiment.intervention.clone(),
            cells,
            runs,
            skipped: skipped.into_iter().map(|(skip, _)| skip).collect(),
            cost,
            warnings,
            limits: experiment.limits.clone(),
            until: experiment.repeat.until,
            interleaved: experiment.repeat.interleave,
        })
    }
    /// Whether there may be fewer runs than planned.
    pub fn is_at_most(&self) -> bool {
        self.searches() || self.until.is_some()
    }
    /// Whether levels are looked for, so that there may be fewer runs than planned.
    pub fn searches(&self) -> bool {
        self.cells.iter().any(|c| c.search.is_some())
    }
    /// The cells without what follows from the rest of them, so that a plan of before it was written down is the same.
    pub fn chosen_cells(&self) -> Vec<Cell> {
        self.cells.iter().map(|cell| Cell { protocols: BTreeSet::new(), ..cell.clone() }).collect()
    }
    pub fn cell(&self, id: &CellId) -> &Cell {
        self.cells.iter().find(|c| c.id == *id).expect("a plan names only its own cells")
    }
}

impl Stage {
    /// The users of all groups together.
    pub fn users(&self) -> Users {
        Users(self.groups.iter().map(|g| g.users.0).sum())
    }
}

impl std::fmt::Display for CellId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
