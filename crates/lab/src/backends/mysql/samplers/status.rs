//! `SHOW GLOBAL STATUS`: every numeric variable under the server's own name. Whether a variable counts or tells a level
//! is nowhere stated by the server, so the levels are listed here; everything else is taken to count.

use crate::backends::mysql::dead_counters::is_dead;
use crate::samplers::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use model::record::series::{Shape, Unit};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "status", turn: Turn::First, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(Status(available.asker.clone()?)))
}

/// Beginnings and names of levels. (`Opened_tables` counts, `Open_tables` is a level.)
const LEVELS_BEGIN: &[&str] = &[
    "Threads_cached",
    "Threads_connected",
    "Threads_running",
    "Open_",
    "Slave_",
    "Threadpool_",
    "Innodb_buffer_pool_bytes_",
    "Innodb_mem_",
    "Key_blocks_",
    "Qcache_free_",
    "Max_used_",
    "Memory_used",
    "Innodb_num_open_",
    "Innodb_ibuf_",
    "Rocksdb_memtable_",
    "Subquery_cache_size",
    "wsrep_cert_",
    "wsrep_cluster_",
];
const LEVELS_END: &[&str] = &[
    "_pages_data",
    "_pages_dirty",
    "_pages_free",
    "_pages_misc",
    "_pages_old",
    "_pages_total",
    "_pages_latched",
    "_current_waits",
    "_time_avg",
    "_time_max",
    "_pending_reads",
    "_pending_writes",
    "_pending_fsyncs",
    "_page_size",
    "_checkpoint_age",
    "_checkpoint_max_age",
    "_history_list_length",
    "_stmt_count",
    "_in_cache",
    "_total_blocks",
    "_insert_threads",
    "_query_cost",
    "_cluster_size",
    "_mem_cached",
    "_prepared_stmt_count",
    "wsrep_local_state",
    "wsrep_local_index",
    "wsrep_flow_control_paused",
    "_send_queue",
    "_recv_queue",
    "_queue_avg",
    "_queue_max",
    "_queue_min",
];

pub(crate) struct Status(pub(crate) Rc<RefCell<Asker>>);

impl Source for Status {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let mut asker = self.0.borrow_mut();
        // This is the first source of each reading.
        asker.told.clear();
        match asker.rows("SHOW GLOBAL STATUS") {
            Ok(rows) => {
                fill(&rows, reading);
                asker.tell(SAMPLER.name, reading, is_dead);
            }
            Err(e) => reading.missing("SHOW GLOBAL STATUS", e),
        }
    }
}

fn fill(rows: &[Vec<Option<String>>], reading: &mut Reading) {
    for row in rows {
        let [Some(name), Some(text)] = &row[..] else { continue };
        if let Ok(value) = text.parse() {
            reading.add(&format!("status.{name}"), unit(name), shape(name), value);
        }
    }
}

fn shape(name: &str) -> Shape {
    let level = LEVELS_BEGIN.iter().any(|l| name.starts_with(l)) || LEVELS_END.iter().any(|l| name.ends_with(l));
    if level { Shape::Gauge } else { Shape::Counter }
}

fn unit(name: &str) -> Unit {
    let bytes = name.contains("_bytes") || name.starts_with("Bytes_") || name.starts_with("Memory_used");
    if bytes { Unit::Bytes } else { Unit::Count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_under_the_servers_names_with_their_shape() {
        let rows: Vec<_> = "Questions 1234\nThreads_running 3\nCompression OFF\nInnodb_buffer_pool_pages_flushed 9\nOpened_tables 4\n\
                            Innodb_buffer_pool_pages_data 77\nOpen_tables 2\nBytes_sent 5\nThreads_created 8\nLast_query_cost 0.5"
            .lines()
            .map(|l| l.split(' ').map(|w| Some(w.to_string())).collect())
            .collect();
        let mut reading = Reading::default();
        fill(&rows, &mut reading);
        let told: Vec<_> =
            reading.values.iter().map(|(m, v)| format!("{} {:?} {:?} {v}", m.name, m.unit, m.shape)).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        status.Questions Count Counter 1234
        status.Threads_running Count Gauge 3
        status.Innodb_buffer_pool_pages_flushed Count Counter 9
        status.Opened_tables Count Counter 4
        status.Innodb_buffer_pool_pages_data Count Gauge 77
        status.Open_tables Count Gauge 2
        status.Bytes_sent Bytes Counter 5
        status.Threads_created Count Counter 8
        status.Last_query_cost Count Gauge 0.5
        ");
    }
}
