//! What a PostgreSQL counts, by its own names, and under the lab's where MySQL's family counts the same. Its backends
//! tell their counts when they are idle, or a second after they told last: a mark may miss the last second of sessions
//! that are still there, and none of those that have left. What an account may not read is missing by the name of its
//! view, and the rest goes on.

use crate::samplers::{Asker, Occasion, Reading, Source};
use model::plan::served::HEAP;
use model::record::counters;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

pub(crate) const NAME: &str = "postgres";

/// One question: the view that it is about, the majors that have it, and each counter with where it stands.
struct Question {
    view: &'static str,
    from: u32,
    until: u32,
    of: &'static str,
    columns: &'static [(&'static str, &'static str)],
}

/// In transactions that began since: snapshots and transactions of sessions, those that are prepared, and what replicas
/// hold. A vacuum's own keeps nobody from anything.
const OLDEST: &str = "greatest(max(greatest(age(backend_xmin), age(backend_xid))) FILTER (WHERE backend_type <> \
     'autovacuum worker'), (SELECT max(age(transaction)) FROM pg_prepared_xacts), \
     (SELECT max(age(xmin)) FROM pg_replication_slots), 0)";

const FIRST: u32 = 0;
const NEVER: u32 = u32::MAX;

const QUESTIONS: &[Question] = &[
    Question {
        view: "pg_stat_database",
        from: FIRST,
        until: NEVER,
        of: "FROM pg_stat_database WHERE datname = current_database()",
        columns: &[
            ("xact_commit", "xact_commit"),
            ("xact_rollback", "xact_rollback"),
            ("blks_read", "blks_read"),
            ("blks_hit", "blks_hit"),
            ("tup_returned", "tup_returned"),
            ("tup_fetched", "tup_fetched"),
            ("tup_inserted", "tup_inserted"),
            ("tup_updated", "tup_updated"),
            ("tup_deleted", "tup_deleted"),
            ("deadlocks", "deadlocks"),
            ("temp_files", "temp_files"),
            ("temp_bytes", "temp_bytes"),
            ("read_ms", "blk_read_time"),
            ("write_ms", "blk_write_time"),
        ],
    },
    // A standby writes none.
    Question {
        view: "pg_current_wal_insert_lsn",
        from: FIRST,
        until: NEVER,
        of: "",
        columns: &[("wal_bytes", "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")],
    },
    Question {
        view: "pg_control_checkpoint",
        from: FIRST,
        until: NEVER,
        of: "FROM pg_control_checkpoint()",
        columns: &[("checkpoint_age", "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)")],
    },
    Question {
        view: "pg_stat_wal",
        from: 14,
        until: NEVER,
        of: "FROM pg_stat_wal",
        columns: &[
            ("wal_records", "wal_records"),
            ("wal_full_pages", "wal_fpi"),
            ("wal_buffers_full", "wal_buffers_full"),
        ],
    },
    Question {
        view: "pg_stat_wal",
        from: 14,
        until: 18,
        of: "FROM pg_stat_wal",
        columns: &[("wal_writes", "wal_write"), ("wal_syncs", "wal_sync")],
    },
    Question {
        view: "pg_stat_io",
        from: 18,
        until: NEVER,
        of: "FROM pg_stat_io WHERE object = 'wal'",
        columns: &[("wal_writes", "sum(writes)"), ("wal_syncs", "sum(fsyncs)")],
    },
    Question {
        view: "pg_stat_bgwriter",
        from: FIRST,
        until: 17,
        of: "FROM pg_stat_bgwriter",
        columns: &[
            ("checkpoints_timed", "checkpoints_timed"),
            ("checkpoints_requested", "checkpoints_req"),
            ("checkpoint_write_ms", "checkpoint_write_time"),
            ("checkpoint_sync_ms", "checkpoint_sync_time"),
            ("pages_by_checkpoints", "buffers_checkpoint"),
            ("pages_by_writer", "buffers_clean"),
            ("pages_by_backends", "buffers_backend"),
        ],
    },
    Question {
        view: "pg_stat_checkpointer",
        from: 17,
        until: NEVER,
        of: "FROM pg_stat_checkpointer, pg_stat_bgwriter",
        columns: &[
            ("checkpoints_timed", "num_timed"),
            ("checkpoints_requested", "num_requested"),
            ("checkpoint_write_ms", "write_time"),
            ("checkpoint_sync_ms", "sync_time"),
            ("pages_by_checkpoints", "buffers_written"),
            ("pages_by_writer", "buffers_clean"),
        ],
    },
    Question {
        view: "pg_stat_io",
        from: 17,
        until: NEVER,
        of: "FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'client backend'",
        columns: &[("pages_by_backends", "sum(writes)")],
    },
    Question {
        view: "pg_stat_user_tables",
        from: FIRST,
        until: NEVER,
        of: "FROM pg_stat_user_tables",
        columns: &[
            ("dead_rows", "sum(n_dead_tup)"),
            ("live_rows", "sum(n_live_tup)"),
            ("hot_updates", "sum(n_tup_hot_upd)"),
            ("vacuums", "sum(vacuum_count + autovacuum_count)"),
            ("analyzes", "sum(analyze_count + autoanalyze_count)"),
        ],
    },
    Question {
        view: "pg_stat_activity",
        from: FIRST,
        until: NEVER,
        of: "FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
        columns: &[
            ("active", "count(*) FILTER (WHERE state = 'active' AND backend_type = 'client backend')"),
            ("idle_in_transaction", "count(*) FILTER (WHERE state LIKE 'idle in transaction%')"),
            ("waiting_lock", "count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'Lock')"),
            ("waiting_lwlock", "count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'LWLock')"),
            ("waiting_io", "count(*) FILTER (WHERE state = 'active' AND wait_event_type = 'IO')"),
            ("autovacuum_workers", "count(*) FILTER (WHERE backend_type = 'autovacuum worker')"),
            ("oldest_snapshot_xids", OLDEST),
        ],
    },
];

