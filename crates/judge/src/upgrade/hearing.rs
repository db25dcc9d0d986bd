//! What the replays heard, gathered by digest: times of each replay, and how often the two builds answered otherwise.
//! An answer is compared only where it can be known: not of a statement that raced with another one in the trace, and
//! only where all replays of one build agree. Where more executions disagree within a build than differ between the
//! two, the difference proves nothing.

use model::upgrade::{Digest, Fate, Heard, Run, Which};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    pub executions: u64,
    /// Nanoseconds.
    pub sum: f64,
    /// The sum of their logarithms.
    pub logs: f64,
}

impl Times {
    pub fn mean(&self) -> Option<f64> {
        (self.executions > 0).then(|| self.sum / self.executions as f64)
    }

    /// The geometric mean, which a few slow executions hardly move.
    pub fn typical(&self) -> Option<f64> {
        (self.executions > 0).then(|| (self.logs / self.executions as f64).exp())
    }
}

#[derive(Clone, Debug, Default)]
pub struct OfDigest {
    /// By replay.
    pub times: Vec<Times>,
    /// Executions that could be compared, of them those that differ, and those on which one build disagrees with
    /// itself.
    pub compared: u64,
    pub differing: u64,
    pub unstable: u64,
    pub raced: u64,
    /// Refused by the new build in every replay, and never by the old one; by the number of the error.
    pub fails: BTreeMap<u16, u64>,
    /// The other way round.
    pub mended: u64,
    /// Those of them that differ in what: in the number of rows, in the rows themselves, in rows changed.
    pub in_count: u64,
    pub in_rows: u64,
    pub in_affected: u64,
    /// Warned of by the new build alone.
    pub warns: u64,
}

/// A time of one replay's executions.
pub type TimeOf = fn(&Times) -> Option<f64>;

pub struct Hearing<'a> {
    pub runs: &'a [Run],
    digests: &'a [Digest],
    pub of: Vec<OfDigest>,
}

impl<'a> Hearing<'a> {
    pub fn new(runs: &'a [Run], digests: &'a [Digest]) -> Self {
        let times = vec![Times::default(); runs.len()];
        let of = vec![OfDigest { times, ..OfDigest::default() }; digests.len()];
        Self { runs, digests, of }
    }

    /// What one statement heard in each replay; `raced`: the trace does not tell its order.
    pub fn add(&mut self, digest: u32, raced: bool, heard: &[Heard]) {
        let (of, ordered) = (&mut self.of[digest as usize], self.digests[digest as usize].ordered);
        for (times, heard) in of.times.iter_mut().zip(heard) {
            if heard.fate == Fate::Answered && !heard.stalled {
                times.executions += 1;
                times.sum += heard.service.0 as f64;
                times.logs += (heard.service.0.max(1) as f64).ln();
            }
        }
        let side = |which: Which| {
            let own = self.runs.iter().zip(heard).filter(move |(run, _)| run.which == which).map(|(_, heard)| heard);
            own.filter(|heard| matches!(heard.fate, Fate::Answered | Fate::Refused))
        };
        let (Some(from), Some(to)) = (side(Which::From).next(), side(Which::To).next()) else { return };
        let all = |which, fate: Fate| side(which).all(|heard| heard.fate == fate);
        if all(Which::From, Fate::Answered) && all(Which::To, Fate::Refused) {
            *of.fails.entry(to.error).or_default() += 1;
            return;
        }
        of.mended += u64::from(all(Which::From, Fate::Refused) && all(Which::To, Fate::Answered));
        if raced || heard.iter().any(|heard| heard.out_of_order) {
            of.raced += 1;
            return;
        }
        let is_stable = |which, first: &Heard| side(which).all(|heard| heard.agrees(first, ordered));
        if !is_stable(Which::From, from) || !is_stable(Which::To, to) {
            of.unstable += 1;
            return;
        }
        of.compared += 1;
        of.warns += u64::from(from.warnings == 0 && to.warnings > 0);
        if !from.agrees(to, ordered) {
            of.differing += 1;
            if from.rows != to.rows {
                of.in_count += 1;
            } else if from.affected != to.affected {
                of.in_affected += 1;
            } else {
                of.in_rows += 1;
            }
        }
    }
}

impl OfDigest {
    pub fn failures(&self) -> u64 {
        self.fails.values().sum()
    }

    pub fn differs(&self) -> bool {
        self.differing > self.unstable
    }

    /// Times in nanoseconds of both builds, block by block.
    pub fn pairs(&self, runs: &[Run], of: TimeOf) -> Vec<(f64, f64)> {
        pairs(runs, |at| of(&self.times[at]))
    }
}

/// What both replays of a block have.
pub fn pairs(runs: &[Run], of: impl Fn(usize) -> Option<f64>) -> Vec<(f64, f64)> {
    let find = |block, which| of(runs.iter().position(|run| *run == Run { block, which })?).filter(|x| *x > 0.0);
    let mut blocks: Vec<u32> = runs.iter().map(|run| run.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks.into_iter().filter_map(|block| Some((find(block, Which::From)?, find(block, Which::To)?))).collect()
}
