//! What is about to fail: checks that can be put to a part of a run, asked of the run under way as if it ended now. A
//! neighbour, a client that is the limit or users who get errors are seen within seconds, and hours are saved by
//! stopping. Not here: checks that need a run's end, its whole length or other runs; asked of a part, they would cry
//! wolf.

use super::check::Check;
use super::evidence::Evidence;
use model::{Status, Verdict};

/// Those that are true of a part when they are true of the whole.
pub const OF_A_PART: [&str; 6] = [
    "machine_was_quiet",
    "cpu_was_not_stolen",
    "disk_was_ours",
    "client_had_headroom",
    "network_had_room",
    "operations_succeeded",
];

/// Counters by which they are told.
pub const COUNTERS: [&str; 14] = [
    "host.cpu.total",
    "host.cpu.idle",
    "host.cpu.iowait",
    "host.cpu.irq",
    "host.cpu.steal",
    "client.cpu.process",
    "client.cpu.user",
    "client.cpu.system",
    "server.cpu.user",
    "server.cpu.system",
    "host.disk.read_bytes",
    "host.disk.write_bytes",
    "server.io.read_bytes",
    "server.io.write_bytes",
];

/// What fails of a record with one run.
pub fn all(checks: &'static [Check], evidence: &Evidence) -> Vec<Verdict> {
    let of_part = checks.iter().filter(|check| OF_A_PART.contains(&check.id));
    let cells = evidence.cells.iter().filter(|cell| !cell.runs.is_empty());
    let verdicts = cells.flat_map(|cell| of_part.clone().filter_map(move |check| check.on_cell(cell)));
    verdicts.filter(|verdict| verdict.counts_as() == Status::Fail).collect()
}
