//! Loads unit by unit: each session takes the next one and puts all of its rows in within one transaction, its number
//! in the table of progress among them. So an interrupted load holds whole units and nothing else, and goes on behind
//! them: where a unit has come, its rows have. A table whose units are all in gets its indexes from the next session
//! that is free, the largest table first, while others still load. The table of progress goes when the load is over.

use super::{INSERT_BYTES, MOST_TRIES, NO_FILES, RETRYABLE, finish, load_lines};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{LoadFault, side_by_side, world};
use crate::backends::mysql::control::Control;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use workload::dataset::{ByUnit, Dataset, Table};
use workload::session::Fault;

/// Which units of a dataset are in.
pub struct Progress {
    table: String,
}

impl Progress {
    /// Other data have another table, so that a load of theirs is never gone on with.
    pub fn of(identity: &str) -> Self {
        /// Digits of a digest that tell apart what may lie in one schema.
        const DIGITS: usize = 12;
        Self { table: format!("made_by_assay_units_{}", &identity[..DIGITS.min(identity.len())]) }
    }

    pub fn is_there(&self, control: &mut Control) -> Result<bool, Fault> {
        Ok(!control.rows(&format!("SHOW TABLES LIKE '{}'", self.table))?.is_empty())
    }

    pub fn begin(&self, control: &mut Control) -> Result<(), LoadFault> {
        let create = format!("CREATE TABLE IF NOT EXISTS {} (unit BIGINT UNSIGNED PRIMARY KEY)", self.table);
        control.execute(&create).map(drop).map_err(world)
    }

    pub fn end(&self, control: &mut Control) -> Result<(), LoadFault> {
        control.execute(&format!("DROP TABLE {}", self.table)).map(drop).map_err(world)
    }

    fn units(&self, control: &mut Control) -> Result<BTreeSet<u64>, Fault> {
        let rows = control.rows(&format!("SELECT unit FROM {}", self.table))?;
        Ok(rows.into_iter().flatten().flatten().filter_map(|unit| unit.parse().ok()).collect())
    }
}

#[allow(clippy::too_many_arguments)]
pub fn fill(
    endpoint: &SqlEndpoint,
    dataset: &dyn Dataset,
    rows: &dyn ByUnit,
    tables: &[Table],
    progress: &Progress,
    gone_on: bool,
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), LoadFault> {
    let mut control = Control::for_load(endpoint).map_err(world)?;
    let in_already = progress.units(&mut control).map_err(world)?;
    control.quit();
    let agenda = Agenda::of(rows, tables, &in_already);
    let total: u64 = (0..rows.units()).map(|unit| rows.rows_of(unit)).sum();
    let done = AtomicU64::new(in_already.iter().map(|unit| rows.rows_of(*unit)).sum());
    let told = |rows: u64| at(done.fetch_add(rows, Relaxed) + rows, total);
    let taken_back = |rows: u64| {
        done.fetch_sub(rows, Relaxed);
    };
    side_by_side(sessions, |over| {
        let mut control = Control::for_load(endpoint).map_err(world)?;
        let mut unit =
            Unit { number: 0, dataset, rows, tables, progress, files_allowed: true, sent: 0, told: &told, stop };
        while !over.load(Relaxed) {
            match agenda.next() {
                Some(Job::Finish(_)) if stop.load(Relaxed) => return Err(LoadFault::Stopped),
                Some(Job::Finish(table)) => finish(&mut control, &tables[table], gone_on)?,
                Some(Job::Put(number)) => {
                    unit.number = number;
                    let mut tries = 1..MOST_TRIES;
                    while let Err(trouble) = unit.put(&mut control) {
                        unit.mend(trouble, tries.next().is_some())?;
                        // It was rolled back, or is to be: the whole unit once more.
                        control.execute("ROLLBACK").map_err(world)?;
                        taken_back(unit.sent);
                    }
                    agenda.is_in(number);
                }
                None => break,
            }
        }
        control.quit();
        Ok(())
    })
}

enum Job {
    /// The unit of this number.
    Put(u64),
    /// The table at this index.
    Finish(usize),
}

/// What is still to be done.
struct Agenda<'a> {
    rows: &'a dyn ByUnit,
    tables: &'a [Table],
    /// Units, the first to be done last.
    units: Mutex<Vec<u64>>,
    /// By table: its units that are not in.
    left: Vec<AtomicU64>,
    /// Tables whose units are all in, the largest last.
    ready: Mutex<Vec<usize>>,
}

impl<'a> Agenda<'a> {
    fn of(rows: &'a dyn ByUnit, tables: &'a [Table], in_already: &BTreeSet<u64>) -> Self {
        let units: Vec<u64> = (0..rows.units()).rev().filter(|unit| !in_already.contains(unit)).collect();
        let left: Vec<AtomicU64> = tables.iter().map(|_| AtomicU64::new(0)).collect();
        for table in units.iter().flat_map(|unit| rows.tables_of(*unit)) {
            left[table].fetch_add(1, Relaxed);
        }
        let ready = (0..tables.len()).filter(|table| left[*table].load(Relaxed) == 0).collect();
        let agenda = Self { rows, tables, units: Mutex::new(units), left, ready: Mutex::new(Vec::new()) };
        agenda.are_ready(ready);
        agenda
    }

