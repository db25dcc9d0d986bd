//! A server that warns in each answer is asked for something else than what is meant: values are cut or rounded, a
//! comparison converts what it compares and takes no index, a syntax is about to go, a statement is unsafe for the
//! binary log. It also writes each warning down, which costs it time that nobody meant to measure. Answers carry how
//! many there were, and each statement's are counted.
//!
//! More than one warning per hundred executions of a statement warns; fewer are told.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::record::tally::StatementTally;
use model::units::round3;
use model::{Protocol, Status};
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "statements_warned_nothing",
    claim: || format!("fewer than {WARNED} of a statement's executions came back with a warning"),
    source: include_str!("statements_warned_nothing.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[WARNED],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "say the statement once by hand and then SHOW WARNINGS; change it, its values or the table, until it is silent",
    look: Look::Run(look),
};

const WARNED: Limit = Limit::share(
    "warned",
    0.01,
    "of executions; a warning now and then depends on the values drawn, and one in each on what is asked",
)
.convention();

fn absent(run: &RunEvidence) -> Absence {
    if !run.cell.asks_in(Protocol::is_sql) {
        return Some("Nobody speaks SQL here, and no other answer carries warnings.".into());
    }
    run.run.whole.warnings.is_none().then(|| "Warnings were not counted when this was recorded.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let mut by_name: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (name, StatementTally { calls, warnings, .. }) in run.statements() {
        let sum = by_name.entry(name).or_default();
        *sum = (sum.0 + calls, sum.1 + warnings);
    }
    let each = |(calls, warnings): (u64, u64)| warnings as f64 / calls.max(1) as f64;
    let most = run.limits.share(&WARNED);
    let limit = format!("{most} of the executions");
    let mut warned: Vec<_> = by_name.into_iter().filter(|(_, counts)| counts.1 > 0).collect();
    warned.sort_by(|a, b| each(b.1).total_cmp(&each(a.1)));
    let all: u64 = warned.iter().map(|(_, counts)| counts.1).sum();
    let measured = format!("{all} warnings");
    let Some((name, counts)) = warned.first().filter(|(_, counts)| each(*counts) > most.0) else {
        let sentence = match all {
            0 => "No answer carried a warning.".to_string(),
            some => format!("Answers carried {some} warnings, fewer than {most} of any statement's."),
        };
        return Ok(Seen::new(Status::Pass, measured, limit, sentence));
    };
    let others = match warned.len() {
        1 => String::new(),
        n => format!(", and {} other statements warned", n - 1),
    };
    let example = run.run.session.plans.iter().find(|plan| plan.statement == *name);
    let example = example.map_or(String::new(), |plan| format!(", e.g. {}", plan.sql));
    let sentence = format!(
        "`{name}` came back with {} per execution ({} of {}){others}: the server was asked for something \
         that it does not do as asked{example}.",
        if counts.0 == counts.1 { "1 warning".into() } else { format!("{} warnings", round3(each(*counts))) },
        counts.1,
        counts.0
    );
    Ok(Seen::new(Status::Warn, measured, limit, sentence))
}
