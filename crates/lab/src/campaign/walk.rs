//! The way through a plan: what is left to do, in which order, and when a search is over.

use super::searches::{Rules, Searches};
use super::under_way::{Campaign, Coming};
use crate::execution::groups::load_plans;
use crate::execution::ranks::{places, spread};
use crate::notebook::Notebook;
use crate::notebook::reporter::{Progress, Reporter};
use crate::os::process::Guard;
use crate::provision::needs::RunNeeds;
use crate::ranks::peers::Peers;
use crate::trouble::Halt;
use model::load::Waiting;
use model::search::{Step, Trial};
use model::{EventKind, Host, Plan, PlannedRun};
use std::sync::atomic::AtomicBool;
use workload::Workloads;

/// Carries out what is not yet recorded of the plan, which names none but these workloads.
#[allow(clippy::too_many_arguments)] // said once, by the verb that runs
pub fn carry_out(
    plan: &Plan,
    host: &Host,
    workloads: &Workloads,
    rules: Rules,
    guard: Guard,
    peers: Option<&mut Peers>,
    notebook: &mut Notebook,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<(), Halt> {
    let mut campaign = Campaign::new(plan, host, workloads, guard, Reporter { notebook, progress, stop })?;
    campaign.peers = peers;
    campaign.all_reach_the_servers()?;
    let outcome = campaign.walk(rules);
    campaign.close(&outcome);
    outcome
}

impl Campaign<'_> {
    fn walk(&mut self, rules: Rules) -> Result<(), Halt> {
        let notebook = &*self.reporter.notebook;
        let mut searches = Searches::recall(self.plan, rules, notebook)?;
        let is_open = |run: &&PlannedRun| {
            !notebook.finished().contains(&run.id) && !matches!(searches.step(run), Some(Step::Over { .. }))
        };
        let mut todo: Vec<PlannedRun> = self.plan.runs.iter().filter(is_open).cloned().collect();
        // Of a record that is gone on with: the blocks before its first open run are whole.
        if let Some(first) = todo.first().filter(|run| !run.is_beside() && begins_block(self.plan, notebook, run))
            && searches.enough(first.block).is_some()
        {
            todo.retain(|run| run.is_beside());
        }
        if todo.is_empty() {
            let text = format!("all {} runs are in {}", notebook.finished().len(), notebook.folder().display());
            self.reporter.say(&text);
            return Ok(());
        }
        self.begin(&todo)?;
        while let Some(run) = todo.get(self.pace.done).cloned() {
            self.reporter.check_stop()?;
            if !run.is_beside()
                && begins_block(self.plan, self.reporter.notebook, &run)
                && let Some(why) = searches.enough(run.block)
            {
                self.repetitions_are_enough(&why)?;
                let mut at = 0..;
                todo.retain(|r| at.next() < Some(self.pace.done) || r.is_beside());
                continue;
            }
            if self.plan.interleaved && !run.is_beside() {
                let is_of_it = |other: &&PlannedRun| other.block == run.block && !other.is_beside();
                let block: Vec<_> = todo[self.pace.done..].iter().filter(is_of_it).cloned().collect();
                self.show(&todo, "");
                self.block(&block, &todo)?.into_iter().for_each(|record| searches.remember(record));
                continue;
            }
            self.end_turns();
            let trial = match searches.step(&run) {
                None => None,
                Some(Step::Run { level, why }) => Some(Trial { level, why, cut: None }),
                Some(Step::Over { why, .. }) => {
                    self.search_is_over(&run, &why)?;
                    let mut at = 0..;
                    todo.retain(|r| at.next() < Some(self.pace.done) || r.cell != run.cell);
                    continue;
                }
            };
            self.show(&todo, "");
            self.planned(&run, trial, &todo, &mut searches)?;
        }
        self.reporter.note(EventKind::LabStopped, None, "every run of the plan is over")?;
        Ok(())
    }

    /// One run of the plan, with the users whom it names.
    fn planned(
        &mut self,
        run: &PlannedRun,
        trial: Option<Trial>,
        todo: &[PlannedRun],
        searches: &mut Searches<'_>,
    ) -> Result<(), Halt> {
        let cell = self.plan.cell(&run.cell);
        let cell = trial.as_ref().map_or_else(|| cell.clone(), |trial| cell.at(trial.level));
        if let (Some(trial), Some(search)) = (&trial, &cell.search) {
            self.reporter.say(&format!("{} at {}: {}", run.id, search.shown(trial.level), trial.why));
        }
        let needs = RunNeeds::of(self.workloads, self.plan, &cell, run);
        let prepared = self.provision.prepare(&needs, &mut self.reporter);
        let waiting = if prepared.is_ok() { self.waiting(&needs)? } else { Waiting::by(cell.load.io) };
        let host = self.host;
        let places = self.peers.as_ref().map(|peers| places(peers, &cell.server, host, waiting));
        let stages = |up: &_| {
            let alone = load_plans(up, host, &needs, waiting);
            places.as_ref().map_or_else(|| alone.clone(), |places| spread(alone.clone(), places))
        };
        let coming = Coming { stages: &stages, caller: None, places: places.clone() };
        searches.remember(self.one(&needs, trial, todo, prepared, coming)?);
        Ok(())
    }

    fn repetitions_are_enough(&mut self, why: &str) -> Result<(), Halt> {
        self.reporter.say(why);
        Ok(self.reporter.note(EventKind::Note, None, why)?)
    }

    fn search_is_over(&mut self, run: &PlannedRun, why: &str) -> Result<(), Halt> {
        let text = format!("the search of {} is over: {why}", run.cell);
        self.reporter.say(&text);
        Ok(self.reporter.note(EventKind::Note, None, text)?)
    }
}

/// Whether all runs of the blocks before it come before it, and none of its own was made. Of a block that has some, a
/// run is missing that was interrupted or set aside, and is made whatever the others say.
fn begins_block(plan: &Plan, notebook: &Notebook, run: &PlannedRun) -> bool {
    let mut block = plan.runs.iter().filter(|planned| planned.block == run.block && !planned.is_beside());
    let is_first = block.clone().next().is_some_and(|first| first.id == run.id);
    is_first && block.all(|planned| !notebook.finished().contains(&planned.id))
}
