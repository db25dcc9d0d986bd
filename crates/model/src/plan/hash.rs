//! A plan's fingerprint: equal exactly when the same runs would be made in the same order. The question's wording, the
//! estimate and what was skipped do not enter, so that editing a comment does not orphan a record.

use super::Plan;

impl Plan {
    /// 32 hexadecimal digits: 128-bit FNV-1a over schema, seed, cells and runs as JSON.
    pub fn hash(&self) -> String {
        const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let mut text = serde_json::to_vec(&(self.schema, self.seed, self.chosen_cells(), &self.runs))
            .expect("plans are plain values");
        // Of plans of before there was such a thing the fingerprint stays.
        text.extend(self.until.iter().flat_map(|until| until.to_string().into_bytes()));
        let hash = text.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME));
        format!("{hash:032x}")
    }
}