    fn next(&self) -> Option<Job> {
        let table = self.ready.lock().expect("no panic while held").pop();
        table.map(Job::Finish).or_else(|| self.units.lock().expect("no panic while held").pop().map(Job::Put))
    }

    fn is_in(&self, unit: u64) {
        let last = |table: &usize| self.left[*table].fetch_sub(1, Relaxed) == 1;
        self.are_ready(self.rows.tables_of(unit).into_iter().filter(last).collect());
    }

    fn are_ready(&self, tables: Vec<usize>) {
        let mut ready = self.ready.lock().expect("no panic while held");
        ready.extend(tables);
        ready.sort_by_key(|table| self.tables[*table].rows);
    }
}

/// The unit that a session is about to put in.
struct Unit<'a> {
    number: u64,
    dataset: &'a dyn Dataset,
    rows: &'a dyn ByUnit,
    tables: &'a [Table],
    progress: &'a Progress,
    files_allowed: bool,
    /// Rows of this try.
    sent: u64,
    told: &'a dyn Fn(u64),
    stop: &'a AtomicBool,
}

impl Unit<'_> {
    /// Whole or not at all.
    fn put(&mut self, control: &mut Control) -> Result<(), Trouble> {
        self.sent = 0;
        control.execute("BEGIN")?;
        for piece in 0..self.rows.pieces(self.number) {
            if self.stop.load(Relaxed) {
                return Err(Trouble::Other(LoadFault::Stopped));
            }
            let mut text = Vec::new();
            let made = self.rows.piece(self.number, piece, &mut text);
            let (name, columns) = (&self.tables[made.table].name, self.dataset.columns(made.table));
            let done = self.send(control, name, columns, text)?;
            if done != made.rows {
                let what = format!("{name}: of {} rows only {done} went in; is the table empty?", made.rows);
                return Err(Trouble::Other(LoadFault::World(what)));
            }
            self.sent += done;
            (self.told)(done);
        }
        control.execute(&format!("INSERT INTO {} VALUES ({})", self.progress.table, self.number))?;
        control.execute("COMMIT")?;
        Ok(())
    }

    fn send(&self, control: &mut Control, name: &str, columns: &str, text: Vec<u8>) -> Result<u64, Fault> {
        if self.files_allowed {
            return load_lines(control, name, columns, text);
        }
        let text = std::str::from_utf8(&text).expect("generated lines are ASCII");
        inserts(name, columns, text).iter().try_fold(0, |done, sql| Ok(done + control.execute(sql)?.affected))
    }

    /// Whether it may be tried again; `tries` says whether any are left.
    fn mend(&mut self, trouble: Trouble, tries: bool) -> Result<(), LoadFault> {
        match trouble {
            Trouble::Fault(Fault::Server { code, .. }) if tries && RETRYABLE.contains(&code) => Ok(()),
            Trouble::Fault(Fault::Server { code, .. }) if self.files_allowed && NO_FILES.contains(&code) => {
                self.files_allowed = false;
                Ok(())
            }
            Trouble::Fault(fault) => Err(self.told_where(fault.to_string())),
            Trouble::Other(LoadFault::World(why)) => Err(self.told_where(why)),
            Trouble::Other(fault @ (LoadFault::Unsupported(_) | LoadFault::Stopped)) => Err(fault),
        }
    }

    fn told_where(&self, why: String) -> LoadFault {
        LoadFault::World(format!("{}: {why}", self.rows.name(self.number)))
    }
}

/// Why a unit did not go in.
enum Trouble {
    Fault(Fault),
    Other(LoadFault),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The same lines as INSERTs, for servers that load no files.
fn inserts(name: &str, columns: &str, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut sql = String::new();
    for line in text.lines() {
        let row: Vec<String> =
            line.split('\t').map(|v| if v == "\\N" { "NULL".to_string() } else { format!("'{v}'") }).collect();
        if sql.is_empty() {
            sql = format!("INSERT INTO {name} ({columns}) VALUES ");
        } else {
            sql.push(',');
        }
        sql.push_str(&format!("({})", row.join(",")));
        if sql.len() as u64 >= INSERT_BYTES {
            all.push(std::mem::take(&mut sql));
        }
    }
    all.extend((!sql.is_empty()).then_some(sql));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_inserts_that_say_the_same() {
        let sql = inserts("t", "a, b", "1\tx\n2\t\\N\n");
        assert_eq!(sql, ["INSERT INTO t (a, b) VALUES ('1','x'),('2',NULL)"]);
        let long = format!("1\t{}\n", "x".repeat(1 << 19)).repeat(5);
        let cut = inserts("t", "a, b", &long);
        assert_eq!(cut.len(), 3, "no statement is longer than a packet may be");
        assert_eq!(cut.iter().map(|sql| sql.matches("('1'").count()).sum::<usize>(), 5);
    }
}
