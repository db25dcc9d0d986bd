//! `information_schema.INNODB_METRICS`: the counters that are switched on there. Which column says so differs: MariaDB
//! has had `ENABLED` since 10.5, everybody else `STATUS`; the first reading finds out, and later ones know.

use crate::backends::mysql::dead_counters::is_dead;
use crate::samplers::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use model::record::series::{Shape, Unit};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "innodb", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(Innodb::new(available.asker.clone()?)))
}

const WAYS: [&str; 2] = [
    "SELECT NAME, COUNT, TYPE FROM information_schema.INNODB_METRICS WHERE ENABLED = 1",
    "SELECT NAME, COUNT, TYPE FROM information_schema.INNODB_METRICS WHERE STATUS = 'enabled'",
];

pub(crate) struct Innodb {
    asker: Rc<RefCell<Asker>>,
    way: usize,
    worked: bool,
}

impl Innodb {
    pub(crate) fn new(asker: Rc<RefCell<Asker>>) -> Self {
        Self { asker, way: 0, worked: false }
    }
}

impl Source for Innodb {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let mut rows = self.asker.borrow_mut().rows(WAYS[self.way]);
        if rows.is_err() && !self.worked {
            self.way = 1 - self.way;
            rows = self.asker.borrow_mut().rows(WAYS[self.way]);
        }
        match rows {
            Ok(rows) => {
                self.worked = true;
                fill(&rows, reading);
                self.asker.borrow_mut().tell(SAMPLER.name, reading, is_dead);
            }
            Err(e) => reading.missing("innodb metrics", e),
        }
    }
}

fn fill(rows: &[Vec<Option<String>>], reading: &mut Reading) {
    for row in rows {
        let [Some(name), Some(count), Some(kind)] = &row[..] else { continue };
        if let Ok(value) = count.parse() {
            let shape = if kind == "value" { Shape::Gauge } else { Shape::Counter };
            reading.add(&format!("innodb.{name}"), Unit::Count, shape, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Old(Vec<String>);
    impl crate::samplers::Ask for Old {
        fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
            self.0.push(sql.to_string());
            if sql.contains("ENABLED") {
                return Err("1054 Unknown column 'ENABLED' in 'where clause'".into());
            }
            let row = |a: &str, b: &str, c: &str| vec![Some(a.into()), Some(b.into()), Some(c.into())];
            Ok(vec![row("buffer_pool_reads", "173", "status_counter"), row("trx_rseg_history_len", "4", "value")])
        }
    }

    #[test]
    fn the_way_to_ask_is_found_once_and_every_statement_is_counted() {
        let asker = Rc::new(RefCell::new(Asker::new(Box::new(Old(vec![])))));
        let mut innodb = Innodb::new(asker.clone());
        for _ in 0..2 {
            let mut reading = Reading::default();
            innodb.read(Occasion::Mark, &mut reading);
            let told: Vec<_> = reading.values.iter().map(|(m, v)| format!("{} {:?} {v}", m.name, m.shape)).collect();
            assert_eq!(told, ["innodb.buffer_pool_reads Counter 173", "innodb.trx_rseg_history_len Gauge 4"]);
            assert_eq!(reading.missing, []);
        }
        assert_eq!(asker.borrow().statements, 3);
    }
}
