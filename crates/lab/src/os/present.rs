//! What goes on on this machine at the moment: the CPU that others use, the CPU that a hypervisor withholds, the swap
//! in use. The survey says what a machine is; this says what it is doing, so it takes a moment to watch. Only `assay
//! doctor` asks: during a run the samplers see the same in the record.

use super::procfs::{cpu, field, stat, ticks_to_nanos};
use model::units::{Bytes, Share};
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

/// What was seen; what could not be read is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Present {
    /// The share of all CPU time that the hypervisor gave to somebody else.
    pub stolen: Option<Share>,
    /// CPUs kept busy by everything but this process.
    pub others: Option<f64>,
    /// The process that used most CPU, and how many CPUs that was.
    pub busiest: Option<(String, f64)>,
    pub swap_used: Option<Bytes>,
}

/// Watches for that long, sleeping.
pub fn watch(length: Duration) -> Present {
    let (before, processes, begun) = (machine(), processes(), Instant::now());
    std::thread::sleep(length);
    let (after, seconds) = (machine(), begun.elapsed().as_secs_f64());
    let cpus = |ticks: u64| ticks_to_nanos(ticks) as f64 / 1e9 / seconds;
    let ticks = before.zip(after).map(|(b, a)| std::array::from_fn::<u64, 6, _>(|i| a[i].saturating_sub(b[i])));
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let swap = field(&meminfo, "SwapTotal").zip(field(&meminfo, "SwapFree"));
    Present {
        // Idle and waiting for a disk are no work, and stolen time is nobody's here.
        stolen: ticks.and_then(|t| {
            let all: u64 = t.iter().sum();
            (all > 0).then(|| Share(t[5] as f64 / all as f64))
        }),
        others: ticks.map(|[user, system, _, _, irq, _]| cpus(user + system + irq)),
        busiest: busiest(&processes, &self::processes()).map(|(name, ticks)| (name, cpus(ticks))),
        swap_used: swap.map(|(total, free)| Bytes(total.saturating_sub(free) * Bytes::KIB)),
    }
}

fn machine() -> Option<[u64; 6]> {
    cpu(&fs::read_to_string("/proc/stat").ok()?)
}

/// Name and ticks of each process but this one.
fn processes() -> HashMap<u32, (String, u64)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse().ok()).filter(|pid| *pid != std::process::id());
    pids.filter_map(|pid: u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let ticks = stat(&text)?;
        let name = text.split_once('(')?.1.rsplit_once(')')?.0.to_string();
        Some((pid, (name, ticks.user + ticks.system)))
    })
    .collect()
}

fn busiest(before: &HashMap<u32, (String, u64)>, after: &HashMap<u32, (String, u64)>) -> Option<(String, u64)> {
    let grown = |(pid, (name, ticks)): (&u32, &(String, u64))| {
        Some((name.clone(), ticks.saturating_sub(before.get(pid).map_or(0, |(_, t)| *t))))
    };
    after.iter().filter_map(grown).filter(|(_, ticks)| *ticks > 0).max_by_key(|(_, ticks)| *ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_that_grew_most_is_named() {
        let of = |list: &[(u32, &str, u64)]| list.iter().map(|(p, n, t)| (*p, (n.to_string(), *t))).collect();
        let before = of(&[(1, "init", 500), (7, "cc1", 10)]);
        assert_eq!(busiest(&before, &of(&[(1, "init", 501), (7, "cc1", 60), (9, "ld", 20)])), Some(("cc1".into(), 50)));
        assert_eq!(busiest(&before, &before), None);
    }

    #[test]
    fn a_busy_process_beside_us_is_seen() {
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let seen = watch(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(seen.others.unwrap() > 0.0 && seen.busiest.unwrap().1 > 0.0);
    }
}
