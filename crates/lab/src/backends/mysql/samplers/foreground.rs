//! What the server's threads did for its users, without what it does for itself: time within statements and within
//! files by performance_schema, and time on a CPU and waiting for one by the kernel, for the threads that
//! performance_schema calls foreground. Latency is accounted for with these. Summed by user on the server's side, so
//! that a thousand sessions cost a few rows, and read at the marks only. The sampler's own sessions are among them: a
//! few milliseconds a second.

use crate::os::procfs::schedstat;
use crate::samplers::server_threads::Sums;
use crate::samplers::source::{Asker, Available, Occasion, Owner, Process, Reading, Sampler, Server, Source, Turn};
use std::cell::RefCell;
use std::fs;
use std::rc::Rc;

pub(crate) const SAMPLER: Sampler = Sampler { name: "foreground", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    let process = available.server.as_ref().map(Server::first);
    Some(Box::new(Foreground::new(available.asker.clone()?, process)))
}

const STATEMENTS: &str = "SELECT SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) \
     FROM performance_schema.events_statements_summary_by_user_by_event_name WHERE USER IS NOT NULL";
const FILES: &str = "SELECT EVENT_NAME, SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) \
     FROM performance_schema.events_waits_summary_by_user_by_event_name \
     WHERE USER IS NOT NULL AND EVENT_NAME LIKE 'wait/io/file/%' GROUP BY EVENT_NAME";
/// Files apart: those of the redo log, the binary log, temporary tables; all others are data.
const KINDS: &[(&str, &[&str])] = &[
    ("foreground.redo_time", &["innodb_log_file", "sstable/wal"]),
    ("foreground.binlog_time", &["/sql/binlog", "/sql/MYSQL_LOG"]),
    ("foreground.temporary_time", &["temp", "tmp", "io_cache"]),
    ("foreground.data_time", &[""]),
];
/// MySQL 5.6 does not say which thread of the kernel it is.
const THREADS: &str = "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE TYPE = 'FOREGROUND'";

/// performance_schema counts picoseconds.
const PICOS: f64 = 1e-3;

pub(crate) struct Foreground {
    asker: Rc<RefCell<Asker>>,
    /// `None` for a server that runs elsewhere.
    process: Option<Process>,
    sums: Sums<2>,
}

impl Foreground {
    pub(crate) fn new(asker: Rc<RefCell<Asker>>, process: Option<Process>) -> Self {
        Self { asker, process, sums: Sums::default() }
    }

    /// Whether performance_schema counts at all.
    fn statements(&self, reading: &mut Reading) -> bool {
        let rows = self.asker.borrow_mut().rows(STATEMENTS);
        let found = match &rows {
            Ok(rows) => rows.first().and_then(|row| Some((number(row.first()?)?, number(row.get(1)?)?))),
            Err(e) => {
                reading.missing("users' threads", e);
                return false;
            }
        };
        let Some((n, picos)) = found.filter(|(_, picos)| *picos > 0.0) else {
            reading.missing("users' threads", "performance_schema is off, or times no statement");
            return false;
        };
        reading.tell("foreground.statements", n as u64);
        reading.tell("foreground.statement_time", (picos * PICOS) as u64);
        true
    }

    fn files(&self, reading: &mut Reading) {
        let rows = match self.asker.borrow_mut().rows(FILES) {
            Ok(rows) if rows.is_empty() => return reading.missing("foreground.file_time", "no call is timed"),
            Ok(rows) => rows,
            Err(e) => return reading.missing("foreground.file_time", e),
        };
        let (mut calls, mut all, mut kinds) = (0.0, 0.0, vec![0.0; KINDS.len()]);
        for row in &rows {
            let [Some(event), count, picos] = &row[..] else { continue };
            let time = number(picos).unwrap_or(0.0) * PICOS;
            let kind = KINDS.iter().position(|(_, names)| names.iter().any(|name| event.contains(name)));
            kinds[kind.expect("data are all others")] += time;
            all += time;
            calls += number(count).unwrap_or(0.0);
        }
        reading.tell("foreground.file_calls", calls as u64);
        reading.tell("foreground.file_time", all as u64);
        for ((name, _), time) in KINDS.iter().zip(kinds) {
            reading.tell(name, time as u64);
        }
    }

    fn threads(&mut self, reading: &mut Reading) {
        let Some(pid) = self.process.as_ref().map(Process::pid) else { return };
        let rows = match self.asker.borrow_mut().rows(THREADS) {
            Ok(rows) => rows,
            Err(e) => return reading.missing("foreground.cpu", e),
        };
        let ids: Vec<String> = rows.into_iter().flatten().flatten().collect();
        if ids.is_empty() {
            return reading.missing("foreground.cpu", "performance_schema knows no thread of a user");
        }
        // A thread that has ended meanwhile keeps what it had counted.
        let counts = ids.into_iter().filter_map(|id| {
            let text = fs::read_to_string(format!("/proc/{pid}/task/{id}/schedstat")).ok()?;
            let (on_cpu, waiting) = schedstat(&text)?;
            Some((id, [on_cpu, waiting]))
        });
        let [on_cpu, waiting] = self.sums.add(counts.collect());
        reading.tell("foreground.cpu", on_cpu);
        reading.tell("foreground.runqueue.wait", waiting);
    }
}

fn number(text: &Option<String>) -> Option<f64> {
    text.as_ref()?.parse().ok()
}

impl Source for Foreground {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, occasion: Occasion, reading: &mut Reading) {
        if occasion == Occasion::Second {
            return;
        }
        if self.statements(reading) {
            self.files(reading);
            self.threads(reading);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Schema {
        is_on: bool,
    }
    impl crate::samplers::Ask for Schema {
        fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
            let row = |cells: &[&str]| cells.iter().map(|c| Some((*c).to_string())).collect::<Vec<_>>();
            Ok(match (sql, self.is_on) {
                (THREADS, _) => vec![row(&[&std::process::id().to_string()])],
                (STATEMENTS, true) => vec![row(&["3", "5000000"])],
                (FILES, true) => vec![
                    row(&["wait/io/file/innodb/innodb_data_file", "2", "7000000"]),
                    row(&["wait/io/file/innodb/innodb_log_file", "1", "1000000"]),
                    row(&["wait/io/file/sql/FRM", "1", "2000000"]),
                ],
                (STATEMENTS, false) => vec![vec![None, None]],
                _ => Vec::new(),
            })
        }
    }

    fn read(is_on: bool, occasion: Occasion) -> (Vec<String>, usize) {
        let mut reading = Reading::default();
        let asker = Rc::new(RefCell::new(Asker::new(Box::new(Schema { is_on }))));
        Foreground::new(asker, Some(Process::of(std::process::id()))).read(occasion, &mut reading);
        let of_schema = reading.values.iter().filter(|(m, _)| !m.name.contains("cpu") && !m.name.contains("queue"));
        (of_schema.map(|(m, v)| format!("{} {v}", m.name)).collect(), reading.missing.len())
    }

    #[test]
    fn times_are_read_at_the_marks_and_a_schema_that_is_off_is_missing() {
        let told = [
            "foreground.statements 3",
            "foreground.statement_time 5000",
            "foreground.file_calls 4",
            "foreground.file_time 10000",
            "foreground.redo_time 1000",
            "foreground.binlog_time 0",
            "foreground.temporary_time 0",
            "foreground.data_time 9000",
        ];
        assert_eq!(read(true, Occasion::Mark), (told.map(String::from).to_vec(), 0));
        assert_eq!(read(true, Occasion::Second), (vec![], 0));
        assert_eq!(read(false, Occasion::Mark), (vec![], 1));
    }
}
