//! Which files of some folders somebody writes to, as the kernel tells it. A value that is read at two moments says
//! nothing of one that was set and put back between them, and some files keep no value: a word written to
//! `vm.drop_caches` empties the page cache. While nobody writes, it costs nothing.

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A name is at most 255 bytes, and an event of sixteen more.
const ROOM: usize = 4096;

pub struct FileWrites {
    told: OwnedFd,
    folders: HashMap<i32, PathBuf>,
    /// A folder of the kernel's that nobody holds open is made anew at times, and the new one is not watched.
    _held: Vec<OwnedFd>,
}

impl FileWrites {
    /// Folders that are not there, or not for us, are left out.
    pub fn begin(folders: impl IntoIterator<Item = PathBuf>) -> Result<Self, Errno> {
        let told = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let (mut known, mut held) = (HashMap::new(), Vec::new());
        for folder in folders {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let Ok(open) = rustix::fs::open(&folder, flags, Mode::empty()) else { continue };
            if let Ok(watch) = inotify::add_watch(&told, &folder, WatchFlags::MODIFY) {
                known.insert(watch, folder);
                held.push(open);
            }
        }
        Ok(Self { told, folders: known, _held: held })
    }

    /// How often each file was written to since this was asked last. Writes that follow one another at once are one.
    pub fn take(&mut self) -> BTreeMap<PathBuf, u64> {
        let mut found = BTreeMap::new();
        let mut room = [MaybeUninit::uninit(); ROOM];
        let mut reader = Reader::new(&self.told, &mut room);
        while let Ok(event) = reader.next() {
            if let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name()) {
                *found.entry(folder.join(OsStr::from_bytes(name.to_bytes()))).or_default() += 1;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_writes_is_seen_and_who_reads_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("knob");
        std::fs::write(&file, "1").unwrap();
        let mut writes = FileWrites::begin([folder.path().to_path_buf(), "/not/there".into()]).unwrap();
        std::fs::read(&file).unwrap();
        assert!(writes.take().is_empty());
        std::fs::write(&file, "2").unwrap();
        assert!(writes.take()[&file] >= 1);
        assert!(writes.take().is_empty(), "told once");
    }

    #[test]
    fn a_limit_of_this_process_is_watched_as_any_file() {
        let own = PathBuf::from("/proc").join(std::process::id().to_string());
        let file = own.join("coredump_filter");
        let mut writes = FileWrites::begin([own]).unwrap();
        let filter = format!("0x{}", std::fs::read_to_string(&file).unwrap().trim());
        std::fs::write(&file, filter).unwrap();
        assert_eq!(writes.take(), [(file, 1)].into());
    }
}
