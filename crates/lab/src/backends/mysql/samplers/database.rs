//! Our own names for what every server counts under a name of its version (`model::record::counters` has them, with the
//! sources in which each may be found, best first). Read from what `status`, `innodb` and `rocksdb` have told at the
//! same reading, so it costs the server nothing. A metric that no source of this server has is missing, and said so
//! once; whoever judges it finds nothing there, and never a zero.

use crate::samplers::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use model::record::counters::{self, Counter, Sources};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "database", turn: Turn::Last, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(Database::new(available.asker.clone()?, &available.engine)))
}

pub(crate) struct Database {
    asker: Rc<RefCell<Asker>>,
    rows: Vec<(&'static Counter, Sources)>,
}

impl Database {
    pub(crate) fn new(asker: Rc<RefCell<Asker>>, engine: &str) -> Self {
        let rows = counters::of("db").filter_map(|counter| Some((counter, counter.sources(engine)?)));
        Self { asker, rows: rows.collect() }
    }
}

impl Source for Database {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let asker = self.asker.borrow();
        // Nothing was told at all: `status` has said why.
        if asker.told.is_empty() {
            return;
        }
        let mut missing = Vec::new();
        for (counter, sources) in &self.rows {
            let sum = |names: &&[&str]| names.iter().map(|n| Some(asker.told.get(*n)?.1)).sum::<Option<f64>>();
            match sources.iter().find_map(sum) {
                Some(sum) => reading.row(counter, sum),
                None => missing.push(counter.name),
            }
        }
        if !missing.is_empty() {
            reading.missing(&missing.join(", "), "no counter of this server says it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samplers::Refused;
    use model::record::series::{Metric, Shape, Unit};

    #[test]
    fn a_metric_is_found_where_this_server_has_it_and_else_named_as_missing() {
        let told = |name: &str, value: f64| {
            (name.to_string(), (Metric { name: name.into(), unit: Unit::Count, shape: Shape::Counter }, value))
        };
        let mut asker = Asker::new(Box::new(Refused(String::new())));
        asker.told = [
            told("innodb.dml_reads", 7.0),
            told("status.Rows_read", 9.0),
            told("status.Sort_rows", 3.0),
            told("innodb.index_splits", 0.0),
        ]
        .into();
        let mut reading = Reading::default();
        Database::new(Rc::new(RefCell::new(asker)), "innodb").read(Occasion::Mark, &mut reading);
        let found: Vec<_> = reading.values.iter().map(|(m, v)| format!("{} {v}", m.name)).collect();
        assert_eq!(found, ["db.sort_rows 3", "db.rows_read 7", "db.page_splits 0"]);
        let (missing, _) = &reading.missing[0];
        assert!(missing.starts_with("db.tmp_tables, ") && missing.ends_with(", db.rwlock_sx_waits"), "{missing}");
        let of_innodb = counters::of("db").filter(|counter| counter.sources("innodb").is_some());
        assert_eq!(missing.split(", ").count(), of_innodb.count() - 3);
    }
}
