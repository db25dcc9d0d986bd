//! Searches on servers that are only imagined, by the thousand: whether the interval holds the knee as often as it
//! says, how many runs it takes, and what happens when there is nothing to find. Seeded, so the answers are the same
//! every time.

use judge::curves::search::peak::Sight;
use judge::curves::search::threshold::Belief;
use model::search::{Goal, Keep, Search};
use model::seed::{Seed, split_mix};
use model::units::{Nanos, Share};

struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = split_mix(self.0);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn for_rate() -> Search {
    let keep = Keep { percent: 99.0, limit: Nanos::from_millis(5) };
    Search { goal: Goal::Rate { keep }, from: 500.0, to: 50_000.0, within: Share(0.05), runs: 24, seed: Seed(1) }
}

/// Searches for knees all over the range, where the knee of each run lies off by `noise` and one run in so many is
/// disturbed: the share of intervals that hold the knee, the runs taken, the half-width.
fn searched(noise: f64, disturbed: f64, searches: u64) -> (f64, f64, f64) {
    let search = for_rate();
    let (mut held, mut runs, mut width) = (0, 0, 0.0);
    for number in 0..searches {
        let mut dice = Dice(Seed(11).nth(number).0);
        let knee = (search.from.ln() + dice.uniform() * (search.to / search.from).ln()).exp();
        let mut belief = Belief::new(&search);
        for _ in 0..search.runs {
            let (level, _) = belief.next();
            let over = if dice.uniform() < disturbed { true } else { level > knee * (noise * dice.normal()).exp() };
            belief.learn(level, over);
            runs += 1;
            if belief.is_told() {
                break;
            }
        }
        let told = belief.knee();
        held += u64::from(told.low <= knee && knee <= told.high);
        width += (told.high / told.low).sqrt() - 1.0;
    }
    let each = 1.0 / searches as f64;
    (held as f64 * each, f64::from(runs) * each, width * each)
}

fn for_users() -> Search {
    Search { goal: Goal::Users, from: 1.0, to: 1024.0, within: Share(0.5), runs: 36, seed: Seed(1) }
}

/// The same for the peak of a curve, whose place is known.
fn climbed(curve: impl Fn(f64) -> f64, peak: f64, noise: f64, searches: u64) -> (f64, f64, f64) {
    let search = for_users();
    let (mut held, mut runs, mut width) = (0, 0, 0.0);
    for number in 0..searches {
        let mut dice = Dice(Seed(12).nth(number).0);
        let mut seen = Vec::new();
        let told = loop {
            let sight = Sight::of(&search, seen.iter().copied());
            if sight.is_told() || seen.len() == search.runs as usize {
                break sight.peak().expect("the sweep is over");
            }
            let (users, _) = sight.next();
            seen.push((users, curve(users) * (noise * dice.normal()).exp()));
        };
        runs += seen.len();
        held += u64::from(told.low <= peak && peak <= told.high);
        width += told.high / told.low;
    }
    let each = 1.0 / searches as f64;
    (held as f64 * each, runs as f64 * each, width * each)
}

/// Users at the peak of the universal scalability law.
fn usl(contention: f64, peak: f64) -> impl Fn(f64) -> f64 {
    let coherency = (1.0 - contention) / (peak * peak);
    move |n: f64| 1000.0 * n / (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0))
}

const SEARCHES: u64 = 600;

#[test]
fn the_knee_lies_in_its_interval_as_often_as_the_interval_says() {
    // Runs with as much noise need as many runs; with a tenth the budget ends most searches, and the interval stays
    // honest.
    for (noise, most_runs, widest) in [(0.003, 17.0, 0.05), (0.03, 22.0, 0.07), (0.1, 24.0, 0.16)] {
        let (held, runs, width) = searched(noise, 0.0, SEARCHES);
        assert!(held >= 0.92 && runs <= most_runs && width <= widest, "{noise}: {held} held, {runs} runs, ±{width}");
    }
}

#[test]
fn a_disturbed_run_does_not_decide_a_search() {
    let (held, runs, width) = searched(0.01, 0.05, SEARCHES);
    assert!(held >= 0.95 && runs <= 20.0 && width <= 0.07, "{held} held, {runs} runs, ±{width}");
}

#[test]
fn a_knee_outside_the_range_is_told_after_few_runs() {
    let search = for_rate();
    for over in [false, true] {
        let mut belief = Belief::new(&search);
        let mut runs = 0;
        while !belief.is_told() {
            belief.learn(belief.next().0, over);
            runs += 1;
        }
        assert_eq!((belief.is_below(), belief.is_above()), (over, !over));
        assert!(runs <= 12, "{runs} runs");
    }
}

#[test]
fn the_peak_lies_in_its_interval_at_least_as_often_as_the_interval_says() {
    for (noise, contention, peak, widest) in
        [(0.005, 0.0, 20.0, 4.0), (0.02, 0.05, 20.0, 4.0), (0.02, 0.3, 20.0, 7.0), (0.05, 0.05, 150.0, 14.0)]
    {
        let (held, runs, width) = climbed(usl(contention, peak), peak, noise, SEARCHES);
        assert!(held >= 0.95 && runs <= 36.0 && width <= widest, "{noise}: {held} held, {runs} runs, × {width}");
    }
}

#[test]
fn a_curve_that_no_formula_describes_has_its_peak_found_too() {
    let kink = |n: f64| if n <= 11.0 { n } else { 11.0 * (1.0 - 0.05 * (n / 11.0).log2()) };
    let (held, _, width) = climbed(kink, 11.0, 0.02, SEARCHES);
    assert!(held >= 0.95 && width <= 4.0, "{held} held, × {width}");
}
