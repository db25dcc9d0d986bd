//! What went wrong during a run, told in a sentence for the events of the record; the numbers stay in its tallies.

use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::Control;
use model::{Tally, errors};
use std::collections::BTreeMap;
use std::time::Duration;

/// A server that has just refused users for want of room may also refuse the lab, and is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// Why a server had no room, with its limit and the mend.
pub fn with_limit(endpoint: &SqlEndpoint, why: String) -> String {
    let asked = Control::connect_with(endpoint, PATIENCE).and_then(|mut control| {
        let limit = control.value("SELECT @@max_connections");
        control.quit();
        limit
    });
    let limit =
        asked.ok().flatten().map_or_else(|| "its limit".into(), |limit| format!("its max_connections = {limit}"));
    format!("{why}; raise {limit}, or ask for fewer users")
}
