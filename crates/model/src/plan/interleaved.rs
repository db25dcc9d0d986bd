//! Runs of a block that are under way at once: each on a server of its own, one of them with users. What a machine does
//! within minutes (a host that is shared, a clock that is throttled) then touches those that are compared alike, where
//! runs one behind the other are minutes apart.

use super::{Cell, room};
use crate::experiment::Experiment;
use crate::host::Host;
use crate::problem::Problem;
use crate::units::Bytes;

/// A server that waits for its turn still has threads that wake and memory that it holds. Beyond a handful,
/// neighbours of a stage lie as far apart as short runs would.
pub const MOST_AT_ONCE: usize = 8;

const KEY: &str = "repeat.interleave";

/// Why these cells cannot take turns.
pub(super) fn problem(experiment: &Experiment, cells: &[Cell]) -> Option<Problem> {
    let problem = |what: String, mend: &str| Some(experiment.problem(KEY, what, mend));
    if cells.len() > MOST_AT_ONCE {
        return problem(
            format!("{} cells would have as many servers up at once, more than {MOST_AT_ONCE}", cells.len()),
            "take fewer values, or leave interleave out",
        );
    }
    if cells.iter().any(|cell| cell.search.is_some()) {
        return problem("a search takes its own levels, each after the last".into(), "leave interleave out");
    }
    if cells.iter().any(|cell| cell.server.on.is_some()) {
        return problem(
            "turns need a server of its own for each cell, and assay starts none beside the one that it was given"
                .into(),
            "leave `on` out, or interleave",
        );
    }
    None
}

/// Their pools are there at once.
pub(super) fn warning(experiment: &Experiment, cells: &[Cell], host: &Host) -> Option<String> {
    let pools = Bytes(cells.iter().filter_map(room::pool_of).map(|pool| pool.0).sum());
    (experiment.repeat.interleave && host.memory.0 > 0 && pools > host.memory).then(|| {
        format!(
            "The pools of {} servers that are up at once come to {pools}, but the host has {} of memory.",
            cells.len(),
            host.memory
        )
    })
}
