//! CPU time that another process of this machine took was missing to the server, and nothing in a rate shows it. It is
//! what was busy beside the server and assay, whoever it was; the processes that used most of it between the two ends
//! of a run are told by name. What other machines took is the question of `cpu_was_not_stolen`.
//!
//! Others warn above 2 % and fail above 5 % of all CPU time, and, because one neighbour is as near to one CPU's caches
//! on a machine of sixty-four as on one of two, above half a CPU and a whole one. What the kernel does is nobody's
//! process: interrupts (those of the users' own connections among them) are left out, and so are its own threads,
//! which write pages back and finish the disk's requests; whose bytes those were is the question of `disk_was_ours`.
//! Nor are the load's other ranks on this machine others: their workers' time is left out.
//!
//! What was busy is counted in ticks, which miss threads that run for moments between two of them: where a server syncs
//! 5,000 times a second it comes out as 2 to 8 % less than the processes used. So what the processes that could be
//! named used counts where it is more than what is left.
//!
//! Busy time comes in ticks of 10 ms, so that short runs resolve little: all repetitions are taken together, twice the
//! resolution is allowed beside the limits, and where one resolution exceeds 5 % nothing can be said. One run in which
//! others took what would fail for all of them warns.

use crate::frame::metrics::{CLIENT_PROCESS, SERVER_SYSTEM, SERVER_USER};
use crate::frame::naming::{self, listed};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, Need, RunEvidence, Seen, Sight, graded};
use model::{Nanos, Share, Status};
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "machine_was_quiet",
    claim: || {
        format!("other processes took less than {OTHERS_FAIL} of the CPU time, and less than {OTHERS_CPUS_FAIL} CPU")
    },
    source: include_str!("machine_was_quiet.rs"),
    applies: Applies::Always,
    needs: &[
        Need::Counter("host.cpu.total"),
        Need::Counter("host.cpu.idle"),
        Need::Counter("host.cpu.iowait"),
        Need::Counter("host.cpu.steal"),
        Need::Counter(CLIENT_PROCESS),
        Need::Counter(SERVER_USER),
        Need::Counter(SERVER_SYSTEM),
    ],
    limits: &[OTHERS_WARN, OTHERS_FAIL, OTHERS_CPUS_WARN, OTHERS_CPUS_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "stop who else runs here, and run again",
    look: Look::Cell(look),
};

const OTHERS_WARN: Limit =
    Limit::share("others_warn", 0.02, "of all CPU time; a quiet machine's own daemons take a tenth of it").convention();
const OTHERS_FAIL: Limit = Limit::share("others_fail", 0.05, "more than any difference that is claimed").convention();
const OTHERS_CPUS_WARN: Limit =
    Limit::number("others_cpus_warn", 0.5, "CPUs; somebody is then at work, however many CPUs there are").convention();
const OTHERS_CPUS_FAIL: Limit =
    Limit::number("others_cpus_fail", 1.0, "CPUs; as much as one thread of the server can use").convention();

/// A tick of `/proc/stat`, in nanoseconds: USER_HZ is 100 on every Linux that runs a database.
pub(super) const TICK: f64 = 1e7;

/// Neighbours told by name.
const NAMED: usize = 3;

/// How threads of the kernel are called that work for whoever reads, writes and sends.
const KERNEL: [&str; 8] = ["kworker", "ksoftirqd", "kswapd", "kcompactd", "jbd2", "xfsaild", "btrfs-", "io_wqe_worker"];

/// Nanoseconds over all CPUs.
#[derive(Default)]
struct Times {
    total: f64,
    others: f64,
    /// By threads of the kernel, which are no others.
    kernel: f64,
    /// By processes that could be named.
    named: f64,
    seconds: f64,
    /// Variance of the ticks that were or were not counted at the ends.
    variance: f64,
}

impl Times {
    fn add(&mut self, other: &Self) {
        self.total += other.total;
        self.others += other.others;
        self.kernel += other.kernel;
        self.named += other.named;
        self.seconds += other.seconds;
        self.variance += other.variance;
    }
    /// Without the kernel's own.
    fn others(&self) -> f64 {
        (self.others - self.kernel).max(self.named)
    }
    fn resolution(&self) -> f64 {
        self.variance.sqrt() / self.total
    }
}

