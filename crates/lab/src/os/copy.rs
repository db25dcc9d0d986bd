//! A copy of a data directory: by reference where the file system shares blocks (FICLONE on btrfs and XFS), else byte
//! by byte, several files at a time, holes left as holes. What its server had allocated is allocated in the copy, so
//! that the first writes after a restore find their blocks as those after a load did; the source itself may be hollow.
//! Large files are synced and dropped from the page cache: what is still to be written would be written during
//! somebody's measurement.

use crate::trouble::Trouble;
use model::units::Bytes;
use rustix::fs::{Advice, FallocateFlags, SeekFrom, fadvise, fallocate, ioctl_ficlone, seek};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Copies side by side: enough to keep a disk's queue filled, few enough that a spinning one still reads in runs.
const HANDS: usize = 4;

/// Files from here on are synced: below it lie the hundred files of system tables, whose syncs took fifty seconds on a
/// busy disk and whose bytes are a moment's writing.
const WORTH_SYNCING: u64 = 1 << 20;

/// `st_blocks` counts in these (stat(2)).
const BLOCK: u64 = 512;

/// A file below a folder: its path from there, its length, and what it takes on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: PathBuf,
    pub length: u64,
    pub allocated: u64,
}

/// How the bytes came over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Reflink,
    Bytes,
}

impl std::fmt::Display for Manner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reflink => "reflink",
            Self::Bytes => "copy",
        })
    }
}

/// Every folder below `root`, parents first, and every file, by path. Anything else has no place in a data directory.
pub fn walk(root: &Path) -> Result<(Vec<PathBuf>, Vec<Entry>), Trouble> {
    let (mut folders, mut files) = (vec![PathBuf::new()], Vec::new());
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        next += 1;
        let at = root.join(&folder);
        for entry in fs::read_dir(&at).map_err(Trouble::at("reading the folder", &at))? {
            let entry = entry.map_err(Trouble::at("reading the folder", &at))?;
            let meta = entry.metadata().map_err(Trouble::at("looking at", &entry.path()))?;
            let path = folder.join(entry.file_name());
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_file() {
                files.push(Entry { path, length: meta.len(), allocated: meta.blocks() * BLOCK });
            } else {
                return Err(Trouble::new(format!("{} is neither a file nor a folder", entry.path().display())));
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((folders, files))
}

/// What files take on disk.
pub fn allocated(files: &[Entry]) -> Bytes {
    Bytes(files.iter().map(|f| f.allocated).sum())
}

/// Files that their server had allocated from end to end, by their paths.
pub type Allocated = BTreeSet<PathBuf>;

pub fn allocated_whole(files: &[Entry]) -> Allocated {
    files.iter().filter(|f| f.length > 0 && f.allocated >= f.length).map(|f| f.path.clone()).collect()
}

/// Copies what lies below `from` into the new folder `to`.
pub fn copy(from: &Path, to: &Path, whole: &Allocated, stop: &AtomicBool) -> Result<Manner, Trouble> {
    let (folders, mut files) = walk(from)?;
    for folder in &folders {
        let folder = to.join(folder);
        // PostgreSQL serves nothing that others may read.
        fs::DirBuilder::new().mode(0o700).create(&folder).map_err(Trouble::at("making the folder", &folder))?;
    }
    // The largest first, so that no hand is left alone with it at the end.
    files.sort_by_key(|f| std::cmp::Reverse(f.allocated));
    let (next, bytes, fault) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
            let outcome = match stop.load(Relaxed) {
                true => Err(Trouble::new("given up: the lab was asked to stop")),
                false => one(&from.join(&file.path), &to.join(&file.path), file, whole.contains(&file.path), stop),
            };
            match outcome {
                Ok(Manner::Reflink) => {}
                Ok(Manner::Bytes) => bytes.store(true, Relaxed),
                Err(e) => {
                    next.store(files.len(), Relaxed);
                    fault.lock().expect("no panic while held").get_or_insert(e);
                }
            }
        }
    };
    std::thread::scope(|scope| (0..HANDS).for_each(|_| drop(scope.spawn(work))));
    match fault.into_inner().expect("no panic while held") {
        Some(e) => Err(e),
        None => Ok(if bytes.load(Relaxed) { Manner::Bytes } else { Manner::Reflink }),
    }
}

