//! What was asked of two builds alike and is not alike in force. A variable that one of them has no use for any more is
//! accepted there and changes nothing; and the same value of a variable comes to another amount where a server counts
//! with it otherwise. A report of March 2026 gave one server half the redo log of the others so, because
//! `innodb_log_files_in_group` is ignored there, and took the difference for the build's. Hundreds of variables that
//! two builds do not share are the build itself (`moved`); one that the experiment asked both for is not.

use super::moved::{ABSENT, same_number};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use model::Bytes;
use std::collections::BTreeMap;

/// The amount of redo log that the variables of a server come to.
const REDO: &str = "redo_capacity";
/// Servers round a file's size to pages and extents.
const ROUNDED: f64 = 0.01;
/// What an option file may write before a name: a server that does not know it then says nothing.
const LOOSE: &str = "loose_";

/// What it is, and what it came to in either.
pub type Unlike = (String, [String; 2]);

pub fn between(base: &CellEvidence, candidate: &CellEvidence) -> Vec<Unlike> {
    let (Some(one), Some(other)) = (base.runs.first(), candidate.runs.first()) else { return Vec::new() };
    redo(one, other).into_iter().chain(asked(base, candidate, one, other)).collect()
}

fn redo(one: &RunEvidence, other: &RunEvidence) -> Option<Unlike> {
    let (base, candidate) = (one.redo_capacity()?, other.redo_capacity()?);
    let told = |bytes: f64| Bytes(bytes as u64).to_string();
    ((base / candidate).ln().abs() > ROUNDED).then(|| (REDO.into(), [told(base), told(candidate)]))
}

/// Native variables that both were given with the same value.
fn asked(base: &CellEvidence, candidate: &CellEvidence, one: &RunEvidence, other: &RunEvidence) -> Vec<Unlike> {
    let (here, there) = (one.variables(), other.variables());
    if here.is_empty() || there.is_empty() {
        return Vec::new();
    }
    let alike =
        base.cell.server.native.iter().filter(|(name, value)| candidate.cell.server.native.get(*name) == Some(value));
    let in_force = alike.filter_map(|(asked, _)| {
        let name = asked.replace('-', "_");
        let name = name.strip_prefix(LOOSE).unwrap_or(&name);
        let value = |of: &BTreeMap<String, String>| of.get(name).cloned();
        let values = match (value(&here), value(&there)) {
            (Some(base), Some(candidate)) if is_other(&base, &candidate) => [base, candidate],
            (Some(base), None) => [base, ABSENT.to_string()],
            (None, Some(candidate)) => [ABSENT.to_string(), candidate],
            (Some(_), Some(_)) | (None, None) => return None,
        };
        Some((format!("native.{asked}"), values))
    });
    in_force.collect()
}

/// Two numbers that differ; words are written otherwise by other versions and mean the same.
fn is_other(base: &str, candidate: &str) -> bool {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    is_number(base) && is_number(candidate) && !same_number(base, candidate)
}
