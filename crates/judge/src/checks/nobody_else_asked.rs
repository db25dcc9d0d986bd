//! A stranger who comes after a run has begun and leaves before it ends is seen at neither end of it: a setting that
//! was changed and put back, a log that was on for a second, tables that were locked or flushed, a query that took a
//! CPU, a monitor that logs in each second. But a server counts every request and every session, and the lab knows its
//! own to the last one. So the books are kept exactly: requests (`Questions`), sessions (`Connections`), and which
//! kinds of statements (`Com_*`) came beyond those of the runs in which fewest came. Counters that went back were set
//! to zero by somebody.
//!
//! One request or session too many warns: it took time that is in this number. It fails where a statement among them
//! can have changed what was measured, which is every kind but those that only read (SELECT, SHOW, BEGIN, COMMIT,
//! ROLLBACK, USE). What a disturbance asked on purpose is left out, with 16 statements that set its stage. In all 35
//! specimens to which nobody came the difference is 0.

use super::counts_agree::COUNTS_APART;
use crate::frame::applies::{Absence, mysql};
use crate::frame::naming::{counted, listed};
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::Status;
use model::record::run::RunRecord;
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "nobody_else_asked",
    claim: || "the server was asked nothing but what users and lab asked, in no session but theirs".into(),
    source: include_str!("nobody_else_asked.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[STRANGE, COUNTS_APART],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "see who else knows this server (the general log for a minute, `SHOW PROCESSLIST`, monitors, backups, \
             scheduled jobs), send them away, and run again",
    look: Look::Run(look),
};

const STRANGE: Limit =
    Limit::number("strange", 0.0, "requests or sessions of others; every session that the lab opens is counted").law();

const QUESTIONS: &str = "status.Questions";
const SAMPLER: &str = "sampler.statements";
const CONNECTIONS: &str = "status.Connections";
const ABORTED: &str = "status.Aborted_connects";
const KIND: &str = "status.Com_";
/// What the lab itself asks each second, and what is part of another request.
const OWN: &[&str] = &["show_", "stmt_"];
/// SET, which changes what it names alone, and which every session begins with.
const SETTING: &str = "set_option";
/// Kinds that change nothing.
const READING: &[&str] = &["select", "begin", "commit", "rollback", "change_db", "admin_commands", "help"];
/// A kind of which every run has more is the load's, and grows with it; as many as `counts_agree` leaves to the lab.
const FEW: f64 = 16.0;
/// So many of a kind are still what sets up the session of one user, by convention.
const OF_A_SESSION: f64 = 4.0;
/// Kinds that a sentence names.
const NAMED: usize = 4;

fn absent(run: &RunEvidence) -> Absence {
    let several = || {
        (!run.cell.server.topology.is_single())
            .then(|| "In a cluster each node counts what it applies for the others, too.".into())
    };
    let by_key = || {
        let is_by_key = run.cell.past_sql().next().is_some();
        is_by_key.then(|| "Who comes past SQL opens sessions that the server counts by its own rules.".into())
    };
    mysql(run).or_else(several).or_else(by_key)
}

fn look(run: &RunEvidence) -> Sight {
    let whole = &run.run.whole;
    let limit = "no request of others";
    let grown = |name: &str| run.grown(&whole.counters, name).map(|growth| growth.delta);
    let (Some(questions), Some(own)) = (grown(QUESTIONS), grown(SAMPLER)) else {
        return Err("requests were not counted by the server, or not those of the lab's own sessions".into());
    };
    if questions < 0.0 {
        let sentence = "Somebody set the server's counters to zero during the run (FLUSH STATUS): nothing that it \
                        counts can be told of this run.";
        return Ok(Seen::new(Status::Fail, "counters went back", limit, sentence));
    }
    let deeds: Vec<_> = run.run.phases.iter().filter_map(|phase| phase.disturbance.as_ref()).collect();
    let asked: Option<u64> = deeds.iter().map(|deed| deed.asked.as_ref().map(|asked| asked.questions)).sum();
    let asked = asked.ok_or("nobody counts what a disturbance asked of the server")?;
    // Who sets a disturbance's stage is one of the lab's own, and not counted to the last statement.
    let most = run.limits.of(if deeds.is_empty() { &STRANGE } else { &COUNTS_APART });
    let requests = questions - own - (whole.questions + asked) as f64;
    let kinds = if requests > most { strange(run.run, &run.record.runs) } else { Vec::new() };
    // How many sessions a disturbance opens, nobody counts.
    let sessions = grown(CONNECTIONS).filter(|_| deeds.is_empty()).map_or(0.0, |all| all - whole.connects as f64);
    let measured = format!("{} requests, {} sessions", requests.max(0.0), sessions.max(0.0));
    if requests <= most && sessions <= most {
        let sentence = "Nobody else was there: every request and every session is one of the users' or of the lab's.";
        return Ok(Seen::new(Status::Pass, measured, limit, sentence));
    }
    let changing = kinds.iter().any(|(kind, _)| !READING.contains(&kind.as_str()));
    let status = if changing { Status::Fail } else { Status::Warn };
    let never_logged_in = grown(ABORTED).unwrap_or(0.0).min(sessions);
    Ok(Seen::new(status, measured, limit, sentence(requests, sessions, never_logged_in, &kinds)))
}

