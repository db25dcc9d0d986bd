//! What a process may use: control groups, limits of resources, priority, CPUs. Read as texts by name, to be compared
//! with what they were and never computed with. What this kernel does not have, or does not show to us, is left out.

use super::cgroups::Hierarchies;
use super::{file_attributes, io_priority, probes};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

pub type Facts = BTreeMap<String, String>;

/// Limits and weights of a control group, of both versions.
const OF_GROUP: &[&str] = &[
    "cgroup.freeze",
    "cpu.max",
    "cpu.max.burst",
    "cpu.weight",
    "cpu.weight.nice",
    "cpu.idle",
    "cpu.uclamp.min",
    "cpu.uclamp.max",
    "cpuset.cpus",
    "cpuset.mems",
    "io.max",
    "io.weight",
    "io.latency",
    "memory.low",
    "memory.min",
    "memory.high",
    "memory.max",
    "memory.swap.max",
    "memory.zswap.max",
    "pids.max",
    // Version 1.
    "cpu.cfs_quota_us",
    "cpu.cfs_period_us",
    "cpu.shares",
    "blkio.weight",
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
    "freezer.state",
    "memory.limit_in_bytes",
    "memory.memsw.limit_in_bytes",
    "memory.soft_limit_in_bytes",
    "memory.swappiness",
];

/// Threads of which each is looked at while users are at work, which takes about 30 µs of the sampler's time.
const FEW_THREADS: usize = 64;

/// Limits of a process and of all its threads; nothing where there is no such process.
pub fn of_process(pid: u32) -> Facts {
    let mut facts = of_main(pid);
    facts.extend(of_threads(pid, &threads(pid)));
    facts.extend(program(pid));
    facts.extend(probes::in_program(pid).map(|met| ("probes in its code".to_string(), met.to_string())));
    facts.extend(file_attributes::of_process(pid));
    facts.retain(|_, value| !value.is_empty());
    facts
}

/// What of that can be read once a second: of each thread only where they are few.
pub fn of_running(pid: u32) -> Facts {
    let mut facts = of_main(pid);
    let threads = threads(pid);
    if threads.len() <= FEW_THREADS {
        facts.extend(of_threads(pid, &threads));
    }
    facts
}

fn threads(pid: u32) -> Vec<u32> {
    let number = |task: &PathBuf| task.file_name()?.to_str()?.parse().ok();
    folders(&PathBuf::from(format!("/proc/{pid}/task"))).iter().filter_map(number).collect()
}

/// Priority and CPUs of these threads, each with all that occur.
pub fn of_threads(pid: u32, threads: &[u32]) -> Facts {
    let mut facts = Facts::new();
    let (mut nice, mut cpus, mut policies) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut turns = BTreeSet::new();
    for thread in threads {
        let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/task/{thread}/{name}")).unwrap_or_default();
        if let Some(priority) = priority(&read("stat")) {
            nice.insert(priority.nice);
            policies.insert(priority.policy);
        }
        cpus.extend(of_status(&read("status"), "Cpus_allowed_list"));
        turns.extend(io_priority::of_thread(*thread));
    }
    facts.insert("nice".into(), joined(nice));
    facts.insert("scheduling policy".into(), joined(policies));
    facts.insert("CPUs allowed".into(), joined(cpus));
    facts.insert("priority at the disk".into(), joined(turns));
    facts.retain(|_, value| !value.is_empty());
    facts
}

/// Who looks into a process, by which it stops at each system call.
fn tracer(status: &str) -> Option<String> {
    Some(match of_status(status, "TracerPid")?.as_str() {
        "0" => "nobody".to_string(),
        pid => fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_string(),
    })
}

/// Whether what a process runs is what lies on the disk.
fn program(pid: u32) -> Option<(String, String)> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let told = match path.to_string_lossy().ends_with(" (deleted)") {
        true => "replaced or deleted",
        false => "as it was started",
    };
    Some(("program on disk".into(), told.into()))
}

/// Limits of a process as a whole, whatever its threads were given.
pub fn of_main(pid: u32) -> Facts {
    let file = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let mut facts = limits(&file("limits"));
    if let Some(priority) = priority(&file("stat")) {
        facts.insert("nice of the main thread".into(), priority.nice.to_string());
        facts.insert("scheduling policy of the main thread".into(), priority.policy.to_string());
    }
    let status = file("status");
    facts.insert("CPUs allowed to the main thread".into(), of_status(&status, "Cpus_allowed_list").unwrap_or_default());
    facts.insert("traced by".into(), tracer(&status).unwrap_or_default());
    for name in ["oom_score_adj", "timerslack_ns"] {
        facts.insert(name.into(), file(name).trim().to_string());
    }
    facts.insert("NUMA nodes allowed".into(), of_status(&status, "Mems_allowed_list").unwrap_or_default());
    facts.insert("memory policy".into(), memory_policy(pid).unwrap_or_default());
    facts.extend(groups(pid));
    facts.retain(|_, value| !value.is_empty());
    facts
}

