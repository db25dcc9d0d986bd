//! The control groups of a process: the folders in which the kernel says how it was held back, from its own group up to
//! the root, because a quota may stand on any of them. Of both hierarchies: a controller is either mounted by itself
//! (version 1) or a part of the one tree (version 2).

use std::fs;
use std::path::{Path, PathBuf};

/// A mounted hierarchy: where, from which group of it on, and of which controllers; none for the one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mounted {
    at: String,
    root: String,
    controllers: Option<Vec<String>>,
}

/// Where hierarchies are mounted, as it was when this was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hierarchies(Vec<Mounted>);

impl Hierarchies {
    pub(crate) fn of_this_host() -> Self {
        Self(mounted(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()))
    }

    /// The folders of a process for that controller, its own first. Those of the one tree come behind those of a
    /// hierarchy of the controller's own, where there are both.
    pub(crate) fn folders(&self, pid: u32, controller: &str) -> Vec<PathBuf> {
        let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        self.folders_in(&groups, controller)
    }

    /// Its own alone, of what `/proc/PID/cgroup` says: one in the controller's hierarchy, one in the one tree.
    pub(crate) fn own(&self, groups: &str, controller: &str) -> Vec<PathBuf> {
        self.own_in(groups, controller).into_iter().map(|(own, _)| own).collect()
    }

    /// Whether all processes are in it.
    pub(crate) fn is_root(&self, folder: &Path) -> bool {
        self.0.iter().any(|mounted| mounted.root == "/" && Path::new(&mounted.at) == folder)
    }

    fn folders_in(&self, groups: &str, controller: &str) -> Vec<PathBuf> {
        let up = |(own, at): (PathBuf, &str)| {
            own.ancestors().take_while(|folder| folder.starts_with(at)).map(PathBuf::from).collect::<Vec<_>>()
        };
        self.own_in(groups, controller).into_iter().flat_map(up).collect()
    }

    /// Each with where its hierarchy is mounted.
    fn own_in(&self, groups: &str, controller: &str) -> Vec<(PathBuf, &str)> {
        let mut folders = Vec::new();
        for line in groups.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
            let is_its = |mounted: &&Mounted| match &mounted.controllers {
                None => controllers.is_empty(),
                Some(own) => controllers.split(',').any(|c| c == controller) && own.iter().any(|c| c == controller),
            };
            let Some(mounted) = self.0.iter().find(is_its) else { continue };
            let group = group.strip_prefix(mounted.root.trim_end_matches('/')).unwrap_or(group);
            let own = PathBuf::from(format!("{}{}", mounted.at, group.trim_end_matches('/')));
            folders.push((own, mounted.at.as_str()));
        }
        folders
    }
}

/// The hierarchies in `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
fn mounted(text: &str) -> Vec<Mounted> {
    let one = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (root, at) = (mount.next()?.to_string(), mount.next()?.to_string());
        let mut kind = kind.split(' ');
        match kind.next()? {
            "cgroup2" => Some(Mounted { at, root, controllers: None }),
            "cgroup" => {
                let controllers = kind.nth(1)?.split(',').map(str::to_string).collect();
                Some(Mounted { at, root, controllers: Some(controllers) })
            }
            _ => None,
        }
    };
    text.lines().filter_map(one).collect()
}

/// Nanoseconds in which a group that had work was not let on a CPU, of `cpu.stat` in either version.
pub(crate) fn throttled(text: &str) -> Option<u64> {
    let value = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(key, _)| *key == name)?.1.trim().parse::<u64>().ok()
    };
    let in_one_tree = || value("throttled_usec").map(|us| us * 1_000);
    // A group for which the controller is not switched on counts its usage alone, and has no quota.
    value("throttled_time").or_else(in_one_tree).or_else(|| value("usage_usec").map(|_| 0))
}

/// Whether all of a group are frozen, of `cgroup.events` and of `freezer.state`.
pub(crate) fn is_frozen(text: &str) -> bool {
    text.lines().any(|line| line == "frozen 1" || line == "FROZEN")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "30 25 0:26 / /sys/fs/cgroup ro - tmpfs none ro\n\
        31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
        32 30 0:28 /docker/ab /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

    #[test]
    fn a_process_has_its_own_group_and_those_above_it() {
        let hierarchies = Hierarchies(mounted(BOTH));
        let told = |groups: &str, controller: &str| {
            let folders = hierarchies.folders_in(groups, controller).into_iter();
            folders.map(|f| f.to_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            told("3:cpu,cpuacct:/docker/ab/db\n", "cpu"),
            ["/sys/fs/cgroup/cpu,cpuacct/db", "/sys/fs/cgroup/cpu,cpuacct"]
        );
        assert_eq!(
            told("0::/system.slice/db\n", "cpu"),
            ["/sys/fs/cgroup/unified/system.slice/db", "/sys/fs/cgroup/unified/system.slice", "/sys/fs/cgroup/unified"]
        );
        assert_eq!(told("5:memory:/\n", "memory"), [] as [&str; 0], "it is not mounted");
    }

    #[test]
    fn what_was_held_back_is_read_in_both_versions() {
        assert_eq!(throttled("nr_periods 9\nnr_throttled 3\nthrottled_time 120\n"), Some(120));
        assert_eq!(throttled("usage_usec 9\nnr_throttled 3\nthrottled_usec 120\n"), Some(120_000));
        assert_eq!((throttled("usage_usec 9\n"), throttled("")), (Some(0), None), "a group without quotas");
        assert!(is_frozen("populated 1\nfrozen 1\n") && is_frozen("FROZEN\n") && !is_frozen("frozen 0\n"));
    }
}
