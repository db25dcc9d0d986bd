//! The frame around all causes: the ladder. A cause looks where it may be at work and says what it saw there: its
//! symptom, the evidence it cannot do without, how much of the time its cost covers. The frame weighs it against what
//! else claims the same time, lays its indicator beside the loss where an experiment varies it, and reads what became
//! of the loss when the experiment takes the cause away. The rung follows from that here and nowhere else, so that no
//! cause can be surer than its evidence.

pub use super::cause::{CLOSES, Case, Cause, Cost, Dose, Necessary, Place, SUFFICIENT, Scene, Time, Trial, name};
use super::{borne, dose, rivals, trial};
use crate::frame::account::OPEN;
use crate::frame::{Check, Doubts, Evidence};
use crate::stats::Interval;
use model::finding::Rival;
use model::{CellId, CellJudgement, Finding, Rung, Status};
use std::collections::{BTreeMap, BTreeSet};

pub fn all(causes: &[Cause], checks: &[Check], evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Finding> {
    let struck: BTreeSet<_> = cells.iter().filter(|c| c.status == Status::Fail).map(|c| &c.id).collect();
    let is_of_times = |id: &str| checks.iter().any(|check| check.id == id && check.doubts == Doubts::Times);
    let in_doubt = |c: &&CellJudgement| {
        c.verdicts.iter().any(|v| v.verdict == Status::Fail && !v.quarantined && !is_of_times(&v.check))
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
    /// The functions that bear it, as a profile names them.
    borne: Option<String>,
}

fn weigh<'a>(cause: &'a Cause, case: &'a Case, scene: &Scene, seen: &[(&Cause, Case)]) -> Weighed<'a> {
    Weighed {
        cause,
        case,
        trial: case.trial.as_ref(),
        trial_of_plan: trial::of(scene, cause, case),
        dose: dose::of(scene, cause, case),
        rival: rivals::best(scene, cause, case, seen),
        borne: borne::sentence(scene, cause, case),
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
            let closes = trial.closed.low >= CLOSES.0;
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
            self.borne.clone(),
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
