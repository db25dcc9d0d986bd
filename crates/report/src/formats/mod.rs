//! The numbers of a record in the forms of other tools, a file each: who already has a farm, a dashboard or an action
//! that watches numbers hands them there. What is handed on has no room for doubt, so only numbers that stand are: a
//! struck one is left out, and where a format has a place to say so it says why. `docs/formats.md` tells each.

mod bencher;
mod github_action;
mod hdr_log;
mod nyrkio;
mod openmetrics;
mod otava;
mod standing;
mod utc;

pub(crate) use openmetrics::labelled;
pub(crate) use utc::utc;

use model::{CellJudgement, Details, Judgement, Record};
use std::collections::BTreeMap;

/// What a format is made from.
pub struct Handed<'a> {
    pub record: &'a Record,
    pub judgement: &'a Judgement,
    pub details: &'a dyn Details,
    /// What the user says of the record for tools that file results, as `git_commit`.
    pub attributes: &'a BTreeMap<String, String>,
    /// Only that of this cell.
    pub cell: Option<&'a str>,
}

impl Handed<'_> {
    fn is_asked(&self, cell: &CellJudgement) -> bool {
        self.cell.is_none_or(|asked| cell.id.0 == asked)
    }
}

/// One form of another tool.
pub struct Format {
    pub name: &'static str,
    /// Who reads it.
    pub about: &'static str,
    make: fn(&Handed) -> Result<String, String>,
}

pub const ALL: &[Format] = &[
    Format { name: "bencher", about: "Bencher Metric Format (JSON), adapter `json`", make: bencher::of },
    Format { name: "otava", about: "CSV for Apache Otava, formerly Hunter: a header and a row", make: otava::of },
    Format { name: "nyrkio", about: "JSON for Nyrkiö's results", make: nyrkio::of },
    Format {
        name: "github-action-bigger",
        about: "JSON for github-action-benchmark, tool `customBiggerIsBetter`",
        make: github_action::bigger,
    },
    Format {
        name: "github-action-smaller",
        about: "JSON for github-action-benchmark, tool `customSmallerIsBetter`",
        make: github_action::smaller,
    },
    Format { name: "openmetrics", about: "OpenMetrics text, for Prometheus and its like", make: openmetrics::of },
    Format { name: "hdrhistogram", about: "HdrHistogram's interval log, V2, a tag per operation", make: hdr_log::of },
];

/// The text of a format, or a sentence that says why there is none and what to do.
pub fn of(name: &str, handed: &Handed) -> Result<String, String> {
    let Some(format) = ALL.iter().find(|format| format.name == name) else {
        let names: Vec<&str> = ALL.iter().map(|format| format.name).collect();
        return Err(format!("there is no format called {name:?}; write one of {}", names.join(", ")));
    };
    let cells = &handed.judgement.cells;
    if let (Some(asked), Some(first), Some(last)) = (handed.cell, cells.first(), cells.last())
        && !cells.iter().any(|cell| handed.is_asked(cell))
    {
        return Err(format!("the record has no cell {asked:?}; its cells are {} to {}", first.id, last.id));
    }
    if let Some(why) = standing::nothing_stands(handed) {
        return Err(why);
    }
    (format.make)(handed)
}
