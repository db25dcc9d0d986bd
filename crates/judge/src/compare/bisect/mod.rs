//! Which build of a row is the first bad one. Each is measured beside the good end, block by block in one record, so
//! that what drifts over the hours that this takes falls on both; the question of each is on which side of a line its
//! ratio lies. The line is the limit that was asked for, or half of the way between the ends. Noise of one experiment
//! on one machine is alike from build to build, so all of them lend each other what is known of it, and say how many
//! pairs the next one takes.
//!
//! Not here: making builds, and measuring them.

mod pairs;

pub use pairs::{Paired, Unpaired, of_record};

use super::decide::{CLAIM, MARGIN};
use crate::stats::ratio::Ratio;
use crate::stats::{average, student, variance};
use model::bisection::{Answer, Bisected, Side};
use model::{Estimate, Share};

/// Pairs of the ends before anything is said: fewer tell a spread badly, and all later builds stand on it.
const FIRST: usize = 5;
/// Pairs of a build, at least: one may have met a neighbour.
const FEWEST: usize = 2;
/// Pairs of a build, at most. One that is not told by then lies on the line.
pub const MOST: usize = 60;
/// No more of the pairs that are still wanted are asked for at once: noise that was seen once may be less.
const AT_ONCE: usize = 20;
/// How probably the answer may be wrong, over all of its steps.
pub const RISK: f64 = 0.05;
/// Less than this is no spread that a server has; three equal numbers are chance.
const LEAST_SPREAD: f64 = 0.001;

/// A change that makes a build bad: by how much, as a share, and that what is beyond lies below or above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    pub change: f64,
    pub is_below: bool,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// So many more pairs of this build, the place in the row.
    Measure {
        build: usize,
        pairs: usize,
    },
    Over(Answer),
}

/// What follows from what is known; the row's first is the good end. Each build's side and ratio are written into it.
pub fn next(row: &mut [Bisected], metric: &str, limit: Option<Limit>) -> Step {
    let known = Known::of(row);
    let last = row.len() - 1;
    for build in row.iter_mut() {
        build.ratio = estimate(&build.ratios, &known);
    }
    let line = match ends(&row[last], &known, limit) {
        Ends::Measure(pairs) => return Step::Measure { build: last, pairs },
        Ends::Over(answer) => return Step::Over(told_of_ends(answer, row, metric, limit)),
        Ends::Apart { line, error } => {
            row[last].side = Some(Side { is_bad: true, error });
            line
        }
    };
    let steps = f64::from((row.len() as f64).log2().ceil() as u32 + 1);
    let (mut good, mut bad) = (0, last);
    loop {
        let open: Vec<usize> = (good + 1..bad).filter(|at| row[*at].skipped.is_none()).collect();
        // One that was begun is gone on with.
        let begun = open.iter().copied().find(|at| !row[*at].ratios.is_empty());
        let middle = (good + bad) as f64 / 2.0;
        let nearest = |a: &usize, b: &usize| (*a as f64 - middle).abs().total_cmp(&(*b as f64 - middle).abs());
        let Some(at) = begun.or_else(|| open.iter().copied().min_by(nearest)) else {
            return Step::Over(found(row, good, bad, metric));
        };
        match known.ask(&row[at].ratios, line, RISK / steps) {
            Asked::More(pairs) => return Step::Measure { build: at, pairs },
            Asked::Side(side) => {
                row[at].side = Some(side);
                *(if side.is_bad { &mut bad } else { &mut good }) = at;
            }
        }
    }
}

/// The line as a logarithm, with the side on which the bad ones are, and how far builds are expected from it.
#[derive(Clone, Copy)]
struct Line {
    at: f64,
    is_below: bool,
    distance: f64,
}

enum Ends {
    Measure(usize),
    Apart { line: Line, error: f64 },
    Over(Outcome),
}

enum Outcome {
    Same,
    Unknown,
    Skipped(String),
}

fn ends(bad: &Bisected, known: &Known, limit: Option<Limit>) -> Ends {
    if let Some(why) = &bad.skipped {
        return Ends::Over(Outcome::Skipped(why.clone()));
    }
    let n = bad.ratios.len();
    if n < FIRST {
        return Ends::Measure(FIRST - n);
    }
    let level = average(&logs(&bad.ratios));
    let of_two = |ratio: &Ratio| match ratio.chance() <= CLAIM {
        true => Some(true),
        false => (ratio.chance_of_differing(MARGIN.0) <= CLAIM).then_some(false),
    };
    let told = known.ratio(&bad.ratios);
    let (line, differ) = match limit {
        Some(Limit { change, is_below }) => {
            let at = change.ln_1p();
            let line = Line { at, is_below, distance: at.abs().min((level - at).abs()).max(at.abs() / 4.0) };
            match known.ask(&bad.ratios, line, CLAIM) {
                Asked::More(pairs) if n < MOST => return Ends::Measure(pairs),
                Asked::More(_) => (line, None),
                Asked::Side(side) => (line, (side.error <= CLAIM).then_some(side.is_bad)),
            }
        }
        None => {
            let line = Line { at: level / 2.0, is_below: level < 0.0, distance: level.abs() / 2.0 };
            (line, of_two(&told))
        }
    };
    match differ {
        Some(true) => Ends::Apart { line, error: known.error(&bad.ratios, line.at) },
        Some(false) => Ends::Over(Outcome::Same),
        None if n >= MOST => Ends::Over(Outcome::Unknown),
        None => Ends::Measure(n.min(AT_ONCE).min(MOST - n)),
    }
}

