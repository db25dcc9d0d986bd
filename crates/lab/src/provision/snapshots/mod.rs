//! Loaded data kept cold: a data directory as its server left it after a clean end, in a folder named by all that
//! shaped its bytes. It is made under another name and renamed when nothing is missing, so a snapshot that has a name
//! is whole; whoever uses one holds its `owner` file locked, and nobody removes what is locked. A restore is always a
//! copy: what is kept is never served from.

pub mod key;
pub mod limit;
pub mod manifest;

use crate::os::copy;
use crate::os::copy::{Manner, copy};
use crate::servers::DATA;
use crate::servers::process::folders::{Folders, OWNER, UNFINISHED, free_bytes, private_folder};
use crate::trouble::Trouble;
use manifest::Manifest;
use model::units::{Bytes, Nanos};
use rustix::fs::FlockOperation;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

/// Room that a copy leaves on the disk, for the redo log and temporary files of the server that will run on it.
const SPARE: u64 = 1 << 30;

/// The snapshots of a house.
#[derive(Debug)]
pub struct Store {
    folders: Folders,
    /// As the environment has it.
    asked: Option<Bytes>,
}

/// A snapshot that nobody removes as long as this value lives.
#[derive(Debug)]
pub struct StoredSnapshot {
    pub manifest: Manifest,
    folder: PathBuf,
    owner: File,
}

/// A restore as it went.
#[derive(Clone, Copy, Debug)]
pub struct Restored {
    pub manner: Manner,
    pub time: Nanos,
}

/// One line of `assay servers snapshots`.
#[derive(Clone, Debug)]
pub struct Listed {
    pub manifest: Manifest,
    pub last_used: SystemTime,
    pub in_use: bool,
}

impl Store {
    pub fn of(folders: &Folders) -> Result<Self, Trouble> {
        Ok(Self { folders: folders.clone(), asked: limit::asked(std::env::var(limit::LIMIT).ok())? })
    }

    pub fn with_limit(folders: &Folders, limit: Option<Bytes>) -> Self {
        Self { folders: folders.clone(), asked: limit }
    }

    /// Whether anything is kept at all.
    pub fn keeps(&self) -> bool {
        self.asked != Some(Bytes(0))
    }

    /// What snapshots may take together.
    pub fn limit(&self) -> Result<Bytes, Trouble> {
        private_folder(&self.folders.home)?;
        match self.asked {
            Some(asked) => Ok(asked),
            None => limit::of_the_disk(&self.folders, Bytes(self.list().iter().map(|l| l.manifest.bytes.0).sum())),
        }
    }

    /// The snapshot of that name. One whose files are not those that were kept is removed, and why is told.
    pub fn find(&self, key: &str) -> Result<Option<StoredSnapshot>, String> {
        let folder = self.folders.snapshots().join(key);
        let Some(owner) = hold(&folder) else { return Ok(None) };
        match Manifest::read(&folder).and_then(|m| m.compare(&folder.join(DATA)).map(|()| m)) {
            Ok(manifest) => {
                // The order of eviction; a clock that cannot be set costs only that.
                let _ = owner.set_modified(SystemTime::now());
                Ok(Some(StoredSnapshot { manifest, folder, owner }))
            }
            Err(why) => {
                drop(owner);
                self.remove(key);
                Err(format!("the snapshot {key} is not used, because {why}"))
            }
        }
    }

