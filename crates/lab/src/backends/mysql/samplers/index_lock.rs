//! The lock of an index's tree: how often it was taken, contended or not, and how long that took, by
//! performance_schema. Every descent of a tree takes it shared, every change of its shape exclusively (shared-exclusive
//! since MySQL 5.7), so the count per unit of work shows a page split's neighbourhood on a machine too small for
//! anybody to wait. The instrument is off by default; `settings.engine_counters` switches it on, and this is read only
//! then.

use crate::samplers::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "index_lock", turn: Turn::Between, owner: Owner::Server, make };

/// Its instruments are off by default.
fn make(available: &Available) -> Option<Box<dyn Source>> {
    let asker = available.asker.clone().filter(|_| available.engine_counters)?;
    Some(Box::new(IndexLock(asker)))
}

/// The class of the instrument differs by version; of one that is off nothing is told.
const SUMS: &str = "SELECT SUM(w.COUNT_STAR), CAST(SUM(w.SUM_TIMER_WAIT) / 1000 AS UNSIGNED) FROM \
     performance_schema.events_waits_summary_global_by_event_name w JOIN performance_schema.setup_instruments i ON i.NAME = \
     w.EVENT_NAME WHERE i.ENABLED = 'YES' AND i.NAME LIKE 'wait/synch/%/innodb/index_tree_rw_lock'";

pub(crate) struct IndexLock(pub Rc<RefCell<Asker>>);

impl Source for IndexLock {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, occasion: Occasion, reading: &mut Reading) {
        if occasion == Occasion::Second {
            return;
        }
        match self.0.borrow_mut().rows(SUMS) {
            Ok(rows) => fill(&rows, reading),
            Err(why) => reading.missing("the index lock", why),
        }
    }
}

fn fill(rows: &[Vec<Option<String>>], reading: &mut Reading) {
    let sum = |column: usize| rows.first()?.get(column)?.as_ref()?.parse().ok();
    match (sum(0), sum(1)) {
        (Some(count), Some(time)) => {
            reading.tell("index_lock.acquisitions", count);
            reading.tell("index_lock.time", time);
        }
        _ => reading.missing("the index lock", "its instrument is off (performance_schema, engine_counters)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instrument_that_is_off_is_missing_and_not_zero() {
        let mut reading = Reading::default();
        fill(&[vec![None, None]], &mut reading);
        assert!(reading.values.is_empty() && reading.missing.len() == 1);
        fill(&[vec![Some("66006".into()), Some("12".into())]], &mut reading);
        let told: Vec<_> = reading.values.iter().map(|(m, v)| format!("{} {v}", m.name)).collect();
        assert_eq!(told, ["index_lock.acquisitions 66006", "index_lock.time 12"]);
    }
}
