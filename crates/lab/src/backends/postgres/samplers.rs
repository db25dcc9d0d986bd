//! What a PostgreSQL counts of the database that users are in, by its own names. Its backends tell their counts when
//! they are idle, or a second after they told last: a mark may miss the last second of sessions that are still there,
//! and none of those that have left.

use crate::samplers::{Ask, Occasion, Reading, Source};
use model::record::counters::{self, Counter};

pub(crate) const NAME: &str = "postgres";

/// The one that is not of a database.
const WAL_BYTES: &str = "postgres.wal_bytes";
/// A standby writes none.
const WAL: &str = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";

pub(crate) struct Postgres(pub(crate) Box<dyn Ask>);

impl Source for Postgres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let of_database: Vec<&Counter> = counters::of(NAME).filter(|counter| counter.name != WAL_BYTES).collect();
        let names: Vec<&str> = of_database.iter().map(|counter| counter.own_name()).collect();
        let sql = format!("SELECT {} FROM pg_stat_database WHERE datname = current_database()", names.join(", "));
        match self.0.rows(&sql) {
            Ok(rows) => {
                for (counter, value) in of_database.into_iter().zip(rows.into_iter().flatten()) {
                    add(reading, counter, value);
                }
            }
            Err(why) => reading.missing("pg_stat_database", why),
        }
        let wal = counters::named(WAL_BYTES).expect("a counter of ours has a row");
        match self.0.rows(WAL) {
            Ok(rows) => add(reading, wal, rows.into_iter().flatten().flatten().next()),
            Err(why) => reading.missing(WAL_BYTES, why),
        }
    }
}

fn add(reading: &mut Reading, counter: &Counter, value: Option<String>) {
    if let Some(value) = value.and_then(|text| text.parse().ok()) {
        reading.row(counter, value);
    }
}
