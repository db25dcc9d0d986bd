//! What a cause is, and the frame around all of them: the ladder. A cause looks where it may be at work and says what it saw there:
//! its symptom, the evidence it cannot do without, how much of the loss its cost covers, what became of the loss when it was taken
//! away. The rung follows from that here and nowhere else, so that no cause can be surer than its evidence.

use crate::check::opening;
use crate::evidence::Evidence;
use crate::stats::Interval;
use model::finding::{Finding, Rung};
use model::judgement::CellJudgement;
use model::plan::CellId;
use model::units::Share;
use model::verdict::Status;
use std::collections::BTreeSet;

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
    pub look: fn(&Scene) -> Vec<Case>,
}

/// The record, without the cells whose numbers may not be believed.
pub struct Scene<'a> {
    pub evidence: &'a Evidence<'a>,
    pub struck: BTreeSet<&'a CellId>,
}

/// What a cause saw in one place that shows its symptom.
pub struct Case {
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
    pub sentence: String,
}

/// The cause taken away.
pub struct Trial {
    /// Share of the loss that this closed.
    pub closed: Interval,
    /// The same change left alone what the cause does not touch.
    pub control_held: bool,
    pub sentence: String,
}

pub fn all(causes: &[Cause], evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Finding> {
    let struck = cells.iter().filter(|c| c.status == Status::Fail).map(|c| &c.id).collect();
    let scene = Scene { evidence, struck };
    let found = |cause: &Cause| (cause.look)(&scene).into_iter().filter_map(|case| case.finding(cause.id));
    let mut findings: Vec<Finding> = causes.iter().flat_map(found).collect();
    findings.sort_by_key(|f| std::cmp::Reverse(f.rung));
    findings
}

impl Case {
    fn finding(self, name: &str) -> Option<Finding> {
        let seen = match &self.necessary {
            Necessary::Contradicted => return None,
            Necessary::Present(seen) => seen.clone(),
            Necessary::NotMeasured(missing) => format!("Why is unexplained: {missing}."),
        };
        let rung = self.rung();
        let told = [
            Some(self.symptom),
            Some(seen),
            self.cost.as_ref().map(|c| c.sentence.clone()),
            self.trial.map(|t| t.sentence),
            self.unseen,
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        Some(Finding {
            name: name.into(),
            rung,
            sentence: told.join(" "),
            share: self.cost.map(|c| c.share.value.clamp(0.0, 1.0)),
            evidence: self.evidence,
            next_experiment: self.next_experiment,
        })
    }

    /// The ladder. Dose-response takes five levels at equal rates, which no cause looks for yet.
    fn rung(&self) -> Rung {
        if !matches!(self.necessary, Necessary::Present(_)) {
            return Rung::Unexplained;
        }
        match &self.trial {
            Some(trial) if trial.closed.high < CLOSES.0 => Rung::Unexplained,
            Some(trial) if trial.closed.value >= CLOSES.0 && trial.closed.low > 0.0 && trial.control_held => {
                Rung::ConfirmedByIntervention
            }
            Some(_) | None => match &self.cost {
                Some(cost) if cost.share.value >= SUFFICIENT.0 && cost.share.low > 0.0 => {
                    Rung::QuantitativelySufficient
                }
                Some(_) | None => Rung::ConsistentWith,
            },
        }
    }
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
