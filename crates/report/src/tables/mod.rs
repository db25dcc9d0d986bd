//! Tables as regression studies publish them and people paste them: rates relative to a base, tests in groups, what an
//! operation costs, what changed for sure, and how response times are spread. Ratios are plain quotients of the numbers
//! shown; whether a difference is one is the judge's to say, and stands in the report. Struck cells are marked wherever
//! they enter.

mod buckets;
mod changes;
mod cost;
mod form;
mod overall;
mod rates;
mod side;

pub use form::Form;

use model::{Judgement, Record};
use serde::Serialize;

/// One table, and its two forms to paste.
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Pasted {
    /// `qps`, `cost`, `changes` or `buckets`.
    pub name: &'static str,
    pub title: String,
    /// How its marks are read.
    pub note: String,
    pub heads: Vec<String>,
    pub groups: Vec<PastedGroup>,
    pub markdown: String,
    pub tsv: String,
}

/// Tests of one kind: `point`, `range`, `aggregation`, `write`.
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PastedGroup {
    pub name: String,
    pub rows: Vec<Vec<PastedCell>>,
}

#[derive(Clone, Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PastedCell {
    pub text: String,
    /// A failed check strikes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub struck: bool,
}

impl PastedCell {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), struck: false }
    }
}

/// What can be asked for by name.
pub const NAMES: [&str; 4] = ["qps", "cost", "changes", "buckets"];

/// Those that the record has numbers for.
pub fn all(record: &Record, judgement: &Judgement) -> Vec<Pasted> {
    let sides = side::Sides::of(record, judgement);
    [rates::of(&sides), changes::of(&sides), cost::of(&sides), buckets::of(&sides)].into_iter().flatten().collect()
}

/// One as a text, or a sentence that says why there is none and what to do.
pub fn text(name: &str, form: &str, record: &Record, judgement: &Judgement) -> Result<String, String> {
    if !NAMES.contains(&name) {
        return Err(format!("there is no table called {name:?}; write one of {}", NAMES.join(", ")));
    }
    let form = Form::named(form)?;
    let table = all(record, judgement).into_iter().find(|table| table.name == name);
    let table = table.ok_or_else(|| match name {
        "cost" => "no run of the record has both operations and the server's counters, which are read only of servers \
                   on this host; measure one here, with sampling"
            .to_string(),
        "changes" => {
            "the record compares nothing: its cells lack an axis with two values that both have a number; give \
                      one in [axes], as build = [BASE, CANDIDATE]"
                .to_string()
        }
        _ => "the record has no number, because none of its runs was done; give its `assay run` again, which goes on \
              where it ended, and ask then"
            .to_string(),
    })?;
    Ok(match form {
        Form::Markdown => table.markdown,
        Form::Tsv => table.tsv,
    })
}
