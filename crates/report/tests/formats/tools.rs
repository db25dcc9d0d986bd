//! The text forms, read by the parsers that people run: prometheus_client's strict one for OpenMetrics, Otava's own
//! importer for its CSV, and Python's HdrHistogram for its log. `scripts/install test` puts them into target/tools;
//! where it could not, these tests are skipped.

use super::logged::{counts, merged};
use super::{Judged, skipped};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Python that has the module, or that the test is skipped for want of it.
fn python(module: &str) -> Option<PathBuf> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/bin/python3");
    let given = std::env::var_os("ASSAY_PYTHON").map(PathBuf::from);
    let has = |python: &PathBuf| {
        let mut ask = Command::new(python);
        ask.args(["-c", &format!("import {module}")]).stdout(Stdio::null()).stderr(Stdio::null());
        ask.status().is_ok_and(|status| status.success())
    };
    let found = given.into_iter().chain([ours, "python3".into()]).find(has);
    if found.is_none() {
        skipped::test(&format!("Python with {module}"), "scripts/install test");
    }
    found
}

/// What the program says about the text that it is handed.
fn asked(python: &Path, program: &str, text: &str) -> String {
    let mut child = Command::new(python)
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let said = child.wait_with_output().expect("it ends");
    assert!(said.status.success(), "{}\n{text}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).expect("UTF-8")
}

const PARSE: &str = "
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
for family in text_string_to_metric_families(sys.stdin.read()):
    for sample in family.samples:
        if sample.labels.get('estimate') == 'value' and sample.name == 'assay_qps':
            print(sample.labels['cell'], repr(sample.value))
";

#[test]
fn prometheus_parses_the_openmetrics_text_and_finds_every_rate() {
    let Some(python) = python("prometheus_client") else { return };
    let mut judged = Judged::clean();
    judged.strike(2);
    // What a label must escape.
    judged.judgement.cells[0].axes.insert("settings.odd \"one\"".into(), "a\\b\"c\nd".into());
    let said = asked(&python, PARSE, &judged.text("openmetrics"));
    let read: Vec<(String, f64)> = said
        .lines()
        .map(|line| line.split_once(' ').expect("a cell and a number"))
        .map(|(cell, value)| (cell.to_string(), value.parse().expect("a number")))
        .collect();
    let last = judged.judgement.cells.len() - 1;
    let cells = judged.judgement.cells.iter().enumerate().filter(|(i, _)| *i != 2 && *i != last);
    let ours: Vec<(String, f64)> = cells.map(|(_, cell)| (cell.id.0.clone(), cell.metrics["qps"].value)).collect();
    assert_eq!(read, ours);
}

const READ: &str = "
import sys, tempfile
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
merged = {}
with tempfile.NamedTemporaryFile('w', suffix='.hlog') as file:
    file.write(sys.stdin.read())
    file.flush()
    reader = HistogramLogReader(file.name, HdrHistogram(1, 2**62, 3))
    while (one := reader.get_next_interval_histogram()) is not None:
        merged.setdefault(one.get_tag(), HdrHistogram(1, 2**62, 3)).add(one)
for tag, all in sorted(merged.items()):
    counts = [(all.get_lowest_equivalent_value(i.value_iterated_to), i.count_at_value_iterated_to)
              for i in all.get_recorded_iterator()]
    print(tag, all.get_total_count(), len(counts), sum(value * count for value, count in counts))
";

/// Bucket by bucket: which value a percentile is told by is each library's own rounding.
#[test]
fn another_library_of_hdrhistogram_reads_the_log_the_same() {
    let Some(python) = python("hdrh") else { return };
    let judged = Judged::clean();
    let log = judged.text("hdrhistogram");
    let said = asked(&python, READ, &log);
    let ours: Vec<String> = merged(&log)
        .into_iter()
        .map(|(tag, all)| {
            let counts = counts(&all);
            let sum: u128 = counts.iter().map(|(value, count)| u128::from(*value) * u128::from(*count)).sum();
            format!("{tag} {} {} {sum}", all.len(), counts.len())
        })
        .collect();
    assert!(!ours.is_empty());
    assert_eq!(said.lines().collect::<Vec<_>>(), ours);
}

const IMPORT: &str = "
import csv, sys, tempfile
from datetime import datetime, timezone
from otava.importer import CsvImporter, DataSelector
from otava.test_config import CsvMetric, CsvOptions, CsvTestConfig
text = sys.stdin.read()
with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:
    file.write(text)
    file.flush()
    columns = next(csv.reader(text.splitlines()))
    metrics = [CsvMetric(name=c, direction=1, scale=1.0, column=c) for c in columns if c.endswith(' qps')]
    config = CsvTestConfig('assay', file.name, CsvOptions(), 'time', metrics, ['git_commit'])
    selector = DataSelector()
    selector.since_time = datetime(2020, 1, 1, tzinfo=timezone.utc)
    selector.until_time = datetime(2100, 1, 1, tzinfo=timezone.utc)
    selector.branch = 'main'
    series = CsvImporter().fetch_data(config, selector)
    print(series.time, series.attributes['git_commit'])
    for metric in metrics:
        print(repr(series.data[metric.name][0]), repr(series.data[metric.name][1]))
";

#[test]
fn otava_imports_the_rows_of_two_nights() {
    let Some(python) = python("otava.importer") else { return };
    let mut judged = Judged::clean();
    let first = judged.text("otava");
    for run in &mut judged.record.runs {
        run.ended_unix_ms += 86_400_000;
    }
    judged.judgement.cells[1].metrics.get_mut("qps").expect("it has a rate").value = 4e4;
    let second = judged.text("otava");
    let (head, row) = second.split_once('\n').expect("a header and a row");
    assert!(first.starts_with(head), "the columns of two nights are the same");
    let said = asked(&python, IMPORT, &(first.clone() + row));
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("[1795255327, 1795341727] ['4f1c2d3', '4f1c2d3']"));
    let rates: Vec<f64> = judged.judgement.cells.iter().map(|cell| cell.metrics["qps"].value).collect();
    for (i, line) in lines.enumerate() {
        let (one, other) = line.split_once(' ').expect("two nights");
        assert_eq!(other.parse::<f64>().expect("a number"), rates[i]);
        assert_eq!(one == other, i != 1, "{line}");
    }
}

#[test]
fn a_row_for_otava_is_whole_or_there_is_none() {
    let mut judged = Judged::clean();
    judged.strike(1);
    let why = judged.told("otava").expect_err("it has a hole");
    assert!(why.contains("(c002) is struck by `machine_was_quiet`") && why.contains("with --cell"), "{why}");
    assert!(judged.told_of("otava", Some("c001")).is_ok());
}
