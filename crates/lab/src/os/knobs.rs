//! How the kernel is set: knobs of memory, CPUs, disks and network, by whole folders where there are some, so that a
//! knob that nobody thought of is read, too. Texts by name, to be compared with what they were and never computed with.
//! What this kernel does not have, or does not show to us, is left out.

use super::limits::{Facts, files, folders, groups_of, joined, one_line};
use super::{clock, probes};
use model::Nanos;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of knobs, each of which is read whole, and what of them is a name or a secret, changes by itself or acts
/// when it is read.
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
    ("/proc/sys/fs", &["aio-nr", "dentry-negative", "dentry-state", "file-nr", "inode-nr", "inode-state"]),
    ("/proc/sys/net/core", &["netdev_rss_key"]),
    ("/proc/sys/net/ipv4", &["tcp_fastopen_key"]),
    ("/proc/sys/net/unix", &[]),
    ("/sys/kernel/mm/transparent_hugepage", &[]),
    ("/sys/kernel/mm/transparent_hugepage/khugepaged", &["full_scans", "pages_collapsed"]),
    ("/sys/devices/system/cpu/cpuidle", &[]),
    ("/sys/module/haltpoll/parameters", &[]),
];

const KNOBS: &[&str] = &[
    "/sys/kernel/mm/ksm/run",
    "/sys/kernel/mm/ksm/pages_to_scan",
    "/sys/kernel/mm/ksm/sleep_millisecs",
    "/sys/kernel/mm/lru_gen/enabled",
    "/sys/kernel/mm/numa/demotion_enabled",
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
    "cpuidle/state1/disable",
    "cpuidle/state2/disable",
    "cpuidle/state3/disable",
    "power/pm_qos_resume_latency_us",
];

/// Trees of folders that are watched while users are at work.
const WATCHED: &[&str] = &[
    "/proc/sys",
    "/sys/kernel/mm",
    "/sys/devices/system/cpu",
    "/sys/devices/system/clocksource",
    "/sys/devices/virtual/bdi",
    "/sys/fs/ext4",
    "/sys/fs/xfs",
    "/sys/kernel/debug/sched",
];
/// Folders that each CPU has and in which nothing is set, and one in which numbers are drawn.
const NO_KNOBS_IN: &[&str] = &["cache", "topology", "random"];
/// Files that are written to as processes come and go, or that hold names.
const NO_KNOBS: &[&str] = &[
    "cgroup.procs",
    "cgroup.threads",
    "cgroup.subtree_control",
    "tasks",
    "notify_on_release",
    "domainname",
    "hostname",
    "ns_last_pid",
    "comm",
];

const OF_DISK: &[&str] = &[
    "scheduler",
    "read_ahead_kb",
    "nr_requests",
    "write_cache",
    "wbt_lat_usec",
    "nomerges",
    "rq_affinity",
    "max_sectors_kb",
];
const OF_INTERFACE: &[&str] =
    &["mtu", "tx_queue_len", "gro_flush_timeout", "napi_defer_hard_irqs", "queues/rx-0/rps_cpus"];

pub fn of_kernel() -> Facts {
    let mut facts = Facts::new();
    let mut put = |path: &Path| facts.extend(value(path));
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

/// Where the kernel, the control groups of server and load and the server's process are set by files: some hundred
/// folders.
pub fn folders_of(server: Option<u32>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = WATCHED.iter().flat_map(|root| tree(Path::new(root))).collect();
    found.extend(folders(Path::new("/sys/module")).iter().map(|module| module.join("parameters")));
    found.extend(folders(Path::new("/sys/block")).iter().filter(|disk| is_real(disk)).map(|disk| disk.join("queue")));
    found.extend(["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].map(PathBuf::from));
    let own = std::process::id();
    let groups: BTreeSet<PathBuf> = server.into_iter().chain([own]).flat_map(groups_of).collect();
    found.extend(groups);
    found.extend(server.map(|pid| PathBuf::from(format!("/proc/{pid}"))));
    found
}

/// A folder with all below it; of settings by interface those of all of them and of the loopback.
fn tree(root: &Path) -> Vec<PathBuf> {
    let is_told = |folder: &PathBuf| {
        let name = |path: Option<&Path>| path.and_then(|p| p.file_name()?.to_str()).unwrap_or_default().to_string();
        let is_by_interface = ["conf", "neigh"].contains(&name(folder.parent()).as_str());
        let own = name(Some(folder.as_path()));
        !NO_KNOBS_IN.contains(&own.as_str()) && (!is_by_interface || ["all", "default", "lo"].contains(&own.as_str()))
    };
    // Links lead to where a folder lies, or back to where it is named.
    let below = folders(root).into_iter().filter(|folder| is_told(folder) && !folder.is_symlink());
    let below = below.flat_map(|folder| tree(&folder));
    [root.to_path_buf()].into_iter().chain(below).collect()
}

/// Whether it is a file that sets nothing which bears on a number.
pub fn is_no_knob(path: &Path) -> bool {
    NO_KNOBS.iter().any(|name| path.file_name().is_some_and(|file| file == *name))
}

/// The name of a knob with what it is set to; nothing where it cannot be read.
pub fn value(path: &Path) -> Option<(String, String)> {
    let text = one_line(path)?;
    Some((named(path), chosen(&text).unwrap_or(text)))
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
pub fn named(path: &Path) -> String {
    let text = path.to_string_lossy();
    match text.strip_prefix("/proc/sys/") {
        Some(name) => name.replace('/', "."),
        None => text.into_owned(),
    }
}

/// What is chosen of several: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_in_which_something_is_set_are_known_once_and_exist() {
        let found = folders_of(Some(std::process::id()));
        for folder in ["/proc/sys/vm", "/proc/sys/net/ipv4/conf/all", "/sys/devices/system/cpu"] {
            assert_eq!(found.iter().filter(|path| **path == Path::new(folder)).count(), 1, "{folder}");
        }
        assert!(found.contains(&PathBuf::from(format!("/proc/{}", std::process::id()))));
        assert!(!found.contains(&PathBuf::from("/proc/sys/kernel/random")), "numbers are drawn there");
    }

    #[test]
    fn this_kernel_says_what_it_is_set_to() {
        let kernel = of_kernel();
        for knob in ["vm.swappiness", "net.core.somaxconn", "fs.file-max", "wall clock at the boot"] {
            assert!(kernel.contains_key(knob), "{knob}");
        }
        assert!(!kernel.contains_key("net.ipv4.tcp_fastopen_key"), "a secret");
        assert_eq!(kernel, of_kernel(), "nothing that changes by itself");
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
    }
}
