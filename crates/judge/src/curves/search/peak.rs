//! The users with whom most is done, from runs that each give a rate with noise. Throughput is flat around its peak, so
//! a search that trusts single comparisons (golden section) ends anywhere; and a formula for the curve would answer for
//! curves that do not follow it. Instead the range is swept once by factors of two, and further runs go to the levels
//! that may still be the best (subset selection, Gupta 1965, with one spread for all levels on the log scale), with a
//! level put in between where the best is known too coarsely. Nothing is assumed of the curve but that it rises to its
//! peak and falls after it.

use crate::stats::{mean, student};
use model::{Search, Seed, Share};

/// One interval over all levels at once: the best is among the chosen with this probability.
const CONFIDENCE: f64 = 0.95;
/// Degrees of freedom from which a spread is known well enough to dismiss a level.
const FREEDOM: usize = 3;
/// Until then the best so far are repeated.
const FIRST: usize = 3;
/// Runs of a level before a new one is put beside it, and for the interval of its rate.
const ENOUGH: usize = 3;
/// Levels that are not told apart but certainly no further than this from the best are all as good.
pub const FLAT: Share = Share(0.02);

/// The runs at one number of users.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    pub users: f64,
    /// Logarithms of the rate.
    logs: Vec<f64>,
}

/// What the runs say: levels by users, and which of them may be the best.
pub struct Sight<'a> {
    search: &'a Search,
    levels: Vec<Level>,
    /// By level; all of them while the spread is not known.
    may_be_best: Vec<bool>,
    best: usize,
    /// How much better the best may be than the worst that may be best.
    behind: f64,
}

/// The peak: its users, and the neighbours that are certainly none, or the ends of the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    pub users: f64,
    pub low: f64,
    pub high: f64,
}

impl Level {
    fn mean(&self) -> f64 {
        self.logs.iter().sum::<f64>() / self.logs.len() as f64
    }
    fn squares(&self) -> f64 {
        let centre = self.mean();
        self.logs.iter().map(|x| (x - centre).powi(2)).sum()
    }
    pub fn runs(&self) -> usize {
        self.logs.len()
    }
    /// With its interval where there are enough runs for one.
    pub fn rate(&self) -> (f64, Option<(f64, f64)>) {
        let rates: Vec<f64> = self.logs.iter().map(|x| x.exp()).collect();
        (self.mean().exp(), mean::of_logs(&rates).map(|i| (i.low, i.high)))
    }
}

impl<'a> Sight<'a> {
    /// From users and rates; a rate of zero says nothing.
    pub fn of(search: &'a Search, runs: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut levels: Vec<Level> = Vec::new();
        for (users, rate) in runs.filter(|(_, rate)| *rate > 0.0) {
            match levels.iter_mut().find(|l| l.users == users) {
                Some(level) => level.logs.push(rate.ln()),
                None => levels.push(Level { users, logs: vec![rate.ln()] }),
            }
        }
        levels.sort_by(|a, b| a.users.total_cmp(&b.users));
        let best = (0..levels.len()).max_by(|a, b| levels[*a].mean().total_cmp(&levels[*b].mean())).unwrap_or(0);
        let mut sight = Self { search, may_be_best: vec![true; levels.len()], levels, best, behind: f64::INFINITY };
        sight.dismiss();
        sight
    }

    fn freedom(&self) -> usize {
        self.levels.iter().map(|l| l.runs() - 1).sum()
    }

    /// Dismisses levels that are certainly not the best.
    fn dismiss(&mut self) {
        let freedom = self.freedom();
        if freedom < FREEDOM {
            return;
        }
        let spread = (self.levels.iter().map(Level::squares).sum::<f64>() / freedom as f64).sqrt();
        let others = (self.levels.len() - 1).max(1) as f64;
        let factor = student::quantile(1.0 - (1.0 - CONFIDENCE) / others, freedom as f64);
        let error = |a: &Level, b: &Level| factor * spread * (1.0 / a.runs() as f64 + 1.0 / b.runs() as f64).sqrt();
        let beaten = |level: &Level| self.levels.iter().any(|o| o.mean() - level.mean() > error(o, level));
        self.may_be_best = self.levels.iter().map(|level| !beaten(level)).collect();
        let best = &self.levels[self.best];
        let behind = |level: &Level| best.mean() - level.mean() + error(best, level);
        self.behind = self.candidates().map(|i| behind(&self.levels[i])).fold(0.0, f64::max);
    }

