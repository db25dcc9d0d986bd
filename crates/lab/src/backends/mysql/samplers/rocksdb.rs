//! `information_schema.ROCKSDB_PERF_CONTEXT_GLOBAL`: what reads of RocksDB stepped over, tombstones among it; and from
//! `ROCKSDB_COMPACTION_STATS` how much still waits to be compacted: of each level what it holds beyond its target.
//! Asked only where RocksDB is the engine under test; its counts move with `rocksdb_perf_context_level` (the setting
//! `engine_counters`).

use crate::backends::mysql::dead_counters::is_dead;
use crate::samplers::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use model::record::series::{Shape, Unit};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "rocksdb", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    let asker = available.asker.clone().filter(|_| available.engine == SAMPLER.name)?;
    Some(Box::new(RocksDb(asker)))
}

const SQL: &str = "SELECT STAT_TYPE, VALUE FROM information_schema.ROCKSDB_PERF_CONTEXT_GLOBAL";

/// Sizes and scores; a score is the size over its target, of the first level its files over their number that begins
/// compaction.
const LEVELS: &str = "SELECT CF_NAME, LEVEL, TYPE, VALUE FROM information_schema.ROCKSDB_COMPACTION_STATS \
     WHERE LEVEL <> 'Sum' AND TYPE IN ('SizeBytes', 'Score')";

pub(crate) struct RocksDb(pub(crate) Rc<RefCell<Asker>>);

impl Source for RocksDb {
    fn name(&self) -> &'static str {
        SAMPLER.name
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
            }
            Err(e) => reading.missing("RocksDB's counters", e),
        }
        let levels = self.0.borrow_mut().rows(LEVELS);
        match levels {
            Ok(rows) => reading.tell("rocksdb.compaction_debt", debt(&rows)),
            Err(e) => reading.missing("RocksDB's levels", e),
        }
        self.0.borrow_mut().tell(SAMPLER.name, reading, is_dead);
    }
}

/// Bytes beyond the targets of all levels: size − size / score where the score is above one.
fn debt(rows: &[Vec<Option<String>>]) -> u64 {
    let mut levels: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    for row in rows {
        let [Some(family), Some(level), Some(what), Some(value)] = &row[..] else { continue };
        let Ok(value) = value.parse() else { continue };
        let level = levels.entry((family, level)).or_default();
        *(if what == "Score" { &mut level.1 } else { &mut level.0 }) = value;
    }
    levels.values().filter(|(_, score)| *score > 1.0).map(|(size, score)| (size - size / score) as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::debt;

    #[test]
    fn what_a_level_holds_beyond_its_target_waits_to_be_compacted() {
        let row =
            |level: &str, what: &str, value: &str| ["default", level, what, value].map(|c| Some(c.into())).to_vec();
        let rows = [
            row("L0", "Score", "2"),
            row("L0", "SizeBytes", "1000"),
            row("L6", "Score", "0.4"),
            row("L6", "SizeBytes", "9000"),
        ];
        assert_eq!(debt(&rows), 500);
        assert_eq!(debt(&[]), 0);
    }
}
