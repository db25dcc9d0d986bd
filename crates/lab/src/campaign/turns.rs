//! A block whose runs are under way at once: each on a server of its own, and one stage of one of them at a time. The
//! order within a stage is that of the block, and the opposite one in every second stage, so that what drifts steadily
//! favours nobody.

use super::under_way::{Campaign, without};
use crate::backends::access::LoadPlan;
use crate::execution::groups::load_plans;
use crate::execution::run::{Assignment, Begun, Run, UnderWay, own_processes, without_load};
use crate::notebook::reporter::Progress;
use crate::provision::Provision;
use crate::provision::needs::RunNeeds;
use crate::trouble::{Halt, Trouble, Unready};
use model::plan::{PlannedRun, Stage};
use model::record::run::RunRecord;

impl Campaign<'_> {
    /// Carries out the runs of one block, and says what came of them.
    pub fn block(&mut self, runs: &[PlannedRun], todo: &[PlannedRun]) -> Result<Vec<RunRecord>, Halt> {
        let plan = self.plan;
        let all: Vec<RunNeeds<'_>> =
            runs.iter().map(|run| RunNeeds::of(self.workloads, plan, plan.cell(&run.cell), run)).collect();
        let mut records = Vec::new();
        let mut ready: Vec<&RunNeeds<'_>> = Vec::new();
        for needs in &all {
            match without(self.prepared(needs)?)? {
                None => ready.push(needs),
                Some(ending) => {
                    let up = self.turns[&needs.run.cell].still_up();
                    let assignment = Assignment { needs, host: self.host, trial: None };
                    let record = without_load(&assignment, up, ending, &mut self.reporter)?;
                    self.passed(needs, &record);
                    records.push(record);
                }
            }
        }
        records.extend(self.in_turns(&ready, todo)?);
        Ok(records)
    }

    /// The server of a run with its data.
    fn prepared(&mut self, needs: &RunNeeds<'_>) -> Result<Result<(), Unready>, Trouble> {
        let cell = &needs.run.cell;
        if !self.turns.contains_key(cell) {
            self.turns.insert(cell.clone(), Provision::new(self.host, self.guard.clone())?);
        }
        Ok(self.turns.get_mut(cell).expect("just put there").prepare(needs, &mut self.reporter))
    }

    fn in_turns(&mut self, ready: &[&RunNeeds<'_>], todo: &[PlannedRun]) -> Result<Vec<RunRecord>, Halt> {
        let mut stages: Vec<Vec<(Stage, LoadPlan)>> = Vec::new();
        for needs in ready {
            let waiting = self.waiting(needs)?;
            stages.push(load_plans(self.turns[&needs.run.cell].up(), self.host, needs, waiting));
        }
        let processes: Vec<Vec<u32>> =
            ready.iter().map(|needs| own_processes(self.turns[&needs.run.cell].up())).collect();
        let (plan, pace, host) = (self.plan, &self.pace, self.host);
        let reporter = &mut self.reporter;
        let show = |progress: &mut dyn Progress, what: &str| pace.show(plan, todo, progress, what);
        let mut provisions: Vec<_> = self.turns.iter_mut().collect();
        let mut records = Vec::new();
        let mut going: Vec<Option<(usize, Run<'_, '_, '_>, Box<UnderWay<'_>>)>> = Vec::new();
        for (place, needs) in ready.iter().enumerate() {
            let at = provisions.iter().position(|(cell, _)| **cell == needs.run.cell).expect("each cell comes once");
            let provision = provisions.swap_remove(at).1;
            let others = (0..).zip(&processes).filter(|(other, _)| *other != place);
            let beside = others.flat_map(|(_, own)| own.clone()).collect();
            let assignment = Assignment { needs, host, trial: None };
            let mut run = Run { assignment, provision, caller: None, led: None, beside };
            match run.begin(&stages[place], reporter)? {
                Begun::Over(record) => records.push(*record),
                Begun::UnderWay(under_way) => going.push(Some((place, run, under_way))),
            }
        }
        let mut is_forward = true;
        while going.iter().any(Option::is_some) {
            let mut order: Vec<usize> = (0..going.len()).collect();
            if !is_forward {
                order.reverse();
            }
            is_forward = !is_forward;
            for turn in order {
                let Some((place, run, under_way)) = &mut going[turn] else { continue };
                if run.stage(&stages[*place], under_way, &show, reporter)? {
                    under_way.recorder.sleep();
                    continue;
                }
                let (place, run, under_way) = going[turn].take().expect("just seen");
                records.push(run.finish(&stages[place], *under_way, reporter)?);
            }
        }
        for record in &records {
            let needs = ready.iter().find(|needs| needs.run.id == record.id).expect("made for one of them");
            self.passed(needs, record);
        }
        Ok(records)
    }

    /// Whoever comes next has the machine for itself.
    pub fn end_turns(&mut self) {
        for (_, mut provision) in std::mem::take(&mut self.turns) {
            provision.close(&mut self.reporter);
        }
    }
}
