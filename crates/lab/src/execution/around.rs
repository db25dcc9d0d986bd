//! What is looked at just before the users come and just after they have left, when nothing that is looked at can be
//! disturbed by the looking: the machine's pulse, its other processes, the room on its disk.

use crate::os::neighbours::{self, Look};
use crate::os::speed_probe;
use model::Share;
use model::record::around::{Around, Pulse};
use std::path::Path;

pub(crate) struct Before {
    cpus: usize,
    pulse: Option<Pulse>,
    processes: Look,
}

pub(crate) fn before(cpus: usize) -> Before {
    Before { cpus, pulse: speed_probe::take(cpus), processes: neighbours::look() }
}

impl Before {
    /// `own` are the server's processes; `home` lies on the disk of the data.
    pub(crate) fn and_after(self, own: &[u32], home: &Path) -> Around {
        let neighbours = neighbours::look().since(&self.processes, own);
        Around {
            pulses: self.pulse.zip(speed_probe::take(self.cpus)).map(|(before, after)| [before, after]),
            neighbours,
            way: None,
            syncs: None,
            disk_free: rustix::fs::statvfs(home).ok().map(|fs| Share(fs.f_bavail as f64 / fs.f_blocks.max(1) as f64)),
        }
    }
}
