//! Where a lab keeps what it makes: data directories under `$ASSAY_HOME` (or the user's cache), sockets under the
//! runtime folder because a socket's path is short by law. Each folder has an `owner` file that its lab and its guard
//! hold locked; the kernel drops the locks when both are dead, so what can be locked is stale and is swept away at the
//! next start. Nothing outside these two places is ever written or removed.

use crate::os::waits;
use crate::trouble::Trouble;
use rustix::fs::FlockOperation;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// `sun_path` holds 108 bytes with its terminator (unix(7)).
pub const SOCKET_PATH_LIMIT: usize = 107;
/// The file that says who made a folder; its lock says whether the maker lives.
pub const OWNER: &str = "owner";
/// Begins the name of a snapshot that is being made or removed.
pub const UNFINISHED: &str = ".";

/// To remove what dead labs left takes seconds for each hundred gigabytes.
const SWEEPING: Duration = Duration::from_secs(120);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

#[derive(Clone, Debug)]
pub struct Folders {
    /// Data directories, kept datasets, the canary.
    pub home: PathBuf,
    /// Sockets.
    pub runtime: PathBuf,
}

/// A folder of this lab, gone when the value is dropped.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    /// Held locked (shared, so that the guard can hold it too) as long as the claim lives.
    _owner: File,
}

impl Folders {
    /// The places that the environment names; `var` is the environment.
    pub fn of(var: impl Fn(&str) -> Option<String>) -> Result<Self, Trouble> {
        let named = |name: &str| var(name).filter(|v| v.starts_with('/')).map(PathBuf::from);
        let home = named("ASSAY_HOME")
            .or_else(|| Some(named("XDG_CACHE_HOME")?.join("assay")))
            .or_else(|| Some(named("HOME")?.join(".cache/assay")))
            .ok_or_else(|| {
                Trouble::new(
                    "no place for data directories: none of ASSAY_HOME, XDG_CACHE_HOME, HOME is an absolute path",
                )
                .mend("set ASSAY_HOME to a folder on a disk with room")
            })?;
        Ok(Self { home, runtime: named("XDG_RUNTIME_DIR").unwrap_or_else(|| "/tmp".into()) })
    }

    pub fn from_environment() -> Result<Self, Trouble> {
        Self::of(|name| std::env::var(name).ok())
    }

    pub fn instances(&self) -> PathBuf {
        self.home.join("instances")
    }

    pub fn snapshots(&self) -> PathBuf {
        self.home.join("snapshots")
    }

    /// A fresh folder for a snapshot in the making; torn ones of dead labs are removed first.
    pub fn claim_snapshot(&self) -> Result<Claim, Trouble> {
        private_folder(&self.snapshots())?;
        claim(&self.snapshots(), UNFINISHED, &format!("{UNFINISHED}making-{}", unique()))
    }

    /// A fresh folder for one instance's data; stale ones of dead labs are removed first.
    pub fn claim_instance(&self, key: &str) -> Result<Claim, Trouble> {
        private_folder(&self.instances())?;
        claim(&self.instances(), "", &format!("{key}-{}", unique()))
    }

    /// A fresh folder for a build that has no name yet.
    pub fn claim_build(&self, name: &str) -> Result<Claim, Trouble> {
        let builds = self.home.join("servers");
        private_folder(&builds)?;
        claim(&builds, ".new-", &format!(".new-{name}-{}", unique()))
    }

    /// A fresh, private folder for one socket, with a path as short as the runtime folder allows.
    pub fn claim_socket(&self) -> Result<Claim, Trouble> {
        let ours = own_sockets();
        claim(&self.runtime, &ours, &format!("{ours}{}", unique()))
    }

    /// Removes what labs that were killed have left and nobody holds. Who claims a folder does so, too; but a lab whose
    /// runs were all done before it was killed is followed by one that starts no server.
    pub fn sweep(&self) -> Result<(), Trouble> {
        for (parent, prefix) in [(self.instances(), String::new()), (self.runtime.clone(), own_sockets())] {
            // A folder that is not there holds nothing.
            let Ok(everyone) = File::open(&parent) else { continue };
            alone(&everyone, &parent)?;
            sweep(&parent, &prefix);
        }
        Ok(())
    }
}