fn look(cell: &CellEvidence) -> Sight {
    let mut times = Times::default();
    let mut each = Vec::new();
    for run in &cell.runs {
        let of_run = of_run(run).ok_or("a reading is missing")?;
        times.add(&of_run);
        each.push((run, of_run));
    }
    if times.total <= 0.0 {
        return Err("no CPU time passed between the readings".into());
    }
    let resolution = times.resolution();
    if resolution > OTHERS_FAIL.value {
        return Err(format!(
            "over so short a time the ticks of the clock resolve {} of the CPU time only",
            Share(resolution)
        ));
    }
    let others = times.others();
    let cpus = if times.seconds > 0.0 { others / 1e9 / times.seconds } else { 0.0 };
    let others = Share(others / times.total);
    let (warn, fail) = (cell.limits.share(&OTHERS_WARN), cell.limits.share(&OTHERS_FAIL));
    let allowed = 2.0 * resolution;
    let by_share = graded(others.0, warn.0 + allowed, fail.0 + allowed);
    let [cpus_warn, cpus_fail] = [&OTHERS_CPUS_WARN, &OTHERS_CPUS_FAIL].map(|limit| cell.limits.of(limit));
    let status = by_share.max(graded(cpus, cpus_warn, cpus_fail));
    let in_one = if status == Status::Pass { in_one(&each, fail) } else { None };
    let (status, sentence) = match (status, in_one) {
        (Status::Pass, Some((run, share))) => (
            Status::Warn,
            format!(
                "Somebody else used the CPUs: other processes took {share} of the CPU time in {}, and {others} in all {} runs{}.",
                naming::run(run),
                each.len(),
                names(std::iter::once(run))
            ),
        ),
        (Status::Pass, None) => (
            status,
            format!(
                "The machine was quiet: other processes took {others} of the CPU time (resolution {}).",
                Share(resolution)
            ),
        ),
        (_, _) => (
            status,
            format!(
                "Somebody else used the CPUs: other processes took {others} of the CPU time (resolution {}){}.",
                Share(resolution),
                names(cell.runs.iter())
            ),
        ),
    };
    let limit = format!(
        "{fail} or {cpus_fail} CPU; warns at {warn} or {cpus_warn} CPU, beside {} of resolution",
        Share(allowed)
    );
    Ok(Seen::new(status, format!("{others} others"), limit, sentence))
}

/// The run in which others took most, where that is so much of its time.
fn in_one<'a, 'b>(each: &[(&'b RunEvidence<'a>, Times)], fail: Share) -> Option<(&'b RunEvidence<'a>, Share)> {
    let shares = each.iter().filter(|(_, times)| times.total > 0.0).map(|(run, times)| {
        let share = times.others() / times.total;
        (*run, share, share - 2.0 * times.resolution())
    });
    let (run, share, _) = shares.filter(|(_, _, surely)| *surely > fail.0).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((run, Share(share)))
}

/// `, most of it by cc1plus (1.5 s) and make (400 ms)`.
fn names<'a, 'b: 'a>(runs: impl Iterator<Item = &'a RunEvidence<'b>>) -> String {
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    let around = runs.filter_map(|run| run.run.around.as_ref());
    for neighbour in around.flat_map(|around| &around.neighbours).filter(|n| !is_kernel(&n.name)) {
        *by_name.entry(&neighbour.name).or_default() += neighbour.cpu.0;
    }
    let mut named: Vec<_> = by_name.into_iter().collect();
    named.sort_by_key(|(_, cpu)| std::cmp::Reverse(*cpu));
    let told: Vec<_> = named.iter().take(NAMED).map(|(name, cpu)| format!("{name} ({})", Nanos(*cpu))).collect();
    if told.is_empty() { String::new() } else { format!(", most of it by {}", listed(&told)) }
}

fn is_kernel(name: &str) -> bool {
    KERNEL.iter().any(|kernel| name.starts_with(kernel))
}

/// Nanoseconds of neighbours within what is measured: of the kernel's own threads, or of all others. They were looked
/// at before the run and after it: the phases that measure have their part of that time.
fn by_neighbours(run: &RunEvidence, kernel: bool) -> f64 {
    let around = run.run.around.iter().flat_map(|around| &around.neighbours);
    let cpu: u64 = around.filter(|n| is_kernel(&n.name) == kernel).map(|n| n.cpu.0).sum();
    let whole = run.run.ended_unix_ms.saturating_sub(run.run.started_unix_ms) as f64 / 1e3;
    cpu as f64 * (run.seconds() / whole.max(run.seconds())).min(1.0)
}

/// Nanoseconds of ranks that share the machine with the first, whose process the sampler reads.
fn by_ranks_beside(run: &RunEvidence, seconds: f64) -> f64 {
    let beside = run.run.ranks.iter().filter(|rank| rank.rank > 0 && rank.is_beside_leader && rank.lived.0 > 0);
    beside.map(|rank| rank.worker_cpu.0 as f64 * (seconds / rank.lived.seconds()).min(1.0)).sum()
}

fn of_run(run: &RunEvidence) -> Option<Times> {
    let host = run.growth("host.cpu.total")?;
    let grown = |counter: &str| run.growth(counter).map(|g| g.delta);
    let steal = grown("host.cpu.steal")?;
    let busy = host.delta - grown("host.cpu.idle")? - grown("host.cpu.iowait")? - steal;
    let busy = busy - grown("host.cpu.irq").unwrap_or(0.0);
    // The processes' own windows may differ from the host's by the time that reading takes.
    let own = run.rates(&[SERVER_USER, SERVER_SYSTEM, CLIENT_PROCESS])? * host.seconds;
    Some(Times {
        total: host.delta,
        others: busy - own - by_ranks_beside(run, host.seconds),
        kernel: by_neighbours(run, true),
        named: by_neighbours(run, false),
        seconds: host.seconds,
        // Each CPU's count is up to one tick late at each end: uniform, so a variance of a sixth of a tick squared.
        variance: run.phases.len() as f64 * run.record.host.cpus.len().max(1) as f64 * TICK * TICK / 6.0,
    })
}
