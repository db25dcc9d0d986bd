//! What held at the ends of the runs of a healthy record, and what became of it.

use model::record::Record;
use model::record::state::{Facet, State, States};
use std::collections::BTreeMap;

/// By name; those of a healthy record are named after their facet.
pub fn healthy() -> BTreeMap<String, State> {
    let facts = |all: &[(&str, &str)]| all.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    [
        (
            Facet::Variables,
            facts(&[
                ("innodb_buffer_pool_size", "1073741824"),
                ("innodb_flush_log_at_trx_commit", "1"),
                ("optimizer_switch", "index_merge=on,mrr=off,semijoin=on"),
                ("innodb_io_capacity", "2000"),
                ("general_log_file", "a.log"),
                ("port", "3306"),
            ]),
        ),
        (Facet::UserSession, facts(&[("autocommit", "ON")])),
        (Facet::Tables, facts(&[("key `k_1` of sbtest1", "KEY `k_1` (`k`)")])),
        (Facet::Rows, facts(&[("sbtest1", "10000")])),
        (Facet::Written, facts(&[("sbtest1", "2026-11-23 19:00:00")])),
        (Facet::TableIds, facts(&[("sbtest1", "1063 in space 5")])),
        (Facet::Others, facts(&[])),
        (Facet::Process, facts(&[("nice", "0"), ("cgroup cpu.max", "max 100000")])),
    ]
    .into_iter()
    .map(|(facet, facts)| (name(facet), State::new(facet, facts)))
    .collect()
}

fn name(facet: Facet) -> String {
    format!("{facet:?}")
}

/// A run through which nothing changed.
pub fn quiet() -> States {
    let names: BTreeMap<Facet, String> = healthy().into_values().map(|s| (s.facet, name(s.facet))).collect();
    States { begin: names.clone(), end: names, meanwhile: Vec::new() }
}

/// Another value of one fact, or none, in these runs: from the end of the first on, where it is `within` that run.
pub fn change(record: &mut Record, runs: &[&str], within: bool, facet: Facet, key: &str, value: Option<&str>) {
    let mut state = record.states[&name(facet)].clone();
    match value {
        Some(value) => drop(state.facts.insert(key.into(), value.into())),
        None => drop(state.facts.remove(key)),
    }
    let changed = format!("{} changed", name(facet));
    record.states.insert(changed.clone(), state);
    for (at, id) in runs.iter().enumerate() {
        let run = record.runs.iter_mut().find(|run| run.id.0 == *id).expect("such a run");
        let states = run.states.as_mut().expect("states");
        if at > 0 || !within {
            states.begin.insert(facet, changed.clone());
        }
        states.end.insert(facet, changed.clone());
    }
}

/// What was seen in a run while its users were at work.
pub fn see(record: &mut Record, run: &str, facet: Facet, seen: &[&[(&str, &str)]]) {
    for (number, facts) in seen.iter().enumerate() {
        let facts = facts.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
        let seen = format!("{} seen {number}", name(facet));
        record.states.insert(seen.clone(), State::new(facet, facts));
        let run = record.runs.iter_mut().find(|one| one.id.0 == run).expect("such a run");
        run.states.as_mut().expect("states").meanwhile.push((facet, seen));
    }
}

/// What the first server said when it started, and what was in force for every run.
pub fn say(record: &mut Record, variable: &str, value: Option<&str>) {
    let said = &mut record.instances[0].variables;
    for facts in [said, &mut record.states.get_mut(&name(Facet::Variables)).expect("variables").facts] {
        match value {
            Some(value) => drop(facts.insert(variable.into(), value.into())),
            None => drop(facts.remove(variable)),
        }
    }
}

/// What else was read at the two ends of all runs.
pub fn put(record: &mut Record, facet: Facet, ends: [&[(&str, &str)]; 2]) {
    let facts = |all: &[(&str, &str)]| all.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    let [begin, end] = ["begin", "end"].map(|end| format!("{} at the {end}", name(facet)));
    record.states.insert(begin.clone(), State::new(facet, facts(ends[0])));
    record.states.insert(end.clone(), State::new(facet, facts(ends[1])));
    for states in record.runs.iter_mut().filter_map(|run| run.states.as_mut()) {
        states.begin.insert(facet, begin.clone());
        states.end.insert(facet, end.clone());
    }
}
