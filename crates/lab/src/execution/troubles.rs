//! What went wrong during a run, told in a sentence for the events of the record; the numbers stay in its tallies.

use model::{Tally, errors};
use std::collections::BTreeMap;

/// Retries, failures and broken sessions of a whole run; `None` when there were none.
pub fn sentence(whole: &Tally) -> Option<String> {
    let (mut retried, mut failed) = (BTreeMap::new(), BTreeMap::new());
    for operation in whole.operations.values() {
        for (sum, part) in [(&mut retried, &operation.retried), (&mut failed, &operation.failed)] {
            part.iter().for_each(|(number, count)| *sum.entry(*number).or_insert(0) += count);
        }
    }
    let by = |counts: BTreeMap<u32, u64>, what: &str| {
        let each = move |(number, count)| format!("{count} {what} after {}", errors::shown(number));
        counts.into_iter().map(each).collect::<Vec<_>>()
    };
    let mut parts = by(retried, "tried again");
    parts.extend(by(failed, "failed"));
    let operations = (!parts.is_empty()).then(|| format!("of the operations {}", parts.join(", ")));
    let sessions =
        (whole.reconnects > 0).then(|| format!("sessions that broke and were opened again: {}", whole.reconnects));
    let all: Vec<_> = operations.into_iter().chain(sessions).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Why a server had no room, with its limit, where it says it, and the mend.
pub fn with_limit(limit: Option<String>, why: &str) -> String {
    format!("{why}; raise its {}, or ask for fewer users", limit.as_deref().unwrap_or("limit"))
}
