//! Who else used the CPUs and the disks: what every process had used of them at two moments, and what it grew by
//! meanwhile, by name. A look costs some milliseconds, so it is taken before a run and after it and never within. A
//! process that came and went between the two looks is told by the name of who waited for it, which the kernel charges
//! with it (a shell that starts one `dd` after the other).

use super::procfs::{stat, ticks_to_nanos};
use model::record::around::Neighbour;
use model::{Bytes, Nanos};
use std::collections::{BTreeMap, HashMap};
use std::fs;

/// The busiest are enough to know whom to stop, and those that moved most.
const TOLD: usize = 5;
/// Fewer bytes move by themselves.
const LEAST_MOVED: u64 = 1 << 20;
/// Two ticks of the kernel's clock: less may be one.
const LEAST: Nanos = Nanos::from_millis(20);
/// How the kernel's own workers are called.
const WORKER: &str = "kworker";

/// By number, which alone tells which process it is: workers of the kernel change their names as they go.
pub struct Look(HashMap<u32, Seen>);

struct Seen {
    name: String,
    parent: u32,
    used: Used,
}

/// Nanoseconds of CPU, and bytes from and to devices, of a process and of its children that ended.
#[derive(Clone, Copy, Default)]
struct Used {
    cpu: u64,
    moved: u64,
}

pub fn look() -> Look {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = folders.filter_map(|f| f.file_name().to_str()?.parse::<u32>().ok());
    Look(pids.filter_map(read).collect())
}

fn read(pid: u32) -> Option<(u32, Seen)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let stat = stat(&text)?;
    let name = text.split_once('(')?.1.rsplit_once(')')?.0;
    // `kworker/u8:4+events`: all of one kind.
    let name = if name.starts_with(WORKER) { WORKER } else { name };
    let cpu = ticks_to_nanos(stat.user + stat.system + stat.of_children);
    // Another user's is not shown to us.
    let moved = fs::read_to_string(format!("/proc/{pid}/io")).map_or(0, |text| moved(&text));
    Some((pid, Seen { name: name.to_string(), parent: stat.parent, used: Used { cpu, moved } }))
}

fn moved(io: &str) -> u64 {
    let of = |name: &str| io.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok()).unwrap_or(0);
    of("read_bytes:") + of("write_bytes:")
}

impl Look {
    /// What grew since `before`, but for those processes and this one.
    pub fn since(self, before: &Self, own: &[u32]) -> Vec<Neighbour> {
        let had = self.had(before);
        let mut by_name: BTreeMap<String, Used> = BTreeMap::new();
        for (pid, seen) in self.0.into_iter().filter(|(pid, _)| *pid != std::process::id() && !own.contains(pid)) {
            let had = had.get(&pid).copied().unwrap_or_default();
            let sum = by_name.entry(seen.name).or_default();
            sum.cpu += seen.used.cpu.saturating_sub(had.cpu);
            sum.moved += seen.used.moved.saturating_sub(had.moved);
        }
        let one = |(name, used): (String, Used)| Neighbour { name, cpu: Nanos(used.cpu), moved: Bytes(used.moved) };
        let mut all: Vec<_> = by_name.into_iter().map(one).collect();
        all.retain(|n| n.cpu >= LEAST || n.moved.0 >= LEAST_MOVED);
        all.sort_by(|a, b| b.cpu.cmp(&a.cpu).then_with(|| a.name.cmp(&b.name)));
        let mut movers: Vec<_> = all.iter().skip(TOLD).filter(|n| n.moved.0 >= LEAST_MOVED).cloned().collect();
        movers.sort_by_key(|n| std::cmp::Reverse(n.moved));
        movers.truncate(TOLD);
        all.truncate(TOLD);
        all.extend(movers);
        all
    }

    /// What each process had used before. What is gone was charged whole to who waited for it, so that what it had then
    /// counts there: with the first above it that is still alive.
    fn had(&self, before: &Self) -> HashMap<u32, Used> {
        let mut had: HashMap<u32, Used> = HashMap::new();
        for (pid, seen) in &before.0 {
            let mut alive = *pid;
            // No further than there are processes: the look is not of one moment, and numbers are used again.
            for _ in 0..before.0.len() {
                let Some(gone) = before.0.get(&alive).filter(|_| !self.0.contains_key(&alive)) else { break };
                alive = gone.parent;
            }
            let sum = had.entry(alive).or_default();
            sum.cpu += seen.used.cpu;
            sum.moved += seen.used.moved;
        }
        had
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_told_by_what_they_used_the_busiest_first_and_never_ourselves() {
        let look = |rows: &[(u32, &str, u64)]| {
            let seen = |name: &str, ms: u64| Seen {
                name: name.into(),
                parent: 1,
                used: Used { cpu: ms * 1_000_000, moved: 0 },
            };
            Look(rows.iter().map(|(pid, name, ms)| (*pid, seen(name, *ms))).collect())
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

    #[test]
    fn children_that_ended_and_bytes_are_charged_to_who_waited_for_them() {
        let text = "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 50 60 700 800 20 0 1 0 99";
        assert_eq!(stat(text).map(|stat| stat.of_children), Some(1500));
        assert_eq!(moved("rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n"), 12_288);
        let look = |moved: &[u64]| {
            let row = |(pid, moved): (usize, &u64)| {
                let used = Used { cpu: 1_000_000_000, moved: *moved };
                (pid as u32, Seen { name: format!("p{pid}"), parent: 0, used })
            };
            Look(moved.iter().enumerate().map(row).collect())
        };
        let told = look(&[0, 0, 0, 0, 0, 0, 0, 5 << 20, 90 << 20]).since(&look(&[0; 9]), &[]);
        let told: Vec<_> = told.iter().map(|n| (n.name.as_str(), n.moved.0 >> 20)).collect();
        assert_eq!(told, [("p7", 5), ("p8", 90)], "none of them used a CPU meanwhile");
    }

    #[test]
    fn what_a_child_had_used_before_is_not_charged_again_when_it_ends() {
        let seen = |parent, cpu| Seen { name: format!("child of {parent}"), parent, used: Used { cpu, moved: 0 } };
        let ms = 1_000_000;
        // The third is the second's child, and the second the first's; both end, and the first is charged with all.
        let before = Look([(1, seen(0, 10 * ms)), (2, seen(1, 500 * ms)), (3, seen(2, 700 * ms))].into());
        let after = Look([(1, seen(0, (10 + 500 + 700 + 90) * ms))].into());
        let told = after.since(&before, &[]);
        assert_eq!(told.iter().map(|n| n.cpu).collect::<Vec<_>>(), [Nanos(90 * ms)]);
    }
}
