//! Hot path: when a user's next operation is to begin: at once, after a pause, at its own pace, or with the next arrival that
//! nobody has taken. Arrivals are handed out in order to users as they become idle, ahead of time, which is the same as
//! a queue that idle users wait at: an arrival that is due and not handed out finds every user busy.

use super::Crew;
use super::bench::Bench;
use super::schedule::exponential;
use model::load::{Distribution, Pause};
use model::units::Nanos;
use workload::draw::Generator;
use workload::user::Operation;

/// Pauses after operations.
pub struct Thinking {
    /// By operation.
    means: Box<[Nanos]>,
    distribution: Distribution,
    dice: Generator,
    /// `None` before the first.
    after: Option<Operation>,
}

impl Thinking {
    fn draw(&mut self) -> Nanos {
        let mean = match self.after {
            Some(operation) => self.means[usize::from(operation.0)],
            None => self.means.iter().copied().max().unwrap_or(Nanos(0)),
        };
        let factor = match (self.after, self.distribution) {
            (None, _) => self.dice.unit(),
            (Some(_), Distribution::Constant) => 1.0,
            (Some(_), Distribution::Exponential) => exponential(&mut self.dice),
        };
        Nanos((mean.0 as f64 * factor) as u64)
    }
}

/// One user's.
pub enum Rhythm {
    AtOnce,
    Think(Thinking),
    Pace { next: Nanos, every: Nanos },
    Arrivals,
}

impl Rhythm {
    pub fn of(crew: &Crew, user: u32) -> Self {
        match (&crew.arrivals, &crew.pause) {
            (Some(_), _) => Self::Arrivals,
            (None, None) => Self::AtOnce,
            (None, Some(pause @ Pause::Think { distribution, .. })) => {
                let after = |name: &&str| pause.after(name).expect("it is a think time");
                Self::Think(Thinking {
                    means: crew.workload.operations().iter().map(after).collect(),
                    distribution: *distribution,
                    dice: Generator::new(crew.seed.child("think").nth(u64::from(user))),
                    after: None,
                })
            }
            (None, Some(Pause::Pace { every })) => {
                let apart = u128::from(every.0) * u128::from(user) / u128::from(crew.users);
                Self::Pace { next: Nanos(apart as u64), every: *every }
            }
        }
    }

    /// This operation was the user's last.
    #[inline]
    pub fn ended(&mut self, operation: Operation) {
        if let Self::Think(thinking) = self {
            thinking.after = Some(operation);
        }
    }

    /// The intended start of the next operation of a user who is free now.
    pub fn next(&mut self, bench: &Bench, now: Nanos) -> Nanos {
        let start = bench.start.get().0;
        match self {
            Self::AtOnce => now,
            Self::Think(thinking) => Nanos(now.0 + thinking.draw().0),
            Self::Pace { next, every } => {
                let due = *next;
                *next = Nanos(due.0 + every.0);
                Nanos(start + due.0)
            }
            Self::Arrivals => Nanos(start + bench.claim().0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn a_user_thinks_as_long_as_its_last_operation_asks_for() {
        let mut thinking = Thinking {
            means: [Nanos(1_000), Nanos(50)].into(),
            distribution: Distribution::Constant,
            dice: Generator::new(Seed(1)),
            after: None,
        };
        assert!(thinking.draw() < Nanos(1_000), "the first pause is a part of one");
        for (operation, mean) in [(0, 1_000), (1, 50), (1, 50), (0, 1_000)] {
            thinking.after = Some(Operation(operation));
            assert_eq!(thinking.draw(), Nanos(mean));
        }
    }
}
