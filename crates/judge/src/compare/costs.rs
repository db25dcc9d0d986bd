//! Which metrics are costs, of which more is worse. Whoever says better or worse of a metric asks here: two records
//! side by side, and a metric over many of them.

/// Metrics of which more is worse.
const COSTS: &[&str] = &["latency_us_", "client_cpu_us_", "server_cpu_us_", "server_switches_per_", "errors_per_"];

/// More of it is worse.
pub fn is_cost(metric: &str) -> bool {
    COSTS.iter().any(|cost| metric.starts_with(cost))
}
