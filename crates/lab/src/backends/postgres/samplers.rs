//! What a PostgreSQL counts of the database that users are in, by its own names. Its backends tell their counts when
//! they are idle, or a second after they told last: a mark may miss the last second of sessions that are still there,
//! and none of those that have left.

use crate::samplers::{Ask, Occasion, Reading, Source};
use model::record::series::{Shape, Unit};

pub(crate) const NAME: &str = "postgres";

const COUNTERS: &[(&str, Unit)] = &[
    ("xact_commit", Unit::Count),
    ("xact_rollback", Unit::Count),
    ("blks_read", Unit::Count),
    ("blks_hit", Unit::Count),
    ("tup_returned", Unit::Count),
    ("tup_fetched", Unit::Count),
    ("tup_inserted", Unit::Count),
    ("tup_updated", Unit::Count),
    ("tup_deleted", Unit::Count),
    ("deadlocks", Unit::Count),
    ("temp_files", Unit::Count),
    ("temp_bytes", Unit::Bytes),
];
/// A standby writes none.
const WAL: &str = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";

pub(crate) struct Postgres(pub(crate) Box<dyn Ask>);

impl Source for Postgres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let names: Vec<&str> = COUNTERS.iter().map(|(name, _)| *name).collect();
        let sql = format!("SELECT {} FROM pg_stat_database WHERE datname = current_database()", names.join(", "));
        match self.0.rows(&sql) {
            Ok(rows) => {
                for ((name, unit), value) in COUNTERS.iter().zip(rows.into_iter().flatten()) {
                    add(reading, name, *unit, value);
                }
            }
            Err(why) => reading.missing("pg_stat_database", why),
        }
        match self.0.rows(WAL) {
            Ok(rows) => add(reading, "wal_bytes", Unit::Bytes, rows.into_iter().flatten().flatten().next()),
            Err(why) => reading.missing("postgres.wal_bytes", why),
        }
    }
}

fn add(reading: &mut Reading, name: &str, unit: Unit, value: Option<String>) {
    if let Some(value) = value.and_then(|text| text.parse().ok()) {
        reading.add(&format!("{NAME}.{name}"), unit, Shape::Counter, value);
    }
}
