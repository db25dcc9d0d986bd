//! Who else was there, by user and host: whose open transactions make the server keep old versions of rows, and who
//! sent it statements that are none of the load's. Read at both ends of a run, from what the server says of its
//! transactions and accounts; who came and went in between is only seen where the server counts by account.

use super::evidence::RunEvidence;
use super::naming::listed;
use super::states::End;
use model::record::state::{Facet, OF_THE_LOAD};
use model::units::Nanos;
use std::collections::BTreeMap;

/// Those that a sentence names.
const NAMED: usize = 3;
/// Statements of one account below which nothing is told of it: somebody's monitoring asks now and then.
const FEW: u64 = 16;

/// The oldest transactions that somebody else had open, as the end of a sentence: `app@10.0.0.5, thread 17, had a
/// transaction open for 412 s when c001-3 was over`; and a replica that holds for its own readers, which says in
/// transactions how old that is. Nothing where there was none, or nobody read it.
pub fn holders(run: &RunEvidence) -> Option<String> {
    let at = |end| Some((end, &run.state(end)?.get(&Facet::Holders)?.facts)).filter(|(_, facts)| !facts.is_empty());
    let (end, facts) = at(End::Over).or_else(|| at(End::Begin))?;
    let when = match end {
        End::Begin => "began",
        End::Over => "was over",
    };
    let age = |text: &String| Some(Nanos::from_secs(text.parse().ok()?));
    let (mut open, mut kept) = (Vec::new(), Vec::new());
    for (who, held) in facts {
        match age(held) {
            Some(age) => open.push((age, format!("{who}, had a transaction open for {age}"))),
            None => kept.push(format!("{who} kept what was there {held} ago")),
        }
    }
    open.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
    let mut all = open.into_iter().map(|(_, told)| told).chain(kept);
    let first = all.next()?;
    let more = match all.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!("{first} when {} {when}{more}", run.run.id))
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
        format!("The server counts no statements by account; beside the load {} had a session.", listed(&named))
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
