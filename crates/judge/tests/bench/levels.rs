//! What an operation takes and costs on a server that counts its users' threads, and how that is with one user and with
//! eight: for tests of what explains growth.

use super::*;

pub const HEALTHY: Level =
    Level { operation: 100.0, cpu: 60.0, system: 0.2, queue: 0.0, files: 0.0, switches: 1.0, faults: 0.0 };

/// What an operation takes and costs, in microseconds and counts; `system` is the kernel's share of the CPU.
#[derive(Clone, Copy)]
pub struct Level {
    pub operation: f64,
    pub cpu: f64,
    pub system: f64,
    pub queue: f64,
    pub files: f64,
    pub switches: f64,
    pub faults: f64,
}

/// Rates and counters of a run whose operations are so, on a server that counts its users' threads.
pub fn show(run: &mut RunRecord, level: Level) {
    let users = f64::from(run.phases[0].groups["users"].users);
    let wobble = 1.0 + 0.002 * f64::from(run.repetition);
    let qps = users * 1e6 / (level.operation * wobble);
    set_rate(run, qps);
    // Who has waited for a CPU sees it later that the answer is there.
    let inside = (level.operation - 35.0 - level.queue).max(1.0);
    for (name, each) in [
        ("foreground.statements", 1.0),
        ("foreground.statement_time", inside * 1e3),
        ("foreground.cpu", level.cpu * 1e3),
        ("foreground.runqueue.wait", level.queue * 1e3),
        ("foreground.file_calls", if level.files > 0.0 { 1.0 } else { 0.0 }),
        ("foreground.file_time", level.files * 1e3),
        ("server.cpu.user", level.cpu * (1.0 - level.system) * 1e3),
        ("server.cpu.system", level.cpu * level.system * 1e3),
        ("server.switches.voluntary", level.switches),
        ("server.faults.minor", level.faults),
    ] {
        counter(run, name, each * qps);
    }
    let used = level.cpu * 1e3 * qps + 0.66e9;
    counter(run, "host.cpu.idle", (4.0e9 - used).max(0.0));
}

pub fn per_operation(run: &mut RunRecord, name: &str, each: f64) {
    let done = operation(run).done as f64;
    counter(run, name, each * done);
}

/// One user as a healthy server serves it, and eight.
pub fn curve(top: Level) -> Record {
    let mut record = experiment(&[("users", &[1.into(), 8.into()])]);
    for run in &mut record.runs {
        show(run, if run.cell.0 == "c001" { HEALTHY } else { top });
    }
    record
}
