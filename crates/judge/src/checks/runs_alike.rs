//! Repetitions are repetitions when nothing but chance differs between them. A setting that was changed between the
//! second run and the third makes two experiments out of one, and their mean is true of neither. What the lab read when
//! each run of a cell began is laid side by side: variables, a user's session, tables, privileges, plugins, processes,
//! kernel, and with them how the server meant to carry out each statement. What a run left is what the next one on the
//! same data begins with: nobody writes in between, but the lab where it asks how old gets are, which takes a commit of
//! its own. And cells that share a server share its variables, plugins and limits, those that share data their tables,
//! and all of them the kernel, whatever their own axes are.
//!
//! What the users of these runs changed themselves, by a statement that names it, is the work.
//!
//! A difference in anything that can change work, plan, bytes or durability fails, other differences warn, as in
//! `held_throughout`.

use super::answers_were_fresh::GETS;
use super::held_throughout::told;
use super::nobody_else_asked::asked_between;
use crate::compare::fingerprint;
use crate::frame::applies::{Absence, states};
use crate::frame::own_changes::OwnChanges;
use crate::frame::states::{Difference, End, Facts, between};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::record::state::Facet;
use model::{RunRecord, StatementPlan, Status};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "runs_alike",
    claim: || {
        "all runs of a cell began with the same settings, tables, plans and limits, and cells on one server too".into()
    },
    source: include_str!("runs_alike.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "find out who changed it between the runs, put it back, and run again; if it is the question, make it an axis",
    look: Look::Cell(look),
};

/// What two runs have in common, whatever they do there.
#[derive(Clone, Copy)]
enum Shared {
    Machine,
    Server,
    Data,
}

/// What is new whenever data are prepared anew.
const OF_PREPARED: [Facet; 2] = [Facet::Written, Facet::TableIds];

/// What is then the same for both.
const SHARED: &[(Facet, Shared)] = &[
    (Facet::Variables, Shared::Server),
    (Facet::Plugins, Shared::Server),
    (Facet::Instruments, Shared::Server),
    (Facet::Process, Shared::Server),
    (Facet::Tables, Shared::Data),
    (Facet::Kernel, Shared::Machine),
];

fn absent(run: &RunEvidence) -> Absence {
    states(run)
}

fn look(cell: &CellEvidence) -> Sight {
    let mut states: Vec<Facts> = Vec::new();
    for run in &cell.runs {
        let id = &run.run.id;
        states.push(run.state(End::Begin).ok_or(format!("what held when run {id} began was not recorded"))?);
    }
    // What users of an earlier run changed, a later one begins with.
    let own = OwnChanges::of_all(cell.runs.iter().map(|run| run.run));
    let (Some(first), Some(one)) = (states.first(), cell.runs.first()) else { return Err("there is no run".into()) };
    for (run, state) in cell.runs.iter().zip(&states).skip(1) {
        let mut found = between(first, state);
        // Data that are prepared anew are written anew.
        found.retain(|d| !OF_PREPARED.contains(&d.facet) && !own.explain(d));
        if !found.is_empty() {
            return Ok(of_pair(one.run, run.run, &found));
        }
    }
    if let Some(sentence) = cell.runs.iter().skip(1).find_map(|run| other_plan(one.run, run.run)) {
        let sentence = format!("{sentence}; the number is struck.");
        return Ok(Seen::new(Status::Fail, "another plan", "no difference", sentence));
    }
    for (run, state) in cell.runs.iter().zip(&states) {
        if let Some((before, found)) = written_between(run, state) {
            let asked =
                asked_between(before, run.run).map_or(String::new(), |asked| format!(" (asked in between: {asked})"));
            let told = told(&found, String::new, |d| {
                let (was, is) = d.values();
                format!("{} {was} at the end of {} and {is} at the start of {}{asked}", d.was(), before.id, run.run.id)
            });
            return Ok(told);
        }
    }
    if let Some((usual, found)) = beside(one) {
        return Ok(of_pair(usual, one.run, &found));
    }
    let facts: usize = first.values().map(|state| state.facts.len()).sum();
    let n = states.len();
    let sentence = format!("All {facts} facts that were read when a run began were the same for {n} runs.");
    Ok(Seen::new(Status::Pass, "0 differences", "no difference", sentence))
}

