//! What is compared of two cells beside their rate: a tail, and what an operation costs in CPU, switches, IO, syncs and
//! bytes. A rate that something caps (a fixed load, a disk, the client) hides what a change costs; these do not. Also
//! which metrics are costs, of which more is worse: whoever says better or worse of a metric asks here, two records
//! side by side and a metric over many of them.

/// A metric that cells are compared by beside their rate.
pub struct Cost {
    pub metric: &'static str,
    /// As it is called in a sentence: "12 % more …".
    pub words: &'static str,
    /// What is less than this counts as this. A server reads a page or syncs a file by itself now and then, and the
    /// ratio of two such accidents says nothing of operations; a ratio against nothing at all has no value.
    pub least: f64,
}

/// One event in a thousand operations is what a server does by itself.
const RARE: f64 = 1e-3;
/// A byte in a hundred operations of a KiB each, and less than a sector for each fifty.
const LITTLE_KIB: f64 = 1e-2;
/// Less CPU than one system call takes.
const LITTLE_CPU_US: f64 = 0.1;
/// Below what the histogram tells apart at the speed of a socket.
const SHORT_US: f64 = 1.0;

/// In the order in which they are told.
pub const COSTS: &[Cost] = &[
    Cost { metric: "latency_us_p99", words: "p99 latency", least: SHORT_US },
    Cost { metric: "server_cpu_us_per_op", words: "server CPU per operation", least: LITTLE_CPU_US },
    Cost { metric: "client_cpu_us_per_op", words: "client CPU per operation", least: LITTLE_CPU_US },
    Cost { metric: "server_switches_per_op", words: "context switches per operation", least: RARE },
    Cost { metric: "page_reads_per_op", words: "page reads per operation", least: RARE },
    Cost { metric: "disk_reads_per_op", words: "reads of the disk per operation", least: RARE },
    Cost { metric: "read_kib_per_op", words: "KiB read per operation", least: LITTLE_KIB },
    Cost { metric: "written_kib_per_op", words: "KiB written per operation", least: LITTLE_KIB },
    Cost { metric: "log_kib_per_op", words: "KiB of log per operation", least: LITTLE_KIB },
    Cost { metric: "fsyncs_per_op", words: "fsyncs per operation", least: RARE },
    Cost { metric: "answer_bytes_per_op", words: "bytes answered per operation", least: 1.0 },
];

/// Metrics of which more is worse.
const MORE_IS_WORSE: &[&str] =
    &["latency_us_", "client_cpu_us_", "server_cpu_us_", "server_switches_per_", "errors_per_"];

/// More of it is worse.
pub fn is_cost(metric: &str) -> bool {
    cost(metric).is_some() || MORE_IS_WORSE.iter().any(|cost| metric.starts_with(cost))
}

pub fn cost(metric: &str) -> Option<&'static Cost> {
    COSTS.iter().find(|cost| cost.metric == metric)
}
