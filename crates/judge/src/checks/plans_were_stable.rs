//! One statement, two plans, two costs. A plan that changes while it is measured (statistics are recalculated when a
//! tenth of a table has changed) makes a rate of two different machines, and one that depends on the values makes a
//! rate of their mix. What EXPLAIN says is reduced to what is done (tables, access, keys and their used parts, sorting,
//! temporary tables), with eight sets of values before the run, and asked once more after it.
//!
//! A plan that is another after the run fails; plans that differ between values warn, and so does a walk of the same
//! index that is bounded by more or less of its key. A lookup by a whole key that found its row and one that found none
//! are one plan: rows come and go.

use crate::compare::fingerprint;
use crate::frame::applies::planned;
use crate::frame::naming::counted;
use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::{SessionAnswer, StatementPlan, Status};

pub const CHECK: Check = Check {
    id: "plans_were_stable",
    claim: || "every statement was carried out by one plan".into(),
    source: include_str!("plans_were_stable.rs"),
    applies: Applies::Run(|run| planned(&run.cell)),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "look at both plans in the run's file; refresh the statistics before the run (ANALYZE TABLE) and keep them (innodb_stats_auto_recalc)",
    look: Look::Run(look),
};

fn look(run: &RunEvidence) -> Sight {
    let sessions: Vec<&SessionAnswer> =
        std::iter::once(&run.run.session).chain(run.run.more_sessions.values()).collect();
    let plans: Vec<(&StatementPlan, &SessionAnswer)> =
        sessions.iter().flat_map(|session| session.plans.iter().map(move |plan| (plan, *session))).collect();
    let explained = plans.iter().filter(|(plan, _)| fingerprint::of(&plan.explain).is_some()).count();
    if explained == 0 {
        return Err("the server explained no statement".into());
    }
    if sessions.iter().any(|session| session.plans_after.is_none()) {
        return Err("plans were not asked for again after the run".into());
    }
    let mut found: Vec<(Status, String)> = Vec::new();
    for (plan, session) in &plans {
        let Some(first) = fingerprint::of(&plan.explain) else { continue };
        let differs = |text: &String| fingerprint::of(text).filter(|other| !fingerprint::are_one(&first, other));
        if let Some(now) = session
            .plans_after
            .iter()
            .flatten()
            .find(|(name, _)| **name == plan.statement)
            .and_then(|(_, text)| differs(text))
        {
            let (status, but) = match fingerprint::differ_in_bounds(&first, &now) {
                true => (Status::Warn, ": the same index, bounded by another part of its key"),
                false => (Status::Fail, ""),
            };
            let what =
                format!("the plan of `{}` changed during the run, from `{first}` to `{now}`{but}", plan.statement);
            found.push((status, what));
        }
        if let Some(other) = plan.other_explains.iter().find_map(differs) {
            found.push((
                Status::Warn,
                format!("the plan of `{}` depends on its values: `{first}`, with others `{other}`", plan.statement),
            ));
        }
    }
    found.sort_by_key(|(status, _)| std::cmp::Reverse(*status));
    let (status, sentence) = match found.first() {
        None => {
            let each = if explained == 1 { "" } else { " each" };
            let statements = counted(explained, "statement");
            (Status::Pass, format!("{statements} had one plan{each}, before the run and after it."))
        }
        Some((status, _)) => (
            *status,
            format!(
                "A statement had more than one plan: {}.",
                found.iter().map(|(_, what)| what.as_str()).collect::<Vec<_>>().join("; ")
            ),
        ),
    };
    Ok(Seen::new(status, format!("{} statements", found.len()), "0 statements", sentence))
}
