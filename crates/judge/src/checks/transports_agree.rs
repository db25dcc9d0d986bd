//! A statement over TCP costs the client and the server more than over a Unix socket, and TLS adds its own; comparisons
//! of drivers and of products were off by a factor of two by nothing else (sysbench's issue 552 is about one of them).
//! So cells are compared on an axis only when the sessions of all their runs were carried alike, as they were read
//! back: socket, encryption with its version and cipher, compression. The axis `transport` declares such a difference.
//!
//! Another way, or encryption on one side only, fails; another version or cipher of TLS warns. What an operation and a
//! transaction are needs no check here: the lab counts all of them by one definition.

use crate::frame::naming;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Look, Pair, Pairs, Seen, Sight, pairs};
use model::Status;
use model::experiment::keys::{Effect, can_change};
use std::collections::BTreeSet;

pub const CHECK: Check = Check {
    id: "transports_agree",
    claim: || "cells that are compared were reached in the same way".into(),
    source: include_str!("transports_agree.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "declare the axis `transport`, or reach all cells in one way ([load] transport, or the same DSN)",
    look: Look::Pairs(Pairs {
        of,
        none: "No two cells differ in one axis only that is not the transport: nothing is compared.",
        look,
    }),
};

fn of<'a>(evidence: &'a Evidence<'a>) -> Vec<Pair<'a>> {
    pairs::all(evidence).into_iter().filter(|pair| !can_change(pair.axis, Effect::Way)).collect()
}

fn look(_: &Evidence, pairs: &[Pair]) -> Sight {
    let were_run = |cell: &CellEvidence| cell.runs.iter().any(|run| !run.run.session.transport.is_empty());
    let pairs: Vec<_> = pairs.iter().filter(|p| were_run(p.base) && were_run(p.candidate)).collect();
    if pairs.is_empty() {
        return Err("no two cells that were run differ in one axis other than the transport".into());
    }
    let mut found: Vec<(Status, String, [String; 2])> = Vec::new();
    for pair in &pairs {
        let cells = [pair.base, pair.candidate];
        for (status, of) in [(Status::Fail, way as fn(&CellEvidence) -> BTreeSet<String>), (Status::Warn, cipher)] {
            let ways: BTreeSet<String> = cells.iter().flat_map(|cell| of(cell)).collect();
            if ways.len() > 1 {
                let ids = cells.map(|cell| cell.cell.id.to_string());
                let ways: Vec<_> = ways.into_iter().collect();
                let sentence = format!(
                    "{} and {} should differ in `{}` only, and were reached by {}.",
                    naming::cell(pair.base),
                    naming::cell(pair.candidate),
                    pair.axis,
                    ways.join(" and by ")
                );
                found.push((status, sentence, ids));
                break;
            }
        }
    }
    found.sort_by_key(|(status, ..)| *status != Status::Fail);
    let Some((status, sentence, _)) = found.first() else {
        let sentence = format!("Over {} pairs of cells, every session was carried alike.", pairs.len());
        return Ok(Seen::new(Status::Pass, "0 pairs", "0 pairs", sentence));
    };
    let more = if found.len() > 1 { format!(" It is so in {} pairs of cells.", found.len()) } else { String::new() };
    let cells: BTreeSet<String> = found.iter().flat_map(|(_, _, ids)| ids.clone()).collect();
    Ok(Seen::new(*status, format!("{} pairs", found.len()), "0 pairs", format!("{sentence}{more}"))
        .at(cells.into_iter().collect()))
}

/// How the sessions of a cell's runs were carried; more than one when its runs differ among themselves.
fn way(cell: &CellEvidence) -> BTreeSet<String> {
    let sessions = cell.runs.iter().map(|run| &run.run.session).filter(|session| !session.transport.is_empty());
    let compressed = |compression: &str| !(compression.is_empty() || compression.starts_with("off"));
    sessions
        .map(|s| format!("{}{}", s.transport, if compressed(&s.compression) { " compressed" } else { "" }))
        .collect()
}

fn cipher(cell: &CellEvidence) -> BTreeSet<String> {
    let agreed = cell.runs.iter().filter_map(|run| run.run.session.tls.as_ref());
    agreed.map(|tls| format!("{} with {}", tls.version, tls.cipher)).collect()
}
