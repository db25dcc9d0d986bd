//! Who else used the CPUs: CPU time of every process at two moments, and what it grew by meanwhile, by name. A look
//! costs a few milliseconds, so it is taken before a run and after it and never within. A process that came and went
//! between the two looks is not seen; the machine's counters have its time all the same.

use super::procfs::{stat, ticks_to_nanos};
use model::Nanos;
use model::record::around::Neighbour;
use std::collections::{BTreeMap, HashMap};
use std::fs;

/// The busiest are enough to know whom to stop.
const TOLD: usize = 5;
/// Two ticks of the kernel's clock: less may be one.
const LEAST: Nanos = Nanos::from_millis(20);
/// How the kernel's own workers are called.
const WORKER: &str = "kworker";

/// Name and CPU time by process. Its number alone tells which it is: workers of the kernel change their names as they
/// go.
pub struct Look(HashMap<u32, (String, u64)>);

pub fn look() -> Look {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = folders.filter_map(|f| f.file_name().to_str()?.parse::<u32>().ok());
    Look(pids.filter_map(read).collect())
}

fn read(pid: u32) -> Option<(u32, (String, u64))> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let stat = stat(&text)?;
    let name = text.split_once('(')?.1.rsplit_once(')')?.0;
    // `kworker/u8:4+events`: all of one kind.
    let name = if name.starts_with(WORKER) { WORKER } else { name };
    Some((pid, (name.to_string(), ticks_to_nanos(stat.user + stat.system))))
}

impl Look {
    /// What grew since `before`, but for those processes and this one.
    pub fn since(self, before: &Self, own: &[u32]) -> Vec<Neighbour> {
        let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
        for (pid, (name, cpu)) in self.0.into_iter().filter(|(pid, _)| *pid != std::process::id() && !own.contains(pid))
        {
            let grown = cpu.saturating_sub(before.0.get(&pid).map_or(0, |(_, cpu)| *cpu));
            *by_name.entry(name).or_default() += grown;
        }
        let mut all: Vec<_> = by_name.into_iter().map(|(name, cpu)| Neighbour { name, cpu: Nanos(cpu) }).collect();
        all.retain(|n| n.cpu >= LEAST);
        all.sort_by(|a, b| b.cpu.cmp(&a.cpu).then_with(|| a.name.cmp(&b.name)));
        all.truncate(TOLD);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_told_by_what_they_used_the_busiest_first_and_never_ourselves() {
        let look = |rows: &[(u32, &str, u64)]| {
            Look(rows.iter().map(|(pid, name, ms)| (*pid, ((*name).to_string(), ms * 1_000_000))).collect())
        };
        let before = look(&[(1, "make", 500), (2, "server", 0), (4, "idle", 10), (6, "kworker", 300_000)]);
        let after = look(&[
            (1, "make", 900),
            (2, "server", 9_000),
            (3, "cc", 800),
            (4, "idle", 20),
            (5, "cc", 700),
            (6, "kworker", 300_010),
        ]);
        let told = after.since(&before, &[2]);
        let told: Vec<_> = told.iter().map(|n| format!("{} {}", n.name, n.cpu)).collect();
        assert_eq!(told, ["cc 1.5 s", "make 400 ms"]);
        assert!(look(&[(std::process::id(), "assay", 900)]).since(&before, &[]).is_empty());
    }
}
