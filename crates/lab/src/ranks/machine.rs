//! What other machines took of this one's CPU time between two looks: a rank's own, because each rank may be a virtual
//! machine of another host.

use crate::os::procfs;
use model::Share;

/// Nanoseconds since boot over all CPUs: all of them, and those that were stolen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look([u64; 2]);

pub fn look() -> Look {
    let ticks = std::fs::read_to_string("/proc/stat").ok().and_then(|text| procfs::cpu(&text));
    Look(ticks.map_or([0; 2], |ticks| [ticks.iter().sum(), ticks[5]].map(procfs::ticks_to_nanos)))
}

impl Look {
    /// The part of all CPU time since then that was stolen.
    pub fn stolen_since(self, before: Self) -> Option<Share> {
        let [all, stolen] = [0, 1].map(|k| self.0[k].saturating_sub(before.0[k]));
        (all > 0).then(|| Share(stolen as f64 / all as f64))
    }
}
