//! What a cause is, and what it says of a place where it may be at work: its symptom, the evidence it cannot do
//! without, how much of the time its cost covers, what became of the time without it. Nothing is weighed here; that is
//! the ladder's (`finding`).

use crate::frame::check::opening;
use crate::frame::{CellEvidence, Evidence, RunEvidence, account};
use crate::stats::Interval;
use model::{CellId, CellJudgement, Share};
use std::collections::{BTreeMap, BTreeSet};

/// A cost that covers less of the loss leaves too much to others.
pub const SUFFICIENT: Share = Share(0.70);
/// Taking the cause away closes at least so much of the loss, or it is not the cause.
pub const CLOSES: Share = Share(0.50);

pub struct Cause {
    /// As in a finding: `temporary_table_per_query`.
    pub id: &'static str,
    pub symptom: fn() -> String,
    /// Evidence without which it is not this cause.
    pub necessary: fn() -> String,
    /// How much of the loss the cause's own cost covers.
    pub test: fn() -> String,
    /// What takes the cause away and leaves the rest.
    pub intervention: fn() -> String,
    /// The cause's own file, of which `assay explain` prints the opening.
    pub source: &'static str,
    /// How much of it there is per operation: moves with the loss when the cause is dosed, and falls when it is taken
    /// away.
    pub indicator: Option<fn(&RunEvidence) -> Option<f64>>,
    /// Terms of the account in which its time lies, by their words: they do not compete with it.
    pub within: &'static [&'static str],
    pub look: fn(&Scene) -> Vec<Case>,
}

/// The record, without the cells whose numbers may not be believed.
pub struct Scene<'a> {
    pub evidence: &'a Evidence<'a>,
    pub struck: BTreeSet<&'a CellId>,
    pub judged: BTreeMap<&'a CellId, &'a CellJudgement>,
    /// Those among them whose work is in doubt and not only how fast it went.
    pub wrong: BTreeSet<&'a CellId>,
}

/// The time that is to be explained. Causes with cases at the same place compete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub cell: CellId,
    pub time: Time,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Time {
    /// That of an operation.
    Operation,
    /// What a user has from one operation to the next.
    Turn,
    /// What it takes longer than with the fewest users.
    Growth,
    /// What it takes longer than in this cell.
    Loss(CellId),
}

/// What a cause saw in one place that shows its symptom.
pub struct Case {
    pub place: Place,
    pub symptom: String,
    pub necessary: Necessary,
    pub cost: Option<Cost>,
    pub trial: Option<Trial>,
    /// What this host cannot show of it.
    pub unseen: Option<String>,
    pub evidence: Vec<String>,
    pub next_experiment: Option<String>,
}

pub enum Necessary {
    /// With what was seen.
    Present(String),
    /// It is something else.
    Contradicted,
    /// With what is missing.
    NotMeasured(String),
}

/// The share of the loss that the cause's cost covers.
pub struct Cost {
    pub share: Interval,
    /// What the account of that time leaves over or covers twice; nothing where the cost rests on no account.
    pub open: Share,
    pub sentence: String,
}

/// The cause taken away.
pub struct Trial {
    /// Share of the loss that this closed.
    pub closed: Interval,
    /// The same change left alone what the cause does not touch.
    pub control_held: bool,
    /// There was less of the cause afterwards, where that is counted.
    pub is_gone: bool,
    pub sentence: String,
}

/// The cause in several amounts.
pub struct Dose {
    pub holds: bool,
    pub sentence: String,
}

impl<'a> Scene<'a> {
    /// Cells of which something may be said: one load, one kind of user, numbers that hold.
    pub fn cells(&self) -> impl Iterator<Item = &'a CellEvidence<'a>> {
        self.plain_cells().filter(|c| !self.struck.contains(&c.cell.id))
    }
    /// The same, and with them cells whose counts hold though their times do not.
    pub fn counted_cells(&self) -> impl Iterator<Item = &'a CellEvidence<'a>> {
        self.plain_cells().filter(|c| !self.wrong.contains(&c.cell.id))
    }
    fn plain_cells(&self) -> impl Iterator<Item = &'a CellEvidence<'a>> {
        self.evidence.cells.iter().filter(|c| {
            let cell = c.cell;
            let plain = cell.repeats.is_none() && c.search.is_none() && cell.groups.is_empty() && account::is_even(c);
            plain && !c.runs.is_empty()
        })
    }
    /// Whether the numbers of this phase may not be believed; of `None`, those of the cell as a whole.
    pub fn is_struck(&self, cell: &CellId, phase: Option<&str>) -> bool {
        self.judged.get(cell).is_some_and(|cell| cell.struck(phase).is_some())
    }
    /// The cell of a case; a case is only ever of one of these.
    pub fn cell(&self, id: &CellId) -> &'a CellEvidence<'a> {
        self.evidence.cells.iter().find(|c| c.cell.id == *id).expect("a case is of a cell")
    }
}

impl Case {
    /// A case of the time of an operation in one cell, and nothing more known of it yet.
    pub fn of(cell: &CellEvidence, symptom: String, necessary: Necessary) -> Self {
        let place = Place { cell: cell.cell.id.clone(), time: Time::Operation };
        let evidence = std::iter::once(cell.cell.id.to_string()).chain(cell.runs.iter().map(RunEvidence::path));
        Self {
            place,
            symptom,
            necessary,
            cost: None,
            trial: None,
            unseen: None,
            evidence: evidence.collect(),
            next_experiment: None,
        }
    }
}

impl Cost {
    /// So much of an operation's time; `said` names what takes it.
    pub fn of_operation(cell: &CellEvidence, said: &str, us: impl Fn(&RunEvidence) -> Option<f64>) -> Option<Self> {
        let share = account::share(cell, us)?;
        let sentence = format!(
            "{said} takes {} of an operation's time ({} to {}).",
            Share(share.value),
            Share(share.low.max(0.0)),
            Share(share.high)
        );
        Some(Self { share, open: account::open(cell), sentence })
    }
}

/// How a sentence names a cell.
pub fn name(cell: &CellEvidence) -> String {
    format!("{} at {} ({})", cell.cell.workload, cell.cell.load.users, cell.cell.id)
}

impl Cause {
    /// What `assay explain` prints.
    pub fn page(&self) -> String {
        format!(
            "{}\n\nSymptom: {}.\n\n{}\n\nNecessary: {}.\nQuantity: {}.\nIntervention: {}.\n",
            self.id,
            (self.symptom)(),
            opening(self.source),
            (self.necessary)(),
            (self.test)(),
            (self.intervention)()
        )
    }
}
