//! The machine as it is found before a plan is made: what can be read without privileges, each fact from one place in
//! the kernel's own words. What cannot be read is absent. The survey changes one thing: it raises this process's limit
//! of open files to the most allowed, because a thousand users are two thousand files.

use super::catalogue;
use super::process::folders::free_bytes;
use crate::os::cgroups::Hierarchies;
use crate::os::clock;
use crate::os::mounts;
use crate::os::placement::{Placement, place};
use crate::os::process::{memory_nodes, parse_cpu_list, raise_open_files};
use model::host::Host;
use model::plan::Server;
use model::units::{Bytes, Nanos};
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Surveys this machine; `folder` is where records and data directories go (it or its nearest existing parent).
pub fn survey(folder: &Path) -> Host {
    let (clock_step, clock_cost) = clock_readings().unzip();
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let cpus = read("/sys/devices/system/cpu/online").and_then(|t| parse_cpu_list(&t)).unwrap_or_default();
    let folder = folder.ancestors().find(|a| a.exists()).unwrap_or(Path::new("/"));
    Host {
        sockets: sockets(&cpus),
        nodes: memory_nodes(),
        cpus,
        cpu_model: colon(&cpuinfo, "model name").unwrap_or_default(),
        memory: Bytes(colon(&read("/proc/meminfo").unwrap_or_default(), "MemTotal").and_then(kibibytes).unwrap_or(0)),
        disk_free: free_bytes(folder).unwrap_or_default(),
        kernel: read("/proc/sys/kernel/osrelease").unwrap_or_default(),
        distribution: read("/etc/os-release").and_then(|t| distribution(&t)).unwrap_or_default(),
        virtualization: virtualization(&cpuinfo),
        clock_source: read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        clock_step,
        clock_cost,
        open_files: raise_open_files(),
        // Containers and hardened kernels refuse it at run time, whatever the version.
        io_uring: io_uring::IoUring::new(2).is_ok(),
        threads: threads(),
        facts: facts(folder),
        builds: catalogue::installed().into_iter().map(|b| b.installed).collect(),
        assay: assay(),
    }
}

/// What tells this machine and this build from others, in words: measurements of the load itself hold for no other.
pub fn machine() -> String {
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let cpus = read("/sys/devices/system/cpu/online").and_then(|t| parse_cpu_list(&t)).unwrap_or_default().len();
    let [model, kernel] =
        [colon(&cpuinfo, "model name"), read("/proc/sys/kernel/osrelease")].map(Option::unwrap_or_default);
    format!("{cpus} × {model}, {kernel}, assay {}", assay())
}

/// Where a load beside a server of this machine runs when nobody says otherwise.
pub fn placement() -> Placement {
    let cpus = read("/sys/devices/system/cpu/online").and_then(|t| parse_cpu_list(&t)).unwrap_or_default();
    place(&Server::default(), &Host { cpus, ..Host::default() })
}

fn assay() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), if cfg!(debug_assertions) { "debug" } else { "release" })
}

/// A file's text without its last newline; `None` when it is not there or empty.
fn read(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim_end().to_string()).filter(|t| !t.is_empty())
}

/// The first value of a `name : value` text.
fn colon(text: &str, name: &str) -> Option<String> {
    text.lines().filter_map(|l| l.split_once(':')).find(|(n, _)| n.trim() == name).map(|(_, v)| v.trim().to_string())
}

fn kibibytes(text: String) -> Option<u64> {
    Some(text.strip_suffix(" kB")?.parse::<u64>().ok()? * Bytes::KIB)
}

fn distribution(os_release: &str) -> Option<String> {
    let line = os_release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_string())
}