/// By which policy a process's memory is placed, as `bind:0` or `default`, of the first line of `/proc/PID/numa_maps`:
/// where a mapping has none of its own the kernel shows that of the main thread. It is asked for no more than that,
/// because for each mapping it walks the pages.
fn memory_policy(pid: u32) -> Option<String> {
    /// An address and a policy; the kernel goes on to the next mapping where there is room.
    const LINE: usize = 64;
    let mut line = [0; LINE];
    let read = fs::File::open(format!("/proc/{pid}/numa_maps")).ok()?.read(&mut line).ok()?;
    policy(&String::from_utf8_lossy(&line[..read]))
}

fn policy(numa_maps: &str) -> Option<String> {
    numa_maps.split_ascii_whitespace().nth(1).map(String::from)
}

/// When a process was started, in ticks since the boot: another is another process.
pub fn started(pid: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(format!("{} ticks after the boot", after_name(&text)?.get(19)?))
}

/// Soft and hard limits of `/proc/PID/limits`.
fn limits(text: &str) -> Facts {
    let row = |line: &str| {
        // Names have spaces; columns are apart by two of them at least.
        let mut cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        Some((cells.next()?.to_string(), format!("{} of {}", cells.next()?, cells.next()?)))
    };
    text.lines().skip(1).filter_map(row).collect()
}

struct Priority {
    nice: i64,
    policy: i64,
}

/// The fields of `stat` from the third on.
fn after_name(text: &str) -> Option<Vec<&str>> {
    Some(text.rsplit_once(')')?.1.split_ascii_whitespace().collect())
}

fn priority(stat: &str) -> Option<Priority> {
    let fields = after_name(stat)?;
    let field = |number: usize| fields.get(number - 3)?.parse().ok();
    Some(Priority { nice: field(19)?, policy: field(41)? })
}

fn of_status(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_string()))
}

/// Limits of all control groups that hold a process, from its own up to the root's.
/// The folders of its control groups, without the roots of their trees, which are no group of its.
pub(super) fn groups_of(pid: u32) -> Vec<PathBuf> {
    let hierarchies = Hierarchies::of_this_host();
    let controllers: BTreeSet<&str> = OF_GROUP.iter().map(|name| name.split('.').next().unwrap_or(name)).collect();
    let above = controllers.iter().flat_map(|controller| hierarchies.folders(pid, controller));
    above.filter(|folder| folder.join("cgroup.procs").exists() && !hierarchies.is_root(folder)).collect()
}

fn groups(pid: u32) -> Facts {
    let hierarchies = Hierarchies::of_this_host();
    let mut folders = BTreeMap::new();
    let mut facts = Facts::new();
    for name in OF_GROUP {
        let controller = name.split('.').next().unwrap_or(name);
        let held_by = folders.entry(controller).or_insert_with(|| hierarchies.folders(pid, controller));
        let values: Vec<String> = held_by.iter().filter_map(|group| one_line(&group.join(name))).collect();
        if !values.is_empty() {
            facts.insert(format!("cgroup {name}"), values.join(", within "));
        }
    }
    facts
}

pub(super) fn one_line(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let lines: Vec<String> =
        text.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>().join(" ")).collect();
    Some(lines.join("; ")).filter(|line| !line.is_empty())
}

pub(super) fn joined<T: ToString>(values: BTreeSet<T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

pub(super) fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_process_are_read_by_name() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
             Max cpu time              unlimited            unlimited            seconds   \n\
             Max open files            1024                 1048576              files     \n";
        let read = limits(text);
        assert_eq!(read["Max open files"], "1024 of 1048576");
        assert_eq!(read["Max cpu time"], "unlimited of unlimited");
    }

    #[test]
    fn the_policy_of_memory_is_read_of_the_first_mapping() {
        let text = "55812d2c0000 bind:0 file=/usr/sbin/mariadbd mapped=2 N0=2 kernelp";
        assert_eq!(policy(text).as_deref(), Some("bind:0"));
        assert_eq!(policy("").as_deref(), None);
    }

    #[test]
    fn this_process_says_what_it_is_set_to() {
        let own = of_process(std::process::id());
        for fact in [
            "Max open files",
            "nice",
            "CPUs allowed",
            "priority at the disk",
            "oom_score_adj",
            "traced by",
            "program on disk",
            "probes in its code",
        ] {
            assert!(own.contains_key(fact), "{fact}: {own:?}");
        }
        assert!(of_process(0).is_empty());
    }
}
