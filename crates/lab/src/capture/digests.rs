//! performance_schema's digests as a mix: how often which statement was asked while it was looked at. It is what can
//! be had where no log may be written and nothing may stand in the way: no statement, no value, no session, no order.

use super::{head, now};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::Control;
use crate::traces::write_mix;
use crate::trouble::Trouble;
use model::Nanos;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use trace::{Closing, Mix, MixLine, Origin, Sieve};
use workload::session::Fault;

const NOTES: [&str; 1] =
    ["performance_schema's digests tell how often each statement was asked and what it cost in all: \
    no statement with its values, no session, no order. This trace is a mix with rates, and cannot be replayed."];
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Picoseconds, in which the server counts, in a nanosecond.
const PER_NANO: u64 = 1_000;

const COUNTS: &str = "SELECT COALESCE(SCHEMA_NAME, ''), COALESCE(DIGEST, ''), COALESCE(DIGEST_TEXT, ''), COUNT_STAR, \
    SUM_TIMER_WAIT, SUM_ERRORS, SUM_WARNINGS, SUM_ROWS_SENT, SUM_ROWS_AFFECTED, SUM_ROWS_EXAMINED \
    FROM performance_schema.events_statements_summary_by_digest";

type Counts = [u64; 7];

/// Looks at the counts twice, so long apart or until asked to stop, and writes the difference.
pub fn digests(
    server: &SqlEndpoint,
    look: Nanos,
    out: &Path,
    sieve: &Sieve,
    stop: &AtomicBool,
) -> Result<Closing, Trouble> {
    let fault = |error| Trouble::new(format!("asking {} for its digests", server.address)).because(error);
    let mut control = Control::connect(server).map_err(fault)?;
    let is_on = control.value("SELECT @@performance_schema").map_err(fault)?;
    if is_on.as_deref() != Some("1") {
        return Err(Trouble::new(format!("{} has performance_schema turned off, and so no digests", server.address))
            .mend("start the server with performance_schema=ON, or capture from its slow log or through the proxy"));
    }
    let version = control.version().to_string();
    let (from, before) = (now(), counts(&mut control).map_err(fault)?);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_nanos(look.0) && !stop.load(Ordering::Relaxed) {
        thread::sleep(LOOK_AGAIN);
    }
    let (to, after) = (now(), counts(&mut control).map_err(fault)?);
    control.quit();
    let lines = after.into_iter().filter_map(|(key, counts)| {
        let before = before.get(&key).copied().unwrap_or_default();
        // A server whose counts were reset has fewer than before: what it has now is new.
        let before = if before[0] > counts[0] { Counts::default() } else { before };
        line(key, std::array::from_fn(|at| counts[at].saturating_sub(before[at])))
    });
    let mut lines: Vec<MixLine> = lines.collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.took));
    write_mix(out, &head(Origin::Digests, sieve, Some(version), &NOTES), &Mix { from, to, lines })
}

/// Database, digest and its text.
type Key = [String; 3];

fn counts(control: &mut Control) -> Result<BTreeMap<Key, Counts>, Fault> {
    let rows = control.rows(COUNTS)?;
    let counted = rows.into_iter().map(|row| {
        let text = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
        let key = std::array::from_fn(text);
        (key, std::array::from_fn(|at| text(at + 3).parse().unwrap_or(0)))
    });
    Ok(counted.collect())
}

fn line([database, digest, text]: Key, counts: Counts) -> Option<MixLine> {
    let [calls, took, errors, warnings, rows_sent, rows_affected, rows_examined] = counts;
    // What this capture asks itself is no traffic.
    if calls == 0 || text.contains("events_statements_summary_by_digest") {
        return None;
    }
    let ours = format!("{:016x}", trace::digest(text.as_bytes()).hash);
    let (database, took) = ((!database.is_empty()).then_some(database), Nanos(took / PER_NANO));
    Some(MixLine {
        database,
        digest,
        text,
        ours,
        calls,
        took,
        errors,
        warnings,
        rows_sent,
        rows_affected,
        rows_examined,
    })
}