fn of_pair(one: &RunRecord, other: &RunRecord, found: &[Difference]) -> Seen {
    let sentence = |d: &Difference| {
        let (was, is) = d.values();
        format!("{} {was} at the start of {} and {is} at that of {}", d.was(), one.id, other.id)
    };
    let names = |run: &RunRecord| run.states.iter().flat_map(|s| s.begin.clone()).collect::<BTreeMap<_, _>>();
    let (a, b) = (names(one), names(other));
    let differing = a.iter().chain(&b).filter(|(facet, _)| a.get(facet) != b.get(facet));
    let paths = differing.map(|(_, name)| format!("states/{name}.json")).collect();
    told(found, String::new, sentence).at(paths)
}

/// A statement that the server means to carry out otherwise in the second run, whatever its values are.
fn other_plan(one: &RunRecord, other: &RunRecord) -> Option<String> {
    let same = |a: &StatementPlan| other.session.plans.iter().find(|b| b.statement == a.statement && b.sql == a.sql);
    let pairs = one.session.plans.iter().filter_map(|a| Some((a, same(a)?)));
    pairs.into_iter().find_map(|(a, b)| {
        let (was, is) = (fingerprint::of(&a.explain)?, fingerprint::of(&b.explain)?);
        let is_known = |plan: &StatementPlan, other| {
            let mut all = plan.other_explains.iter().filter_map(|text| fingerprint::of(text));
            all.any(|known| fingerprint::are_one(&known, other))
        };
        let differ = !fingerprint::are_one(&was, &is) && !is_known(a, &is) && !is_known(b, &was);
        differ.then(|| {
            format!(
                "The plan of `{}` was `{was}` at the start of {} and `{is}` at that of {}",
                a.statement, one.id, other.id
            )
        })
    })
}

/// What somebody wrote since the run before on the same data, which nobody of ours did.
fn written_between<'a>(run: &RunEvidence<'a>, began: &Facts) -> Option<(&'a RunRecord, Vec<Difference>)> {
    let is_first = run.run.start.as_ref().is_none_or(|start| start.runs_before == 0 || start.aged);
    let earlier = run.record.runs.iter().filter(|other| {
        other.instance == run.run.instance && other.dataset == run.run.dataset && other.position < run.run.position
    });
    let is_ours = run.run.session.variables.contains_key(GETS);
    let before = earlier.max_by_key(|other| other.position).filter(|_| !is_first && !is_ours)?;
    let left = &before.states.as_ref()?.end;
    let was: Facts =
        OF_PREPARED.iter().filter_map(|facet| Some((*facet, run.record.states.get(left.get(facet)?)?))).collect();
    let found = between(&was, began);
    (!found.is_empty()).then_some((before, found))
}

/// Where most runs of the record that share a server or its data began with other facts than this one: one of those
/// runs, and the differences.
fn beside<'a>(run: &RunEvidence<'a>) -> Option<(&'a RunRecord, Vec<Difference>)> {
    let own = OwnChanges::of_all(run.record.runs.iter().filter(|other| other.instance == run.run.instance));
    SHARED.iter().find_map(|(facet, shared)| {
        let name = |run: &'a RunRecord| run.states.as_ref()?.begin.get(facet);
        let mut runs: BTreeMap<&String, Vec<&'a RunRecord>> = BTreeMap::new();
        for other in run.record.runs.iter().filter(|other| !other.is_beside() && shares(run.run, other, *shared)) {
            runs.entry(name(other)?).or_default().push(other);
        }
        // Of as many on each side the earlier are right.
        let usual = runs.values().min_by_key(|runs| (Reverse(runs.len()), runs.iter().map(|r| r.position).min()))?;
        let usual = usual.first().copied()?;
        let facts =
            |name: Option<&String>| -> Option<Facts<'a>> { Some([(*facet, run.record.states.get(name?)?)].into()) };
        let mut found = between(&facts(name(usual))?, &facts(name(run.run))?);
        found.retain(|d| !own.explain(d));
        (!found.is_empty()).then_some((usual, found))
    })
}

fn shares(one: &RunRecord, other: &RunRecord, shared: Shared) -> bool {
    let server = one.instance.is_some() && one.instance == other.instance;
    match shared {
        Shared::Machine => true,
        Shared::Server => server,
        Shared::Data => server && one.dataset == other.dataset && one.more_datasets == other.more_datasets,
    }
}
