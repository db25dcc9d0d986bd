//! The cache that is up as the lab knows it: how it comes in, and, in one of others, which keys it must take away when
//! it leaves.

use crate::backends::keyed::KeyEndpoint;
use std::collections::BTreeMap;

pub struct Cache {
    /// To all that it has.
    pub endpoint: KeyEndpoint,
    /// How many keys of ours lie in one that was there before, by what they begin with.
    pub ours: BTreeMap<String, u64>,
}

impl Cache {
    /// One in which nothing of ours lies yet.
    pub fn at(endpoint: KeyEndpoint) -> Self {
        Self { endpoint, ours: BTreeMap::new() }
    }
}
