//! The counts of a load in the units of sysbench's reports: seconds, and latencies of events.

use lab::campaign::scripts::Counts;
use lua::report::OfThread;
use lua::share::Share;
use lua::stat::Stat;
use model::units::Nanos;

fn seconds(latency: Option<Nanos>) -> f64 {
    latency.map_or(0.0, |nanos| nanos.seconds())
}

/// `percentile` 0 is none.
pub fn stat(counts: &Counts, percentile: u32) -> Stat {
    let latency = &counts.latency;
    let percent = (percentile > 0).then(|| latency.percentile(f64::from(percentile))).flatten();
    Stat {
        threads_running: counts.threads,
        time_interval: counts.seconds,
        time_total: counts.at,
        latency_pct: seconds(percent),
        latency_min: seconds(latency.buckets().next().map(|(value, _)| value)),
        latency_max: seconds(latency.max()),
        latency_avg: seconds(latency.mean()),
        latency_sum: latency.sum().seconds(),
        events: counts.events,
        reads: counts.reads,
        writes: counts.writes,
        other: counts.other,
        errors: counts.errors,
        reconnects: counts.reconnects,
        queue_length: counts.queue,
        concurrency: counts.concurrency,
    }
}

pub fn of_thread(share: &Share) -> OfThread {
    OfThread {
        events: share.events,
        busy: share.busy.seconds(),
        min: share.shortest.seconds(),
        max: share.longest.seconds(),
    }
}

/// Latencies in milliseconds with how many events had them.
pub fn latencies(counts: &Counts) -> impl Iterator<Item = (f64, u64)> + '_ {
    counts.latency.buckets().map(|(value, count)| (value.seconds() * 1000.0, count))
}
