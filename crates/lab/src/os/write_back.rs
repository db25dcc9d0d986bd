//! What was written and has not reached the disk yet does so half a minute later, by threads of the kernel, in the
//! middle of whatever is then measured: nobody's bytes, as far as a counter tells. So what the lab itself brought about
//! (a load, a restored copy, an earlier run that wrote) is sent to the disk before the users come.

use std::fs::File;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The call takes in what others left on the same file system, and cannot be ended: after so long nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sends everything that waits for the file system of `folder` to its disk; whether it is there.
pub(crate) fn finish(folder: &Path) -> bool {
    let Ok(disk) = File::open(folder) else { return false };
    let (done, waits) = channel();
    std::thread::spawn(move || done.send(rustix::fs::syncfs(&disk).is_ok()));
    waits.recv_timeout(PATIENCE).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::finish;

    #[test]
    fn a_folder_that_is_not_there_is_on_no_disk() {
        assert!(!finish("/nowhere".as_ref()));
    }

    #[test]
    fn what_was_written_is_on_the_disk_or_the_wait_has_its_end() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("data"), vec![7; 1 << 20]).unwrap();
        let begun = std::time::Instant::now();
        assert!(finish(folder.path()) || begun.elapsed() >= super::PATIENCE);
    }
}