fn sockets(cpus: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let mut sockets = BTreeMap::<u32, Vec<u32>>::new();
    for cpu in cpus {
        let package = read(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"));
        // Virtual machines may not say, or say -1: one socket then.
        sockets.entry(package.and_then(|p| p.parse().ok()).unwrap_or(0)).or_default().push(*cpu);
    }
    sockets
}

/// The product behind a CPU that says it is virtual; a container is a fact, not a machine.
fn virtualization(cpuinfo: &str) -> Option<String> {
    let flags = colon(cpuinfo, "flags")?;
    flags.split(' ').any(|f| f == "hypervisor").then(|| {
        let dmi = ["sys_vendor", "product_name"].map(|n| read(&format!("/sys/class/dmi/id/{n}")));
        let product = dmi.into_iter().flatten().collect::<Vec<_>>().join(" ");
        if product.is_empty() { "a hypervisor that gives no name".to_string() } else { product }
    })
}

/// The least step of the clock and the median cost of a reading, from readings back to back.
fn clock_readings() -> Option<(Nanos, Nanos)> {
    /// A few milliseconds in all; single readings cost less than the clock may resolve, a hundred do not.
    const ROUNDS: usize = 1_000;
    const READINGS: usize = 100;
    let mut costs = Vec::with_capacity(ROUNDS);
    let mut step = None;
    for _ in 0..ROUNDS {
        let begin = clock::now();
        let mut last = begin;
        for _ in 0..READINGS {
            let now = clock::now();
            let moved = Some(now.0 - last.0).filter(|moved| *moved > 0);
            step = step.into_iter().chain(moved).min();
            last = now;
        }
        costs.push((last.0 - begin.0) / READINGS as u64);
    }
    costs.sort_unstable();
    Some((Nanos(step?), Nanos(costs[ROUNDS / 2])))
}

/// The least of what the kernel, the control groups and the user's own limit leave; root has no limit of its own.
fn threads() -> u64 {
    let number = |path: &str| read(path).and_then(|text| text.parse::<u64>().ok());
    let kernel = number("/proc/sys/kernel/threads-max");
    let own = if rustix::process::getuid().is_root() { None } else { getrlimit(Resource::Nproc).current };
    let left = |group: PathBuf| {
        let file = |name: &str| number(&group.join(name).to_string_lossy());
        Some(file("pids.max")?.saturating_sub(file("pids.current")?))
    };
    let groups = Hierarchies::of_this_host().folders(std::process::id(), "pids").into_iter().filter_map(left);
    kernel.into_iter().chain(own).chain(groups).min().unwrap_or(0)
}

fn facts(folder: &Path) -> BTreeMap<String, String> {
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    // Hypervisors hide the model's name; its numbers tell generations apart.
    let numbers = ["cpu family", "model", "stepping"].map(|name| Some(format!("{name} {}", colon(&cpuinfo, name)?)));
    let known = [
        ("cpu", numbers.into_iter().collect::<Option<Vec<_>>>().map(|numbers| numbers.join(", "))),
        ("governor", read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        ("transparent_huge_pages", read("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|t| chosen(&t))),
        ("swappiness", read("/proc/sys/vm/swappiness")),
        ("file_system", read("/proc/self/mountinfo").and_then(|t| file_system(&t, folder))),
        ("mitigations", mitigations()),
        (
            "container",
            ["/.dockerenv", "/run/.containerenv"].iter().any(|p| Path::new(p).exists()).then(|| "yes".to_string()),
        ),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
}

/// `always [madvise] never` says `madvise`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_string())
}

/// Type and device of the mount that holds `folder`.
fn file_system(mountinfo: &str, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    mounts::holding(mountinfo, &folder).map(|mount| format!("{} on {}", mount.kind, mount.device))
}

/// Names of the weaknesses against which this kernel spends time.
fn mitigations() -> Option<String> {
    let entries = fs::read_dir("/sys/devices/system/cpu/vulnerabilities").ok()?.flatten();
    let costs = entries.filter(|e| fs::read_to_string(e.path()).is_ok_and(|t| t.starts_with("Mitigation")));
    let mut names: Vec<_> = costs.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Some(if names.is_empty() { "none".to_string() } else { names.join(" ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_what_every_machine_has() {
        let host = survey(Path::new("/tmp/not/there/yet"));
        assert!(!host.cpus.is_empty() && host.memory.0 > 0 && host.disk_free.0 > 0 && host.open_files > 0);
        assert_eq!(host.sockets.values().map(Vec::len).sum::<usize>(), host.cpus.len());
        assert!(!host.kernel.is_empty() && !host.kernel.contains('\n'));
        assert!(host.facts.contains_key("swappiness") && host.facts.contains_key("file_system"), "{:?}", host.facts);
    }

    #[test]
    fn the_mount_that_holds_a_folder_is_the_longest() {
        let text = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n22 21 0:20 / /proc rw - proc proc rw\n\
                    30 21 0:31 / /data rw shared:5 - xfs /dev/vdb rw\n";
        assert_eq!(file_system(text, Path::new("/data/assay")).as_deref(), Some("xfs on /dev/vdb"));
        assert_eq!(file_system(text, Path::new("/database")).as_deref(), Some("ext4 on /dev/vda"));
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(
            distribution("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n").as_deref(),
            Some("Debian GNU/Linux 12 (bookworm)")
        );
        assert_eq!(kibibytes("16311796 kB".into()), Some(16_311_796 * 1024));
    }
}
