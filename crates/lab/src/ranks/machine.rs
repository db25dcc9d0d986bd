//! What a rank's machine did between two looks: what other machines took of its CPU time, and what went over its
//! network cards. A rank's own, because each rank may be a virtual machine of another host, behind a link of its own.

use crate::os::network::{self, Counted};
use crate::os::{clock, procfs};
use model::record::ranks::Traffic;
use model::{Bytes, Nanos, Share};

#[derive(Clone, Copy, Debug)]
pub struct Look {
    at: Nanos,
    /// Nanoseconds since boot over all CPUs: all of them, and those that were stolen.
    cpu: [u64; 2],
    network: Option<Counted>,
}

pub fn look() -> Look {
    let ticks = std::fs::read_to_string("/proc/stat").ok().and_then(|text| procfs::cpu(&text));
    Look {
        at: clock::now(),
        cpu: ticks.map_or([0; 2], |ticks| [ticks.iter().sum(), ticks[5]].map(procfs::ticks_to_nanos)),
        network: network::counted(),
    }
}

impl Look {
    /// The part of all CPU time since then that was stolen.
    pub fn stolen_since(self, before: Self) -> Option<Share> {
        let [all, stolen] = [0, 1].map(|k| self.cpu[k].saturating_sub(before.cpu[k]));
        (all > 0).then(|| Share(stolen as f64 / all as f64))
    }

    /// What went over the network cards since then.
    pub fn traffic_since(self, before: Self) -> Option<Traffic> {
        let (now, then) = self.network.zip(before.network)?;
        let grown = |of: fn(&Counted) -> u64| of(&now).saturating_sub(of(&then));
        Some(Traffic {
            time: Nanos(self.at.0.saturating_sub(before.at.0)),
            received: Bytes(grown(|counted| counted.received)),
            sent: Bytes(grown(|counted| counted.sent)),
            link: network::link().map(Bytes),
            segments: grown(|counted| counted.segments),
            segments_again: grown(|counted| counted.segments_again),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_over_the_cards_between_two_looks_is_their_difference() {
        let counted = |n: u64| Counted { received: 10 * n, sent: n, segments: 3 * n, segments_again: n / 4 };
        let look = |at: u64, n: u64| Look { at: Nanos::from_secs(at), cpu: [0; 2], network: Some(counted(n)) };
        let traffic = look(9, 8).traffic_since(look(5, 4)).unwrap();
        assert_eq!((traffic.time, traffic.received, traffic.sent), (Nanos::from_secs(4), Bytes(40), Bytes(4)));
        assert_eq!((traffic.segments, traffic.segments_again), (12, 1));
        assert_eq!(look(9, 8).traffic_since(Look { network: None, ..look(5, 4) }), None, "unread is not nothing");
    }
}
