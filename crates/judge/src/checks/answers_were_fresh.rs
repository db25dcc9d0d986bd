//! A key endpoint may read inside a transaction that goes on from get to get. Several gets in one are cheaper, and at
//! repeatable read all of them see what the first one saw: InnoDB's memcached plugin with 128 gets in a transaction
//! returns the old value for 127 gets after somebody's change was committed, and each connection for gets of its own.
//! That is a price, and it stands beside the rate.
//!
//! The lab asks once per run, through a connection of its own: a row is changed in SQL, committed, and read past SQL
//! until it is new. One old answer warns. At read uncommitted no answer is old, and it may be one that is never
//! committed; the sentence says so.

use crate::frame::applies::{Absence, Applies, is_cache};
use crate::frame::check::{Check, Doubts, Look, Seen, Sight};
use crate::frame::evidence::RunEvidence;
use model::protocol::Protocol;
use model::units::round3;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "answers_were_fresh",
    claim: || "past SQL, the first get after a commit returned what was committed".into(),
    source: include_str!("answers_were_fresh.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "say beside the rate how old its answers may be, or measure with one get in a transaction (settings.read_batch = 1)",
    look: Look::Run(look),
};

/// For it the lab commits a row before the users come.
pub(super) const GETS: &str = "stale_gets_after_commit";
const TIME: &str = "stale_ms_after_commit";
const LEVEL: &str = "door_isolation";
/// As the lab calls the plugin's default.
const DIRTY: &str = "read uncommitted";

fn absent(run: &RunEvidence) -> Absence {
    if !run.cell.asks_in(Protocol::is_key_value) {
        return Some("Nobody asks for values by their keys here.".into());
    }
    is_cache(run).then(|| "A cache has one copy of a value, and no transactions.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let fresh = |sentence: &str| Ok(Seen::new(Status::Pass, "0 gets", "0 gets", sentence));
    let sessions = std::iter::once(&run.run.session).chain(run.run.more_sessions.values());
    let told = sessions.map(|session| &session.variables).find(|variables| variables.contains_key(GETS));
    let told = told.ok_or("how long an answer stays old was not measured")?;
    let say = |name: &str| told.get(name).map_or("unknown", String::as_str);
    let (gets, time, level) = (say(GETS), say(TIME), say(LEVEL));
    let time = time.parse().map_or_else(|_| time.to_string(), round3);
    if gets == "0" {
        let dirty = if level == DIRTY { ", and also what was not committed and may never be" } else { "" };
        return fresh(&format!("A get returned at once what had been committed{dirty} ({level})."));
    }
    let sentence = format!(
        "After a commit a connection returned the old value for another {gets} gets and {time} ms ({level}): the rate is that of \
         answers so old."
    );
    Ok(Seen::new(Status::Warn, format!("{gets} gets"), "0 gets", sentence))
}
