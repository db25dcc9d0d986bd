//! The kinds of cells that a check can be asked about at all. A cache has no tables and a load that arrives at a rate
//! no law of its users: who asks there gets no answer, and that is neither a pass nor an unknown. Each check declares
//! it in its own file, out of what stands here; what could be asked and was not measured stays *not evaluable*.

use super::evidence::{CellEvidence, Evidence, RunEvidence};
use model::plan::Cell;
use model::plan::served::{CACHE, serves};
use model::protocol::Protocol;
use model::words::SCRIPTS;

/// Why a check cannot be asked, as a sentence; nothing where it can.
pub type Absence = Option<String>;

/// To what a check applies.
#[derive(Clone, Copy)]
pub enum Applies {
    Always,
    /// Each run says it, as far as it is looked at: of a phase, the phase.
    Run(fn(&RunEvidence) -> Absence),
    Cell(fn(&CellEvidence) -> Absence),
    Experiment(fn(&Evidence) -> Absence),
}

impl Applies {
    /// Why not to this cell.
    pub fn absent_in(&self, cell: &CellEvidence) -> Absence {
        match self {
            Self::Cell(absent) => absent(cell),
            Self::Always | Self::Run(_) | Self::Experiment(_) => None,
        }
    }
    /// Why not to any of these runs.
    pub fn absent_of(&self, runs: &[RunEvidence]) -> Absence {
        match self {
            Self::Run(absent) => runs.iter().map(absent).reduce(Option::and).flatten(),
            Self::Always | Self::Cell(_) | Self::Experiment(_) => None,
        }
    }
    /// Why not to all cells together.
    pub fn absent_from(&self, evidence: &Evidence) -> Absence {
        match self {
            Self::Experiment(absent) => absent(evidence),
            Self::Always | Self::Run(_) | Self::Cell(_) => None,
        }
    }
}

/// The workload that finds no data on any server.
const NO_DATA: &str = "noop";

fn is_all_work(cell: &Cell, is_it: impl Fn(&str) -> bool) -> bool {
    cell.works().iter().all(|work| is_it(&work.workload))
}

fn is_script(workload: &str) -> bool {
    workload.split('.').next() == Some(SCRIPTS)
}

/// Whether the server is of such a kind; what kind it was is not always known.
fn is_kind(run: &RunEvidence, is_it: impl Fn(&str) -> bool) -> bool {
    run.instance.is_some_and(|instance| is_it(&instance.kind))
}

pub fn is_cache(run: &RunEvidence) -> bool {
    is_kind(run, |kind| kind == CACHE)
}

/// For what lies in tables and becomes of it.
pub fn tables(run: &RunEvidence) -> Absence {
    if is_cache(run) {
        return Some("The server is a cache, which has no tables, no transactions and no log.".into());
    }
    is_all_work(&run.cell, |workload| workload == NO_DATA).then(|| format!("The workload `{NO_DATA}` has no data."))
}

/// For what MySQL's family counts and calls by its own names.
pub fn mysql(run: &RunEvidence) -> Absence {
    let is_another = is_kind(run, |kind| !serves(kind, Protocol::MySql));
    is_another.then(|| "The server is none of MySQL's family, and counts nothing by its names.".into())
}

/// For what InnoDB has, called by `what`.
pub fn innodb(run: &RunEvidence, what: &str) -> Absence {
    tables(run).or_else(|| mysql(run)).or_else(|| engine(run, "innodb", what))
}

/// For what one storage engine has, called by `what`.
pub fn engine(run: &RunEvidence, name: &str, what: &str) -> Absence {
    let engine = &run.cell.server.engine;
    (!engine.eq_ignore_ascii_case(name)).then(|| format!("The engine is {engine}: there {what}."))
}

/// For tables and rows of which it is known beforehand what they are to be.
pub fn declared(run: &RunEvidence) -> Absence {
    if is_all_work(&run.cell, |workload| workload == NO_DATA) {
        return Some(format!("The workload `{NO_DATA}` has no data."));
    }
    is_all_work(&run.cell, is_script)
        .then(|| "A script made its tables, and what they were to be is its own knowledge.".into())
}

/// For statements whose plans a server can be asked for.
pub fn planned(cell: &Cell) -> Absence {
    if !cell.asks_in(Protocol::is_sql) {
        return Some("Nobody speaks SQL here: there is no statement to plan.".into());
    }
    is_all_work(cell, is_script)
        .then(|| "A script's statements are its own, and known to nobody before it runs.".into())
}

/// For what held at the ends of runs: a record from before it was read says nothing of it.
pub fn states(run: &RunEvidence) -> Absence {
    let none = run.record.runs.iter().all(|run| run.states.is_none());
    none.then(|| "The record is from before it was read at both ends of runs what held there.".into())
}
