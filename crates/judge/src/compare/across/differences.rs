//! What else differs between two records: of the cells' parameters, variables and sessions what `drift` tells, then
//! tables, plans of statements, and the hosts. What follows from the very thing compared (another build has other
//! variables) is left out, as between cells of one record. A difference that many pairs share is told once, with their
//! number.

use super::Pair;
use crate::compare::drift::{self, Class, Drift};
use crate::compare::fingerprint;
use crate::frame::evidence::CellEvidence;
use crate::frame::schema::Schema;
use model::compared::Difference;
use model::experiment::keys::{KEYS, WORKLOAD};
use model::host::Host;
use model::plan::Cell;
use model::record::Record;
use std::collections::BTreeMap;

/// Words of EXPLAIN that say what a statement does; estimates of rows and costs move by themselves.
const PLAN_WORDS: &[&str] = &[
    "access_type",
    "type",
    "key",
    "table_name",
    "table",
    "Extra",
    "using_filesort",
    "using_temporary_table",
    "using_index",
];

pub fn all(pairs: &[Pair], base: &Record, candidate: &Record) -> Vec<Difference> {
    let mut seen: Vec<Difference> = Vec::new();
    let mut add = |drift: Drift, pairs: u32| {
        let Drift { key, base, candidate, class } = drift;
        match seen.iter_mut().find(|d| d.key == key && d.base == base && d.candidate == candidate) {
            Some(known) => known.pairs += pairs,
            None => seen.push(Difference { key, base, candidate, work: class == Class::Work, pairs }),
        }
    };
    hosts(&base.host, &candidate.host).into_iter().for_each(|drift| add(drift, 0));
    for pair in pairs {
        meant(pair)
            .into_iter()
            .chain(told(pair))
            .chain(tables(pair))
            .chain(plans(pair))
            .for_each(|drift| add(drift, 1));
    }
    seen.sort_by(|a, b| (!a.work, &a.key).cmp(&(!b.work, &b.key)));
    seen
}

/// Differences of the work that nobody meant: with them, two numbers are of two things.
pub fn of_work(pair: &Pair) -> Vec<Drift> {
    told(pair).into_iter().chain(tables(pair)).filter(|d| d.class == Class::Work).collect()
}

fn drift_of(key: impl Into<String>, base: &str, candidate: &str, class: Class) -> Option<Drift> {
    (base != candidate).then(|| Drift { key: key.into(), base: base.into(), candidate: candidate.into(), class })
}

/// What the two cells were asked to differ in: values on their axes, and the server under test.
fn meant(pair: &Pair) -> Vec<Drift> {
    let (a, b) = (pair.base.cell, pair.candidate.cell);
    let text =
        |cell: &CellEvidence, key: &str| cell.cell.axes.get(key).map_or(drift::ABSENT.into(), ToString::to_string);
    let axes = a.axes.keys().chain(b.axes.keys().filter(|key| !a.axes.contains_key(*key)));
    let axes = axes.map(|key| (key.as_str(), text(pair.base, key), text(pair.candidate, key)));
    let asked = |cell: &Cell, key| cell.asked(key).map_or(drift::ABSENT.into(), |value| key.shown(&value));
    let server = KEYS.iter().filter(|key| key.section == "server" && key.is_axis);
    let server = server.map(|key| (key.name, asked(a, key), asked(b, key)));
    let workload = (WORKLOAD, a.workload.clone(), b.workload.clone());
    let mut differences: BTreeMap<&str, Drift> = BTreeMap::new();
    for (key, base, candidate) in axes.chain(server).chain([workload]) {
        if let Some(drift) = drift_of(key, &base, &candidate, Class::Circumstance) {
            differences.insert(key, drift);
        }
    }
    differences.into_values().collect()
}

/// What differs beyond what that implies.
fn told(pair: &Pair) -> Vec<Drift> {
    let meant = meant(pair);
    let Some((first, others)) = meant.split_first() else { return drift::between(pair.base, pair.candidate, "") };
    let mut told = drift::between(pair.base, pair.candidate, &first.key);
    for axis in others {
        let by_this = drift::between(pair.base, pair.candidate, &axis.key);
        told.retain(|drift| by_this.contains(drift));
    }
    told
}

