//! One seed per experiment, and a tree of named children below it, so that any part of a plan (the order of runs, one
//! user's keys, one row's text) can be drawn again without drawing what came before. Derivation is FNV-1a of the name
//! mixed by SplitMix64: stable across versions and platforms, which `std`'s hashers are not.

use serde::{Deserialize, Serialize};

/// The root of a reproducible stream of random numbers. Kept below 2^53 when written, so that every JSON reader agrees
/// on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// The child of that name; different names give unrelated streams.
    #[must_use]
    pub fn child(self, name: &str) -> Self {
        let fnv =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self(split_mix(self.0 ^ split_mix(fnv)) >> 11)
    }
    /// The child with that number, for users, rows and runs.
    #[must_use]
    pub fn nth(self, number: u64) -> Self {
        Self(split_mix(self.0.wrapping_add(split_mix(number.wrapping_add(1)))) >> 11)
    }
}

/// SplitMix64's output function (Steele, Lea, Flood 2014): a bijection that spreads neighbouring numbers apart.
#[must_use]
pub fn split_mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_stable_and_distinct() {
        assert_eq!(Seed(42).child("order"), Seed(42).child("order"));
        assert_ne!(Seed(42).child("order"), Seed(42).child("rows"));
        assert_ne!(Seed(42).nth(0), Seed(42).nth(1));
        assert!(Seed(u64::MAX).nth(7).0 < 1 << 53);
    }
}
