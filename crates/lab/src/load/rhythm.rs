//! Hot path: when a user's next operation is to begin: at once, after a pause, at its own pace, or with the next
//! arrival that nobody has taken. Arrivals are handed out in order to users as they become idle, ahead of time, which
//! is the same as a queue that idle users wait at: an arrival that is due and not handed out finds every user busy.

use super::UserGroup;
use super::schedule::exponential;
use super::worker_state::WorkerState;
use model::Nanos;
use model::load::{Distribution, Pause};
use workload::draw::Generator;
use workload::user::Operation;

/// Pauses after operations.
pub struct Thinking {
    /// By operation: what is always as long, and the mean of the rest.
    pauses: Box<[(Nanos, Nanos)]>,
    distribution: Distribution,
    dice: Generator,
    /// `None` before the first.
    after: Option<Operation>,
}

impl Thinking {
    fn draw(&mut self) -> Nanos {
        let Some(operation) = self.after else {
            let longest = self.pauses.iter().map(|(keying, mean)| keying.0 + mean.0).max().unwrap_or(0);
            return Nanos((longest as f64 * self.dice.unit()) as u64);
        };
        let (keying, mean) = self.pauses[usize::from(operation.0)];
        let factor = match self.distribution {
            Distribution::Constant => 1.0,
            Distribution::Exponential => exponential(&mut self.dice),
        };
        Nanos(keying.0 + (mean.0 as f64 * factor) as u64)
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
    pub fn of<D>(user_group: &UserGroup<D>, user: u32) -> Self {
        match (&user_group.arrivals, &user_group.pause) {
            (Some(_), _) => Self::Arrivals,
            (None, None) => Self::AtOnce,
            (None, Some(pause @ Pause::Think { distribution, .. })) => {
                let parts = |name: &&str| {
                    let (keying, whole) = (pause.keying(name), pause.after(name).expect("it is a think time"));
                    (keying, Nanos(whole.0 - keying.0))
                };
                Self::Think(Thinking {
                    pauses: user_group.workload.operations().iter().map(parts).collect(),
                    distribution: *distribution,
                    dice: Generator::new(user_group.seed.child("think").nth(u64::from(user))),
                    after: None,
                })
            }
            (None, Some(Pause::Pace { every })) => {
                let apart = u128::from(every.0) * u128::from(user) / u128::from(user_group.users);
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
    pub fn next(&mut self, state: &WorkerState, now: Nanos) -> Nanos {
        let start = state.start.get().0;
        match self {
            Self::AtOnce => now,
            Self::Think(thinking) => Nanos(now.0 + thinking.draw().0),
            Self::Pace { next, every } => {
                let due = *next;
                *next = Nanos(due.0 + every.0);
                Nanos(start + due.0)
            }
            Self::Arrivals => Nanos(start + state.claim().0),
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
            pauses: [(Nanos(0), Nanos(1_000)), (Nanos(30), Nanos(50))].into(),
            distribution: Distribution::Constant,
            dice: Generator::new(Seed(1)),
            after: None,
        };
        assert!(thinking.draw() < Nanos(1_000), "the first pause is a part of one");
        for (operation, whole) in [(0, 1_000), (1, 80), (1, 80), (0, 1_000)] {
            thinking.after = Some(Operation(operation));
            assert_eq!(thinking.draw(), Nanos(whole));
        }
        thinking.distribution = Distribution::Exponential;
        thinking.after = Some(Operation(1));
        assert!((0..100).all(|_| thinking.draw() >= Nanos(30)), "keying does not vary");
    }
}