/// What all builds together tell of noise.
struct Known {
    /// The variance of one pair, on the log scale.
    variance: f64,
    freedom: f64,
}

enum Asked {
    More(usize),
    Side(Side),
}

impl Known {
    fn of(row: &[Bisected]) -> Self {
        let all = row.iter().filter(|build| build.ratios.len() > 1).map(|build| logs(&build.ratios));
        let (squares, freedom) = all.fold((0.0, 0.0), |(squares, freedom), logs| {
            let more = logs.len() as f64 - 1.0;
            (squares + variance(&logs) * more, freedom + more)
        });
        Self { variance: (squares / freedom).max(LEAST_SPREAD * LEAST_SPREAD), freedom }
    }

    fn ratio(&self, ratios: &[f64]) -> Ratio {
        Ratio { log: average(&logs(ratios)), variance: self.variance, freedom: self.freedom, n: ratios.len() }
    }

    /// How probably a build is on the other side of the line than its pairs say.
    fn error(&self, ratios: &[f64], at: f64) -> f64 {
        let ratio = self.ratio(ratios);
        student::cdf(-(ratio.log - at).abs() / ratio.error(), ratio.freedom)
    }

    /// The side of a build, or the pairs that will probably tell it.
    fn ask(&self, ratios: &[f64], line: Line, risk: f64) -> Asked {
        let n = ratios.len();
        if n == 0 {
            return Asked::More(self.wanted(line.distance, risk).clamp(FEWEST, AT_ONCE));
        }
        let level = average(&logs(ratios));
        let side = Side { is_bad: (level < line.at) == line.is_below, error: self.error(ratios, line.at) };
        if n >= FEWEST && side.error <= risk || n >= MOST {
            return Asked::Side(side);
        }
        // A build near the line would ask for very many; half of what one is expected to be off is near enough to plan.
        let seen = (level - line.at).abs().max(line.distance / 2.0);
        Asked::More(self.wanted(seen, risk).saturating_sub(n).clamp(FEWEST, AT_ONCE).min(MOST - n))
    }

    /// Pairs by which a build so far from the line is told.
    fn wanted(&self, distance: f64, risk: f64) -> usize {
        let reaches = |n: &usize| {
            let error = (self.variance / *n as f64).sqrt();
            student::quantile(1.0 - risk, self.freedom + *n as f64 - 1.0) * error <= distance
        };
        (FEWEST..MOST).find(reaches).unwrap_or(MOST)
    }
}

fn logs(ratios: &[f64]) -> Vec<f64> {
    ratios.iter().map(|ratio| ratio.ln()).collect()
}

fn estimate(ratios: &[f64], known: &Known) -> Option<Estimate> {
    if ratios.is_empty() {
        return None;
    }
    let interval = (known.freedom >= 1.0).then(|| known.ratio(ratios).interval());
    Some(Estimate {
        value: average(&logs(ratios)).exp(),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: ratios.len() as u32,
        unit: "ratio".into(),
    })
}

fn found(row: &[Bisected], good: usize, bad: usize, metric: &str) -> Answer {
    let wrong: f64 = row.iter().filter_map(|build| build.side).map(|side| side.error).sum();
    let confidence = (1.0 - wrong).max(0.0);
    let or: Vec<String> = row[good + 1..bad].iter().map(|build| build.name.clone()).collect();
    let change = row[bad].ratio.as_ref().map_or(0.0, |ratio| ratio.value - 1.0);
    let (first_bad, last_good) = (&row[bad].name, &row[good].name);
    let moved = format!("{metric} is {} {} there than at {}", Share(change.abs()), side(change), row[0].name);
    let whose = match &or[..] {
        [] => format!("The first bad build is {first_bad}: {moved}, and {last_good} before it is good"),
        skipped => format!(
            "The first bad build is {first_bad}, or one of the {} before it that could not be asked: {moved}, and \
             {last_good} is good",
            skipped.len()
        ),
    };
    let sentence = format!("{whose} (confidence {}).", Share(confidence));
    Answer::Found { first_bad: first_bad.clone(), or, confidence, sentence }
}

fn side(change: f64) -> &'static str {
    if change < 0.0 { "lower" } else { "higher" }
}

fn told_of_ends(outcome: Outcome, row: &[Bisected], metric: &str, limit: Option<Limit>) -> Answer {
    let (good, bad) = (&row[0].name, &row[row.len() - 1]);
    let seen = match bad.ratio.as_ref().map(|ratio| (ratio.low, ratio.high, ratio.n)) {
        Some((Some(low), Some(high), n)) => {
            format!("{metric} of {} ÷ {good} is {low:.4} to {high:.4} in {n} pairs", bad.name)
        }
        Some(_) | None => format!("{metric} of {} is not known", bad.name),
    };
    let asked = limit.map_or("differ".into(), |limit| {
        format!("differ by more than {} in the direction of the limit", Share(limit.change.abs()))
    });
    match outcome {
        Outcome::Same => Answer::NoDifference { sentence: format!("The ends do not {asked}: {seen}.") },
        Outcome::Unknown => {
            Answer::Undecided { sentence: format!("Whether the ends {asked} cannot be told at this noise: {seen}.") }
        }
        Outcome::Skipped(why) => Answer::Undecided { sentence: format!("{} could not be asked: {why}", bad.name) },
    }
}
