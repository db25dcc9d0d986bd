//! What was heard of each statement, in a file, in the order of the script: statements are answered in another order,
//! and those behind one that is still under way wait in memory.

use crate::trouble::Trouble;
use model::Nanos;
use model::upgrade::{Fate, Heard};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use trace::Statement;

/// So many are handed to the disk at once where a replay ended early.
const TOGETHER: usize = 4096;

/// What all statements that were asked add up to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pub asked: u64,
    /// Errors that the trace has not.
    pub unexpected: u64,
    pub out_of_order: u64,
    pub service: Nanos,
    pub captured_service: Nanos,
    pub lag: Nanos,
    pub wait: Nanos,
}

pub struct Ledger {
    file: BufWriter<File>,
    path: PathBuf,
    written: usize,
    waiting: VecDeque<Option<Heard>>,
    bytes: Vec<u8>,
    /// The disk's first error: nothing is written behind it.
    failed: Option<io::Error>,
    sums: Sums,
}

impl Ledger {
    pub fn create(path: &Path) -> Result<Self, Trouble> {
        let file = File::create(path).map_err(Trouble::at("making", path))?;
        Ok(Self {
            file: BufWriter::new(file),
            path: path.to_path_buf(),
            written: 0,
            waiting: VecDeque::new(),
            bytes: Vec::new(),
            failed: None,
            sums: Sums::default(),
        })
    }

    pub fn sums(&self) -> Sums {
        self.sums
    }

    /// What was heard of the statement of that number.
    pub fn put(&mut self, at: usize, statement: &Statement, heard: Heard) {
        self.sum(statement, &heard);
        let place = at - self.written;
        if self.waiting.len() <= place {
            self.waiting.resize(place + 1, None);
        }
        self.waiting[place] = Some(heard);
        while let Some(Some(heard)) = self.waiting.front() {
            heard.write(&mut self.bytes);
            self.waiting.pop_front();
            self.written += 1;
        }
        self.write();
    }

    fn sum(&mut self, statement: &Statement, heard: &Heard) {
        if heard.fate == Fate::NotAsked {
            return;
        }
        let sums = &mut self.sums;
        let is_unexpected = heard.error != 0 && statement.answer.error.unwrap_or(0) != heard.error;
        sums.asked += 1;
        sums.unexpected += u64::from(is_unexpected);
        sums.out_of_order += u64::from(heard.out_of_order);
        for (sum, own) in [
            (&mut sums.service, heard.service),
            (&mut sums.captured_service, statement.took.unwrap_or_default()),
            (&mut sums.lag, heard.lag),
            (&mut sums.wait, heard.wait),
        ] {
            sum.0 += own.0;
        }
    }

    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(&self.bytes).err();
        }
        self.bytes.clear();
    }

    /// All of so many statements, those that were not asked too.
    pub fn finish(mut self, of: usize) -> Result<Sums, Trouble> {
        for at in self.written..of {
            let heard = self.waiting.pop_front().flatten().unwrap_or_default();
            heard.write(&mut self.bytes);
            if at % TOGETHER == 0 {
                self.write();
            }
        }
        self.write();
        let ended = self.failed.take().map_or_else(|| self.file.flush(), Err);
        ended.map_err(Trouble::at("writing", &self.path))?;
        Ok(self.sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use trace::{Answer, Ask, SessionId};

    #[test]
    fn answers_come_in_any_order_and_lie_in_the_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heard");
        let statement = Statement {
            session: SessionId(1),
            order: 0,
            start: Nanos(0),
            took: Some(Nanos(3)),
            transaction: None,
            user: Arc::from(""),
            host: Arc::from(""),
            database: Arc::from(""),
            ask: Ask::Ping,
            answer: Answer { error: Some(7), ..Answer::default() },
        };
        let mut ledger = Ledger::create(&path).unwrap();
        for (at, error) in [(2, 7), (0, 9), (1, 0)] {
            ledger.put(at, &statement, Heard { fate: Fate::Answered, error, rows: at as u32, ..Heard::default() });
        }
        ledger.put(4, &statement, Heard { fate: Fate::Answered, rows: 4, ..Heard::default() });
        let sums = ledger.finish(6).unwrap();
        assert_eq!((sums.asked, sums.unexpected, sums.captured_service), (4, 1, Nanos(12)));
        let bytes = std::fs::read(&path).unwrap();
        let all: Vec<Heard> =
            bytes.chunks(Heard::BYTES).map(|one| Heard::read(one.try_into().expect("whole"))).collect();
        let rows: Vec<(Fate, u32)> = all.iter().map(|heard| (heard.fate, heard.rows)).collect();
        let not = (Fate::NotAsked, 0);
        let answered = |rows| (Fate::Answered, rows);
        assert_eq!(rows, [answered(0), answered(1), answered(2), not, answered(4), not]);
    }
}
