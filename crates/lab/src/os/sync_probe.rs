//! What a sync takes on the file system with the data: a few bytes of a file overwritten in place and synced, as a log
//! of writes is, several times. Taken outside of what is measured. Whoever commits durably waits for at least this, so
//! a server whose commits take less does not wait for its disk.

use model::Nanos;
use model::record::around::Syncs;
use rustix::fs::{OFlags, fdatasync, open, statfs};
use rustix::io::pwrite;
use std::path::Path;
use std::time::{Duration, Instant};

/// Enough that one of them met no neighbour.
const ROUNDS: usize = 15;
/// A slow disk is known from fewer.
const AT_MOST: Duration = Duration::from_millis(300);
/// A block of a log.
const BYTES: [u8; 512] = [b'a'; 512];
/// statfs(2): TMPFS_MAGIC and RAMFS_MAGIC.
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// `None` where nothing could be written there.
pub(crate) fn take(folder: &Path) -> Option<Syncs> {
    let path = folder.join(format!("sync-probe-{}", std::process::id()));
    let taken = syncs(&path);
    let _ = std::fs::remove_file(&path);
    let kind = statfs(folder).ok()?.f_type as u64;
    Some(Syncs { least: taken?, in_memory: IN_MEMORY.contains(&kind) })
}

fn syncs(path: &Path) -> Option<Nanos> {
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = open(path, flags, rustix::fs::Mode::from_raw_mode(0o600)).ok()?;
    // The first makes room, so that those that count only overwrite.
    pwrite(&file, &BYTES, 0).ok()?;
    fdatasync(&file).ok()?;
    let begun = Instant::now();
    let mut least: Option<Nanos> = None;
    for _ in 0..ROUNDS {
        let at = Instant::now();
        pwrite(&file, &BYTES, 0).ok()?;
        fdatasync(&file).ok()?;
        let took = Nanos(at.elapsed().as_nanos() as u64);
        least = Some(least.map_or(took, |least| least.min(took)));
        if begun.elapsed() > AT_MOST {
            break;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::take;

    #[test]
    fn a_sync_takes_time_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(take(folder.path()).unwrap().least.0 > 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(take("/nowhere".as_ref()), None);
    }
}
