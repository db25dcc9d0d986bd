//! What else claims the time that a cause explains: the other causes that were seen at the same place, and the terms of
//! the account in which the cause does not lie. The one with the largest share is told with the finding. Where it comes
//! within a factor of two, nothing is decided between them, and the finding says what would decide.

use super::cause::{Case, Cause, Place, Scene, Time};
use crate::frame::account::Split;
use crate::frame::{RunEvidence, account};
use crate::stats::average;
use model::Share;
use model::finding::Rival;

/// Two shares nearer to each other than this may be either way round.
const FACTOR: f64 = 2.0;
/// What is in no term of the account.
pub const REST: &str = "what is in no term";
/// The same in a sentence.
const REST_TOLD: &str = "time that nothing measured accounts for";

pub fn best(scene: &Scene, cause: &Cause, case: &Case, seen: &[(&Cause, Case)]) -> Option<Rival> {
    let ours = case.cost.as_ref()?.share.value;
    let causes = seen.iter().filter(|(other, at)| other.id != cause.id && at.place == case.place);
    let causes = causes.filter_map(|(other, at)| Some((other.id.to_string(), at.cost.as_ref()?.share.value, *other)));
    let causes: Vec<_> = causes.collect();
    let explained =
        |term: &str| cause.within.contains(&term) || causes.iter().any(|(_, _, c)| c.within.contains(&term));
    let terms = terms(scene, &case.place).into_iter().filter(|(name, _)| !explained(name));
    let all =
        causes.iter().map(|(name, share, _)| (name.clone(), *share)).chain(terms.map(|(n, s)| (n.to_string(), s)));
    let (name, share) = all.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > 0.0)?;
    let undecided = share * FACTOR > ours;
    let covers = Share(share.min(1.0));
    let told = if name == REST { REST_TOLD } else { &name };
    let sentence = if undecided {
        let what = if case.next_experiment.is_some() {
            "the next experiment takes only one of them away"
        } else {
            "an experiment that takes only one of them away decides"
        };
        format!("Undecided between {} and {told}, which covers {covers} of the same time: {what}.", cause.id)
    } else {
        format!("The best other explanation, {told}, covers {covers} of the same time.")
    };
    Some(Rival { name, share: share.clamp(0.0, 1.0), undecided, sentence })
}

/// Shares of the terms of the account of that time.
fn terms(scene: &Scene, place: &Place) -> Vec<(&'static str, f64)> {
    let cell = scene.cell(&place.cell);
    let Some(high) = account::splits(cell).map(|s| account::mean(&s)) else { return Vec::new() };
    let share = |split: &Split| -> Vec<(&'static str, f64)> {
        let terms = split.parts.iter().map(|(part, us)| (part.word(), us / split.operation));
        terms.chain([(REST, split.rest() / split.operation)]).collect()
    };
    match place.time {
        Time::Operation => share(&high),
        Time::Turn => {
            let turn = |run: &RunEvidence| f64::from(run.users()) * run.seconds() * 1e6 / run.done() as f64;
            let part = high.operation / average(&cell.runs.iter().map(turn).collect::<Vec<_>>());
            share(&high).into_iter().map(|(name, share)| (name, share * part)).collect()
        }
        Time::Growth => {
            let lowest = account::lowest(&scene.evidence.cells);
            let Some(low) = lowest.get(&place.cell).and_then(|c| account::splits(c)) else { return Vec::new() };
            let low = account::mean(&low);
            let parts = high.parts.iter().filter_map(|(part, us)| Some((*part, us - low.parts.get(part)?)));
            share(&Split { operation: high.operation - low.operation, parts: parts.collect() })
        }
        Time::Loss(_) => Vec::new(),
    }
}
