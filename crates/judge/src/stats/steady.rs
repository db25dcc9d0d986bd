//! Whether a run was in a steady state, and from when on: the rates of its seconds are cut into levels (PELT on mean
//! and variance, as Barrett and others 2017 did for virtual machines), neighbours that hardly differ are one level, and
//! what remains must hold still. Levels and not slopes come first, because a median over a warm-up and a plateau is
//! neither. On an unchanged series it must stay silent: its limits were set by simulation, which
//! `crates/judge/tests/steady.rs` repeats.

use super::change::partition;
use super::{average, effective, median, quantile, robust_deviation, trend};
use model::units::Share;

/// Fewer points have no levels: the shortest level is a sixth of this, and its variance would be made of less than
/// five.
pub const FEWEST_POINTS: usize = 30;
/// A steady state lasts this long at least; shorter runs are not looked at.
pub const SHORTEST_SECONDS: f64 = 30.0;
/// … and at least this share of the run.
pub const SHORTEST_SHARE: Share = Share(0.5);
/// A warm-up is over by this share of the run: who warms up for longer was held back by something that went away.
pub const WARM_UP: Share = Share(1.0 / 3.0);
/// Levels that differ by less are one.
pub const SAME: Share = Share(0.02);
/// The shortest level.
const LEVEL_SECONDS: f64 = 10.0;
const LEVEL_POINTS: usize = 5;
/// Long runs are looked at in means of so many seconds, which a checkpoint's stutter does not move.
const BIN_SECONDS: f64 = 5.0;
/// More than these would cost time and memory with their square.
const MOST_BINS: usize = 720;
/// What a further level must gain in log-likelihood, times ln n: Barrett's, found by eye on real servers.
const PRICE: f64 = 15.0;
/// Half the window in which a point is held against its neighbours for a stall.
const NEIGHBOURS_SECONDS: f64 = 30.0;
/// A point further from its neighbours' median than so many times the span of their middle four fifths is a stall.
const STALL: f64 = 3.0;
/// A trend is real below this probability of being chance: ten times stricter than it sounds, because the thinned
/// values of a short series still resemble each other.
const CHANCE: f64 = 0.001;
/// A cycle: the autocorrelation rises again to this.
const CYCLE: f64 = 0.3;
/// … or to so many standard errors of no correlation, in short series.
const CYCLE_ERRORS: f64 = 4.0;
/// Independent values that a trend needs at least.
const BLOCKS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One level from beginning to end.
    Flat,
    /// Lower levels at its beginning, each higher than the one before, then one that holds.
    WarmUp,
    /// A level that holds, after a lower one that came later or lasted longer than a warm-up does.
    Rise,
    /// A level that holds, after a higher one.
    Slowdown,
    /// One level that swings.
    Cyclic,
    /// The last level is too short to be called a state.
    NoSteadyState,
}

/// A stretch of the run with one rate, in seconds from its first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub from: f64,
    pub to: f64,
    /// Median rate.
    pub rate: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    pub class: Class,
    /// All of them, in order; the last is the steady one if any is.
    pub levels: Vec<Level>,
    /// How much the rate rises or falls over the last level, as a share of where it is highest: never more than all of
    /// it.
    pub drift: f64,
    /// That drift is more than chance.
    pub drifts: bool,
    /// Seconds at which the rate left its neighbours far behind, either way.
    pub stalls: Vec<f64>,
    /// Length of the cycle in seconds, where there is one.
    pub cycle: Option<f64>,
}

impl Steady {
    /// Seconds after which the last level begins.
    pub fn from(&self) -> f64 {
        self.last().from
    }
    pub fn last(&self) -> Level {
        self.levels[self.levels.len() - 1]
    }
}

/// The state of a run from its rates, one per `width` seconds; `None` for what is too short to have one.
pub fn of(rates: &[f64], width: f64) -> Option<Steady> {
    let seconds = rates.len() as f64 * width;
    if rates.len() < FEWEST_POINTS || seconds < SHORTEST_SECONDS {
        return None;
    }
    let (stalls, calm) = stalls(rates, width);
    let bin = ((BIN_SECONDS / width) as usize).min(rates.len() / FEWEST_POINTS).max(rates.len().div_ceil(MOST_BINS));
    let binned: Vec<f64> = calm.chunks(bin).map(average).collect();
    let width_of_bin = width * bin as f64;
    let levels = levels(&binned, width_of_bin);
    let last = &binned[levels[levels.len() - 1]..];
    let (drift, drifts) = drift(last);
    let cycle = cycle(last).map(|lag| lag as f64 * width_of_bin);
    let ends = levels.iter().skip(1).copied().chain([binned.len()]);
    let level = |(from, to): (&usize, usize)| Level {
        from: *from as f64 * width_of_bin,
        to: (to as f64 * width_of_bin).min(seconds),
        rate: median(&mut binned[*from..to].to_vec()),
    };
    let levels: Vec<Level> = levels.iter().zip(ends).map(level).collect();
    Some(Steady { class: class(&levels, seconds, cycle), levels, drift, drifts, stalls, cycle })
}

fn class(levels: &[Level], seconds: f64, cycle: Option<f64>) -> Class {
    let last = levels[levels.len() - 1];
    let before = &levels[..levels.len() - 1];
    let length = last.to - last.from;
    if length < SHORTEST_SECONDS.max(SHORTEST_SHARE.0 * seconds) || cycle.is_some_and(|c| length < 2.0 * c) {
        Class::NoSteadyState
    } else if before.iter().any(|level| level.rate > last.rate) {
        Class::Slowdown
    } else if !before.is_empty() {
        let rises = levels.windows(2).all(|pair| pair[0].rate < pair[1].rate);
        if rises && last.from <= WARM_UP.0 * seconds { Class::WarmUp } else { Class::Rise }
    } else if cycle.is_some() {
        Class::Cyclic
    } else {
        Class::Flat
    }
}

