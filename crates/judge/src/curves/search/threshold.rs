//! The highest rate that keeps a limit, from runs that only say *held* or *over*. Near the knee the same rate does now
//! one, now the other, so plain bisection would follow the first wrong answer; here each run shifts a belief about
//! where the knee lies and how wide its slope is, as in measuring thresholds of perception (Watson and Pelli 1983;
//! Kontsevich and Tyler 1999). While all answers agree this is bisection. Only whether a limit held enters, not by how
//! much: latency near a knee has no shape that one could rely on.

use model::search::Search;

/// A run's answer is taken to be an accident so often on either side, so that a single disturbed run does not decide.
const ACCIDENT: f64 = 0.02;
/// Steps of the grid of knees, in parts of the wanted half-width: finer than any interval.
const STEPS_WITHIN: f64 = 3.0;
/// Beyond both ends of the range, because the knee may lie there: a factor of two.
const BEYOND: f64 = std::f64::consts::LN_2;
/// Slopes of the knee in logarithms of rate, from half a per cent to a third, all as likely.
const SLOPES: [f64; 7] = [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32];
/// While the interval's ends are further apart than this factor, halving it tells more than its flanks.
const WIDE: f64 = 3.0;
/// The tail on either side: 2 % of belief, so that the interval of a search that ends as soon as it is narrow still
/// holds the knee in 95 of 100.
const TAIL: f64 = 0.02;
/// How far from the knee the slope is looked for: a tenth of the belief lies beyond.
const FLANK: f64 = 0.1;
/// Fewer runs than this are not a search: the grid of slopes alone would decide how wide the interval is.
pub const FEWEST: usize = 8;
/// Levels lie so many steps apart within the wanted half-width, so that near the knee the same ones are met again.
const LEVELS_WITHIN: f64 = 2.0;

/// Where the knee may lie: weights over a grid of knees (logarithms of rate) and slopes.
pub struct Belief<'a> {
    search: &'a Search,
    knees: Vec<f64>,
    /// By slope, then by knee.
    weights: Vec<Vec<f64>>,
    /// By knee, over all slopes.
    sums: Vec<f64>,
    runs: usize,
    held: Option<f64>,
    over: Option<f64>,
}

/// The knee with its 95 % interval, all within the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knee {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl<'a> Belief<'a> {
    pub fn new(search: &'a Search) -> Self {
        let (from, to) = (search.from.ln() - BEYOND, search.to.ln() + BEYOND);
        let steps = ((to - from) / ((1.0 + search.within.0).ln() / STEPS_WITHIN)).ceil() as usize;
        let knees: Vec<f64> = (0..=steps).map(|i| from + (to - from) * i as f64 / steps as f64).collect();
        let weights = SLOPES.iter().map(|_| vec![1.0; knees.len()]).collect();
        let sums = vec![1.0; knees.len()];
        Self { search, knees, weights, sums, runs: 0, held: None, over: None }
    }

    pub fn of(search: &'a Search, runs: impl Iterator<Item = (f64, bool)>) -> Self {
        let mut belief = Self::new(search);
        runs.for_each(|(level, over)| belief.learn(level, over));
        belief
    }

    /// One more run at that rate was over the limit or not.
    pub fn learn(&mut self, level: f64, over: bool) {
        let at = level.ln();
        let mut most = 0.0_f64;
        for (slope, weights) in SLOPES.iter().zip(&mut self.weights) {
            for (knee, weight) in self.knees.iter().zip(weights) {
                let chance = ACCIDENT + (1.0 - 2.0 * ACCIDENT) / (1.0 + ((knee - at) / slope).exp());
                *weight *= if over { chance } else { 1.0 - chance };
                most = most.max(*weight);
            }
        }
        self.weights.iter_mut().flatten().for_each(|w| *w /= most);
        self.sums = (0..self.knees.len()).map(|i| self.weights.iter().map(|w| w[i]).sum()).collect();
        self.runs += 1;
        if over {
            self.over = Some(self.over.map_or(level, |o| o.min(level)));
        } else {
            self.held = Some(self.held.map_or(level, |h| h.max(level)));
        }
    }

    /// The knee that lies below with that probability, as a logarithm.
    fn quantile(&self, p: f64) -> f64 {
        let wanted = p * self.sums.iter().sum::<f64>();
        let mut below = 0.0;
        for (i, sum) in self.sums.iter().enumerate() {
            if below + sum >= wanted {
                let step = self.knees[1] - self.knees[0];
                return self.knees[i] + step * ((wanted - below) / sum - 0.5);
            }
            below += sum;
        }
        self.knees[self.knees.len() - 1]
    }

    pub fn knee(&self) -> Knee {
        let [low, value, high] = [TAIL, 0.5, 1.0 - TAIL].map(|p| self.quantile(p).exp());
        Knee { value, low, high }
    }

    /// Whether the knee certainly lies outside the range.
    pub fn is_below(&self) -> bool {
        self.knee().high <= self.search.from
    }
    pub fn is_above(&self) -> bool {
        self.knee().low >= self.search.to
    }
    pub fn is_told(&self) -> bool {
        let Knee { low, high, .. } = self.knee();
        let narrow = (high / low).sqrt() <= 1.0 + self.search.within.0;
        self.runs >= FEWEST && narrow || self.is_below() || self.is_above()
    }

    /// The next rate, and why.
    pub fn next(&self) -> (f64, String) {
        let (p, why) = match (self.held, self.over) {
            (None, None) => (0.5, "the middle of the range"),
            (Some(_), None) => (0.5, "every rate held so far: the middle of what lies above"),
            (None, Some(_)) => (0.5, "no rate held so far: the middle of what lies below"),
            (Some(_), Some(_)) if self.knee().high > WIDE * self.knee().low => {
                (0.5, "the middle of where the knee may lie")
            }
            (Some(_), Some(_)) => match self.runs % 3 {
                0 => (0.5, "where the knee most probably lies"),
                1 => (FLANK, "a little below the knee, to see whether it holds"),
                _ => (1.0 - FLANK, "a little above the knee, to see whether it is over"),
            },
        };
        (self.level(self.quantile(p)), why.into())
    }

    /// The level nearest to the logarithm of a rate.
    fn level(&self, at: f64) -> f64 {
        let step = (1.0 + self.search.within.0).ln() / LEVELS_WITHIN;
        let from = self.search.from.ln();
        self.search.level((from + ((at - from) / step).round() * step).exp())
    }
}