    /// Keeps the data directory `data`, which moves away from where it is. Its server has ended cleanly; `manifest`
    /// says what lies in it. If another lab kept the same meanwhile, that one is used.
    pub fn keep(
        &self,
        mut manifest: Manifest,
        data: &Path,
        since: Instant,
        stop: &AtomicBool,
    ) -> Result<StoredSnapshot, Trouble> {
        let claim = self.folders.claim_snapshot()?;
        let place = claim.folder().join(DATA);
        match fs::rename(data, &place) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {
                self.check_room(copy::allocated(&copy::walk(data)?.1))?;
                copy(data, &place, &copy::Allocated::new(), stop)?;
            }
            Err(e) => return Err(Trouble::at("keeping", data)(e)),
        }
        manifest.take_stock(&place)?;
        sync(&place, &manifest)?;
        manifest.snapshot_time = Nanos(since.elapsed().as_nanos() as u64);
        manifest.write(claim.folder())?;
        let folder = self.folders.snapshots().join(&manifest.key);
        match fs::rename(claim.folder(), &folder) {
            Ok(()) => {}
            // Somebody else's, just as good; ours goes with its claim.
            Err(e) if e.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(e) => return Err(Trouble::at("keeping a snapshot as", &folder)(e)),
        }
        let parent = self.folders.snapshots();
        File::open(&parent).and_then(|f| f.sync_all()).map_err(Trouble::at("syncing", &parent))?;
        let kept = self.find(&manifest.key).map_err(Trouble::new)?;
        kept.ok_or_else(|| Trouble::new(format!("the snapshot {} was removed while it was made", manifest.key)))
    }

    /// Removes the least recently used until the rest fits into the limit; those in use stay. Names what went.
    pub fn shrink(&self) -> Result<Vec<Listed>, Trouble> {
        let limit = self.limit()?;
        let mut all = self.list();
        all.sort_by_key(|l| l.last_used);
        let mut taken: u64 = all.iter().map(|l| l.manifest.bytes.0).sum();
        let mut gone = Vec::new();
        for listed in all {
            if taken <= limit.0 {
                break;
            }
            if self.remove(&listed.manifest.key) {
                taken -= listed.manifest.bytes.0;
                gone.push(listed);
            }
        }
        Ok(gone)
    }

    pub fn list(&self) -> Vec<Listed> {
        let entries = fs::read_dir(self.folders.snapshots()).into_iter().flatten().flatten();
        let folders = entries.filter(|e| !e.file_name().to_string_lossy().starts_with(UNFINISHED)).map(|e| e.path());
        let listed = folders.filter_map(|folder| {
            let manifest = Manifest::read(&folder).ok()?;
            let owner = File::open(folder.join(OWNER)).ok()?;
            let last_used = owner.metadata().and_then(|m| m.modified()).ok()?;
            let in_use = rustix::fs::flock(&owner, FlockOperation::NonBlockingLockExclusive).is_err();
            Some(Listed { manifest, last_used, in_use })
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_by(|a, b| a.manifest.key.cmp(&b.manifest.key));
        listed
    }

    /// Removes a snapshot that nobody uses; says whether it did.
    pub fn remove(&self, key: &str) -> bool {
        let folder = self.folders.snapshots().join(key);
        let Ok(owner) = File::open(folder.join(OWNER)) else { return false };
        if rustix::fs::flock(&owner, FlockOperation::NonBlockingLockExclusive).is_err() {
            return false;
        }
        let leaving = self.folders.snapshots().join(format!("{UNFINISHED}leaving-{key}"));
        if fs::rename(&folder, &leaving).is_err() {
            return false;
        }
        // The owner file goes last: a removal that is cut off is gone on with by the next who makes a snapshot.
        let _ = fs::remove_dir_all(leaving.join(DATA)).and_then(|()| fs::remove_dir_all(&leaving));
        true
    }

    /// Copies the data of a snapshot to the new folder `to`.
    pub fn restore(&self, kept: &StoredSnapshot, to: &Path, stop: &AtomicBool) -> Result<Restored, Trouble> {
        let begun = Instant::now();
        self.check_room(kept.manifest.whole())?;
        let manner = copy(&kept.folder.join(DATA), to, &kept.manifest.allocated, stop)?;
        Ok(Restored { manner, time: Nanos(begun.elapsed().as_nanos() as u64) })
    }

    fn check_room(&self, needed: Bytes) -> Result<(), Trouble> {
        let free = free_bytes(&self.folders.home)?;
        if free.0 >= needed.0.saturating_add(SPARE) {
            return Ok(());
        }
        let home = self.folders.home.display();
        Err(Trouble::new(format!("a copy of the data takes {needed} at {home} and {free} are free there")).mend(format!(
            "free some space, clear snapshots (assay servers snapshots clear), set ASSAY_HOME to a folder on a larger \
             disk, or set {}=0 to load before each run instead",
            limit::LIMIT
        )))
    }
}

impl StoredSnapshot {
    /// Says that it is used now, for the order of eviction.
    pub fn touch(&self) {
        let _ = self.owner.set_modified(SystemTime::now());
    }
}

/// Holds a snapshot against its removal; `None` when there is none.
fn hold(folder: &Path) -> Option<File> {
    let path = folder.join(OWNER);
    let owner = File::open(&path).ok()?;
    // One that another lab is about to remove is there no more.
    rustix::fs::flock(&owner, FlockOperation::NonBlockingLockShared).ok()?;
    // Removed or replaced between the opening and the lock?
    let (held, there) = (owner.metadata().ok()?, fs::metadata(&path).ok()?);
    (held.ino() == there.ino()).then_some(owner)
}

/// Every file and folder, on the disk before the name is.
fn sync(data: &Path, manifest: &Manifest) -> Result<(), Trouble> {
    let (folders, _) = copy::walk(data)?;
    let files = manifest.files.keys().map(PathBuf::from);
    for path in files.chain(folders).map(|p| data.join(p)) {
        File::open(&path).and_then(|f| f.sync_all()).map_err(Trouble::at("syncing", &path))?;
    }
    Ok(())
}