fn tables(pair: &Pair) -> Vec<Drift> {
    let (Some(one), Some(other)) = (pair.base.runs.first(), pair.candidate.runs.first()) else { return Vec::new() };
    let meant = !meant(pair).is_empty();
    let of = |run: &crate::frame::evidence::RunEvidence| -> BTreeMap<String, BTreeMap<String, String>> {
        let tables = run.datasets.iter().flat_map(|d| &d.tables);
        tables.filter_map(|t| Some((t.name.clone(), facts(&Schema::parse(&t.created)?, t.rows)))).collect()
    };
    let (one, other) = (of(one), of(other));
    let mut drifts = Vec::new();
    for (table, facts) in &one {
        let Some(theirs) = other.get(table) else { continue };
        let keys = facts.keys().chain(theirs.keys().filter(|key| !facts.contains_key(*key)));
        let value =
            |facts: &BTreeMap<String, String>, key: &String| facts.get(key).cloned().unwrap_or(drift::ABSENT.into());
        // Where the cells are meant to differ, their tables may follow from that.
        let class = if meant { Class::Circumstance } else { Class::Work };
        drifts.extend(keys.filter_map(|key| {
            drift_of(format!("table.{table}.{key}"), &value(facts, key), &value(theirs, key), class)
        }));
    }
    drifts
}

/// A table's definition as facts to lay side by side.
fn facts(schema: &Schema, rows: u64) -> BTreeMap<String, String> {
    let own = [
        ("engine", schema.engine.clone()),
        ("charset", schema.charset.clone()),
        ("primary key", schema.primary_key.join(", ")),
        ("rows", rows.to_string()),
    ];
    let own = own.into_iter().map(|(key, value)| (key.to_string(), value));
    let column = |(name, column): (&String, &crate::frame::schema::Column)| {
        let null = if column.nullable { "" } else { " not null" };
        let charset = if column.charset.is_empty() { String::new() } else { format!(" {}", column.charset) };
        (format!("column {name}"), format!("{}{charset}{null}", column.kind))
    };
    own.chain(schema.columns.iter().map(column)).collect()
}

fn plans(pair: &Pair) -> Vec<Drift> {
    let (Some(one), Some(other)) = (pair.base.runs.first(), pair.candidate.runs.first()) else { return Vec::new() };
    let theirs = |statement: &str| other.run.session.plans.iter().find(|p| p.statement == statement);
    let plan = |p: &model::record::answer::StatementPlan| {
        let other = theirs(&p.statement)?;
        let (here, there) = (fingerprint::of(&p.explain)?, fingerprint::of(&other.explain)?);
        let differ = !fingerprint::are_one(&here, &there);
        let [here, there] = [p, other].map(|plan| essence(&plan.explain));
        differ.then(|| drift_of(format!("plan.{}", p.statement), &here, &there, Class::Circumstance)).flatten()
    };
    one.run.session.plans.iter().filter_map(plan).collect()
}

/// The words of an EXPLAIN, JSON or lines, that tell what is done: `access_type=ref key=k_1`.
fn essence(explain: &str) -> String {
    let mut tokens =
        explain.split(['"', '\n', ',', ' ', '{', '}', '[', ']', ':', '=']).filter(|t| !t.trim().is_empty());
    let mut told = Vec::new();
    while let Some(token) = tokens.next() {
        if PLAN_WORDS.contains(&token) {
            told.push(format!("{token}={}", tokens.next().unwrap_or_default()));
        }
    }
    told.join(" ")
}

fn hosts(base: &Host, candidate: &Host) -> Vec<Drift> {
    let own = |h: &Host| -> BTreeMap<String, String> {
        let facts = h.facts.iter().map(|(key, value)| (key.clone(), value.clone()));
        let known = [
            ("cpus", h.cpus.len().to_string()),
            ("sockets", h.sockets.len().to_string()),
            ("cpu_model", h.cpu_model.clone()),
            ("memory", h.memory.to_string()),
            ("kernel", h.kernel.clone()),
            ("distribution", h.distribution.clone()),
            ("virtualization", h.virtualization.clone().unwrap_or_default()),
            ("clock_source", h.clock_source.clone().unwrap_or_default()),
            ("assay", h.assay.clone()),
        ];
        known.into_iter().map(|(key, value)| (key.to_string(), value)).chain(facts).collect()
    };
    let (base, candidate) = (own(base), own(candidate));
    let value = |of: &BTreeMap<String, String>, key: &str| of.get(key).cloned().unwrap_or(drift::ABSENT.into());
    let keys = base.keys().chain(candidate.keys().filter(|key| !base.contains_key(*key)));
    keys.filter_map(|key| {
        drift_of(format!("host.{key}"), &value(&base, key), &value(&candidate, key), Class::Circumstance)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::essence;

    #[test]
    fn a_plan_is_told_by_what_it_does_and_not_by_its_estimates() {
        let json = |rows: u32| {
            format!(
                r#"{{"query_block": {{"table": {{"table_name": "sbtest1", "access_type": "ref", "key": "k_1", "rows": {rows}}}}}}}"#
            )
        };
        assert_eq!(essence(&json(100)), essence(&json(7)));
        assert_eq!(essence("table=sbtest1 type=ALL rows=9"), "table=sbtest1 type=ALL");
        assert_ne!(essence(&json(1)), essence(&json(1).replace("k_1", "PRIMARY")));
    }
}