pub(crate) struct Postgres {
    asker: Rc<RefCell<Asker>>,
    /// The server's major; not asked yet, or not told.
    major: Option<u32>,
}

impl Postgres {
    pub(crate) fn new(asker: Rc<RefCell<Asker>>) -> Self {
        Self { asker, major: None }
    }

    /// The major that decides which views there are.
    fn major(&mut self, asker: &mut Asker) -> Result<u32, String> {
        /// The number of a version is its major times this.
        const OF_MAJOR: u32 = 10_000;
        if let Some(major) = self.major {
            return Ok(major);
        }
        let told = asker.rows("SHOW server_version_num")?.into_iter().flatten().flatten().next();
        let number: Option<u32> = told.and_then(|text| text.parse().ok());
        let major = number.ok_or("the server does not say its version")? / OF_MAJOR;
        Ok(*self.major.insert(major))
    }
}

impl Source for Postgres {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let asker = Rc::clone(&self.asker);
        let mut asker = asker.borrow_mut();
        let major = match self.major(&mut asker) {
            Ok(major) => major,
            Err(why) => return reading.missing(NAME, why),
        };
        let mut told = BTreeMap::new();
        for question in QUESTIONS.iter().filter(|question| (question.from..question.until).contains(&major)) {
            let columns: Vec<&str> = question.columns.iter().map(|(_, column)| *column).collect();
            match asker.rows(&format!("SELECT {} {}", columns.join(", "), question.of)) {
                Ok(rows) => {
                    let values = rows.into_iter().flatten().map(|text| text?.parse::<f64>().ok());
                    let pairs = question.columns.iter().zip(values);
                    told.extend(pairs.filter_map(|((name, _), value)| Some((format!("{NAME}.{name}"), value?))));
                }
                Err(why) => reading.missing(question.view, why),
            }
        }
        for counter in counters::of(NAME) {
            if let Some(value) = told.get(counter.name) {
                reading.row(counter, *value);
            }
        }
        // The same in the lab's names; what is missing was told to be.
        for counter in counters::of("db") {
            let found = counter.found.iter().find(|found| found.engine == Some(HEAP));
            let sum = |names: &&[&str]| names.iter().map(|name| told.get(*name).copied()).sum::<Option<f64>>();
            if let Some(value) = found.and_then(|found| found.sources.iter().find_map(sum)) {
                reading.row(counter, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samplers::Ask;

    /// A server of that major on which an account may not read one view.
    struct Server(u32);

    impl Ask for Server {
        fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
            if sql.starts_with("SHOW") {
                return Ok(vec![vec![Some(format!("{}0018", self.0))]]);
            }
            if sql.contains("pg_control_checkpoint") {
                return Err("42501: permission denied".into());
            }
            // A sum over nothing is NULL.
            let columns = sql.split(" FROM ").next().unwrap_or_default().matches(", ").count() + 1;
            Ok(vec![(0..columns).map(|n| (n > 0 || !sql.contains("sum(")).then(|| "7".to_string())).collect()])
        }
    }

    #[test]
    fn every_major_tells_every_counter_but_those_that_an_account_may_not_read() {
        for major in [14, 15, 16, 17, 18] {
            let mut source = Postgres::new(Rc::new(RefCell::new(Asker::new(Box::new(Server(major))))));
            let mut reading = Reading::default();
            source.read(Occasion::Mark, &mut reading);
            assert_eq!(
                reading.missing,
                [("pg_control_checkpoint".to_string(), "42501: permission denied".to_string())]
            );
            let told = |name: &str| reading.values.iter().any(|(metric, _)| metric.name == name);
            for name in ["postgres.wal_bytes", "postgres.checkpoints_timed", "db.page_reads", "db.redo_written"] {
                assert!(told(name), "{name} of {major}");
            }
            assert!(!told("postgres.checkpoint_age") && !told("db.checkpoint_age"));
        }
    }

    #[test]
    fn every_column_has_a_counter_and_every_counter_a_column() {
        let asked: std::collections::BTreeSet<_> =
            QUESTIONS.iter().flat_map(|question| question.columns).map(|(name, _)| *name).collect();
        assert_eq!(asked, counters::of(NAME).map(|counter| counter.own_name()).collect());
    }
}
