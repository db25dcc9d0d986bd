//! What a cause is, and the frame around all of them: the ladder. A cause looks where it may be at work and says what it saw there:
//! its symptom, the evidence it cannot do without, how much of the time its cost covers. The frame weighs it against what else
//! claims the same time, lays its indicator beside the loss where an experiment varies it, and reads what became of the loss
//! when the experiment takes the cause away. The rung follows from that here and nowhere else, so that no cause can be surer
//! than its evidence.

use super::{dose, rivals, trial};
use crate::frame::account::{self, OPEN};
use crate::frame::check::opening;
use crate::frame::evidence::{CellEvidence, Evidence, RunEvidence};
use crate::stats::Interval;
use model::finding::{Finding, Rival, Rung};
use model::judgement::CellJudgement;
use model::plan::CellId;
use model::units::Share;
use model::verdict::Status;
use std::collections::{BTreeMap, BTreeSet};

/// A cost that covers less of the loss leaves too much to others.
pub const SUFFICIENT: Share = Share(0.70);
/// Taking the cause away closes at least so much of the loss, or it is not the cause.
pub const CLOSES: Share = Share(0.50);

pub struct Cause {
    /// As in a finding: `temporary_table_per_query`.
    pub id: &'static str,
    /// As in the literature of this house: `T1`.
    pub code: &'static str,
    pub symptom: fn() -> String,
    /// Evidence without which it is not this cause.
    pub necessary: fn() -> String,
    /// How much of the loss the cause's own cost covers.
    pub test: fn() -> String,
    /// What takes the cause away and leaves the rest.
    pub intervention: fn() -> String,
    /// The cause's own file, of which `assay explain` prints the opening.
    pub source: &'static str,
    /// How much of it there is per operation: moves with the loss when the cause is dosed, and falls when it is taken away.
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
    /// Of those, the ones whose work is in doubt and not only how fast it went.
    pub wrong: BTreeSet<&'a CellId>,
}

/// Checks of how fast, how steadily and how undisturbed a cell worked. Where only these fail, what is counted per unit of work holds: a
/// neighbour makes an order slower, and no page of it splits twice.
const OF_TIME: &[&str] = &[
    "client_had_headroom",
    "cpu_was_not_stolen",
    "disk_was_ours",
    "latency_was_honest",
    "littles_law",
    "machine_was_quiet",
    "observer_was_cheap",
    "repetitions_agree",
    "throughput_was_steady",
    "timers_were_fine",
];

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

pub fn all(causes: &[Cause], evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Finding> {
    let struck: BTreeSet<_> = cells.iter().filter(|c| c.status == Status::Fail).map(|c| &c.id).collect();
    let in_doubt = |c: &&CellJudgement| {
        c.verdicts.iter().any(|v| v.verdict == Status::Fail && !v.quarantined && !OF_TIME.contains(&v.check.as_str()))
    };
    let wrong = cells.iter().filter(in_doubt).map(|c| &c.id).collect();
    let judged = cells.iter().map(|cell| (&cell.id, cell)).collect();
    let scene = Scene { evidence, struck, judged, wrong };
    let seen: Vec<(&Cause, Case)> =
        causes.iter().flat_map(|cause| (cause.look)(&scene).into_iter().map(move |case| (cause, case))).collect();
    let seen: Vec<(&Cause, Case)> =
        seen.into_iter().filter(|(_, case)| !matches!(case.necessary, Necessary::Contradicted)).collect();
    let weighed: Vec<Weighed> = seen.iter().map(|(cause, case)| weigh(cause, case, &scene, &seen)).collect();
    let mut findings = trial::without_symptom(&scene, causes, &seen);
    for cause in causes {
        let (each, places): (Vec<&Weighed>, Vec<&Weighed>) =
            weighed.iter().filter(|w| w.cause.id == cause.id).partition(|w| matches!(w.case.place.time, Time::Loss(_)));
        findings.extend(each.into_iter().map(|w| w.finding(&[])));
        let strongest = places.iter().enumerate().max_by(|(_, a), (_, b)| a.rank().total_cmp(&b.rank()));
        findings.extend(strongest.map(|(at, w)| {
            let others: Vec<&CellId> =
                places.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, other)| &other.case.place.cell).collect();
            w.finding(&others)
        }));
    }
    findings.sort_by_key(|f| std::cmp::Reverse(f.rung));
    name_files(&mut findings);
    findings
}

