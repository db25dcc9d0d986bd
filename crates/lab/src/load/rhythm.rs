//! Hot path: when a user's next operation is to begin: at once, after a pause, at its own pace, or with the next arrival that
//! nobody has taken. Arrivals are handed out in order to users as they become idle, ahead of time, which is the same as
//! a queue that idle users wait at: an arrival that is due and not handed out finds every user busy.

use super::Crew;
use super::bench::Bench;
use super::schedule::exponential;
use model::load::{Distribution, Pause};
use model::units::Nanos;
use workload::draw::Generator;

/// One user's.
pub enum Rhythm {
    AtOnce,
    Think { mean: Nanos, distribution: Distribution, dice: Generator, begun: bool },
    Pace { next: Nanos, every: Nanos },
    Arrivals,
}

impl Rhythm {
    pub fn of(crew: &Crew, user: u32) -> Self {
        match (&crew.arrivals, crew.pause) {
            (Some(_), _) => Self::Arrivals,
            (None, None) => Self::AtOnce,
            (None, Some(Pause::Think { mean, distribution })) => {
                let dice = Generator::new(crew.seed.child("think").nth(u64::from(user)));
                Self::Think { mean, distribution, dice, begun: false }
            }
            (None, Some(Pause::Pace { every })) => {
                let apart = u128::from(every.0) * u128::from(user) / u128::from(crew.users);
                Self::Pace { next: Nanos(apart as u64), every }
            }
        }
    }

    /// The intended start of the next operation of a user who is free now.
    pub fn next(&mut self, bench: &Bench, now: Nanos) -> Nanos {
        let start = bench.start.get().0;
        match self {
            Self::AtOnce => now,
            Self::Think { mean, distribution, dice, begun } => {
                let factor = match (std::mem::replace(begun, true), distribution) {
                    (false, _) => dice.unit(),
                    (true, Distribution::Constant) => 1.0,
                    (true, Distribution::Exponential) => exponential(dice),
                };
                Nanos(now.0 + (mean.0 as f64 * factor) as u64)
            }
            Self::Pace { next, every } => {
                let due = *next;
                *next = Nanos(due.0 + every.0);
                Nanos(start + due.0)
            }
            Self::Arrivals => Nanos(start + bench.claim().0),
        }
    }
}
