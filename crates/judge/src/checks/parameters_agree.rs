//! Two numbers can be compared on an axis only when nothing else differs between them. A study of sysbench's workloads
//! once compared ranges of 10 rows in one test with ranges of 100 in another, because a zero was missing in a script;
//! the conclusion stood for months. This check compares effective values: parameters with their defaults filled in, the
//! server's variables and the session's as they were read back, workers and CPUs. What an axis implies (a charset its
//! collation) is not counted; how sessions were carried is the question of `transports_agree`.
//!
//! A difference in the work (a parameter, isolation, the connection's character set) fails: comparisons of these cells
//! are refused. So does one in what a commit is worth (`innodb_flush_log_at_trx_commit`, `sync_binlog`), whatever the
//! axis, and for one build in what statements mean (`sql_mode`, `time_zone`, `optimizer_switch`). A difference in other
//! variables of the server or in its surroundings warns, and the report names it.
//!
//! Two builds differ in hundreds of variables, and those are the build. What both were *asked* for is not: a variable
//! under `native` that one of them ignores, and a redo log of another size (`redo_capacity`, which is the product of
//! two variables in one server and a single one in another), warn in a sentence of their own.

use crate::compare::drift::{self, Class, Drift};
use crate::frame::naming::{self, listed};
use crate::frame::{Applies, Check, Doubts, Evidence, Look, Pair, Pairs, Seen, Sight, pairs};
use model::verdict::Status;
use std::collections::{BTreeMap, BTreeSet};

pub const CHECK: Check = Check {
    id: "parameters_agree",
    claim: || "cells that are compared differ in nothing but the axis between them".into(),
    source: include_str!("parameters_agree.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "declare the parameter as an axis, so that both values are measured everywhere, or give both cells the same value",
    look: Look::Pairs(Pairs {
        of: pairs::all,
        none: "No two cells differ in one axis only: nothing is compared.",
        look,
    }),
};

/// Keys named in the sentence; the rest is counted.
const NAMED: usize = 5;
/// The same where none of them is work.
const FEW: usize = 2;

type Keys<'a> = BTreeMap<(Class, String), Vec<(&'a Pair<'a>, Drift)>>;

fn look(_: &Evidence, pairs: &[Pair]) -> Sight {
    let mut keys = Keys::new();
    for pair in pairs {
        for drift in drift::between(pair.base, pair.candidate, pair.axis) {
            keys.entry((drift.class, drift.key.clone())).or_default().push((pair, drift));
        }
    }
    let Some((class, _)) = keys.keys().next() else {
        let read_back = pairs.iter().filter(|p| !p.base.runs.is_empty() && !p.candidate.runs.is_empty()).count();
        let sentence = format!("No key differs beside the axes, over {} pairs of cells.", pairs.len());
        return if read_back > 0 {
            Ok(Seen::new(Status::Pass, "0 keys", "0 keys", sentence))
        } else {
            Err("no two cells that were run differ in one axis only".into())
        };
    };
    let status = match class {
        Class::Work => Status::Fail,
        Class::InForce | Class::Circumstance => Status::Warn,
    };
    let sentence = match status {
        Status::Warn if keys.len() > 1 && *class == Class::Circumstance => in_one_line(&keys),
        Status::Warn if *class == Class::InForce => in_force(&keys),
        _ => {
            let first = if status == Status::Fail { "Not comparable: " } else { "Compared with care: " };
            let sentences: Vec<String> = keys.values().take(NAMED).map(|found| sentence(found)).collect();
            let more = keys.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" {more} more keys differ.") } else { String::new() };
            format!("{first}{}{more}", sentences.join(" "))
        }
    };
    let cells = keys.values().flatten().flat_map(|(p, _)| [p.base, p.candidate]).map(|c| c.cell.id.to_string());
    let cells: BTreeSet<String> = cells.collect();
    let evidence = keys.values().map(|found| values(found)).chain(cells).collect();
    Ok(Seen::new(status, format!("{} keys", keys.len()), "0 keys", sentence).at(evidence))
}

/// What was asked alike and is not alike in force is told in full, before what else differs.
fn in_force(keys: &Keys) -> String {
    let (asked, others): (Vec<_>, Vec<_>) = keys.iter().partition(|((class, _), _)| *class == Class::InForce);
    let asked: Vec<String> = asked.into_iter().take(NAMED).map(|(_, found)| sentence(found)).collect();
    let more = match others.len() {
        0 => String::new(),
        1 => " One more key differs.".to_string(),
        n => format!(" {n} more keys differ."),
    };
    format!("Asked alike and not alike in force: {}{more}", asked.join(" "))
}

/// Builds move dozens of defaults: a few are named, and the evidence has each with its values.
fn in_one_line(keys: &Keys) -> String {
    let axes: BTreeSet<String> = keys.values().flatten().map(|(pair, _)| format!("`{}`", pair.axis)).collect();
    let few = keys.keys().take(FEW).map(|(_, key)| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let more = keys.len().saturating_sub(FEW);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "Compared with care: {} keys differ beside {}: {few}{more}; the evidence has their values.",
        keys.len(),
        listed(&axes.into_iter().collect::<Vec<_>>())
    )
}

fn values(found: &[(&Pair, Drift)]) -> String {
    let (pair, drift) = &found[0];
    let (base, candidate) = (&pair.base.cell.id, &pair.candidate.cell.id);
    format!("{}: {} ({base}), {} ({candidate})", drift.key, drift.base, drift.candidate)
}

fn sentence(found: &[(&Pair, Drift)]) -> String {
    let (pair, drift) = &found[0];
    let mut text = format!(
        "`{}` is {} in {} but {} in {}, though the two should differ in `{}` only.",
        drift.key,
        drift.base,
        naming::cell(pair.base),
        drift.candidate,
        naming::cell(pair.candidate),
        pair.axis
    );
    if let Some(slip) = drift::slip(drift) {
        text = format!("{text} {slip}");
    }
    if found.len() > 1 {
        text = format!("{text} It is so in {} pairs of cells.", found.len());
    }
    text
}
