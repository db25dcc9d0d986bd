//! Hot path: which operations of a phase by count are this rank's. Every user of the load has every so-manieth turn as
//! if all took theirs in order, and a rank takes those of its users: so the ranks' parts are known without asking, add
//! up to the count exactly, and are as large as its users are many.

/// Turns of one rank; of a load alone, all.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    /// Users of all ranks.
    of: u64,
    /// The places of those who sit here, in order; empty where nobody sits elsewhere.
    own: Vec<u32>,
}

impl Turns {
    pub fn of_all() -> Self {
        Self::default()
    }

    pub fn of_some(users: u32, mut own: Vec<u32>) -> Self {
        own.sort_unstable();
        Self { of: u64::from(users), own }
    }

    /// The number, in the whole load, of the turn that is taken here as the `k`th.
    #[inline]
    pub fn nth(&self, k: u64) -> u64 {
        if self.own.is_empty() {
            return k;
        }
        let many = self.own.len() as u64;
        k / many * self.of + u64::from(self.own[(k % many) as usize])
    }

    /// How many of the first so many turns are taken here.
    pub fn below(&self, limit: u64) -> u64 {
        if self.own.is_empty() {
            return limit;
        }
        let (rounds, rest) = (limit / self.of, limit % self.of);
        rounds * self.own.len() as u64 + self.own.partition_point(|place| u64::from(*place) < rest) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_take_every_turn_once_and_each_as_many_as_it_has_users() {
        for limit in [0, 1, 6, 7, 1_000] {
            let ranks =
                [Turns::of_some(7, vec![6, 0, 3]), Turns::of_some(7, vec![1, 4]), Turns::of_some(7, vec![2, 5])];
            let mut all: Vec<u64> = ranks.iter().flat_map(|rank| (0..rank.below(limit)).map(|k| rank.nth(k))).collect();
            all.sort_unstable();
            assert_eq!(all, (0..limit).collect::<Vec<_>>());
            assert!(ranks.iter().all(|rank| rank.nth(rank.below(limit)) >= limit), "the next is beyond the count");
        }
        assert_eq!(Turns::of_all().nth(5), 5);
    }
}