fn sentence(requests: f64, sessions: f64, never_logged_in: f64, kinds: &[(String, f64)]) -> String {
    let mut told = Vec::new();
    if requests > 0.0 {
        let named: Vec<String> =
            kinds.iter().take(NAMED).map(|(kind, count)| format!("{count} × {}", words(kind))).collect();
        let of_kinds: f64 = kinds.iter().map(|(_, count)| count).sum();
        let which = match named.is_empty() {
            true => " of kinds that the load asks too, as SELECT".to_string(),
            false if requests > of_kinds => format!(", {} among them", named.join(", ")),
            false => format!(" ({})", named.join(", ")),
        };
        told.push(format!("asked {}{which}", counted(requests as usize, "request")));
    }
    if sessions > 0.0 {
        let opened = counted(sessions as usize, "session");
        told.push(match never_logged_in > 0.0 {
            true => format!("opened {opened}, {never_logged_in} of them connections that never logged in"),
            false => format!("opened {opened}"),
        });
    }
    format!("Somebody else was at the server during the run and {}: what it took is in this number.", listed(&told))
}

/// `Com_set_option` is SET.
fn words(kind: &str) -> String {
    if kind == SETTING { "SET".into() } else { kind.replace('_', " ").to_uppercase() }
}

/// Kinds of which more came than in the run of the same cell with fewest; those that change first. Of a run that is
/// alone every kind that came seldom is told.
fn strange(run: &RunRecord, all: &[RunRecord]) -> Vec<(String, f64)> {
    let alike: Vec<_> = all
        .iter()
        .filter(|other| other.cell == run.cell && !other.is_beside() && other.id != run.id)
        .map(kinds)
        .collect();
    let connects = run.whole.connects as f64;
    let mut found: Vec<(String, f64)> = kinds(run)
        .into_iter()
        .filter_map(|(kind, count)| {
            let of = |other: &BTreeMap<String, f64>| other.get(&kind).copied().unwrap_or_default();
            // Each session of a user sets itself up.
            let least = alike.iter().map(of).reduce(f64::min).unwrap_or(if kind == SETTING { connects } else { 0.0 });
            (least <= FEW.max(OF_A_SESSION * connects) && count > least).then_some((kind, count - least))
        })
        .filter(|(_, more)| !alike.is_empty() || *more <= FEW)
        .collect();
    found.sort_by_key(|(kind, _)| (READING.contains(&kind.as_str()), kind.clone()));
    found
}

/// What changes something and was asked between the end of one run and the beginning of a later one on its server.
pub(super) fn asked_between(before: &RunRecord, after: &RunRecord) -> Option<String> {
    let changing = |name: &str| {
        let kind = name.strip_prefix(KIND)?;
        let is_left_out = OWN.iter().any(|own| kind.starts_with(own)) || READING.contains(&kind) || kind == SETTING;
        (!is_left_out).then(|| words(kind))
    };
    let more = after.whole.counters.iter().filter_map(|(name, ends)| {
        let count = ends.begin - before.whole.counters.get(name)?.end;
        (count > 0.0).then(|| Some(format!("{count} × {}", changing(name)?))).flatten()
    });
    let named: Vec<String> = more.take(NAMED).collect();
    (before.instance == after.instance && !named.is_empty()).then(|| named.join(", "))
}

fn kinds(run: &RunRecord) -> BTreeMap<String, f64> {
    let kind = |name: &str| {
        let kind = name.strip_prefix(KIND)?;
        (!OWN.iter().any(|own| kind.starts_with(own))).then(|| kind.to_string())
    };
    let grown = run.whole.counters.iter().filter_map(|(name, ends)| Some((kind(name)?, ends.delta())));
    grown.filter(|(_, count)| *count > 0.0).collect()
}
