//! A client that takes an error for a rollback, as stored procedures with a handler for everything do, shows a healthy
//! rate of operations that did nothing. A session sees every refusal before the workload does: so refused statements
//! are counted on their own, by error number, and laid beside the operations that failed or were tried again. More
//! refusals than those account for were swallowed.
//!
//! One per user passes: a rollback that was refused itself, or a cut between two seconds. Beyond, it fails. Events that
//! a script began again are no swallowed errors: it counts them.

use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::Status;
use model::errors::shown;
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "errors_were_told",
    claim: || "every refused statement failed its operation or had it tried again".into(),
    source: include_str!("errors_were_told.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "mend what the server complains of; until then operations that count as done or rolled back did nothing",
    look: Look::Run(look),
};

/// What scripts count of errors that an event was begun again after.
const OF_SCRIPTS: [&str; 2] = ["ignored errors", "reconnects"];

fn look(run: &RunEvidence) -> Sight {
    // Refusals less those that operations tell of, by number.
    let mut swallowed: BTreeMap<u32, i64> = BTreeMap::new();
    let mut messages: BTreeMap<u32, (&str, &str)> = BTreeMap::new();
    for (name, statement) in run.statements() {
        for (number, count) in &statement.failed {
            *swallowed.entry(*number).or_default() += *count as i64;
        }
        let told = statement.messages.iter().map(|(number, text)| (*number, (name.as_str(), text.as_str())));
        messages.extend(told);
    }
    let refused: i64 = swallowed.values().sum();
    for (_, operation) in run.operations() {
        for (number, count) in operation.failed.iter().chain(&operation.retried) {
            *swallowed.entry(*number).or_default() -= *count as i64;
        }
    }
    // A script begins its event anew after an error, within its one operation, and counts that as a fact.
    let restarted: i64 = run.tallies().flat_map(|t| OF_SCRIPTS.iter().filter_map(|fact| t.facts.get(*fact))).sum();
    let limit = "one per user";
    let allowed = i64::from(run.users()) + restarted;
    let Some((number, count)) = swallowed.iter().max_by_key(|(_, n)| **n).filter(|(_, n)| **n > allowed) else {
        let sentence = match refused {
            0 => "The server refused no statement.".to_string(),
            _ => format!("The server refused statements {refused} times, and the operations tell of it."),
        };
        return Ok(Seen::new(Status::Pass, "0 swallowed", limit, sentence));
    };
    let (statement, message) = messages.get(number).copied().unwrap_or(("a statement", "no message"));
    let sentence = format!(
        "The server refused `{statement}` {count} times by {}, and no operation says so: the error was swallowed as if it were a \
         rollback, and the rate counts work that was not done. The server's words: {message}.",
        shown(*number)
    );
    Ok(Seen::new(Status::Fail, format!("{count} swallowed"), limit, sentence))
}
