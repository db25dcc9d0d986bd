//! How the files that a process has open are written, whoever writes them: the attributes that chattr(1) sets, how the
//! file system under its working folder is mounted, and whether somebody deleted a file that it goes on writing. Each
//! makes a commit dearer, or worth less than it says, while every setting of the server stays as it is.

use super::mounts;
use rustix::fs::{IFlags, ioctl_getflags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
    let mounted = place.as_ref().and_then(|place| {
        let mount = mounts::holding(&mountinfo, place)?;
        Some(format!("{} {}; {}", mount.kind, mount.options, mount.system_options))
    });
    let deleted = place.as_ref().and_then(|place| deleted(pid, place));
    let named = |name: &str, value: Option<String>| Some((name.to_string(), value?));
    let facts = [
        named("attributes of open files", attributes(pid)),
        named("file system mounted as", mounted),
        named("deleted files that it writes", deleted),
    ];
    facts.into_iter().flatten().collect()
}

fn open_files(pid: u32) -> Option<impl Iterator<Item = (PathBuf, fs::Metadata)>> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten().map(|entry| entry.path());
    let with_metadata = open.filter_map(|path| fs::metadata(&path).ok().map(|of| (path, of)));
    Some(with_metadata.filter(|(_, of)| of.is_file()))
}

/// Those of its working folder, where its data are and files that it deletes itself are closed first. What it only
/// reads may be gone: an engine may go on reading a file that a merge has replaced.
fn deleted(pid: u32, place: &Path) -> Option<String> {
    const TO_WRITE: u32 = 0o3;
    let is_written = |descriptor: &Path| {
        let number = descriptor.file_name()?.to_str()?;
        let told = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).ok()?;
        let flags = told.lines().find_map(|line| line.strip_prefix("flags:"))?;
        Some(u32::from_str_radix(flags.trim(), 8).ok()? & TO_WRITE != 0)
    };
    let name = |(descriptor, of): (PathBuf, fs::Metadata)| {
        let file = fs::read_link(&descriptor).ok().filter(|_| of.nlink() == 0)?;
        let name = file.strip_prefix(place).ok().filter(|_| is_written(&descriptor) == Some(true))?;
        Some(name.to_string_lossy().trim_end_matches(" (deleted)").to_string())
    };
    let names: BTreeSet<String> = open_files(pid)?.filter_map(name).collect();
    let words = names.into_iter().collect::<Vec<_>>().join(", ");
    Some(if words.is_empty() { "none".into() } else { words })
}

/// All that any of its files has. A file is opened for it and not read.
fn attributes(pid: u32) -> Option<String> {
    let flags: Vec<IFlags> =
        open_files(pid)?.filter_map(|(path, _)| ioctl_getflags(fs::File::open(path).ok()?).ok()).collect();
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

    #[test]
    fn a_file_that_is_written_without_a_name_is_told_by_the_name_that_it_had() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("redo");
        let read = fs::write(&path, "x").and_then(|()| fs::File::open(&path)).expect("a file");
        let told = || deleted(std::process::id(), folder.path()).expect("this process");
        let written = fs::File::options().append(true).open(&path).expect("a file");
        assert_eq!(told(), "none");
        fs::remove_file(&path).expect("a file");
        assert_eq!(told(), "redo");
        drop(written);
        assert_eq!(told(), "none", "a reader is left");
        drop(read);
    }
}
