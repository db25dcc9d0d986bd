//! Draws what it is handed: a record and what the judge said of it become one page, a Markdown text, one JSON
//! document and one CSV table. Pure and deterministic: the same record gives the same bytes. It computes no verdict;
//! the only arithmetic here is unit conversion, merging histograms for a drawing, and thinning out series.
#![forbid(unsafe_code)]

mod axes;
pub mod bisected;
pub mod compared;
mod costs;
mod csv;
mod document;
mod explained;
mod figures;
pub mod formats;
pub mod functions;
pub mod history;
mod linkbench;
pub mod live;
mod markdown;
mod page;
mod phases;
mod plans;
mod repeat;
mod searches;
pub mod tables;
pub mod terminal;
pub mod upgraded;

use model::{Details, Judgement, Record};

/// The page's HTML as it was built into this binary, to be passed to [`render`].
pub const SHELL: &str = include_str!(concat!(env!("OUT_DIR"), "/shell.html"));

/// What the page is handed, as a JSON schema; the page's types are written from it.
#[cfg(feature = "types")]
pub fn page_schema() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<page::PageData<'static>>().to_value()
}

/// The four forms of one report, each a whole file.
pub struct Report {
    pub html: String,
    pub markdown: String,
    /// `docs/report-schema.md` tells its fields.
    pub json: String,
    pub csv: String,
    /// Further files by name, in the forms of other tools.
    pub others: Vec<(String, String)>,
}

/// Metrics whose series a page shows: whoever reads a record to draw it may read them with what the judge asks for.
pub fn drawn() -> Vec<&'static str> {
    model::record::counters::in_any_timeline()
}

pub fn render(record: &Record, judgement: &Judgement, details: &dyn Details, shell: &str) -> Report {
    let document = document::Document::of(record, judgement);
    let markdown = markdown::of(record, judgement);
    Report {
        html: page::of(record, &document, tables::all(record, judgement), details, shell, &markdown),
        json: document.to_text(),
        csv: csv::of(record, judgement),
        others: linkbench::of(record),
        markdown,
    }
}
