//! How a second went, within itself: operations done in each of its tenths, and its longest stalls with their moments.
//! A phase of ten seconds has too few seconds to tell levels of its rate apart, and what explains a stall must have
//! been slow at its moment. Each worker keeps one for each of its intervals; courses of several are not added up.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// Operations were under way and none ended, from `at` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// Since the start of the run's first phase; on its way there, on the lab's clock.
    pub at: Nanos,
    pub length: Nanos,
}

impl Stall {
    pub fn end(&self) -> Nanos {
        Nanos(self.at.0 + self.length.0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    /// Operations answered in each tenth of a second since the interval's begin; what came later is in the last.
    pub tenths: Vec<u32>,
    /// The longest, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stalls: Vec<Stall>,
}

impl Course {
    pub const TENTH: Nanos = Nanos::from_millis(100);

    /// The same, with moments since `start`.
    #[must_use]
    pub fn since(mut self, start: Nanos) -> Self {
        self.stalls.iter_mut().for_each(|stall| stall.at.0 = stall.at.0.saturating_sub(start.0));
        self
    }
}
