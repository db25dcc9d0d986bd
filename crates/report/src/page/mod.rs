//! `report.html`: the built page with its data inlined, and the Markdown report for a reader without JavaScript. The
//! data are `report.json` and what charts need beyond it; everything is kept small by thinning series out and by
//! deflating the whole (`packed`), because the file is to be mailed around.

mod latency;
mod packed;
mod profile;
mod provenance;
mod timeline;

use crate::axes;
use crate::document::Document;
use crate::tables::Pasted;
use model::live::Moment;
use model::record::canary::Canary;
use model::{DatasetRecord, Details, Event, Record, SessionAnswer};
use serde::Serialize;
use std::collections::BTreeMap;

/// The places in the shell that are filled in. A shell lacks those that it has no use for.
const DATA: &str = r#"<script type="application/zlib" id="assay-data"></script>"#;
const MARKDOWN: &str = "<!--assay:markdown-->";
const TITLE: &str = "<title>assay report</title>";
/// What a report may ask for, which is nothing, and what the page of a lab may.
const ALONE: &str = "base-uri 'none'; form-action 'none'";
const ASKING: &str = "base-uri 'none'; form-action 'none'; connect-src 'self'";

/// All that the page is handed. Its types in TypeScript, `page/src/types.ts`, are written from here (`tests/types.rs`).
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PageData<'a> {
    report: &'a Document<'a>,
    /// The axis that everything is drawn over.
    x: Option<&'a str>,
    runs: Vec<provenance::Run<'a>>,
    /// By run.
    timeline: BTreeMap<&'a str, timeline::Lane>,
    /// The counters that its lanes may show.
    counters: Vec<timeline::Counter>,
    latency: latency::Latency<'a>,
    events: &'a [Event],
    canary: Option<&'a Canary>,
    instances: Vec<provenance::Instance>,
    variables: provenance::Variables<'a>,
    datasets: &'a [DatasetRecord],
    sessions: Vec<SessionAnswer>,
    /// The stacks of cells that were profiled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flames: Vec<profile::Flame>,
    /// To be pasted elsewhere.
    tables: Vec<Pasted>,
    /// The moment of a lab at work; absent from a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<&'a Moment>,
}

pub fn of(
    record: &Record,
    document: &Document<'_>,
    tables: Vec<Pasted>,
    details: &dyn Details,
    shell: &str,
    markdown: &str,
) -> String {
    let data = data(record, document, tables, details, None);
    filled(&record.plan.name, shell, markdown, &data)
}

/// The same of a lab at work. The page may ask the one who served it for more, and nobody else.
pub fn live(
    record: &Record,
    document: &Document<'_>,
    tables: Vec<Pasted>,
    details: &dyn Details,
    shell: &str,
    markdown: &str,
    moment: &Moment,
) -> String {
    let data = data(record, document, tables, details, Some(moment));
    filled(&record.plan.name, &shell.replacen(ALONE, ASKING, 1), markdown, &data)
}

fn filled(name: &str, shell: &str, markdown: &str, data: &str) -> String {
    let script = format!(r#"<script type="application/zlib" id="assay-data">{data}</script>"#);
    let title = format!("<title>{} · assay report</title>", in_text(name));
    // Each mark once: the page's own code comes after them and is left alone.
    shell.replacen(TITLE, &title, 1).replacen(MARKDOWN, &in_text(markdown), 1).replacen(DATA, &script, 1)
}

fn data(
    record: &Record,
    document: &Document<'_>,
    tables: Vec<Pasted>,
    details: &dyn Details,
    live: Option<&Moment>,
) -> String {
    let (timeline, counters) = timeline::of(record, details);
    let data = PageData {
        report: document,
        x: axes::x(&record.plan).map(|a| a.key.as_str()),
        runs: provenance::runs(record, &document.counters()),
        timeline,
        counters,
        latency: latency::of(record),
        events: &record.events,
        canary: record.canary.as_ref(),
        instances: provenance::instances(record),
        variables: provenance::variables(record),
        datasets: &record.datasets,
        sessions: provenance::sessions(record),
        flames: profile::flames(record, document.functions, details),
        tables,
        live,
    };
    packed::packed(serde_json::to_value(data).expect("plain values with text keys"))
}

pub fn in_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
