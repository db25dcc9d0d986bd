//! A run of a search whose answer is certain before its end is cut short: this counts what broke the limit while the
//! run goes on.

use model::load::Until;
use model::search::{Goal, Keep};
use model::{Cell, PhaseKind, Search, Tally};

/// Counts what broke the limit of a search while its run goes on.
pub struct LimitWatch {
    keep: Keep,
    missed: u64,
    /// Operations expected while it is measured.
    expected: f64,
}

impl LimitWatch {
    /// `None` where the run has no limit to break.
    pub fn of(cell: &Cell) -> Option<Self> {
        let Search { goal: Goal::Rate { keep }, .. } = cell.search.as_ref()? else { return None };
        let rate = cell.load.arrivals.as_ref()?.rate.first;
        let operations = |until: Until| match until {
            Until::Time(time) | Until::Rest(time) => rate * time.seconds(),
            Until::Count(count) => count as f64,
        };
        let measured = cell.phases.iter().filter(|p| p.kind == PhaseKind::Measure);
        Some(Self { keep: *keep, missed: 0, expected: measured.map(|p| operations(p.until)).sum() })
    }

    pub fn saw(&mut self, tally: &Tally) {
        self.missed += self.keep.missed(tally);
    }

    pub fn is_lost(&self) -> bool {
        self.keep.is_lost(self.missed, self.expected)
    }

    pub fn sentence(&self) -> String {
        let Self { keep, missed, expected } = self;
        format!("{missed} operations had missed {keep} already, too many for the {expected:.0} of the whole run")
    }
}
