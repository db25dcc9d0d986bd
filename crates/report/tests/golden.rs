//! The machine formats and the Markdown text of a small made-up record, as golden files: what a reader or a script
//! depends on changes only when somebody looks at the change.

#[path = "../examples/sample/judgement.rs"]
mod judgement;
#[path = "../examples/sample/record.rs"]
mod record;

use base64ct::{Base64, Encoding};
use model::judgement::Part;
use record::Size;
use serde_json::Value;

fn report() -> report::Report {
    let (record, details) = record::of(Size::Golden);
    report::render(&record, &judgement::of(&record), &details, SHELL)
}

const SHELL: &str = concat!(
    "<title>assay report</title><!--assay:markdown-->",
    r#"<script type="application/zlib" id="assay-data"></script><script>"<!--assay:markdown-->"</script>"#
);

#[test]
fn the_markdown_report_reads_like_this() {
    insta::assert_snapshot!(report().markdown);
}

#[test]
fn the_table_has_a_row_per_cell_and_metric() {
    let csv = report().csv;
    let (record, _) = record::of(Size::Golden);
    let figures = |c: &model::judgement::CellJudgement| {
        c.metrics.len() + c.statements.values().map(std::collections::BTreeMap::len).sum::<usize>()
    };
    let rows: usize = judgement::of(&record).cells.iter().map(figures).sum();
    assert_eq!(csv.lines().count(), 1 + rows);
    insta::assert_snapshot!(csv.lines().take(16).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_document_has_the_fields_that_the_schema_tells() {
    let document: Value = serde_json::from_str(&report().json).expect("JSON");
    insta::assert_snapshot!(serde_json::to_string_pretty(&first_of_each(&document)).expect("JSON"));
}

/// One element stands for its list, so that the golden file shows each field once.
fn first_of_each(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(1).map(first_of_each).collect(),
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), first_of_each(v))).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[test]
fn the_page_carries_the_data_and_its_own_code_is_left_alone() {
    let html = report().html;
    assert!(html.starts_with("<title>read-only-charsets · assay report</title># read-only-charsets"));
    assert!(html.ends_with(r#"<script>"<!--assay:markdown-->"</script>"#));
    let data =
        html.split_once(r#"id="assay-data">"#).expect("a place for data").1.split_once("</script>").expect("an end").0;
    let deflated = Base64::decode_vec(data).expect("base64");
    let text = miniz_oxide::inflate::decompress_to_vec_zlib(&deflated).expect("zlib");
    let data: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(data["runs"].as_array().map(Vec::len), Some(26));
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let (one, other) = (report(), report());
    assert!(one.html == other.html && one.json == other.json && one.csv == other.csv && one.markdown == other.markdown);
}

#[test]
fn a_build_without_node_shows_the_report_as_text_and_says_what_to_run() {
    let (record, details) = record::of(Size::Golden);
    let html = report::render(&record, &judgement::of(&record), &details, include_str!("../page/unbuilt.html")).html;
    assert!(html.contains("make page") && html.contains("## Checks that did not pass"));
}

#[test]
fn each_group_of_users_is_told_apart_in_every_form() {
    let (record, details) = record::of(Size::Golden);
    let mut judgement = judgement::of(&record);
    for cell in &mut judgement.cells {
        let part = |factor: f64| {
            let mut metrics = cell.metrics.clone();
            metrics.values_mut().for_each(|e| e.value *= factor);
            let (operations, statements) = (cell.operations.clone(), cell.statements.clone());
            Part { workload: cell.workload.clone(), metrics, operations, statements }
        };
        cell.groups = [("readers".to_string(), part(0.25)), ("writers".to_string(), part(0.75))].into();
    }
    let report = report::render(&record, &judgement, &details, SHELL);
    let document: Value = serde_json::from_str(&report.json).expect("JSON");
    let (cell, groups) = (&document["cells"][0], &document["cells"][0]["groups"]);
    let rate = |part: &Value| part["metrics"]["qps"]["value"].as_f64().expect("a number");
    assert_eq!(rate(&groups["readers"]) + rate(&groups["writers"]), rate(cell));
    let rows = |path: &str| report.csv.lines().filter(|l| l.contains(path)).count();
    assert_eq!(rows(",groups.readers.qps,"), rows(",qps,"));
    assert_eq!(rows(",groups.writers.statements."), rows(",statements."));
    let of_groups = report.markdown.lines().skip_while(|l| !l.starts_with("readers (")).take(14);
    insta::assert_snapshot!(of_groups.collect::<Vec<_>>().join("\n"));
}
