//! The same statement may be carried out in another way on another server, or with other statistics: another index,
//! another order of tables, a whole scan. It then looks at other rows, and no setting explains the difference. The
//! plans were asked for before each run, and one execution of each statement was counted by the handler, so that both
//! the change and its cost in rows are known exactly. What the rows cost in time is another question: see `more_rows`.

use super::frame::finding::{Case, Cause, Necessary, Place, Scene, Time, name};
use crate::compare::comparisons::{MARGIN, ratio};
use crate::frame::{CellEvidence, pairs};
use model::units::round3;
use model::{Share, StatementPlan};
use std::collections::BTreeMap;

/// The parts of a plan that make it another one.
const MARKS: [&str; 4] = ["table_name", "access_type", "key", "key_length"];
/// Rows looked at, below which another plan is another way to the same work.
const MORE: f64 = 1.2;

pub const CAUSE: Cause = Cause {
    id: "plan_change",
    symptom: || format!("a cell answers at least {MARGIN} fewer queries than the one it is compared with"),
    necessary: || "a statement that both have is carried out by another plan".into(),
    test: || format!("it looks at more than {MORE} times the rows"),
    intervention: || "the index named in the statement, or statistics made anew (ANALYZE TABLE)".into(),
    source: include_str!("plan_change.rs"),
    indicator: None,
    within: &[],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    let usable = |c: &CellEvidence| scene.cells().any(|cell| cell.cell.id == c.cell.id);
    let pairs = pairs::all(scene.evidence).into_iter().filter(|p| usable(p.base) && usable(p.candidate));
    pairs
        .filter(|p| p.base.cell.workload == p.candidate.cell.workload)
        .filter_map(|p| case(p.base, p.candidate))
        .collect()
}

fn case(base: &CellEvidence, candidate: &CellEvidence) -> Option<Case> {
    let loss = ratio(base, candidate).filter(|r| r.high.is_some_and(|high| high < 1.0 - MARGIN.0))?;
    let changed = changed(base, candidate);
    let (statement, before, after) = changed.first()?;
    let symptom =
        format!("{} answers {} fewer queries than {}.", name(candidate), Share(1.0 - loss.value), base.cell.id);
    let rows = match (rows(before), rows(after)) {
        (Some(before), Some(after)) if before > 0.0 => after / before,
        (Some(_) | None, _) => return None,
    };
    let others =
        if changed.len() > 1 { format!(", as are {} other statements", changed.len() - 1) } else { String::new() };
    let seen = format!(
        "`{statement}` is carried out as {} and not as {}{others}: it looks at {} times the rows.",
        shape(&after.explain),
        shape(&before.explain),
        round3(rows)
    );
    (rows > MORE).then(|| Case {
        place: Place { cell: candidate.cell.id.clone(), time: Time::Loss(base.cell.id.clone()) },
        evidence: [base, candidate].map(|c| c.cell.id.to_string()).to_vec(),
        ..Case::of(candidate, symptom, Necessary::Present(seen))
    })
}

/// Statements of both whose plans differ: name, plan of the base, plan of the candidate.
fn changed<'a>(
    base: &CellEvidence<'a>,
    candidate: &CellEvidence<'a>,
) -> Vec<(&'a str, &'a StatementPlan, &'a StatementPlan)> {
    let plans = |cell: &CellEvidence<'a>| -> BTreeMap<&'a str, &'a StatementPlan> {
        let first = cell.runs.first().map(|run| run.run);
        first.iter().flat_map(|run| &run.session.plans).map(|plan| (plan.statement.as_str(), plan)).collect()
    };
    let theirs = plans(candidate);
    let pairs = plans(base).into_iter().filter_map(|(name, before)| Some((name, before, *theirs.get(name)?)));
    pairs
        .filter(|(_, before, after)| {
            !shape(&before.explain).is_empty() && shape(&before.explain) != shape(&after.explain)
        })
        .collect()
}

/// Rows that the handler was asked for in one execution.
fn rows(plan: &StatementPlan) -> Option<f64> {
    let reads: Vec<f64> =
        plan.handlers.iter().filter(|(name, _)| name.starts_with("Handler_read")).map(|(_, n)| *n as f64).collect();
    (!reads.is_empty()).then(|| reads.iter().sum())
}

/// Access and key of each table in order, from JSON or from `key=value` lines; estimates are left out.
fn shape(explain: &str) -> String {
    let words = explain.lines().filter_map(|line| {
        let (name, value) = line.split_once([':', '='])?;
        let name = name.trim().trim_matches('"');
        MARKS.contains(&name).then(|| value.trim().trim_matches([',', '"', ' ']).to_string())
    });
    words.collect::<Vec<_>>().join(" ")
}
