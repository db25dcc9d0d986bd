//! How sure a count of samples is. It has the noise of counting, and more: runs differ. How much more is learned from
//! all functions together (`Noise`, drawn towards what they have in common by `stats::prior`), so that three runs tell
//! a difference, and a function that only some runs entered is not believed for it.

use crate::stats::prior::Prior;
use crate::stats::ratio::Ratio;
use std::collections::{BTreeMap, BTreeSet};

/// Functions with fewer samples say nothing about how runs differ.
const TELLING: u64 = 20;

/// A cell's exposures (`Side::of`), and by function its samples in each run.
pub type Table<'a> = (&'a [f64], &'a BTreeMap<String, Vec<u64>>);

/// One function in one cell.
#[derive(Clone, Copy)]
pub struct Side {
    /// µs per operation.
    pub mean: f64,
    /// The variance of the mean, by counting alone.
    variance: f64,
    /// How much runs differ, in units of what counting makes them differ; and the degrees of freedom of that.
    squares: f64,
    freedom: f64,
    samples: u64,
}

impl Side {
    /// Made of its samples in each run, and the operations of each ÷ the µs that a sample of it stands for.
    pub fn of(exposures: &[f64], counts: &[u64]) -> Self {
        let samples: u64 = counts.iter().sum();
        let exposure: f64 = exposures.iter().sum();
        let mean = samples as f64 / exposure;
        // Half a sample more: what was not seen may be there.
        let rate = (samples as f64 + 0.5) / exposure;
        let square = |(place, exposure): (usize, &f64)| {
            let wanted = rate * exposure;
            (counts.get(place).copied().unwrap_or(0) as f64 - wanted).powi(2) / wanted
        };
        let squares = exposures.iter().enumerate().map(square).sum();
        Self { mean, variance: rate / exposure, squares, freedom: exposures.len() as f64 - 1.0, samples }
    }

    fn per_run(&self) -> f64 {
        self.samples as f64 / (self.freedom + 1.0)
    }

    /// What `squares` are per degree of freedom where runs differ by that share, squared, beyond counting.
    fn expected(&self, beyond: f64) -> f64 {
        1.0 + beyond * self.per_run()
    }
}

/// By how much runs differ beyond counting, as all functions of a table tell it together: a function's time differs by
/// about the same share from run to run, whatever it is, which counts nothing among few samples and most among many.
pub struct Noise {
    /// That share, squared.
    beyond: f64,
    /// How much single functions are off that.
    prior: Option<Prior>,
}

impl Noise {
    pub fn of(tables: &[Table<'_>]) -> Self {
        let names: BTreeSet<&String> = tables.iter().flat_map(|(_, table)| table.keys()).collect();
        let of = |(exposures, table): &Table<'_>, name: &String| {
            Side::of(exposures, table.get(name).map_or(&[], Vec::as_slice))
        };
        let sides = names.into_iter().map(|name| tables.iter().map(|table| of(table, name)).collect::<Vec<Side>>());
        let telling: Vec<Vec<Side>> = sides.filter(|sides| is_telling(sides)).collect();
        let all = || telling.iter().flatten();
        let excess: f64 = all().map(|side| side.squares - side.freedom).sum();
        let weight: f64 = all().map(|side| side.freedom * side.per_run()).sum();
        let beyond = if weight > 0.0 { (excess / weight).max(0.0) } else { 0.0 };
        let prior = Prior::of(&telling.iter().map(|sides| dispersion(sides, beyond)).collect::<Vec<_>>());
        Self { beyond, prior }
    }

    /// The variance of what the sides differ by, and its degrees of freedom. Counting is the least of each: a function
    /// whose runs agree better than that agrees by chance.
    pub fn of_function(&self, sides: &[Side]) -> (f64, f64) {
        let own = dispersion(sides, self.beyond);
        let knowing = self.prior.as_ref().map_or(own, |prior| own.knowing(prior));
        let variance = |side: &Side| side.variance * (side.expected(self.beyond) * knowing.variance).max(1.0);
        (sides.iter().map(variance).sum(), knowing.freedom.max(1.0))
    }
}

fn is_telling(sides: &[Side]) -> bool {
    sides.iter().map(|side| side.samples).sum::<u64>() >= TELLING && sides.iter().any(|side| side.freedom > 0.0)
}

/// How much runs differ, in units of what is expected of them; only its variance and freedom mean something.
fn dispersion(sides: &[Side], beyond: f64) -> Ratio {
    let freedom: f64 = sides.iter().map(|side| side.freedom).sum();
    let squares: f64 = sides.iter().map(|side| side.squares / side.expected(beyond)).sum();
    Ratio { log: 0.0, variance: squares / freedom.max(1.0), freedom, n: 1 }
}
