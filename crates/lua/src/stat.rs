//! What report hooks see: the numbers of an interval, or of a whole run, in the units of sysbench (seconds).

/// One report's numbers. Latencies of the cumulative report are zero in an intermediate one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stat {
    pub threads_running: u32,
    pub time_interval: f64,
    pub time_total: f64,
    pub latency_pct: f64,
    pub latency_min: f64,
    pub latency_max: f64,
    pub latency_avg: f64,
    pub latency_sum: f64,
    pub events: u64,
    pub reads: u64,
    pub writes: u64,
    pub other: u64,
    pub errors: u64,
    pub reconnects: u64,
    pub queue_length: u64,
    pub concurrency: u64,
}
