//! What is printed, line by line and whole: by scripts on any worker, by the log at its level, by reports. A reader
//! that has seen enough ends the program quietly.

use lua::report::{Level, Log};
use lua::script::{Said, Say};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared by everybody who speaks.
#[derive(Clone)]
pub struct Printer(Arc<Mutex<Log>>);

impl Printer {
    pub fn new(verbosity: u8) -> Self {
        Self(Arc::new(Mutex::new(Log::new(verbosity))))
    }

    fn turn(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn log(&self, level: Level, text: &str) {
        let mut log = self.turn();
        let line = log.line(level, text);
        print(&line);
    }

    /// A report is of the level of notices, and as it is.
    pub fn report(&self, text: &str) {
        let mut log = self.turn();
        if log.prints(Level::Notice) {
            let before = log.settle();
            print(&format!("{before}{text}"));
        }
    }

    /// For scripts and their API.
    pub fn say(&self) -> Say {
        let printer = self.clone();
        Arc::new(move |said| match said {
            Said::Print(text) => {
                let _turn = printer.turn();
                print(&format!("{text}\n"));
            }
            Said::Log(level, text) => printer.log(level, text),
        })
    }
}

/// Whole and at once: sysbench's output is not buffered, and programs read it as it comes.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}