fn one(from: &Path, to: &Path, entry: &Entry, whole: bool, stop: &AtomicBool) -> Result<Manner, Trouble> {
    let source = File::open(from).map_err(Trouble::at("opening", from))?;
    let target = File::create_new(to).map_err(Trouble::at("making", to))?;
    let manner = match ioctl_ficlone(&target, &source) {
        Ok(()) => Manner::Reflink,
        // However a file system says that it does not share blocks: the bytes can still be read and written.
        Err(_) => {
            pour(&source, &target, entry, stop).map_err(Trouble::at("copying", from))?;
            Manner::Bytes
        }
    };
    if whole {
        match fallocate(&target, FallocateFlags::empty(), 0, entry.length) {
            Ok(()) | Err(Errno::OPNOTSUPP) => {}
            Err(e) => return Err(Trouble::at("allocating", to)(e)),
        }
    }
    if entry.allocated >= WORTH_SYNCING {
        target.sync_all().map_err(Trouble::at("syncing", to))?;
        for file in [&source, &target] {
            // Advice: a kernel that does not take it loses nothing.
            let _ = fadvise(file, 0, None, Advice::DontNeed);
        }
    }
    Ok(manner)
}

/// Copies what a file holds, and none of its holes.
fn pour(source: &File, target: &File, entry: &Entry, stop: &AtomicBool) -> io::Result<()> {
    /// Between two looks at whether somebody waits.
    const PIECE: u64 = 64 << 20;
    target.set_len(entry.length)?;
    for extent in extents(source, entry.length)? {
        let mut at = extent.start;
        while at < extent.end {
            if stop.load(Relaxed) {
                return Err(io::Error::other("the lab was asked to stop"));
            }
            let length = (extent.end - at).min(PIECE);
            seek(source, SeekFrom::Start(at))?;
            seek(target, SeekFrom::Start(at))?;
            // std hands this to copy_file_range.
            let copied = io::copy(&mut source.take(length), &mut &*target)?;
            if copied != length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            at += length;
        }
    }
    Ok(())
}

/// Where a file holds data. Asked before anything is read: what reading ahead brings into the page cache counts as data
/// from then on, and a redo log of 2 GiB with 3 MB in it was copied whole.
fn extents(file: &File, length: u64) -> io::Result<Vec<Range<u64>>> {
    let _ = fadvise(file, 0, None, Advice::DontNeed);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < length {
        match seek(file, SeekFrom::Data(at)) {
            Ok(begin) => {
                at = seek(file, SeekFrom::Hole(begin))?;
                found.push(begin..at);
            }
            Err(Errno::NXIO) => break,
            Err(e) => return Err(e.into()),
        }
    }
    Ok(found)
}

/// Gives back the blocks that a file has and never wrote, as most of a redo log's. Where a file system cannot, they
/// stay.
pub fn hollow(path: &Path) -> io::Result<()> {
    let file = File::options().write(true).read(true).open(path)?;
    let length = file.metadata()?.len();
    let mut at = 0;
    for extent in extents(&file, length)?.into_iter().chain(std::iter::once(length..length)) {
        if extent.start - at >= WORTH_SYNCING {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            if let Err(Errno::OPNOTSUPP) = fallocate(&file, flags, at, extent.start - at) {
                return Ok(());
            }
        }
        at = extent.end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    static GO: AtomicBool = AtomicBool::new(false);

    #[test]
    fn a_copy_has_the_bytes_the_holes_and_the_allocation_of_its_source() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/small"), b"rows").unwrap();
        fs::write(from.join("empty"), b"").unwrap();
        let sparse = File::create(from.join("sparse")).unwrap();
        sparse.set_len(64 << 20).unwrap();
        sparse.write_all_at(&[7; 4096], 32 << 20).unwrap();
        let full = File::create(from.join("full")).unwrap();
        fallocate(&full, FallocateFlags::empty(), 0, 8 << 20).unwrap();
        full.write_all_at(&[9; 4096], 1 << 20).unwrap();
        for file in [&sparse, &full] {
            file.sync_all().unwrap();
        }

        let whole = allocated_whole(&walk(&from).unwrap().1);
        hollow(&from.join("full")).unwrap();
        assert!(walk(&from).unwrap().1.iter().all(|f| f.allocated < 1 << 20), "what was never written takes no room");
        copy(&from, &to, &whole, &GO).unwrap();

        let (folders, files) = walk(&to).unwrap();
        let (_, sources) = walk(&from).unwrap();
        assert_eq!(folders, ["", "a", "a/b"].map(PathBuf::from));
        assert_eq!(
            files.iter().map(|f| &f.path).collect::<Vec<_>>(),
            sources.iter().map(|f| &f.path).collect::<Vec<_>>()
        );
        for file in &files {
            assert_eq!(fs::read(to.join(&file.path)).unwrap(), fs::read(from.join(&file.path)).unwrap());
        }
        let of = |name: &str| files.iter().find(|f| f.path == Path::new(name)).unwrap();
        assert!(of("sparse").allocated < 1 << 20, "{:?}", of("sparse"));
        assert!(of("full").allocated >= 8 << 20, "{:?}", of("full"));
    }

    #[test]
    fn nothing_is_copied_over_what_is_there() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        assert!(copy(&from, &to, &Allocated::new(), &GO).unwrap_err().to_string().contains("making the folder"));
    }
}
