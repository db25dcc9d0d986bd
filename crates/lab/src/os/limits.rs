//! What a process may use, and how the kernel is set: control groups, limits of resources, priority, CPUs, knobs of
//! memory, CPUs, disks and network. Read as texts by name, to be compared with what they were and never computed with.
//! What this kernel does not have, or does not show to us, is left out.

use super::cgroups::Hierarchies;
use super::{clock, file_attributes, io_priority, probes};
use model::Nanos;
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

/// Folders of knobs, each of which is read whole, and what of them is a name, changes by itself or acts when it is
/// read.
const FOLDERS: &[(&str, &[&str])] = &[
    ("/proc/sys/vm", &["stat_refresh", "compact_memory", "numa_stat"]),
    (
        "/proc/sys/kernel",
        &[
            "domainname",
            "hostname",
            "hung_task_detect_count",
            "msg_next_id",
            "ns_last_pid",
            "perf_event_max_sample_rate",
            "sem_next_id",
            "shm_next_id",
            "tainted",
        ],
    ),
    ("/sys/kernel/mm/transparent_hugepage", &[]),
    ("/sys/kernel/mm/transparent_hugepage/khugepaged", &["full_scans", "pages_collapsed"]),
    ("/sys/devices/system/cpu/cpuidle", &[]),
    ("/sys/module/haltpoll/parameters", &[]),
];

const KNOBS: &[&str] = &[
    "/proc/sys/fs/file-max",
    "/proc/sys/fs/aio-max-nr",
    "/proc/sys/net/core/somaxconn",
    "/proc/sys/net/core/busy_poll",
    "/proc/sys/net/core/busy_read",
    "/proc/sys/net/core/default_qdisc",
    "/proc/sys/net/core/rmem_default",
    "/proc/sys/net/core/wmem_default",
    "/proc/sys/net/ipv4/tcp_congestion_control",
    "/proc/sys/net/ipv4/tcp_rmem",
    "/proc/sys/net/ipv4/tcp_wmem",
    "/proc/sys/net/ipv4/tcp_sack",
    "/proc/sys/net/ipv4/tcp_timestamps",
    "/sys/kernel/mm/ksm/run",
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/smt/control",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/intel_pstate/max_perf_pct",
    "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
];

/// What each CPU has, told as the set of all that occur.
const OF_CPU: &[&str] = &[
    "cpufreq/scaling_governor",
    "cpufreq/scaling_max_freq",
    "cpufreq/scaling_min_freq",
    "cpufreq/energy_performance_preference",
];

const OF_DISK: &[&str] =
    &["scheduler", "read_ahead_kb", "nr_requests", "write_cache", "wbt_lat_usec", "nomerges", "rq_affinity"];
const OF_INTERFACE: &[&str] = &["mtu", "tx_queue_len"];

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

pub fn of_kernel() -> Facts {
    let mut facts = Facts::new();
    let mut put = |path: &Path| {
        if let Some(text) = one_line(path) {
            facts.insert(named(path), chosen(&text).unwrap_or(text));
        }
    };
    for (folder, except) in FOLDERS {
        let is_told = |path: &PathBuf| path.file_name().is_some_and(|name| !except.iter().any(|e| name == *e));
        files(Path::new(folder)).iter().filter(|path| is_told(path)).for_each(|path| put(path));
    }
    KNOBS.iter().for_each(|path| put(Path::new(path)));
    for (parent, inner, names) in [("/sys/block", "queue/", OF_DISK), ("/sys/class/net", "", OF_INTERFACE)] {
        for folder in folders(Path::new(parent)).iter().filter(|folder| is_real(folder)) {
            names.iter().for_each(|name| put(&folder.join(format!("{inner}{name}"))));
        }
    }
    let is_cpu = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()?.strip_prefix("cpu")).is_some_and(|n| n.parse::<u32>().is_ok())
    };
    let cpus: Vec<PathBuf> = folders(Path::new("/sys/devices/system/cpu")).into_iter().filter(is_cpu).collect();
    for name in OF_CPU {
        let values: BTreeSet<String> = cpus.iter().filter_map(|cpu| one_line(&cpu.join(name))).collect();
        facts.insert((*name).to_string(), joined(values));
    }
    if let Ok(swaps) = fs::read_to_string("/proc/swaps") {
        let areas = swaps.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().next());
        facts.insert("swap areas".into(), joined(areas.map(String::from).collect::<BTreeSet<_>>()));
    }
    facts.retain(|_, value| !value.is_empty());
    facts.extend(of_clock());
    facts.extend(probes::in_kernel());
    // How soon after an interrupt a CPU is to be at work, in µs, as whoever holds it open has asked for.
    let promised: Option<[u8; 4]> = fs::read("/dev/cpu_dma_latency").ok().and_then(|bytes| bytes.try_into().ok());
    facts.extend(promised.map(|bytes| ("/dev/cpu_dma_latency".into(), i32::from_ne_bytes(bytes).to_string())));
    facts
}

/// What of the kernel can be read once a second. Slewing moves both clocks; only setting one, or sleep, moves them
/// against each other.
pub fn of_clock() -> Facts {
    let at_boot = clock::unix_at_boot().0 / Nanos::from_secs(1).0;
    [("wall clock at the boot".to_string(), format!("{at_boot} s since 1970"))].into()
}

/// Loop devices and what comes and goes with containers say nothing of the machine.
fn is_real(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.join("device").exists() || name == "lo" || ["dm-", "md"].iter().any(|start| name.starts_with(start))
}

/// As sysctl(8) and the kernel's own documents call it.
fn named(path: &Path) -> String {
    let text = path.to_string_lossy();
    match text.strip_prefix("/proc/sys/") {
        Some(name) => name.replace('/', "."),
        None => text.into_owned(),
    }
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

/// What is chosen of several: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_string())
}

fn one_line(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let lines: Vec<String> =
        text.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>().join(" ")).collect();
    Some(lines.join("; ")).filter(|line| !line.is_empty())
}

fn joined<T: ToString>(values: BTreeSet<T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
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
    fn this_process_and_this_kernel_say_what_they_are_set_to() {
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
        assert!(of_kernel().contains_key("vm.swappiness"));
        assert_eq!(of_kernel(), of_kernel(), "nothing that changes by itself");
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert!(of_process(0).is_empty());
    }
}
