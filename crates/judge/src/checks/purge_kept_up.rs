//! InnoDB keeps old versions of rows until purge removes them, and a server that writes faster than it purges borrows
//! its rate: the versions left behind slow down every later read and have to be removed one day. The history list's
//! growth over the window is held against the transactions that wrote meanwhile.
//!
//! Who had a transaction open at an end of the run is named with user, host and age: what it saw is what is kept.
//!
//! Purge looks for work about once in a second, so what a second writes may lie there at any moment of a healthy
//! server. In PostgreSQL a vacuum comes by when enough rows are dead, and what a healthy server has left at any moment
//! says nothing; but what changed since the oldest snapshot that somebody holds no vacuum may remove, so that
//! snapshot's age is held against them instead.
//!
//! More than 1 % of them left behind beyond those of a second warns, and more than 10 % fails. Where the phase is
//! disturbed by something that holds versions on purpose, the growth is what it means to show, and passes. Of a window
//! shorter than 1 s nothing is said against purge, which may not even have begun.

use super::starting_states_agree::START_HISTORY;
use crate::frame::applies::{Absence, Applies, innodb, tables};
use crate::frame::check::{Check, Doubts, Look, Seen, Sight, graded};
use crate::frame::evidence::RunEvidence;
use crate::frame::limits::Limit;
use crate::frame::strangers;
use model::disturbance::{Does, does};
use model::plan::served::HEAP;
use model::units::{Share, round3};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "purge_kept_up",
    claim: || {
        format!(
            "purge left behind the history of less than {HISTORY_FAIL} of the transactions that wrote, beside those of a second, and \
             no snapshot kept vacuum from more"
        )
    },
    source: include_str!("purge_kept_up.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[HISTORY_WARN, HISTORY_FAIL, START_HISTORY],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "end what holds old versions, measure until the history list is steady, give purge more threads, or say that \
             the rate is borrowed",
    look: Look::Run(look),
};

const HISTORY_WARN: Limit =
    Limit::share("history_warn", 0.01, "of the transactions that wrote have left their old row versions behind")
        .convention();
const HISTORY_FAIL: Limit =
    Limit::share("history_fail", 0.1, "the rate is borrowed from the purge that must follow").convention();

/// What is left behind, as one family of servers counts it.
struct Left {
    counter: &'static str,
    /// Statements that write, or rows that are written.
    writes: [&'static str; 3],
    grew: &'static str,
    kept_up: &'static str,
    falls_behind: &'static str,
    is_borrowed: &'static str,
}

const HISTORY: Left = Left {
    counter: "db.history_list_length",
    writes: ["status.Com_insert", "status.Com_update", "status.Com_delete"],
    grew: "The history list grew by",
    kept_up: "purge kept up",
    falls_behind: "purge falls behind",
    is_borrowed: "purge does not keep up, and this rate is borrowed",
};
const OLDEST: Left = Left {
    counter: "postgres.oldest_snapshot_xids",
    writes: ["postgres.tup_inserted", "postgres.tup_updated", "postgres.tup_deleted"],
    grew: "The age of the oldest snapshot grew by",
    kept_up: "nobody kept vacuum from what they changed",
    falls_behind: "somebody held one for a while, and vacuum may remove nothing that changed since",
    is_borrowed: "somebody holds one, vacuum may remove nothing that changed since, and this rate is borrowed",
};

/// Seconds: an idle purge looks for work about once in one. What is written meanwhile is not left behind.
const SHORTEST: f64 = 1.0;

fn absent(run: &RunEvidence) -> Absence {
    let left = left(run);
    let is_read = run.growth(left.counter).is_some() && writes(run, left) == 0.0;
    let idle = || is_read.then(|| "Nothing was written, so nothing has to be purged.".into());
    let other = match run.cell.server.engine == HEAP {
        true => tables(run),
        false => innodb(run, "is no history list of InnoDB's to purge"),
    };
    other.or_else(idle)
}

fn left(run: &RunEvidence) -> &'static Left {
    if run.cell.server.engine == HEAP { &OLDEST } else { &HISTORY }
}

fn writes(run: &RunEvidence, left: &Left) -> f64 {
    left.writes.iter().filter_map(|name| run.growth(name)).map(|g| g.delta).sum()
}

fn look(run: &RunEvidence) -> Sight {
    let (warn, fail) = (run.limits.share(&HISTORY_WARN), run.limits.share(&HISTORY_FAIL));
    let limit = format!("{fail} beyond what {SHORTEST} s writes; warns at {warn}");
    let left = left(run);
    let grown = run.growth(left.counter).ok_or(format!("{} was not measured", left.counter))?.delta;
    let commits: u64 = run.tallies().map(|t| t.commits).sum();
    let writes = writes(run, left);
    // Without transactions each statement is one.
    let wrote = if commits > 0 { (commits as f64).min(writes.max(1.0)) } else { writes };
    let (share, what) =
        (Share(grown.max(0.0) / wrote), format!("{} {grown} while {wrote} transactions wrote", left.grew));
    if let Some(holder) = run.phases.iter().filter_map(|p| p.disturb.as_deref()).find(|d| does(d, Does::HoldsVersions))
    {
        let sentence = format!("{what} ({share}), as {holder} means it to.");
        return Ok(Seen::new(Status::Pass, share.to_string(), limit, sentence));
    }
    let seconds = run.seconds();
    if grown > run.limits.of(&START_HISTORY) && share.0 > warn.0 && seconds < SHORTEST {
        return Err(format!(
            "{what}, but the window is {} s long, and purge begins its work once in {SHORTEST} s",
            round3(seconds)
        ));
    }
    // A few versions come and go within any second.
    let few = run.limits.of(&START_HISTORY).max(wrote * SHORTEST / seconds);
    let status = if grown <= few { Status::Pass } else { graded((grown - few) / wrote, warn.0, fail.0) };
    let rest = match status {
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => left.kept_up,
        Status::Warn => left.falls_behind,
        Status::Fail => left.is_borrowed,
    };
    let who = (status > Status::NotEvaluable).then(|| strangers::holders(run)).flatten();
    let who = who.map_or(String::new(), |who| format!(", and {who}"));
    Ok(Seen::new(status, share.to_string(), limit, format!("{what} ({share}): {rest}{who}.")))
}
