//! A search: instead of a level that the author names, the load has one that is looked for, run by run. The plan holds
//! what is looked for, where, how closely and with how many runs at most; which level a run takes follows from the runs
//! before it (`judge::curves::search`), and the record of each run says which it was and why. Not here: the rule
//! itself, and its statistics.

use crate::record::tally::Tally;
use crate::seed::Seed;
use crate::units::{Nanos, Share, Users};
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Search {
    pub goal: Goal,
    /// The lowest and the highest level that may be tried: operations per second, or users.
    pub from: f64,
    pub to: f64,
    /// The search ends when its interval reaches no further than this to both sides.
    pub within: Share,
    /// It ends after so many runs in any case.
    pub runs: u32,
    /// The seed of the order in which levels are tried, where nothing else decides.
    pub seed: Seed,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The highest arrival rate at which latency keeps a limit.
    Rate { keep: Keep },
    /// The users with whom most operations are done per second.
    Users,
}

/// A limit on a percentile of latency: of the operations due, so many per cent are answered in less than this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Keep {
    pub percent: f64,
    pub limit: Nanos,
}

/// What a run of a search was for; in its record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub level: f64,
    /// Why this level was next, as a sentence.
    pub why: String,
    /// Set when the run was ended early, because what it was to tell was already certain: the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

/// What a search does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Run {
        level: f64,
        why: String,
    },
    /// `found`: the answer is known.
    Over {
        found: bool,
        why: String,
    },
}

impl Goal {
    /// The axis that a level would be a value of.
    pub const fn axis(self) -> &'static str {
        match self {
            Self::Rate { .. } => "rate",
            Self::Users => "users",
        }
    }
}

impl Goal {
    /// A level as people write it: three digits of a rate, whole users.
    pub fn rounded(self, level: f64) -> f64 {
        match self {
            Self::Rate { .. } => format!("{level:.2e}").parse().expect("a float printed by us"),
            Self::Users => level.round(),
        }
    }
}

impl Search {
    pub const EXAMPLE: &str = "search = { for = \"rate\", keep = \"p99 < 5ms\", from = 500, to = 50_000 }";

    /// The level near this one that may be tried.
    pub fn level(&self, wanted: f64) -> f64 {
        self.goal.rounded(wanted.clamp(self.from, self.to)).clamp(self.from, self.to)
    }
    /// `5230/s`, `64 users`.
    pub fn shown(&self, level: f64) -> String {
        match self.goal {
            Goal::Rate { .. } => format!("{}/s", self.goal.rounded(level)),
            Goal::Users => Users(self.goal.rounded(level) as u32).to_string(),
        }
    }
}

impl Keep {
    pub const FORMS: &str = "\"p99 < 5ms\"";

    /// Reads `p99.9 < 5ms`; what is wrong is said in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (percentile, limit) = text.split_once('<').ok_or(format!("`{text}` has no `<`"))?;
        let (percentile, limit) = (percentile.trim(), limit.trim());
        let percent = percentile.strip_prefix('p').and_then(|p| p.parse::<f64>().ok());
        let percent = percent.filter(|p| (1.0..=99.999).contains(p));
        let percent = percent.ok_or(format!("`{percentile}` is not a percentile"))?;
        match Nanos::parse(limit) {
            Some(Nanos(0)) => Err("a limit of no length".into()),
            Some(limit) => Ok(Self { percent, limit }),
            None => Err(format!("`{limit}` is not a time")),
        }
    }
    /// The share of operations that may come later.
    fn share(&self) -> f64 {
        1.0 - self.percent / 100.0
    }
    /// Operations of a tally that did not keep the limit: answered too late, or with an error.
    pub fn missed(&self, tally: &Tally) -> u64 {
        let late: u64 = tally.operations.values().map(|o| o.latency.count_from(self.limit)).sum();
        late + tally.failed()
    }
    /// Whether the limit was broken when so many of the operations due missed it.
    pub fn is_broken(&self, missed: u64, due: u64) -> bool {
        missed as f64 > self.share() * due as f64
    }
    /// Whether a run in which so many operations are expected will break the limit, whatever comes: random arrivals may
    /// be more than expected by four standard deviations.
    pub fn is_lost(&self, missed: u64, expected: f64) -> bool {
        missed as f64 > self.share() * (expected + 4.0 * expected.sqrt()) + 1.0
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{} < {}", self.percent, self.limit)
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { goal, within, runs, .. } = self;
        let (from, to) = (self.shown(self.from), self.shown(self.to));
        match goal {
            Goal::Rate { keep } => write!(f, "the highest rate with {keep}, {from} to {to}")?,
            Goal::Users => write!(f, "the users at peak throughput, {from} to {to}")?,
        }
        write!(f, ", within {within}, at most {runs} runs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_as_it_is_written() {
        let keep = Keep::parse("p99.9 < 2.5ms").unwrap();
        assert_eq!(keep, Keep { percent: 99.9, limit: Nanos(2_500_000) });
        assert_eq!(keep.to_string(), "p99.9 < 2.5 ms");
        for (text, said) in [
            ("p99 = 5ms", "`p99 = 5ms` has no `<`"),
            ("99 < 5ms", "`99` is not a percentile"),
            ("p100 < 5ms", "`p100` is not a percentile"),
            ("p99 < 5", "`5` is not a time"),
            ("p99 < 0s", "a limit of no length"),
        ] {
            assert_eq!(Keep::parse(text).unwrap_err(), said);
        }
    }
}
