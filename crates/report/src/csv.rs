//! `report.csv`: one row per cell and metric, an axis per column, for whoever wants a spreadsheet. Numbers keep their
//! full precision; a cell without a number has one row that says why.

use crate::document::repeats;
use model::{CellJudgement, Estimate, Judgement, PhaseJudgement, Record};
use std::collections::BTreeMap;

type Estimates = BTreeMap<String, Estimate>;

pub fn of(record: &Record, judgement: &Judgement) -> String {
    let axes: Vec<&str> = record.plan.axes.iter().map(|a| a.key.as_str()).filter(|k| *k != "workload").collect();
    let mut rows = vec![line(["cell", "repeats", "workload"].into_iter().chain(axes.iter().copied()).chain(FIGURES))];
    for cell in &judgement.cells {
        let mut front = vec![
            cell.id.0.clone(),
            repeats(&record.plan, &cell.id).map_or(String::new(), |id| id.0.clone()),
            cell.workload.clone(),
        ];
        front.extend(axes.iter().map(|a| cell.axes.get(*a).map_or(String::new(), ToString::to_string)));
        rows.extend(
            figures(cell)
                .into_iter()
                .map(|tail| line(front.iter().map(String::as_str).chain(tail.iter().map(String::as_str)))),
        );
    }
    rows.concat()
}

const FIGURES: [&str; 8] = ["metric", "value", "low", "high", "n", "unit", "status", "no_number"];

/// The cell's own metrics, then those of its operations, statements, groups and phases, named by their path.
fn figures(cell: &CellJudgement) -> Vec<[String; 8]> {
    let status = cell.status.word().replace(' ', "_");
    let row = |metric: String, e: &Estimate| {
        [
            metric,
            e.value.to_string(),
            bound(e.low),
            bound(e.high),
            e.n.to_string(),
            e.unit.clone(),
            status.clone(),
            String::new(),
        ]
    };
    let none = BTreeMap::new();
    let mut rows = Vec::new();
    let mut part = |path: &str, metrics: &Estimates, named: [(&str, &BTreeMap<String, Estimates>); 2]| {
        rows.extend(metrics.iter().map(|(name, e)| row(format!("{path}{name}"), e)));
        for (kind, parts) in named {
            for (part, metrics) in parts {
                rows.extend(metrics.iter().map(|(name, e)| row(format!("{path}{kind}.{part}.{name}"), e)));
            }
        }
    };
    part("", &cell.metrics, [("operations", &cell.operations), ("statements", &cell.statements)]);
    for (name, group) in &cell.groups {
        let named = [("operations", &group.operations), ("statements", &group.statements)];
        part(&format!("groups.{name}."), &group.metrics, named);
    }
    for phase in &cell.phases {
        let PhaseJudgement { name, part: numbers, against, .. } = phase;
        let named = [("operations", &numbers.operations), ("statements", &numbers.statements)];
        part(&format!("phases.{name}."), &numbers.metrics, named);
        let ratios = against.iter().flat_map(|a| &a.ratios);
        let ratios: Estimates = ratios.map(|(metric, e)| (format!("ratio.{metric}"), e.clone())).collect();
        part(&format!("phases.{name}."), &ratios, [("", &none), ("", &none)]);
    }
    if let Some(reason) = &cell.no_number {
        let mut none = <[String; 8]>::default();
        none[6] = status;
        none[7].clone_from(reason);
        rows.push(none);
    }
    rows
}

fn bound(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| v.to_string())
}

pub fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// RFC 4180: quoted when it must be, quotes doubled.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}