/// When the rate left its neighbours, and the series with such points put back to the edge of where they are.
fn stalls(rates: &[f64], width: f64) -> (Vec<f64>, Vec<f64>) {
    let reach = ((NEIGHBOURS_SECONDS / width) as usize).max(LEVEL_POINTS);
    let mut calm = rates.to_vec();
    let mut stalls = Vec::new();
    for (i, rate) in rates.iter().enumerate() {
        let mut near = rates[i.saturating_sub(reach)..(i + reach + 1).min(rates.len())].to_vec();
        let centre = median(&mut near);
        let far = STALL * (quantile(&near, 0.9) - quantile(&near, 0.1));
        if (rate - centre).abs() > far.max(SAME.0 * centre.abs()) {
            stalls.push(i as f64 * width);
            calm[i] = rate.clamp(centre - far, centre + far);
        }
    }
    (stalls, calm)
}

/// Where each level begins, the first at zero.
fn levels(series: &[f64], width: f64) -> Vec<usize> {
    let mut centre = series.to_vec();
    let centre = median(&mut centre).abs().max(f64::MIN_POSITIVE);
    let relative: Vec<f64> = series.iter().map(|x| x / centre).collect();
    let (sums, squares) = (sums(&relative, |x| x), sums(&relative, |x| x * x));
    // What a tenth of the margin spreads: below it, calm is not worth a level of its own.
    let floor = (0.1 * SAME.0).powi(2);
    let cost = |from: usize, to: usize| {
        let n = (to - from) as f64;
        let mean = (sums[to] - sums[from]) / n;
        n * (((squares[to] - squares[from]) / n - mean * mean).max(0.0) + floor).ln()
    };
    let shortest = ((LEVEL_SECONDS / width).ceil() as usize).max(LEVEL_POINTS);
    let cut = |price: f64| -> Vec<usize> {
        [0].into_iter().chain(partition::cuts(series.len(), shortest, price, cost)).collect()
    };
    let price = PRICE * (series.len() as f64).ln();
    // What resembles its neighbours around these levels gains by less than it seems.
    let dearer = price * effective::resemblance(&off_levels(&relative, &cut(price)));
    merged(&relative, cut(dearer))
}

fn sums(series: &[f64], of: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    let next = |x: &f64| {
        sum += of(*x);
        sum
    };
    [0.0].into_iter().chain(series.iter().map(next)).collect()
}

/// Each level's values.
fn parts<'a>(series: &'a [f64], begins: &'a [usize]) -> impl Iterator<Item = &'a [f64]> {
    let ends = begins.iter().skip(1).copied().chain([series.len()]);
    begins.iter().zip(ends).map(|(from, to)| &series[*from..to])
}

/// How far each value lies from its level's median.
fn off_levels(series: &[f64], begins: &[usize]) -> Vec<f64> {
    let off = |part: &[f64]| {
        let centre = median(&mut part.to_vec());
        part.iter().map(|x| x - centre).collect::<Vec<_>>()
    };
    parts(series, begins).flat_map(off).collect()
}

/// Neighbours become one while the most alike of them differ by less than the margin or the scatter around levels.
fn merged(relative: &[f64], mut begins: Vec<usize>) -> Vec<usize> {
    loop {
        let alike = SAME.0.max(robust_deviation(&off_levels(relative, &begins)));
        let centres: Vec<f64> = parts(relative, &begins).map(|part| median(&mut part.to_vec())).collect();
        let steps = centres.windows(2).map(|w| (w[1] - w[0]).abs()).enumerate();
        match steps.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, step)| *step < alike) {
            Some((i, _)) => drop(begins.remove(i + 1)),
            None => return begins,
        }
    }
}

/// Change over the whole series relative to its higher end, and whether it is more than chance, which too few
/// independent values cannot tell.
fn drift(series: &[f64]) -> (f64, bool) {
    let slope = trend::slope(series);
    let level: Vec<f64> = series.iter().enumerate().map(|(i, x)| x - slope * i as f64).collect();
    let thinned: Vec<f64> = series.chunks_exact(effective::resemblance(&level).ceil() as usize).map(average).collect();
    let centre = median(&mut series.to_vec());
    let change = slope * series.len() as f64;
    // The line through the series lies at its median in the middle, and half of the change above it at one end.
    let drift = (change / (centre + change.abs() / 2.0)).clamp(-1.0, 1.0);
    (drift, thinned.len() >= BLOCKS && trend::chance(&thinned) < CHANCE)
}

/// The lag at which the series resembles itself again, after it did not: the highest such peak.
fn cycle(series: &[f64]) -> Option<usize> {
    let centre = average(series);
    let off: Vec<f64> = series.iter().map(|x| x - centre).collect();
    let whole: f64 = off.iter().map(|x| x * x).sum();
    if whole <= 0.0 {
        return None;
    }
    let at = |lag: usize| off.iter().zip(&off[lag..]).map(|(a, b)| a * b).sum::<f64>() / whole;
    let correlations: Vec<f64> = (0..=series.len() / 2).map(at).collect();
    let valley = correlations.iter().position(|c| *c < 0.0)?;
    let peak = (valley..correlations.len()).max_by(|a, b| correlations[*a].total_cmp(&correlations[*b]))?;
    let limit = CYCLE.max(CYCLE_ERRORS / (series.len() as f64).sqrt());
    (correlations[peak] >= limit).then_some(peak)
}
