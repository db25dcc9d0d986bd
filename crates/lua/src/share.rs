//! What one user of a script did in all: sysbench's report says how evenly its threads fared.

use model::units::Nanos;

/// What one user did in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub events: u64,
    pub busy: Nanos,
    pub shortest: Nanos,
    pub longest: Nanos,
}

impl Share {
    pub fn add(&mut self, event: Nanos) {
        self.shortest = if self.events == 0 { event } else { self.shortest.min(event) };
        self.longest = self.longest.max(event);
        self.events += 1;
        self.busy = Nanos(self.busy.0 + event.0);
    }
}
