//! HdrHistogram's interval log: a line per second and operation with its histogram, tagged `cell:operation` (or
//! `cell:group:operation`), so that every tool which reads such logs merges and draws them. Values are nanoseconds.
//! Only measured phases of cells that stand are in it; the others are named in comments.

mod encoded;

use super::Handed;
use super::standing::failed;
use super::utc::utc;
use crate::document::repeats;
use model::load::PhaseKind;
use model::record::run::RunRecord;
use model::record::tally::Interval;
use model::{CellJudgement, Group, Histogram};
use std::collections::BTreeSet;
use std::fmt::Write;

const PUT: &str = "writing to a String cannot fail";
const MILLIS: f64 = 1000.0;
/// The column of the highest value is in milliseconds, by custom.
const NANOS_PER_MILLI: f64 = 1e6;

pub fn of(handed: &Handed) -> Result<String, String> {
    let begin = handed.record.runs.iter().map(|run| run.started_unix_ms).min().unwrap_or(0);
    let mut text = format!(
        "#[Logged by assay: experiment {}, latencies in nanoseconds]\n#[Histogram log format version 1.3]\n\
         #[StartTime: {:.3} (seconds since epoch), {}]\n",
        handed.record.plan.name.replace(['\n', ']'], " "),
        begin as f64 / MILLIS,
        utc(begin)
    );
    for cell in handed.judgement.cells.iter().filter(|cell| handed.is_asked(cell)) {
        if let (Some(verdict), Some(_)) = (failed(cell), cell.metrics.first_key_value()) {
            writeln!(text, "#[Left out: {}, struck by {}]", cell.id, verdict.check).expect(PUT);
        }
    }
    text += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
    let mut any = false;
    for run in handed.record.runs.iter().filter(|run| run.is_done() && !run.is_beside()) {
        let cell = handed.judgement.cell(&run.cell).filter(|cell| repeats(&handed.record.plan, &cell.id).is_none());
        let Some(cell) = cell.filter(|cell| handed.is_asked(cell)) else { continue };
        let phases = standing(cell, run);
        for interval in handed.details.intervals(&run.id) {
            if phases.contains(interval.phase.as_str()) {
                any |= lines(&mut text, run, (run.started_unix_ms - begin) as f64 / MILLIS, &interval);
            }
        }
    }
    if any {
        Ok(text)
    } else {
        Err("no second of the record's runs has a latency to log, because its intervals are gone; read a record that \
             has its runs/*/intervals.jsonl"
            .into())
    }
}

/// The measured phases of the run that no failed check strikes.
fn standing<'a>(cell: &CellJudgement, run: &'a RunRecord) -> BTreeSet<&'a str> {
    let measured = run.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
    measured.map(|phase| phase.name.as_str()).filter(|phase| cell.struck(Some(phase)).is_none()).collect()
}

/// A line per operation of one second; whether there was any.
fn lines(text: &mut String, run: &RunRecord, since: f64, interval: &Interval) -> bool {
    let mut any = false;
    for (name, operation) in interval.tally.operations.iter().filter(|(_, o)| o.latency.count() > 0) {
        let tag = match interval.group.as_str() {
            Group::ONLY => format!("{}:{name}", run.cell),
            group => format!("{}:{group}:{name}", run.cell),
        };
        line(text, &tag, since + interval.from.seconds(), interval.length().seconds(), &operation.latency);
        any = true;
    }
    any
}

fn line(text: &mut String, tag: &str, start: f64, length: f64, latency: &Histogram) {
    let tag = tag.replace([',', ' ', '\n', '\r', '\t'], "_");
    let highest = latency.max().map_or(0.0, |max| max.0 as f64 / NANOS_PER_MILLI);
    writeln!(text, "Tag={tag},{start:.3},{length:.3},{highest:.3},{}", encoded::base64(latency)).expect(PUT);
}
