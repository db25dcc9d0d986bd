//! The block at the end of a run, and at each of its checkpoints.

use crate::Compat;
use crate::stat::Stat;

/// Milliseconds of a second.
const MS: f64 = 1000.0;

/// What one user did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfThread {
    pub events: u64,
    /// Seconds spent in events, and the shortest and longest of them.
    pub busy: f64,
    pub min: f64,
    pub max: f64,
}

/// What a block is made of.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    pub compat: Compat,
    pub stat: &'a Stat,
    /// 0 is none.
    pub percentile: u32,
    /// The script has spoken to a database.
    pub database: bool,
    /// It is the benchmark `cpu`.
    pub cpu: bool,
    pub threads: &'a [OfThread],
    /// Events under way when the run was stopped by force.
    pub unfinished: Option<u64>,
    /// Every user's own statistics too.
    pub debug: bool,
}

/// The line above a block that is not the last.
pub fn checkpoint(seconds: f64) -> String {
    format!("[ {seconds:.0}s ] Checkpoint report:\n")
}

pub fn summary(of: &Summary<'_>) -> String {
    let mut text = String::new();
    if let Some(events) = of.unfinished {
        text += &format!("Number of unfinished transactions on forced shutdown: {events}\n");
    }
    if of.database {
        text += &statements(of.stat);
    }
    if of.cpu {
        let seconds = of.stat.time_interval.max(f64::MIN_POSITIVE);
        text += &format!("CPU speed:\n    events per second: {:8.2}\n", of.stat.events as f64 / seconds);
    }
    text += &time(of.compat, of.stat);
    text += &latency(of.stat, of.percentile);
    text += &fairness(of.threads);
    if of.debug {
        text += &each(of.threads);
    }
    text
}

fn statements(stat: &Stat) -> String {
    let total = stat.reads + stat.writes + stat.other;
    let rate = |name: &str, count: u64| {
        let per_second = if stat.time_interval > 0.0 { count as f64 / stat.time_interval } else { 0.0 };
        format!("    {name:<37}{count:<6} ({per_second:.2} per sec.)\n")
    };
    let count = |name: &str, count: u64| format!("        {name:<33}{count}\n");
    [
        "SQL statistics:\n    queries performed:\n".to_string(),
        count("read:", stat.reads),
        count("write:", stat.writes),
        count("other:", stat.other),
        count("total:", total),
        rate("transactions:", stat.events),
        rate("queries:", total),
        rate("ignored errors:", stat.errors),
        rate("reconnects:", stat.reconnects),
    ]
    .concat()
}

fn time(compat: Compat, stat: &Stat) -> String {
    let Stat { events, time_total, time_interval, .. } = *stat;
    match compat {
        Compat::V10 => format!(
            "\nGeneral statistics:\n    {:<37}{time_total:.4}s\n    {:<37}{events}\n",
            "total time:", "total number of events:"
        ),
        Compat::V11 => {
            let per_second = if time_interval > 0.0 { events as f64 / time_interval } else { 0.0 };
            format!(
                "\nThroughput:\n    {:<37}{per_second:.4}\n    {:<37}{time_total:.4}s\n    {:<37}{events}\n",
                "events/s (eps):", "time elapsed:", "total number of events:"
            )
        }
    }
}

fn latency(stat: &Stat, percentile: u32) -> String {
    let line = |name: &str, seconds: f64| format!("         {name:<36}{:>8.2}\n", seconds * MS);
    let mut text = String::from("\nLatency (ms):\n");
    text += &line("min:", stat.latency_min);
    text += &line("avg:", stat.latency_avg);
    text += &line("max:", stat.latency_max);
    text += &match percentile {
        0 => "         percentile stats:               disabled\n".to_string(),
        _ => format!("        {percentile:>3}{:<34}{:>8.2}\n", "th percentile:", stat.latency_pct * MS),
    };
    text + &line("sum:", stat.latency_sum) + "\n"
}

fn fairness(threads: &[OfThread]) -> String {
    let line = |name: &str, (mean, deviation): (f64, f64)| format!("    {name:<31}{mean:.4}/{deviation:.2}\n");
    let events: Vec<f64> = threads.iter().map(|thread| thread.events as f64).collect();
    let busy: Vec<f64> = threads.iter().map(|thread| thread.busy).collect();
    [
        "Threads fairness:\n".to_string(),
        line("events (avg/stddev):", spread(&events)),
        line("execution time (avg/stddev):", spread(&busy)),
        "\n".to_string(),
    ]
    .concat()
}

/// Mean and deviation of all users; they are all there are, so the deviation is not estimated from a sample.
fn spread(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / count).sqrt())
}

fn each(threads: &[OfThread]) -> String {
    let mut text = String::from("DEBUG: Verbose per-thread statistics:\n\n");
    for (number, OfThread { events, busy, min, max }) in threads.iter().enumerate() {
        let mean = if *events == 0 { 0.0 } else { busy / *events as f64 };
        text += &format!(
            "DEBUG:     thread #{number:>3}: min: {min:.4}s  avg: {mean:.4}s  max: {max:.4}s  events: {events}\n\
             DEBUG:                  total time taken by event execution: {busy:.4}s\n"
        );
    }
    text + "\n"
}
