//! How the program ends: four statuses that a script can tell apart, and the message that goes with each on stderr.

use model::problem::Problem;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Valid = 0,
    CheckFailed = 1,
    WrongRequest = 2,
    WorldFailed = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The request cannot be carried out as written: every mistake at once.
pub fn wrong(subject: &str, problems: &[Problem]) -> Exit {
    let count = problems.len();
    eprintln!("{subject}: {count} {} to mend", if count == 1 { "mistake" } else { "mistakes" });
    for problem in problems {
        eprintln!("  {}", problem.to_string().replace('\n', "\n  "));
    }
    Exit::WrongRequest
}

/// The request cannot be carried out, for one reason.
pub fn refused(why: impl std::fmt::Display) -> Exit {
    eprintln!("assay: {why}");
    Exit::WrongRequest
}

/// The world did not do its part; what was recorded is kept.
pub fn failed(why: impl std::fmt::Display) -> Exit {
    eprintln!("assay: {why}");
    Exit::WorldFailed
}
