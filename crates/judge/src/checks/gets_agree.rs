//! Users who come past SQL are seen by few counters. InnoDB's `dml_reads`, by which the plugin's record was once drawn,
//! counts none of its gets on MySQL 5.6 and 8.0, and neither do `Questions` or `Handler_read_key`: a rate over those is
//! zero, or somebody else's. What moves is memcached's own `get_hits` and, for HandlerSocket, `Handler_read_key`. The
//! values that clients received in the whole run are compared with that counter; the sentence names it, and beside it
//! InnoDB's commits per get, which say whether a get was a transaction of its own, and of which kind.
//!
//! A get that chooses a container counts as a hit, once per connect. Beyond that and a few gets of the lab's own, up to
//! 0.5 % and two per user warn; above, it fails. Rows that HandlerSocket's counter has beyond what clients received
//! only warn: statements read rows by key as well.

use super::counts_agree::{COUNTS_APART, COUNTS_OFF};
use crate::frame::applies::{Absence, Applies};
use crate::frame::check::{Check, Doubts, Look, Seen, Sight, graded};
use crate::frame::evidence::RunEvidence;
use crate::frame::naming::listed;
use model::protocol::Protocol;

pub const CHECK: Check = Check {
    id: "gets_agree",
    claim: || format!("past SQL, clients received as many values as the server counts, within {COUNTS_APART}"),
    source: include_str!("gets_agree.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[COUNTS_APART, COUNTS_OFF],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "see that nobody else uses that protocol, and that keys are where the mapping says; if so, the load miscounts",
    look: Look::Run(look),
};

/// What counts the values that went out by each protocol.
const COUNTERS: [(Protocol, &str); 2] =
    [(Protocol::Memcached, "memcached.get_hits"), (Protocol::HandlerSocket, "status.Handler_read_key")];
/// What one would look at first.
const OTHERS: [&str; 3] = ["innodb.dml_reads", "status.Handler_read_key", "status.Questions"];
/// InnoDB's commits: of transactions that write, that only read, and that only read without locks as single statements
/// do.
pub const COMMITS: [&str; 3] = ["innodb.trx_rw_commits", "innodb.trx_ro_commits", "innodb.trx_nl_ro_commits"];

/// Gets that each user may have had in flight when the run was cut.
const IN_FLIGHT: f64 = 2.0;
/// Commits per get that are worth telling.
const TOLD: f64 = 0.0005;

/// The protocol by which values are asked for.
fn asked_in(run: &RunEvidence) -> Option<Protocol> {
    run.cell.past_sql().find(|protocol| protocol.is_key_value())
}

fn absent(run: &RunEvidence) -> Absence {
    asked_in(run).is_none().then(|| "Nobody asks for values by their keys here; another check counts requests.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let protocol = asked_in(run).ok_or("nobody asks for values by their keys")?;
    let counter = COUNTERS.into_iter().find(|(of, _)| *of == protocol);
    let (_, counter) =
        counter.ok_or_else(|| format!("no counter of the server's is read behind {}", protocol.name()))?;
    let whole = &run.run.whole;
    let grown = |name: &str| run.grown(&whole.counters, name).map(|growth| growth.delta);
    let counted = grown(counter).ok_or_else(|| format!("{counter} was not measured"))?;
    let received = whole.rows as f64;
    // HandlerSocket finds a row before it updates it.
    let found =
        if protocol == Protocol::HandlerSocket { whole.writes.map_or(0, |writes| writes.statements) } else { 0 };
    let off = (received + found as f64 - counted).abs();
    let apart = run.limits.of(&COUNTS_APART) + whole.connects as f64;
    let share = run.limits.share(&COUNTS_OFF);
    let most = share.0 * received + IN_FLIGHT * f64::from(run.users());
    // Statements read rows by key, too, and the lab's own are among them.
    let beside = protocol == Protocol::HandlerSocket && counted > received;
    let most = if beside { f64::INFINITY } else { most.max(apart) };
    let status = graded(off, apart, most);
    let others: Vec<_> = OTHERS
        .into_iter()
        .filter(|name| *name != counter)
        .filter_map(|name| Some(format!("`{name}` by {}", grown(name)?)))
        .collect();
    let still = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
    let per_get = |name: &str| grown(name).map(|commits| commits / received.max(1.0));
    let commits: Vec<_> = COMMITS
        .iter()
        .filter_map(|name| Some((name.trim_start_matches("innodb."), per_get(name)?)))
        .filter(|(_, each)| *each >= TOLD)
        .map(|(name, each)| format!("{each:.3} `{name}`"))
        .collect();
    let commits = if commits.is_empty() { String::new() } else { format!(" Each get was {}.", listed(&commits)) };
    let wrote = if found > 0 { format!(" and wrote {found}") } else { String::new() };
    let others_asked = if off <= apart { "" } else { ": somebody else asked as well, or one of the two miscounts" };
    let sentence = format!(
        "Clients received {received} values{wrote}, and `{counter}` grew by {counted}{still}{others_asked}.{commits}"
    );
    Ok(Seen::new(status, format!("{off} apart"), format!("{apart}, or {share} and {IN_FLIGHT} per user"), sentence))
}
