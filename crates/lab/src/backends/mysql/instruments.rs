//! The instruments of an explain run: performance_schema's waits and stages, switched on for one run and put back
//! afterwards, so that the runs that make numbers never pay for them. Read as sums over the run, the longest first.
//! Instruments of a server that the lab did not start stay as they are. The threads of a plugin's daemon are none that
//! performance_schema knows, and what they pass is not counted as long as it asks whose thread it was: so for its users
//! it is told not to ask.

use super::control::{Control, PATIENCE};
use crate::backends::contract::Instruments;
use crate::backends::up::{Serving, Up};
use model::plan::Cell;
use model::protocol::Protocol;
use model::record::explain::{Explain, Wait};
use std::collections::BTreeMap;
use workload::session::Fault;

/// Waits shown, and stages.
const LONGEST: usize = 20;
/// Names in one statement that puts instruments back.
const AT_ONCE: usize = 200;

/// What is off by default on most versions. Files and tables are on wherever performance_schema is.
const SWITCHED: &str = "(NAME LIKE 'wait/synch/%' OR NAME LIKE 'stage/%')";
/// Waiting for a client's next statement is no wait of the server, and neither is its timer's sleep.
const WAITS: &str = "SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name \
     WHERE COUNT_STAR > 0 AND EVENT_NAME NOT IN ('idle', 'wait/synch/cond/mysys/COND_timer') AND EVENT_NAME NOT LIKE 'wait/io/socket/%'";
const STAGES: &str = "SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_stages_summary_global_by_event_name \
     WHERE COUNT_STAR > 0";

/// Asks whose thread passes a lock, with `NO` and `YES`.
fn threads(known: &str) -> String {
    format!("UPDATE performance_schema.setup_consumers SET ENABLED = '{known}' WHERE NAME = 'thread_instrumentation'")
}

/// By name of the event: how often, and picoseconds.
type Sums = BTreeMap<String, (u64, u64)>;

pub(crate) struct PerformanceSchema {
    control: Control,
    /// What was off and is to be off again.
    off: Vec<String>,
    /// Whether threads that nobody knows are seen meanwhile.
    of_strangers: bool,
    waits: Sums,
    stages: Sums,
}

impl PerformanceSchema {
    /// Switches the instruments of the instance that is up on; why not, where that cannot be.
    pub(crate) fn of(up: &Up, cell: &Cell) -> Result<Self, String> {
        if matches!(up.server, Serving::Found(_)) {
            return Err("assay switches no instruments of a server that it did not start".into());
        }
        let control = Control::connect_with(&up.endpoint, PATIENCE).map_err(|e| e.to_string())?;
        let of_strangers = cell.protocols.contains(&Protocol::Memcached);
        Self::switch_on(control, of_strangers)
    }

    fn switch_on(mut control: Control, of_strangers: bool) -> Result<Self, String> {
        let told = |e: Fault| format!("its instruments: {e}");
        if control.value("SELECT @@performance_schema").map_err(told)?.as_deref() != Some("1") {
            return Err("performance_schema is off; write performance_schema = true in [server.settings]".into());
        }
        let listed =
            format!("SELECT NAME FROM performance_schema.setup_instruments WHERE ENABLED = 'NO' AND {SWITCHED}");
        let off = control.rows(&listed).map_err(told)?.into_iter().flatten().flatten().collect();
        let on =
            format!("UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE {SWITCHED}");
        control.execute(&on).map_err(told)?;
        if of_strangers {
            control.execute(&threads("NO")).map_err(told)?;
        }
        let waits = sums(&mut control, WAITS).map_err(told)?;
        // MySQL 5.5 has no stages.
        let stages = sums(&mut control, STAGES).unwrap_or_default();
        Ok(Self { control, off, of_strangers, waits, stages })
    }

    fn seen(&mut self) -> Result<Explain, Fault> {
        let waits = longest(&self.waits, sums(&mut self.control, WAITS)?);
        let stages = sums(&mut self.control, STAGES).map(|now| longest(&self.stages, now)).unwrap_or_default();
        Ok(Explain { waits, stages, executed: Vec::new() })
    }

    fn put_back(&mut self) -> Result<(), Fault> {
        if self.of_strangers {
            self.control.execute(&threads("YES"))?;
        }
        for names in self.off.chunks(AT_ONCE) {
            let list = names.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
            self.control.execute(&format!(
                "UPDATE performance_schema.setup_instruments SET ENABLED = 'NO', TIMED = 'NO' WHERE NAME IN ({list})"
            ))?;
        }
        Ok(())
    }
}

impl Instruments for PerformanceSchema {
    fn explained(mut self: Box<Self>) -> Explain {
        let seen = self.seen();
        // A server that is gone took its instruments with it.
        let _ = self.put_back();
        seen.unwrap_or_default()
    }
}

fn sums(control: &mut Control, sql: &str) -> Result<Sums, Fault> {
    let sum = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter().flatten();
        Some((cells.next()?, (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?)))
    };
    Ok(control.rows(sql)?.into_iter().filter_map(sum).collect())
}

/// What grew most between two readings.
fn longest(before: &Sums, now: Sums) -> Vec<Wait> {
    let grown = now.into_iter().filter_map(|(event, (count, picoseconds))| {
        let (count_before, time_before) = before.get(&event).copied().unwrap_or_default();
        let count = count.checked_sub(count_before).filter(|n| *n > 0)?;
        let time = model::units::Nanos(picoseconds.saturating_sub(time_before) / 1_000);
        Some(Wait { event, count, time })
    });
    let mut waits: Vec<Wait> = grown.collect();
    waits.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.event.cmp(&b.event)));
    waits.truncate(LONGEST);
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_grew_during_the_run_counts_the_longest_first() {
        let sums = |rows: &[(&str, u64, u64)]| rows.iter().map(|(e, n, t)| (e.to_string(), (*n, *t))).collect::<Sums>();
        let before = sums(&[("a", 5, 1_000_000), ("b", 1, 1_000)]);
        let seen = longest(&before, sums(&[("a", 6, 4_000_000), ("b", 1, 1_000), ("c", 2, 9_000_000)]));
        let told: Vec<_> = seen.iter().map(|w| (w.event.as_str(), w.count, w.time.0)).collect();
        assert_eq!(told, [("c", 2, 9_000), ("a", 1, 3_000)]);
    }
}
