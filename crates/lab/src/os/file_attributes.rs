//! How the files that a process has open are written, whoever writes them: the attributes that chattr(1) sets, and how
//! the file system under its working folder is mounted. Either makes a commit dearer, or cheaper than it may be, while
//! every setting of the server stays as it is.

use rustix::fs::{IFlags, ioctl_getflags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What changes how bytes get to the disk.
const ATTRIBUTES: &[(IFlags, &str)] = &[
    (IFlags::SYNC, "written through"),
    (IFlags::DIRSYNC, "folder written through"),
    (IFlags::JOURNALING, "data journalled"),
    (IFlags::COMPRESSED, "compressed"),
    (IFlags::APPEND, "append only"),
    (IFlags::IMMUTABLE, "immutable"),
];

/// Nothing where there is no such process.
pub fn of_process(pid: u32) -> BTreeMap<String, String> {
    let place = fs::read_link(format!("/proc/{pid}/cwd")).ok();
    let mounts = fs::read_to_string(format!("/proc/{pid}/mountinfo")).unwrap_or_default();
    let mounted = place.and_then(|place| mounted(&mounts, &place));
    let named = |name: &str, value: Option<String>| Some((name.to_string(), value?));
    [named("attributes of open files", attributes(pid)), named("file system mounted as", mounted)]
        .into_iter()
        .flatten()
        .collect()
}

/// All that any of its files has. A file is opened for it and not read.
fn attributes(pid: u32) -> Option<String> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten().map(|entry| entry.path());
    let files = open.filter(|path| fs::metadata(path).is_ok_and(|of| of.is_file()));
    let flags: Vec<IFlags> = files.filter_map(|path| ioctl_getflags(fs::File::open(path).ok()?).ok()).collect();
    let names: BTreeSet<&str> = ATTRIBUTES
        .iter()
        .filter(|(flag, _)| flags.iter().any(|of| of.contains(*flag)))
        .map(|(_, name)| *name)
        .collect();
    let words = names.into_iter().collect::<Vec<_>>().join(", ");
    Some(if words.is_empty() { "none".into() } else { words })
}

/// Type and options of the mount that holds a folder (proc_pid_mountinfo(5)): those of the place, then those of the
/// file system.
fn mounted(mountinfo: &str, folder: &Path) -> Option<String> {
    let mounts = mountinfo.lines().filter_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let (mut place, mut system) = (place.split(' ').skip(4), system.split(' '));
        let (at, options) = (place.next()?, place.next()?);
        Some((at, format!("{} {options}; {}", system.next()?, system.nth(1)?)))
    });
    // The last of the longest: a later mount hides an earlier one.
    mounts.filter(|(at, _)| folder.starts_with(at)).max_by_key(|(at, _)| at.len()).map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_told_with_its_options() {
        let text = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw,errors=remount-ro\n\
                    30 21 0:31 / /data rw,sync shared:5 - xfs /dev/vdb rw,noquota\n";
        assert_eq!(mounted(text, Path::new("/data/s")).as_deref(), Some("xfs rw,sync; rw,noquota"));
        assert_eq!(mounted(text, Path::new("/home")).as_deref(), Some("ext4 rw,relatime; rw,errors=remount-ro"));
        assert_eq!(mounted("", Path::new("/home")), None);
    }

    #[test]
    fn this_process_has_a_working_folder_on_a_file_system() {
        let facts = of_process(std::process::id());
        assert!(facts.contains_key("file system mounted as"), "{facts:?}");
        assert!(of_process(0).is_empty());
    }
}