    fn candidates(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.levels.len()).filter(|i| self.may_be_best[*i])
    }

    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
    pub fn best(&self) -> Option<&Level> {
        self.levels.get(self.best)
    }

    /// `None` before the sweep is over: then nothing is known of some levels.
    pub fn peak(&self) -> Option<Peak> {
        if self.sweep().next().is_some() {
            return None;
        }
        let (first, last) = (self.candidates().next()?, self.candidates().last()?);
        let low = self.levels[first.saturating_sub(1)].users;
        let high = self.levels[(last + 1).min(self.levels.len() - 1)].users;
        Some(Peak { users: self.levels[self.best].users, low, high })
    }

    /// The best lies at an end of the range, for all one knows, and may lie beyond.
    pub fn is_at_end(&self) -> bool {
        self.may_be_best.last() == Some(&true)
    }
    /// All that may be the best are as good.
    pub fn is_flat(&self) -> bool {
        self.behind <= -(1.0 - FLAT.0).ln()
    }
    fn is_near(&self) -> bool {
        self.peak().is_some_and(|p| (p.high / p.low).sqrt() <= 1.0 + self.search.within.0)
    }
    pub fn is_told(&self) -> bool {
        self.freedom() >= FREEDOM
            && (self.is_near() || self.is_flat())
            && self.best().is_some_and(|best| best.runs() >= ENOUGH)
    }

    /// Levels of the first sweep that have no run yet, in random order.
    fn sweep(&self) -> impl Iterator<Item = f64> + '_ {
        let Search { from, to, seed, .. } = *self.search;
        let doublings = (to / from).log2().ceil() as u32;
        let mut levels: Vec<f64> = (0..=doublings).map(|i| self.search.level(from * 2.0_f64.powi(i as i32))).collect();
        levels.dedup();
        levels.sort_by_key(|level| order(seed, *level));
        levels.into_iter().filter(|level| self.levels.iter().all(|l| l.users != *level))
    }

    /// The next number of users, and why.
    pub fn next(&self) -> (f64, String) {
        if let Some(level) = self.sweep().next() {
            return (level, "the first look at each power of two".into());
        }
        if self.freedom() < FREEDOM {
            let mut best: Vec<&Level> = self.levels.iter().collect();
            best.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
            let level = best.into_iter().take(FIRST).min_by_key(|l| l.runs()).expect("the sweep has levels");
            return (level.users, "one of the best so far, to know how far repetitions differ".into());
        }
        let least = self.candidates().min_by_key(|i| self.levels[*i].runs()).expect("the best is never dismissed");
        if self.levels[least].runs() >= ENOUGH
            && let Some(level) = self.between()
        {
            return (level, "between the best and its neighbour".into());
        }
        let many = self.candidates().count();
        let why =
            if many == 1 { "the best so far, once more".into() } else { format!("one of {many} that may be the best") };
        (self.levels[least].users, why)
    }

    /// A level in the wider of the two gaps beside the best, where it is not narrow already.
    fn between(&self) -> Option<f64> {
        let users = |i: usize| self.levels[i].users;
        let gaps = [self.best.checked_sub(1).map(|i| (i, self.best)), Some((self.best, self.best + 1))];
        let gaps = gaps.into_iter().flatten().filter(|(_, high)| *high < self.levels.len());
        let wide = gaps.max_by(|a, b| (users(a.1) / users(a.0)).total_cmp(&(users(b.1) / users(b.0))))?;
        let (low, high) = (users(wide.0), users(wide.1));
        let level = self.search.level((low * high).sqrt());
        ((high / low).sqrt() > 1.0 + self.search.within.0 / 2.0 && level > low && level < high).then_some(level)
    }
}

fn order(seed: Seed, level: f64) -> u64 {
    seed.nth(level as u64).0
}
