//! Every limit with its reason. Most are from the studies and tools that this program learnt from; where one was
//! calibrated here, the reason says by what. Adding one is adding its line here and naming it in its check.

use super::{Limit, Unit};

const fn share(name: &'static str, value: f64, why: &'static str) -> Limit {
    Limit { name, value, unit: Unit::Share, why }
}
const fn seconds(name: &'static str, value: f64, why: &'static str) -> Limit {
    Limit { name, value, unit: Unit::Seconds, why }
}
const fn number(name: &'static str, value: f64, why: &'static str) -> Limit {
    Limit { name, value, unit: Unit::Number, why }
}

/// Defines each limit and the list of all.
macro_rules! limits {
    ($($constant:ident = $kind:ident($name:literal, $value:literal, $why:literal);)*) => {
        $(pub const $constant: Limit = $kind($name, $value, $why);)*
        pub const ALL: &[Limit] = &[$($constant),*];
    };
}

limits! {
    WORK_OFF = share("work_off", 0.05, "above what rounding and the edge of a table can do, below any slip in a parameter");
    MIX_LOW = number("mix_low", 0.75, "rate of a mix over what its parts predict; caches and locks that parts share explain as much");
    MIX_HIGH = number("mix_high", 1.5, "statements of one transaction follow each other closer than those of one test, and no closer than that");
    BEST_OF = share("best_of", 0.02, "by how much a maximum of equal levels is too high; less than that is nobody's reason to change a server");

    FAILED = share("failed", 0.01, "of attempts, per kind of operation; the rate is then right in two digits");
    RETRIED = share("retried", 0.05, "of attempts; the server then did visibly more work than is counted");
    COUNTS_APART = number("counts_apart", 16.0, "statements of the lab's own sessions at the ends of a run");
    COUNTS_OFF = share("counts_off", 0.005, "a count that is off by more is off in the third digit of the rate");
    CACHED = share("cached", 0.001, "of selects answered without executing them; more is no accident");

    CLIENT_CPU_WARN = share("client_cpu_warn", 0.75, "a request waits three service times for a worker there");
    CLIENT_CPU_FAIL = share("client_cpu_fail", 0.95, "a request waits nineteen service times for a worker there");
    CLIENT_CPU_BESIDE_IDLE = share("client_cpu_beside_idle", 0.90, "while the server waits, a client this busy is what it waits for");
    SERVER_IDLE = share("server_idle", 0.20, "of the server's CPUs; it had room, so something else limits");
    WORKER_WARN = share("worker_warn", 0.90, "a single worker has no one to share with, and so may come nearer to its end");
    WORKER_FAIL = share("worker_fail", 0.98, "what is left is less than the reading resolves");
    CLIENT_WAIT_WARN = share("client_wait_warn", 0.05, "of the mean latency, waiting for a CPU of the client");
    CLIENT_WAIT_FAIL = share("client_wait_fail", 0.20, "a fifth of the latency is then the client's own");
    CANARY_WARN = share("canary_warn", 0.50, "the canary's requests are the smallest there are; half its rate with larger answers is near");
    CANARY_FAIL = share("canary_fail", 0.80, "beyond it the load's own cost bends the curve");
    CANARY_BEATEN = share("canary_beaten", 1.05, "a run may reach the canary's rate within noise, and no more");
    CLIENT_SPLIT = share("client_split", 0.50, "of the CPU time on shared CPUs; the client then costs more than the server");
    LINK_WARN = share("link_warn", 0.70, "of the link's rate in one direction; bursts meet its end from there on");
    LINK_FAIL = share("link_fail", 0.90, "headers and gaps take the rest");
    RESENT = share("resent", 0.001, "of TCP segments; each costs its operation 200 ms or more");
    LITTLE_WARN = share("little_warn", 0.02, "of the users' time outside any operation; healthy loads have a tenth of it");
    LITTLE_FAIL = share("little_fail", 0.05, "finds one user dead of twenty");
    BEGUN_WARN = share("begun_warn", 0.99, "of the operations due; the last hundredth is the end of the phase");
    BEGUN_FAIL = share("begun_fail", 0.95, "the queue grows, and with it every percentile");
    LATE = share("late", 0.05, "of the median latency; then the load's own lateness is in no digit that is read");
    STALLED = share("stalled", 0.01, "of the measured time; the 99th percentile would see it under an open load");
    STALL = number("stall", 10.0, "medians of the slowest operation; queues of healthy servers seldom make anybody wait as long");
    CLOCK_STEPS = number("clock_steps", 20.0, "steps of the clock in a median of which percentiles are told");
    CLOCK_COST = share("clock_cost", 0.01, "of the mean latency, for one reading of the clock");
    TIMER_LATE = seconds("timer_late", 0.05, "a twentieth of an interval of the series");

    START_BYTES = share("start_bytes", 0.05, "trees that were filled alike differ by less");
    START_HISTORY = number("start_history", 1000.0, "row versions; fewer are purged within a second of any run");
    START_POOL = share("start_pool", 0.5, "of the data, by which buffer pools differ before runs: one begins by reading them, the other does not");
    START_CHECKPOINT = share("start_checkpoint", 0.05, "of the redo log; below it no flushing is forced");
    POOL_FULL = share("pool_full", 0.9, "beside data the pool holds undo, the adaptive hash index and the dictionary");
    POOL_READS = number("pool_reads", 0.001, "pages read from disk per statement; one in a thousand costs as much as a tenth of a cached statement");
    IO_STALLED = share("io_stalled", 0.2, "of the time in which somebody waited for the disk");

    DRIFT_WARN = share("drift_warn", 0.02, "over the whole window; smaller than any difference that is claimed");
    DRIFT_FAIL = share("drift_fail", 0.05, "one number no longer stands for the window");
    HISTORY_WARN = share("history_warn", 0.01, "of the transactions that wrote have left their old row versions behind");
    HISTORY_FAIL = share("history_fail", 0.1, "the rate is borrowed from the purge that must follow");
    REDO_WARN = share("redo_warn", 0.05, "of the redo log by which its unwritten part grew; flushing has not yet found its pace");
    REDO_FAIL = share("redo_fail", 0.75, "of the redo log, reached within two more windows; flushing is forced there");
    DIRTY_WARN = share("dirty_warn", 0.05, "of the buffer pool by which dirty pages grew; their writing is still to be paid");
    COMPACTION_WARN = share("compaction_warn", 0.02, "of the bytes written, by which those that wait for compaction grew");
    COMPACTION_FAIL = share("compaction_fail", 0.1, "the rate is borrowed from the compaction that must follow");
    DRAIN = share("drain", 0.05, "of the measured time, that the server goes on paying when its users have gone; what the rate borrowed");
    CYCLES = number("cycles", 2.0, "one cycle may be cut at both ends, so that its mean depends on where");

    STEAL_WARN = share("steal_warn", 0.005, "of all CPU time; the second digit of a rate begins to move");
    STEAL_FAIL = share("steal_fail", 0.02, "as much as the smallest difference that is claimed");
    OTHERS_WARN = share("others_warn", 0.02, "of all CPU time; a quiet machine's own daemons take a tenth of it");
    OTHERS_FAIL = share("others_fail", 0.05, "more than any difference that is claimed");
    PULSE_WARN = share("pulse_warn", 0.02, "off the median of the session, at which a machine that is left alone does not arrive");
    PULSE_FAIL = share("pulse_fail", 0.05, "more than any difference that is claimed");
    FAULTS = number("faults", 0.01, "pages read from disk by the server's memory per operation; its working set does not fit");
    FOREIGN_IO = share("foreign_io", 0.05, "of the bytes on the disks that neither server nor client moved");
    DISK_FREE = share("disk_free", 0.1, "of the file system; below it many of them slow down");
    OBSERVER_CPU = share("observer_cpu", 0.01, "of one CPU; smaller than any difference that is claimed");
    OBSERVER_STATEMENTS = share("observer_statements", 0.001, "of all statements that the server answered");

    SPREAD_WARN = share("spread_warn", 0.05, "standard deviation over mean, beyond doubt; the interval of three runs is then 12 % to either side and more");
    SPREAD_FAIL = share("spread_fail", 0.10, "beyond doubt; below it the interval itself is the honest answer");
    TAIL = number("tail", 10.0, "samples beyond a percentile; its relative error is then about a third");
    OUTLIER = number("outlier", 5.0, "robust standard deviations; once in two million normal runs");
}
