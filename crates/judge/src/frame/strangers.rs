//! Who else was there, by user and host: whose open transactions make the server keep old versions of rows, and who
//! sent it statements that are none of the load's. Read at both ends of a run, from what the server says of its
//! transactions and accounts; who came and went in between is only seen where the server counts by account.

use super::evidence::RunEvidence;
use super::states::End;
use model::record::state::{Facet, OF_THE_LOAD};
use model::units::Nanos;
use std::collections::BTreeMap;

/// Those that a sentence names.
const NAMED: usize = 3;
/// Statements of one account below which nothing is told of it: somebody's monitoring asks now and then.
const FEW: u64 = 16;

/// The oldest transactions that somebody else had open, as the end of a sentence: `app@10.0.0.5, thread 17, had a
/// transaction open for 412 s when c001-3 was over`. Nothing where there was none, or nobody read it.
pub fn holders(run: &RunEvidence) -> Option<String> {
    let at = |end| Some((end, ages(run, end)?)).filter(|(_, ages)| !ages.is_empty());
    let (end, ages) = at(End::Over).or_else(|| at(End::Begin))?;
    let when = match end {
        End::Begin => "began",
        End::Over => "was over",
    };
    let (who, age) = &ages[0];
    let more = match ages.len() {
        1 => String::new(),
        n => format!(" ({} more were younger)", n - 1),
    };
    Some(format!("{who}, had a transaction open for {age} when {} {when}{more}", run.run.id))
}

/// Oldest first.
fn ages(run: &RunEvidence, end: End) -> Option<Vec<(String, Nanos)>> {
    let facts = &run.state(end)?.get(&Facet::Holders)?.facts;
    let age = |text: &String| Some(Nanos::from_secs(text.parse().ok()?));
    let mut ages: Vec<_> = facts.iter().filter_map(|(who, text)| Some((who.clone(), age(text)?))).collect();
    ages.sort_by_key(|(_, age)| std::cmp::Reverse(*age));
    Some(ages)
}

/// Who sent statements beside the load while the run went on, as a sentence; where the server counts none by account,
/// who had a session then.
pub fn askers(run: &RunEvidence) -> Option<String> {
    if is_counted(run) {
        let nobody = || format!("No other account sent any during {}: who did came as the load does.", run.run.id);
        return Some(senders(run).unwrap_or_else(nobody));
    }
    let mut there: BTreeMap<&String, &String> = BTreeMap::new();
    for end in [End::Begin, End::Over] {
        there.extend(
            run.state(end).into_iter().flat_map(|s| s.get(&Facet::Others).map(|others| &others.facts)).flatten(),
        );
    }
    let named: Vec<String> = there.keys().take(NAMED).map(|account| account.to_string()).collect();
    (!named.is_empty()).then(|| {
        format!("The server counts no statements by account; beside the load {} had a session.", named.join(" and "))
    })
}

fn is_counted(run: &RunEvidence) -> bool {
    [End::Begin, End::Over].into_iter().all(|end| run.state(end).is_some_and(|s| s.contains_key(&Facet::Askers)))
}

/// Accounts that are none of the load's and sent more than a few statements between the two ends of the run, as a
/// sentence: `User app@10.0.0.5 sent 1200 statements during c001-3.`
pub fn senders(run: &RunEvidence) -> Option<String> {
    let counts = |end| Some(&run.state(end)?.get(&Facet::Askers)?.facts);
    let (was, is) = counts(End::Begin).zip(counts(End::Over))?;
    let number = |text: Option<&String>| text.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let grown = |account: &String| number(is.get(account)).saturating_sub(number(was.get(account)));
    let mut others: Vec<(&String, u64)> =
        is.keys().filter(|who| !who.ends_with(OF_THE_LOAD)).map(|who| (who, grown(who))).collect();
    others.retain(|(_, count)| *count > FEW);
    others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named: Vec<String> =
        others.iter().take(NAMED).map(|(who, count)| format!("user {who} sent {count} statements")).collect();
    (!named.is_empty()).then(|| capital(&format!("{} during {}.", named.join(", "), run.run.id)))
}

fn capital(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}
