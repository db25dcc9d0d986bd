//! The plans of cells that differ on one axis, side by side: what an author found by hand with EXPLAIN, for each
//! statement of each phase, with what differs marked, beside the rows that one execution reads and the time that it
//! took when it was measured. Told of the first axis that changes a plan or a primary key, and of the last iteration,
//! whose data are the oldest. No verdict: checks `schema_as_declared` and `plans_agree` judge; this is what a reader
//! looks at then.

mod parts;

use super::evidence::{CellEvidence, Evidence};
use super::schema::Schema;
use model::judgement::{PlanCell, PlanColumn, PlanPart, PlanRow, PlanTable};
use model::load::step_of;
use model::{CellId, CellJudgement, SessionAnswer, StatementPlan, Value};
use parts::Parts;
use std::collections::BTreeMap;

/// Tables told, one for each place on the other axes: as many as somebody reads. The runs' files have them all.
const MOST: usize = 4;
const TIME: &str = "latency_us_mean";
const HANDLER_READS: &str = "db.handler_reads";

pub fn tables(evidence: &Evidence, cells: &[CellJudgement]) -> Vec<PlanTable> {
    let judged: BTreeMap<&CellId, &CellJudgement> = cells.iter().map(|cell| (&cell.id, cell)).collect();
    let axes = evidence.record.plan.axes.iter().filter(|axis| axis.values.len() > 1);
    let of_axis = |axis: &model::experiment::Axis| -> Vec<PlanTable> {
        let places = places(evidence, &axis.key, &axis.values);
        places.iter().filter_map(|cells| table(&axis.key, cells, &judged)).filter(is_worth_telling).collect()
    };
    let mut told = axes.map(of_axis).find(|tables| !tables.is_empty()).unwrap_or_default();
    told.truncate(MOST);
    told
}

/// Cells with plans that agree on all axes but this one, in its order.
fn places<'a>(evidence: &'a Evidence<'a>, axis: &str, values: &[Value]) -> Vec<Vec<&'a CellEvidence<'a>>> {
    let mut places: Vec<(BTreeMap<&String, &Value>, Vec<&CellEvidence>)> = Vec::new();
    for value in values {
        let own = |cell: &&CellEvidence| cell.cell.repeats.is_none() && cell.cell.axes.get(axis) == Some(value);
        for cell in evidence.cells.iter().filter(own).filter(|cell| !sessions(cell).is_empty()) {
            let place: BTreeMap<_, _> = cell.cell.axes.iter().filter(|(key, _)| *key != axis).collect();
            match places.iter_mut().find(|(other, _)| *other == place) {
                Some((_, cells)) => cells.push(cell),
                None => places.push((place, vec![cell])),
            }
        }
    }
    places.into_iter().map(|(_, cells)| cells).filter(|cells| cells.len() > 1).collect()
}

/// Something is done in another way, not only expected to be more.
fn is_worth_telling(table: &PlanTable) -> bool {
    let keys = table.columns.iter().any(|column| column.key_differs);
    let does = |part: &PlanPart| part.differs && part.name != "rows";
    keys || table.rows.iter().flat_map(|row| &row.cells).flatten().flat_map(|cell| &cell.parts).any(does)
}

/// Sessions of a cell's first run by phase, those of the last iteration where there are several.
fn sessions<'a>(cell: &CellEvidence<'a>) -> BTreeMap<&'a str, &'a SessionAnswer> {
    let Some(run) = cell.runs.first().map(|run| run.run) else { return BTreeMap::new() };
    let first = run.phases.first().map_or("", |phase| phase.name.as_str());
    let more = run.more_sessions.iter().map(|(name, session)| (name.as_str(), session));
    let all: Vec<_> = std::iter::once((first, &run.session)).chain(more).collect();
    let last = all.iter().filter_map(|(name, _)| step_of(name).1).max();
    all.into_iter().filter(|(name, session)| step_of(name).1 == last && !session.plans.is_empty()).collect()
}