/// One file for each proposal; the second of the same cause is numbered.
fn name_files(findings: &mut [Finding]) {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings.iter_mut().filter(|f| f.next_experiment.is_some()) {
        let n = times.entry(finding.name.clone()).or_default();
        *n += 1;
        let number = if *n == 1 { String::new() } else { format!("-{n}") };
        finding.next_file = Some(format!("next/{}{number}.toml", finding.name));
    }
}

/// A case with what the frame adds to it.
struct Weighed<'a> {
    cause: &'a Cause,
    case: &'a Case,
    trial: Option<&'a Trial>,
    trial_of_plan: Option<Trial>,
    dose: Option<Dose>,
    rival: Option<Rival>,
}

fn weigh<'a>(cause: &'a Cause, case: &'a Case, scene: &Scene, seen: &[(&Cause, Case)]) -> Weighed<'a> {
    Weighed {
        cause,
        case,
        trial: case.trial.as_ref(),
        trial_of_plan: trial::of(scene, cause, case),
        dose: dose::of(scene, cause, case),
        rival: rivals::best(scene, cause, case, seen),
    }
}

impl Weighed<'_> {
    fn tried(&self) -> Option<&Trial> {
        self.trial_of_plan.as_ref().or(self.trial)
    }

    fn share(&self) -> Option<&Interval> {
        self.case.cost.as_ref().map(|c| &c.share)
    }

    /// What an experiment was made for, then the surer, then what explains more.
    fn rank(&self) -> f64 {
        let tried = if self.trial_of_plan.is_some() { 10.0 } else { 0.0 };
        tried + f64::from(self.rung() as u8) + self.share().map_or(0.0, |s| s.value.clamp(0.0, 0.999))
    }

    /// The ladder.
    fn rung(&self) -> Rung {
        if !matches!(self.case.necessary, Necessary::Present(_)) {
            return Rung::Unexplained;
        }
        if let Some(trial) = self.tried() {
            if trial.closed.high < CLOSES.0 {
                return Rung::Unexplained;
            }
            let closes = trial.closed.value >= CLOSES.0 && trial.closed.low > 0.0;
            if closes && trial.control_held && trial.is_gone {
                return Rung::ConfirmedByIntervention;
            }
        }
        if self.rival.as_ref().is_some_and(|r| r.undecided) {
            return Rung::ConsistentWith;
        }
        if self.dose.as_ref().is_some_and(|d| d.holds) {
            return Rung::DoseResponse;
        }
        match &self.case.cost {
            Some(c) if c.share.value >= SUFFICIENT.0 && c.share.low > 0.0 && c.open.0.abs() <= OPEN.0 => {
                Rung::QuantitativelySufficient
            }
            Some(_) | None => Rung::ConsistentWith,
        }
    }

    /// With the other cells in which the cause shows itself likewise.
    fn finding(&self, likewise: &[&CellId]) -> Finding {
        let case = self.case;
        let seen = match &case.necessary {
            Necessary::Present(seen) => seen.clone(),
            Necessary::Contradicted => unreachable!("contradicted cases are left out"),
            Necessary::NotMeasured(missing) => format!("Why is unexplained: {missing}."),
        };
        let others = match likewise.len() {
            0 => None,
            1 => Some("Likewise in one other cell.".to_string()),
            n => Some(format!("Likewise in {n} other cells.")),
        };
        let told = [
            Some(case.symptom.clone()),
            Some(seen),
            case.cost.as_ref().map(|c| c.sentence.clone()),
            self.dose.as_ref().map(|d| d.sentence.clone()),
            self.tried().map(|t| t.sentence.clone()),
            case.unseen.clone(),
            others,
        ];
        let told: Vec<String> = told.into_iter().flatten().filter(|s| !s.is_empty()).collect();
        let confirmed = self.rung() == Rung::ConfirmedByIntervention;
        Finding {
            name: self.cause.id.into(),
            rung: self.rung(),
            sentence: told.join(" "),
            share: self.share().map(|s| s.value.clamp(0.0, 1.0)),
            share_interval: self.share().map(|s| (s.low.clamp(0.0, 1.0), s.high.clamp(0.0, 1.0))),
            rival: self.rival.clone().filter(|_| !confirmed),
            evidence: case.evidence.iter().cloned().chain(likewise.iter().map(ToString::to_string)).collect(),
            next_experiment: case.next_experiment.clone().filter(|_| self.trial_of_plan.is_none()),
            next_file: None,
        }
    }
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
            "{} ({})\n\nSymptom: {}.\n\n{}\n\nNecessary: {}.\nQuantity: {}.\nIntervention: {}.\n",
            self.id,
            self.code,
            (self.symptom)(),
            opening(self.source),
            (self.necessary)(),
            (self.test)(),
            (self.intervention)()
        )
    }
}
