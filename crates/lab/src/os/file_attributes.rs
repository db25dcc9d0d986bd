//! How the files that a process has open are written, whoever writes them: the attributes that chattr(1) sets, and how
//! the file system under its working folder is mounted. Either makes a commit dearer, or cheaper than it may be, while
//! every setting of the server stays as it is.

use super::mounts;
use rustix::fs::{IFlags, ioctl_getflags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

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
    let mountinfo = fs::read_to_string(format!("/proc/{pid}/mountinfo")).unwrap_or_default();
    let mounted = place.and_then(|place| {
        let mount = mounts::holding(&mountinfo, &place)?;
        Some(format!("{} {}; {}", mount.kind, mount.options, mount.system_options))
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_a_working_folder_on_a_file_system() {
        let facts = of_process(std::process::id());
        assert!(facts.contains_key("file system mounted as"), "{facts:?}");
        assert!(of_process(0).is_empty());
    }
}
