//! The course of a run as it is drawn: its seconds, with what all workers and groups counted in them, thinned out to a
//! few moments by merging neighbours: counts are summed, histograms merged, and the slowest second stands beside them
//! so that a stall does not vanish in a mean. Here and not where it is drawn, because the pages of a thousand runs are
//! read once, and this is what is kept of them. Full resolution stays in the record.

use super::second::TimedSecond;
use crate::histogram::Histogram;
use crate::units::Nanos;

/// The moments of a whole session: two per pixel of a wide screen.
const OF_A_SESSION: usize = 2000;
/// Even a very long session shows this much of each run: its beginning, its end and two moments between.
const OF_A_RUN: usize = 4;
/// Seconds among which another worker's like is looked for.
const NEAR: usize = 3;

/// Neighbouring seconds of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Since the start of the run's first phase.
    pub from: Nanos,
    pub to: Nanos,
    /// Statements answered, with an error or without.
    pub answered: u64,
    /// Statements per second in the slowest of its seconds.
    pub slowest: f64,
    /// The latency of operations done.
    pub latency: Histogram,
}

/// How many moments each run of a session of so many is drawn by, at most.
pub fn of_a_run(runs: usize) -> usize {
    (OF_A_SESSION / runs.max(1)).max(OF_A_RUN)
}

/// The seconds of a run, in order, as at most so many moments.
pub fn thinned(seconds: &[TimedSecond], count: usize) -> Vec<Moment> {
    let whole = whole(seconds);
    // With room for every value, once for all moments.
    let mut latency = Histogram::new();
    whole.chunks(whole.len().div_ceil(count).max(1)).map(|part| merged(part, &mut latency)).collect()
}

/// One second with what all workers and groups counted in it. Workers cut theirs a little apart from each other.
fn whole(seconds: &[TimedSecond]) -> Vec<Vec<&TimedSecond>> {
    let mut whole: Vec<Vec<&TimedSecond>> = Vec::new();
    for second in seconds {
        let half = Nanos(second.from.0 + second.length().0 / 2);
        let is_same = |first: &TimedSecond| (first.from..first.to).contains(&half) && first.phase == second.phase;
        match whole.iter_mut().rev().take(NEAR).find(|others| is_same(others[0])) {
            Some(others) => others.push(second),
            None => whole.push(vec![second]),
        }
    }
    whole
}

fn merged(seconds: &[Vec<&TimedSecond>], latency: &mut Histogram) -> Moment {
    let answered = |parts: &[&TimedSecond]| parts.iter().map(|part| part.calls + part.refused).sum::<u64>();
    let rate = |parts: &Vec<&TimedSecond>| {
        answered(parts) as f64 / Nanos(parts[0].to.0.saturating_sub(parts[0].from.0).max(1)).seconds()
    };
    latency.clear();
    seconds.iter().flatten().for_each(|part| latency.merge(&part.latency));
    Moment {
        from: seconds[0][0].from,
        to: seconds[seconds.len() - 1][0].to,
        answered: seconds.iter().map(|parts| answered(parts)).sum(),
        slowest: seconds.iter().map(rate).fold(f64::INFINITY, f64::min),
        // A copy is the short list: thousands of moments are kept.
        latency: latency.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(from: u64, calls: u64, latency: u64) -> TimedSecond {
        let mut histogram = Histogram::new();
        histogram.record_many(Nanos(latency), calls);
        let (from, to) = (Nanos(from), Nanos(from + 1_000_000_000));
        TimedSecond { from, to, phase: "measure".into(), calls, latency: histogram, ..TimedSecond::default() }
    }

    #[test]
    fn workers_share_a_second_and_neighbours_a_moment_that_remembers_its_slowest() {
        let at = |n: u64| n * 1_000_000_000;
        let seconds: Vec<TimedSecond> =
            (0..4).flat_map(|n| [second(at(n), 10 + n, 1000), second(at(n) + 5_000, 5, 9000)]).collect();
        let moments = thinned(&seconds, 2);
        assert_eq!(moments.iter().map(|m| (m.from.0, m.to.0)).collect::<Vec<_>>(), [(0, at(2)), (at(2), at(4))]);
        assert_eq!(moments.iter().map(|m| (m.answered, m.slowest)).collect::<Vec<_>>(), [(31, 15.0), (35, 17.0)]);
        assert_eq!(moments[1].latency.count(), 35);
        assert_eq!(thinned(&[], 4), []);
    }

    #[test]
    fn a_long_session_shows_a_little_of_each_run_and_a_short_one_much() {
        assert_eq!([1, 100, 5000].map(of_a_run), [2000, 20, 4]);
    }
}