fn table(axis: &str, cells: &[&CellEvidence], judged: &BTreeMap<&CellId, &CellJudgement>) -> Option<PlanTable> {
    let (base, all) = (cells.first()?, cells.iter().map(|cell| sessions(cell)).collect::<Vec<_>>());
    let keys: Vec<Option<String>> = cells.iter().map(|cell| primary_key(cell)).collect();
    let columns = cells.iter().zip(&keys).map(|(cell, key)| PlanColumn {
        cell: cell.cell.id.clone(),
        value: cell.cell.axes[axis].clone(),
        primary_key: key.clone(),
        key_differs: key.is_some() && *key != keys[0],
    });
    let others = base.cell.axes.iter().filter(|(key, _)| *key != axis);
    let place = others.map(|(key, value)| format!("{key} {}", model::plan::axis_text(key, value)));
    let columns: Vec<PlanColumn> = columns.collect();
    let mut rows = Vec::new();
    // In the order of the phases, not of their names.
    let in_order = base.cell.phases.iter().filter_map(|phase| Some((phase.name.as_str(), *all[0].get(&*phase.name)?)));
    for (phase, session) in in_order {
        for plan in &session.plans {
            let Some(first) = parts::of(&plan.explain) else { continue };
            let one = |(cell, sessions): (&&CellEvidence, &BTreeMap<&str, &SessionAnswer>)| {
                let own = sessions.get(phase)?.plans.iter().find(|p| p.statement == plan.statement)?;
                Some(cell_of(cell, judged.get(&cell.cell.id).copied(), phase, own, &first))
            };
            let told: Vec<_> = cells.iter().zip(&all).map(one).collect();
            rows.push(PlanRow { phase: phase.to_string(), statement: plan.statement.clone(), cells: told });
        }
    }
    (!rows.is_empty()).then(|| PlanTable {
        axis: axis.to_string(),
        place: place.collect::<Vec<_>>().join(", "),
        columns,
        rows,
    })
}

fn cell_of(
    cell: &CellEvidence,
    judged: Option<&CellJudgement>,
    phase: &str,
    plan: &StatementPlan,
    first: &Parts,
) -> PlanCell {
    let reads = plan.handlers.iter().filter(|(name, _)| name.starts_with("Handler_read")).map(|(_, n)| *n);
    let alone = cell.of_phase(phase);
    let per_statement = |run: &crate::frame::evidence::RunEvidence| {
        let asked = run.calls() as f64 / run.seconds();
        run.rate(HANDLER_READS).filter(|_| asked > 0.0).map(|rate| rate / asked)
    };
    let measured: Option<Vec<f64>> = alone.runs.iter().map(per_statement).collect();
    let statements = judged.map(|cell| match cell.phases.iter().find(|p| p.name == phase) {
        Some(part) => &part.part.statements,
        None => &cell.statements,
    });
    PlanCell {
        parts: parts::of(&plan.explain).map(|own| told(&own, first)).unwrap_or_default(),
        reads: reads.sum(),
        measured_reads: measured.filter(|all| !all.is_empty()).map(|all| crate::stats::average(&all)),
        us: statements.and_then(|all| all.get(&plan.statement)?.get(TIME).cloned()),
    }
}

/// In the order in which one reads them; of conditions only those that the first does not have.
fn told(own: &Parts, first: &Parts) -> Vec<PlanPart> {
    let part = |name: &str, text: &String, other: &String| {
        (!text.is_empty()).then(|| PlanPart { name: name.into(), text: text.clone(), differs: text != other })
    };
    let plain = [
        part("access", &own.access, &first.access),
        part("key", &own.key, &first.key),
        part("key length", &own.key_length, &first.key_length),
        part("rows", &own.rows, &first.rows),
        part("partitions", &own.partitions, &first.partitions),
    ];
    let with = own.beside.iter().map(|what| (what, !first.beside.contains(what)));
    let without = first.beside.difference(&own.beside);
    let beside = with.map(|(what, differs)| PlanPart { name: "with".into(), text: what.clone(), differs });
    let missing = without.map(|what| PlanPart { name: "without".into(), text: what.clone(), differs: true });
    let conditions = own.conditions.difference(&first.conditions);
    let conditions = conditions.map(|what| PlanPart { name: "where".into(), text: what.clone(), differs: true });
    plain.into_iter().flatten().chain(beside).chain(missing).chain(conditions).collect()
}

/// The primary key of the first table, as the server made it.
fn primary_key(cell: &CellEvidence) -> Option<String> {
    let table = cell.runs.first()?.datasets.iter().flat_map(|data| &data.tables).next()?;
    Schema::parse(&table.created)?.told_key()
}
