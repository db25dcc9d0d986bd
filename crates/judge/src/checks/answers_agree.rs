//! Servers that answer the same question about the same rows differently do not do the same work, and comparisons of
//! products have published such numbers more than once. Before each run the lab asks each reading statement eight times
//! with values that are the same in every record, and keeps digests of question and answer, whatever the order of the
//! rows. Cells whose data were made alike, and were not written into since, must have the same digests.
//!
//! One other answer fails.

use crate::frame::applies::Absence;
use crate::frame::naming::{self, counted};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Look, RunEvidence, Seen, Sight};
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

/// Only statements that read have answers to compare.
fn absent(evidence: &Evidence) -> Absence {
    let runs = || evidence.cells.iter().flat_map(|cell| &cell.runs);
    let sessions = runs().flat_map(|run| std::iter::once(&run.run.session).chain(run.run.more_sessions.values()));
    let mut asked = sessions.flat_map(|session| &session.plans);
    let none_reads = !asked.any(|plan| !plan.answers.is_empty() || reads(&plan.sql));
    (none_reads && runs().next().is_some())
        .then(|| "No statement reads rows here: there is no answer to compare.".into())
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
            for (question, answer) in answers(run) {
                asked.entry(question).or_default().entry(answer).or_insert(cell);
            }
        }
    }
    let cells: BTreeSet<_> =
        evidence.cells.iter().filter(|c| c.runs.iter().any(|r| !answers(r).is_empty())).map(|c| &c.cell.id).collect();
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

/// The answers of a run that found its data as they were made.
fn answers<'a>(run: &RunEvidence<'a>) -> Vec<(Question<'a>, &'a str)> {
    let fresh = run.run.start.as_ref().is_some_and(|start| !start.aged);
    let [data] = run.datasets[..] else { return Vec::new() };
    if !fresh {
        return Vec::new();
    }
    let plans = run.run.session.plans.iter();
    let of_plan = |plan: &'a model::record::answer::StatementPlan| {
        let key = move |asked: &'a str| (data.family.as_str(), &data.parameters, plan.statement.as_str(), asked);
        plan.answers.iter().map(move |a| (key(&a.asked), a.answer.as_str()))
    };
    plans.flat_map(of_plan).collect()
}
