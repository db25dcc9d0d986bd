//! Hot path: where full lists ended, which a user remembers to read on from one of them now and then.

use crate::draw::Generator;

/// Lists whose end is remembered; another takes the place of any of them, as in LinkBench.
const ENDS: usize = 2048;

/// Where a full list ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListEnd {
    pub id: u64,
    pub link_type: u64,
    pub time: u64,
}

pub(super) struct Ends(Vec<ListEnd>);

impl Ends {
    pub fn none() -> Self {
        Self(Vec::with_capacity(ENDS))
    }
    /// Any of them.
    pub fn draw(&self, generator: &mut Generator) -> Option<ListEnd> {
        (!self.0.is_empty()).then(|| self.0[generator.below(self.0.len() as u64) as usize])
    }
    #[cold]
    pub fn remember(&mut self, end: ListEnd, generator: &mut Generator) {
        match self.0.iter().position(|e| (e.id, e.link_type) == (end.id, end.link_type)) {
            Some(place) => self.0[place] = end,
            None if self.0.len() < ENDS => self.0.push(end),
            None => self.0[generator.below(ENDS as u64) as usize] = end,
        }
    }
}
