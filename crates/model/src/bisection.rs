//! A search for the first bad build of a row of builds: what was measured of which, and what came of it. What `assay
//! bisect` prints and writes down after every step, so that the same command goes on from there.

use crate::estimate::Estimate;
use serde::{Deserialize, Serialize};

/// Raised when a field changes its meaning; additions keep it.
pub const BISECTION_SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisection {
    pub schema: u32,
    /// Name of the experiment.
    pub experiment: String,
    pub metric: String,
    /// The limit as it was given; absent where half of the ends' difference is the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// In their order: the good end first, the bad end last.
    pub builds: Vec<Bisected>,
    /// `None` while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// One build of the row, with what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bisected {
    /// As the list calls it: a build's name, a commit.
    pub name: String,
    /// What was started for it; absent while nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// What that server says of itself: its version, and the commit that it was made from where it knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary_sha256: Option<String>,
    /// The linker's name for what was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// Records that it was measured in, beside the good end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    /// Its metric ÷ that of the good end, block by block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<f64>,
    /// The same together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Estimate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Checks that failed and make times doubtful: noise, which the ratios have in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Why it could not be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// On which side of the line a build is, and how probably it is on the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    pub is_bad: bool,
    pub error: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Found {
        /// The first that is known to be bad.
        first_bad: String,
        /// Builds before it that could not be asked: it may as well be one of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        or: Vec<String>,
        /// The probability that no build on the way was taken for the other side.
        confidence: f64,
        sentence: String,
    },
    /// The two ends are on one side of the line.
    NoDifference { sentence: String },
    /// The ends could not be told apart, or not be measured.
    Undecided { sentence: String },
}

impl Answer {
    pub fn sentence(&self) -> &str {
        match self {
            Self::Found { sentence, .. } | Self::NoDifference { sentence } | Self::Undecided { sentence } => sentence,
        }
    }
}
