//! `information_schema.ROCKSDB_PERF_CONTEXT_GLOBAL`: what reads of RocksDB stepped over, tombstones among it. Asked only where
//! RocksDB is the engine under test; its counts move with `rocksdb_perf_context_level` (the setting `engine_counters`).

use super::{Asker, Occasion, Reading, Source};
use model::record::series::{Shape, Unit};
use std::cell::RefCell;
use std::rc::Rc;

pub(super) const NAME: &str = "rocksdb";

const SQL: &str = "SELECT STAT_TYPE, VALUE FROM information_schema.ROCKSDB_PERF_CONTEXT_GLOBAL";

pub(super) struct RocksDb(pub(super) Rc<RefCell<Asker>>);

impl Source for RocksDb {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let rows = self.0.borrow_mut().rows(SQL);
        match rows {
            Ok(rows) => {
                for row in &rows {
                    let [Some(name), Some(text)] = &row[..] else { continue };
                    if let Ok(value) = text.parse() {
                        reading.add(&format!("rocksdb.{name}"), Unit::Count, Shape::Counter, value);
                    }
                }
                self.0.borrow_mut().tell(NAME, reading);
            }
            Err(e) => reading.missing("RocksDB's counters", e),
        }
    }
}
