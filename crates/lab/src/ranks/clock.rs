//! How far another rank's clock is from ours: round trips, of which the shortest says most, because what a message can
//! be late by is at most what its trip took more than the shortest possible. The offset lies within half a trip of
//! what is computed, whatever the ways there and back take; two of them, some time apart, give the drift.

use model::Nanos;

/// How far a clock is ahead of ours, known at one moment of ours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offset {
    pub at: Nanos,
    pub ahead_ns: i64,
    /// Half of the shortest round trip: by so much it may be off.
    pub within: Nanos,
}

impl Offset {
    /// One round trip: sent and answered on our clock, `there` on the other.
    pub fn of_trip(sent: Nanos, there: Nanos, back: Nanos) -> Self {
        let middle = Nanos(sent.0 + (back.0 - sent.0) / 2);
        Self { at: middle, ahead_ns: there.0 as i64 - middle.0 as i64, within: Nanos((back.0 - sent.0).div_ceil(2)) }
    }

    /// The best of several.
    pub fn best(trips: impl IntoIterator<Item = Self>) -> Option<Self> {
        trips.into_iter().min_by_key(|trip| trip.within)
    }
}

/// Another rank's clock: its offset, and how fast that grows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    pub offset: Offset,
    /// Nanoseconds per second; 0 until two offsets were taken far enough apart.
    pub drift: f64,
}

/// A drift is computed where what both offsets may be off by is no more than this part of the time between them:
/// crystals drift by some millionths.
const RESOLVED: f64 = 5e-6;

impl Clock {
    /// With a new offset: the drift since the one before, where the two resolve it.
    #[must_use]
    pub fn renewed(self, offset: Offset) -> Self {
        let (seconds, blur) = (offset.at.seconds() - self.offset.at.seconds(), self.offset.within.0 + offset.within.0);
        let is_resolved = self.offset.at.0 > 0 && seconds > 0.0 && (blur as f64 / 1e9) < RESOLVED * seconds;
        let grown = (offset.ahead_ns - self.offset.ahead_ns) as f64;
        Self { offset, drift: if is_resolved { grown / seconds } else { self.drift } }
    }

    /// What that clock shows at this moment of ours.
    pub fn there(&self, ours: Nanos) -> Nanos {
        Nanos((ours.0 as i64 + self.ahead(ours)).max(0) as u64)
    }

    /// The moment of ours at which that clock shows this.
    pub fn here(&self, theirs: Nanos) -> Nanos {
        let about = Nanos((theirs.0 as i64 - self.offset.ahead_ns).max(0) as u64);
        Nanos((theirs.0 as i64 - self.ahead(about)).max(0) as u64)
    }

    fn ahead(&self, ours: Nanos) -> i64 {
        let since = (ours.0 as i64 - self.offset.at.0 as i64) as f64 / 1e9;
        self.offset.ahead_ns + (self.drift * since) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_within_half_the_shortest_trip_whatever_the_ways_take() {
        // The other clock is 5,000 ahead; each way takes what it takes.
        let trip = |sent: u64, way: u64, back: u64| {
            Offset::of_trip(Nanos(sent), Nanos(sent + way + 5_000), Nanos(sent + way + back))
        };
        for (way, back) in [(100, 100), (10, 900), (900, 10), (0, 1)] {
            let taken = trip(1_000_000, way, back);
            assert!((taken.ahead_ns - 5_000).unsigned_abs() <= taken.within.0, "{way} {back}: {taken:?}");
        }
        let best = Offset::best([trip(0, 400, 10), trip(9_000, 30, 20), trip(20_000, 5, 600)]).unwrap();
        assert_eq!((best.within, best.at), (Nanos(25), Nanos(9_025)));
    }

    #[test]
    fn a_clock_that_drifts_is_read_right_between_two_offsets_and_beyond() {
        let second = 1_000_000_000;
        // 3 µs a second fast, 2 s ahead when ours shows 1 s.
        let shows = |ours: u64| ours + 2 * second + (ours - second) * 3 / 1_000_000;
        let offset =
            |ours: u64| Offset { at: Nanos(ours), ahead_ns: (shows(ours) - ours) as i64, within: Nanos(1_000) };
        let clock = Clock::default().renewed(offset(second)).renewed(offset(11 * second));
        assert!((clock.drift - 3_000.0).abs() < 1.0, "{clock:?}");
        for ours in [5 * second, 60 * second] {
            assert!(clock.there(Nanos(ours)).0.abs_diff(shows(ours)) <= 2);
            assert!(clock.here(Nanos(shows(ours))).0.abs_diff(ours) <= 2);
        }
        let near = Clock::default().renewed(offset(second)).renewed(offset(second + 1_000));
        assert_eq!(near.drift, 0.0, "a microsecond apart they say nothing of drift");
    }
}
