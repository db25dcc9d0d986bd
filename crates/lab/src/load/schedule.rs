//! Hot path: the intended starts of one worker's operations under an open load: a clock of expected arrivals (the
//! integral of the rate) on which the workers' arrivals lie, evenly or at random, turned back into time. All that a
//! schedule keeps is where it is, so that a backlog costs no memory: what is late is what has not been drawn yet.

use model::load::Process;
use model::rate::How;
use model::{Arrivals, Nanos, Rate, Seed};
use std::sync::Arc;
use workload::draw::Generator;

#[derive(Clone)]
pub struct Schedule {
    stretches: Arc<[Stretch]>,
    /// The stretch that holds the last arrival.
    stretch: usize,
    /// Arrivals of all workers that are expected before the next one (constant) or the last one (Poisson) of this
    /// worker.
    position: f64,
    /// How many of all arrivals make one of this worker's.
    workers: u32,
    /// How many of them, its next included, are still to be drawn.
    ahead: u32,
    dice: Option<Generator>,
}

/// A part of the course in which the rate is a straight line.
#[derive(Debug)]
struct Stretch {
    /// Nanoseconds since the start.
    begin: f64,
    /// Arrivals expected before it.
    before: f64,
    /// Per nanosecond, at its begin.
    rate: f64,
    /// Change of the rate per nanosecond.
    slope: f64,
}

impl Schedule {
    /// That of one of so many workers, who take its arrivals in turn: together they make the same, however many they
    /// are. Random ones are drawn by each for all, 10 ns each, so that nobody has to ask.
    pub fn new(arrivals: &Arrivals, seed: Seed, worker: u32, workers: u32) -> Self {
        let dice = match arrivals.process {
            Process::Constant => None,
            Process::Poisson => Some(Generator::new(seed.child("arrivals").nth(0))),
        };
        let position = if dice.is_some() { 0.0 } else { f64::from(worker) };
        Self { stretches: stretches(&arrivals.rate).into(), stretch: 0, position, workers, ahead: worker + 1, dice }
    }

    /// The next intended start, since the start of the first phase.
    pub fn next(&mut self) -> Nanos {
        let at = match &mut self.dice {
            None => self.position,
            // One by one, so that sums are rounded the same for all.
            Some(dice) => (0..self.ahead).fold(self.position, |at, _| at + exponential(dice)),
        };
        self.ahead = self.workers;
        self.position = if self.dice.is_some() { at } else { at + f64::from(self.workers) };
        while self.stretches.get(self.stretch + 1).is_some_and(|next| next.before <= at) {
            self.stretch += 1;
        }
        self.stretches[self.stretch].time_of(at)
    }
}

/// A draw with mean one.
pub fn exponential(dice: &mut Generator) -> f64 {
    -(1.0 - dice.unit()).ln()
}

fn stretches(rate: &Rate) -> Vec<Stretch> {
    const SECOND: f64 = 1e9;
    let mut last = Stretch { begin: 0.0, before: 0.0, rate: rate.first / SECOND, slope: 0.0 };
    let mut all = Vec::with_capacity(1 + rate.changes.len());
    for change in &rate.changes {
        let (when, to) = (change.when.0 as f64, change.rate / SECOND);
        let length = when - last.begin;
        match change.how {
            How::Step => {}
            How::Ramp => last.slope = (to - last.rate) / length,
        }
        let before = last.before + length * (last.rate + last.slope * length / 2.0);
        all.push(last);
        last = Stretch { begin: when, before, rate: to, slope: 0.0 };
    }
    all.push(last);
    all
}

impl Stretch {
    /// When so many arrivals are expected: the root of `rate·t + slope·t²/2 = more`, in the form that also holds for no
    /// slope.
    fn time_of(&self, arrivals: f64) -> Nanos {
        let more = arrivals - self.before;
        let root = (self.rate * self.rate + 2.0 * self.slope * more).max(0.0).sqrt();
        Nanos((self.begin + 2.0 * more / (self.rate + root)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, process: Process, workers: u32, until: Nanos) -> Vec<Nanos> {
        let arrivals = Arrivals { rate: Rate::parse(text).unwrap(), process };
        let mut all = Vec::new();
        for worker in 0..workers {
            let mut schedule = Schedule::new(&arrivals, Seed(7), worker, workers);
            all.extend(std::iter::from_fn(|| Some(schedule.next()).filter(|at| *at < until)));
        }
        all.sort_unstable();
        all
    }

    fn within(all: &[Nanos], from: u64, to: u64) -> usize {
        all.iter().filter(|at| (Nanos::from_secs(from)..Nanos::from_secs(to)).contains(at)).count()
    }

    #[test]
    fn workers_together_make_the_rate_evenly() {
        for workers in [1, 2, 7] {
            let all = drawn("1000", Process::Constant, workers, Nanos::from_secs(10));
            assert_eq!(all.len(), 10_000);
            let apart = |w: &[Nanos]| (999_999..=1_000_001).contains(&(w[1].0 - w[0].0));
            assert!(all.windows(2).all(apart), "{workers} workers");
        }
    }

    #[test]
    fn steps_and_ramps_hold_as_many_arrivals_as_their_area() {
        let all = drawn("1000, 5000 at 2s, 1000 by 4s", Process::Constant, 2, Nanos::from_secs(6));
        let counts = [(0, 2), (2, 3), (3, 4), (4, 6)].map(|(from, to)| within(&all, from, to));
        for (count, area) in counts.iter().zip([2_000_usize, 4_000, 2_000, 2_000]) {
            assert!(count.abs_diff(area) <= 1, "{counts:?}");
        }
    }

    #[test]
    fn however_many_workers_there_are_the_arrivals_are_the_same_to_the_nanosecond() {
        for process in [Process::Constant, Process::Poisson] {
            let by = |workers| drawn("1000, 3000 by 5s", process, workers, Nanos::from_secs(5));
            let alone = by(1);
            assert!(alone.len() > 9_000 && [2, 3, 7].into_iter().all(|workers| by(workers) == alone), "{process:?}");
        }
    }

    #[test]
    fn random_arrivals_have_the_mean_and_the_spread_of_a_poisson_process() {
        let all = drawn("1000, 3000 by 20s", Process::Poisson, 3, Nanos::from_secs(20));
        // 40,000 are expected; their number and the number in each 10 ms have the variance of their mean.
        assert!((all.len() as f64 - 40_000.0).abs() < 4.0 * 200.0, "{}", all.len());
        let mut chi = 0.0;
        for bin in 0..2_000_u64 {
            let (from, to) = (Nanos::from_millis(10 * bin), Nanos::from_millis(10 * bin + 10));
            let expected = 10.0 + (bin as f64 + 0.5) * 0.01;
            let count = all.partition_point(|at| *at < to) - all.partition_point(|at| *at < from);
            chi += (count as f64 - expected).powi(2) / expected;
        }
        assert!((chi / 2_000.0 - 1.0).abs() < 0.13, "variance over mean is {}", chi / 2_000.0);
        assert_eq!(all, drawn("1000, 3000 by 20s", Process::Poisson, 3, Nanos::from_secs(20)), "drawn from the seed");
    }
}
