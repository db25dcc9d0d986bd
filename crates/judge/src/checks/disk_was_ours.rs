//! Bytes that somebody else moves over the same disk make the server wait, and no counter of the server tells them from
//! its own. What the kernel counts of all disks is held against what the server's process and assay moved; the rest is
//! foreign. What loading, copying and earlier runs had written is sent to the disk before the users come, to a server
//! of assay's own, so that their write-back is not taken for somebody's; to one that was found it may be. What the file
//! system writes into its journal for the server's syncs is the server's, though no counter of a process has it. A file
//! system that is nearly full is slower, too.
//!
//! Who moved most from the start of the run to its end is named, as far as the kernel shows it.
//!
//! More than 5 % foreign bytes warn (beyond 16 MiB, which any system's own logs may write), and so does less than 10 %
//! of free space.

use crate::frame::naming::listed;
use crate::frame::{Applies, Check, Doubts, Limit, Look, Need, RunEvidence, Seen, Sight};
use model::{Bytes, Share, Status};

pub const CHECK: Check = Check {
    id: "disk_was_ours",
    claim: || {
        format!(
            "less than {FOREIGN_IO} of the bytes on the disks were somebody else's, and {DISK_FREE} of the space were free"
        )
    },
    source: include_str!("disk_was_ours.rs"),
    applies: Applies::Always,
    needs: &[
        Need::Counter("host.disk.read_bytes"),
        Need::Counter("host.disk.write_bytes"),
        Need::Counter("server.io.read_bytes"),
        Need::Counter("server.io.write_bytes"),
    ],
    limits: &[FOREIGN_IO, DISK_FREE],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "stop who else uses the disk, or wait until what was loaded has been written; free some space",
    look: Look::Run(look),
};

const FOREIGN_IO: Limit =
    Limit::share("foreign_io", 0.05, "of the bytes on the disks that neither server nor client moved").convention();
const DISK_FREE: Limit =
    Limit::share("disk_free", 0.1, "of the file system; below it many of them slow down").convention();

/// What a system's own logs and caches write within a minute, with room.
const SMALL: f64 = 16.0 * 1024.0 * 1024.0;

/// A sync brings about a commit of the file system's journal where the time of a file's last change moved, which it
/// does with the kernel's clock tick, 250 times a second: so no more commits than ticks, and no more than syncs. But
/// RocksDB's log grows by what is synced, and each sync commits its new length: 11,400 of them within 3 s wrote 46 MB
/// more than the server.
const TICKS_PER_S: f64 = 250.0;
/// Descriptor, inode, two more blocks of metadata and the commit block, of 4 KiB each. 21,800 syncs within 4.5 s wrote
/// 20.6 MB into ext4's journal (and 23,500 within 4.5 s 21.6 MB), where nobody else was on the machine.
const JOURNAL_BYTES: f64 = 5.0 * 4096.0;

/// Syncs of InnoDB's files, its log's among them, and of the others' logs.
const SYNCS: [&str; 2] = ["db.data_fsyncs", "db.redo_fsyncs"];

/// What the journal took for the server's syncs, at most.
fn journal(run: &RunEvidence) -> f64 {
    let syncs = SYNCS.iter().filter_map(|name| run.growth(name)).map(|g| g.delta).fold(0.0, f64::max);
    let is_growing = run.cell.server.engine.eq_ignore_ascii_case("rocksdb");
    let commits = if is_growing { syncs } else { syncs.min(run.seconds() * TICKS_PER_S) };
    commits * JOURNAL_BYTES
}

/// Who moved less is not told.
const TOLD: Bytes = Bytes(1 << 20);
/// The names that a sentence has room for.
const NAMED: usize = 2;

/// `, most of it by dd (1.2 GiB)`.
fn movers(run: &RunEvidence) -> String {
    let mut all: Vec<_> = run.run.around.iter().flat_map(|around| &around.neighbours).collect();
    all.retain(|neighbour| neighbour.moved >= TOLD);
    all.sort_by_key(|neighbour| std::cmp::Reverse(neighbour.moved));
    let named: Vec<_> = all.iter().take(NAMED).map(|n| format!("{} ({})", n.name, n.moved)).collect();
    if named.is_empty() { String::new() } else { format!(", most of it by {}", listed(&named)) }
}

fn look(run: &RunEvidence) -> Sight {
    let sum = |names: [&str; 2]| names.iter().filter_map(|name| run.growth(name)).map(|g| g.delta).sum::<f64>();
    let all = sum(["host.disk.read_bytes", "host.disk.write_bytes"]);
    let own =
        sum(["server.io.read_bytes", "server.io.write_bytes"]) + sum(["client.io.read_bytes", "client.io.write_bytes"]);
    let foreign = (all - own - journal(run)).max(0.0);
    let share = Share(if all > 0.0 { foreign / all } else { 0.0 });
    let (most, least) = (run.limits.share(&FOREIGN_IO), run.limits.share(&DISK_FREE));
    let free = run.run.around.as_ref().and_then(|around| around.disk_free);
    let mut troubles = Vec::new();
    if share.0 > most.0 && foreign > SMALL {
        let all = Bytes(all as u64);
        let who = movers(run);
        troubles.push(format!("{share} of {all} on the disks were moved by neither server nor client{who}"));
    }
    if let Some(free) = free.filter(|free| free.0 < least.0) {
        troubles.push(format!("only {free} of the file system was free, and many slow down below {least}"));
    }
    let limit = format!("{most} of the bytes; {least} free");
    let (status, sentence) = if troubles.is_empty() {
        (Status::Pass, format!("{} went over the disks, {share} of it somebody else's.", Bytes(all as u64)))
    } else {
        (Status::Warn, format!("The disk may have been slower than it is alone: {}.", troubles.join("; ")))
    };
    Ok(Seen::new(status, format!("{share} foreign"), limit, sentence))
}
