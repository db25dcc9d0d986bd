//! Servers that answer the same question about the same rows differently do not do the same work, and comparisons of
//! products have published such numbers more than once. Before each run the lab asks each reading statement eight times
//! with values that are the same in every record, and keeps digests of question and answer, whatever the order of the
//! rows. Cells whose data were made alike, and were not written into since, must have the same digests.
//!
//! One other answer fails.

use crate::frame::applies::Absence;
use crate::frame::naming::{self, counted};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Look, RunEvidence, Seen, Sight};
use model::record::answer::StatementPlan;
use model::{Status, Value};
use std::collections::{BTreeMap, BTreeSet};

pub const CHECK: Check = Check {
    id: "answers_agree",
    claim: || "the same question about the same rows has the same answer everywhere".into(),
    source: include_str!("answers_agree.rs"),
    applies: Applies::Experiment(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "ask the statement by hand on both servers; look at collation, time zone, sql_mode and at how the data were loaded",
    look: Look::Experiment(look),
};

/// Only statements that read have answers to compare, and only those that are asked before anybody writes.
fn absent(evidence: &Evidence) -> Absence {
    let mut asked = evidence.cells.iter().flat_map(|cell| cell.runs.iter().flat_map(|run| plans(cell, run)));
    let none_reads = !asked.any(|plan| !plan.answers.is_empty() || reads(&plan.sql));
    let has_runs = evidence.cells.iter().any(|cell| !cell.runs.is_empty());
    (none_reads && has_runs)
        .then(|| "No statement that reads was asked before the first writes: there is no answer to compare.".into())
}

fn reads(sql: &str) -> bool {
    sql.trim_start().get(..READS.len()).is_some_and(|word| word.eq_ignore_ascii_case(READS))
}

const READS: &str = "SELECT";

/// Family, what shapes its data, statement, question.
type Question<'a> = (&'a str, &'a BTreeMap<String, Value>, &'a str, &'a str);

fn look(evidence: &Evidence) -> Sight {
    let mut asked: BTreeMap<Question, BTreeMap<&str, &CellEvidence>> = BTreeMap::new();
    for cell in &evidence.cells {
        for run in &cell.runs {
            for (question, answer) in answers(cell, run) {
                asked.entry(question).or_default().entry(answer).or_insert(cell);
            }
        }
    }
    let has_answers = |cell: &&CellEvidence| cell.runs.iter().any(|run| !answers(cell, run).is_empty());
    let cells: BTreeSet<_> = evidence.cells.iter().filter(has_answers).map(|cell| &cell.cell.id).collect();
    if asked.is_empty() {
        return Err("no answer was kept".into());
    }
    let mut found = asked.iter().filter(|(_, answers)| answers.len() > 1);
    let (n, wrong) = (asked.len(), asked.values().filter(|answers| answers.len() > 1).count());
    let Some(((_, _, statement, _), differing)) = found.next() else {
        let sentence =
            format!("{} had one answer each, over {}.", counted(n, "question"), counted(cells.len(), "cell"));
        return Ok(Seen::new(Status::Pass, "0 answers", "0 answers", sentence));
    };
    let ids: Vec<String> = differing.values().map(|cell| cell.cell.id.to_string()).collect();
    let places: Vec<String> = differing.values().map(|cell| naming::cell(cell)).collect();
    let sentence = format!(
        "`{statement}` was answered in {} ways over the same rows, in {}, so that one of them is wrong; of {n} questions {wrong} were answered differently.",
        differing.len(),
        places.join(" and in ")
    );
    Ok(Seen::new(Status::Fail, format!("{wrong} answers"), "0 answers", sentence).at(ids))
}

/// What was asked before the users of the first stage came; what later stages were asked, others had written before.
fn plans<'a>(cell: &CellEvidence<'a>, run: &RunEvidence<'a>) -> impl Iterator<Item = &'a StatementPlan> + use<'a> {
    let is_only_stage = cell.cell.stages().len() == 1;
    let others = run.run.more_sessions.values().filter(move |_| is_only_stage);
    std::iter::once(&run.run.session).chain(others).flat_map(|session| &session.plans)
}

/// The answers of a run that found its data as they were made.
fn answers<'a>(cell: &CellEvidence<'a>, run: &RunEvidence<'a>) -> Vec<(Question<'a>, &'a str)> {
    let fresh = run.run.start.as_ref().is_some_and(|start| !start.aged);
    let [data] = run.datasets[..] else { return Vec::new() };
    if !fresh {
        return Vec::new();
    }
    let of_plan = |plan: &'a StatementPlan| {
        let key = move |asked: &'a str| (data.family.as_str(), &data.parameters, plan.statement.as_str(), asked);
        plan.answers.iter().map(move |a| (key(&a.asked), a.answer.as_str()))
    };
    plans(cell, run).flat_map(of_plan).collect()
}