impl Claim {
    pub fn folder(&self) -> &Path {
        &self.folder
    }
    pub fn owner(&self) -> PathBuf {
        self.folder.join(OWNER)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What cannot be removed now is stale from now on, and the next lab sweeps it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// How the folders of this user's sockets begin.
fn own_sockets() -> String {
    format!("assay-{}-", rustix::process::geteuid().as_raw())
}

/// Process and number: two labs never meet, one lab never twice.
fn unique() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn private_folder(path: &Path) -> Result<(), Trouble> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(Trouble::at("making the folder", path))
}

/// Sweeps the folders with that prefix and makes a new one, alone: a lock on the parent keeps another lab from
/// sweeping a folder between its making and its locking.
fn claim(parent: &Path, prefix: &str, name: &str) -> Result<Claim, Trouble> {
    let everyone = File::open(parent).map_err(Trouble::at("opening", parent))?;
    alone(&everyone, parent)?;
    sweep(parent, prefix);
    let folder = parent.join(name);
    DirBuilder::new().mode(0o700).create(&folder).map_err(Trouble::at("making the folder", &folder))?;
    let path = folder.join(OWNER);
    let owner = File::create(&path).map_err(Trouble::at("making", &path))?;
    rustix::fs::flock(&owner, FlockOperation::LockShared).map_err(Trouble::at("locking", &path))?;
    fs::write(&path, format!("assay process {}\n", std::process::id())).map_err(Trouble::at("writing", &path))?;
    Ok(Claim { folder, _owner: owner })
}

/// Waits until no other lab makes or sweeps a folder there.
fn alone(everyone: &File, parent: &Path) -> Result<(), Trouble> {
    let what = format!("another assay that makes or sweeps a folder in {}", parent.display());
    waits::during(&what, SWEEPING, || {
        let begun = Instant::now();
        loop {
            match rustix::fs::flock(everyone, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(()),
                Err(rustix::io::Errno::WOULDBLOCK) if begun.elapsed() < SWEEPING => std::thread::sleep(LOOK_AGAIN),
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    let waited = format!("waited {} s for {what}", SWEEPING.as_secs());
                    return Err(
                        Trouble::new(waited).mend("see what it does (lslocks names its process), or set ASSAY_HOME")
                    );
                }
                Err(e) => return Err(Trouble::at("locking", parent)(e)),
            }
        }
    })
}

/// Removes folders that we made and nobody holds. Failures are left for the next sweep: they stop nobody.
fn sweep(parent: &Path, prefix: &str) {
    let me = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let Ok(meta) = fs::symlink_metadata(entry.path()) else { continue };
        if !(meta.is_dir() && meta.uid() == me && entry.file_name().to_string_lossy().starts_with(prefix)) {
            continue;
        }
        let _ = match File::open(entry.path().join(OWNER)) {
            Ok(owner) => match rustix::fs::flock(&owner, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => fs::remove_dir_all(entry.path()),
                Err(_) => continue,
            },
            // Whoever made it was killed before its first file; a folder with anything in it is not removed.
            Err(_) => fs::remove_dir(entry.path()),
        };
    }
}

/// Bytes that a user of this process may still write below `path`.
pub fn free_bytes(path: &Path) -> Result<model::units::Bytes, Trouble> {
    let fs = rustix::fs::statvfs(path).map_err(Trouble::at("asking for free space at", path))?;
    Ok(model::units::Bytes(fs.f_bavail * fs.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_dead_left_is_swept_and_what_somebody_holds_or_filled_is_not() {
        let home = tempfile::tempdir().expect("a folder");
        let held = claim(home.path(), "mine-", "mine-held").expect("a claim");
        for (name, file) in [("mine-empty", None), ("mine-dead", Some(OWNER)), ("mine-filled", Some("data"))] {
            fs::create_dir(home.path().join(name)).expect("a folder");
            if let Some(file) = file {
                fs::write(home.path().join(name).join(file), "").expect("a file");
            }
        }
        fs::create_dir(home.path().join("other")).expect("a folder");
        sweep(home.path(), "mine-");
        let left =
            ["mine-held", "mine-empty", "mine-dead", "mine-filled", "other"].map(|n| home.path().join(n).exists());
        assert_eq!(left, [true, false, false, true, true]);
        assert_eq!(held.folder(), home.path().join("mine-held"));
    }

    #[test]
    fn the_first_absolute_place_named_by_the_environment_is_home() {
        let folders = |vars: &'static [(&str, &str)]| {
            Folders::of(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string()))
        };
        let all = folders(&[("ASSAY_HOME", "/a"), ("XDG_CACHE_HOME", "/c"), ("HOME", "/h"), ("XDG_RUNTIME_DIR", "/r")]);
        let all = all.unwrap();
        assert_eq!((all.home, all.runtime), (PathBuf::from("/a"), PathBuf::from("/r")));
        assert_eq!(folders(&[("ASSAY_HOME", "rel"), ("HOME", "/h")]).unwrap().home, PathBuf::from("/h/.cache/assay"));
        assert!(folders(&[]).unwrap_err().to_string().contains("ASSAY_HOME"));
    }
}
