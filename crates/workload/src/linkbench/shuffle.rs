//! Which rank is which id: a permutation that scatters hot and well-connected nodes over the id space. Ids fall into
//! 1024 groups by remainder, and each group is rotated by a number of Java's. It is LinkBench's InvertibleShuffler in
//! closed form, the same bit for bit; for fewer than 2048 nodes it moves nothing.

use super::java_random::JavaRandom;

/// LinkBench's group count.
const GROUPS: u64 = 1024;

/// Its seeds: by degree, which link reads and writes that follow the degree share; by heat of links; by heat of nodes.
pub(super) const BY_DEGREE: u64 = 20_343_988_438_726_021;
pub(super) const BY_LINK_HEAT: u64 = 53_238_253_823_453;
pub(super) const BY_NODE_HEAT: u64 = 4_766_565_305_853_767_165;

pub(super) struct Shuffle {
    count: u64,
    rotations: Vec<u32>,
}

impl Shuffle {
    pub fn over(count: u64, seed: u64) -> Self {
        let groups = GROUPS.min(count);
        let bound = i32::try_from(count / groups).expect("a graph has fewer than 2^41 nodes");
        let mut random = JavaRandom::new(seed);
        Self { count, rotations: (0..groups).map(|_| random.below(bound) as u32).collect() }
    }
    /// The place of a rank.
    pub fn place(&self, rank: u64) -> u64 {
        self.moved(rank, |position, by, size| (position + by) % size)
    }
    /// The rank at a place.
    pub fn rank(&self, place: u64) -> u64 {
        self.moved(place, |position, by, size| (position + size - by) % size)
    }
    /// The sum over all ranks within, without looking at each: a group's places are neighbours, turned around its end
    /// at most once.
    #[cfg(test)]
    pub fn sum_of_places(&self, ranks: std::ops::Range<u64>) -> u64 {
        let groups = self.rotations.len() as u64;
        let of_group = |group: u64| {
            let position = |rank: u64| rank.saturating_sub(group).div_ceil(groups);
            let size = self.count / groups + u64::from(group < self.count % groups);
            let by = u64::from(self.rotations[group as usize]);
            let (from, to) = (position(ranks.start) + by, position(ranks.end) + by);
            let turned = to.saturating_sub(from.max(size));
            let positions = (to - from) * (from + to).saturating_sub(1) / 2 - size * turned;
            group * (to - from) + groups * positions
        };
        (0..groups).map(of_group).sum()
    }
    fn moved(&self, element: u64, to: impl Fn(u64, u64, u64) -> u64) -> u64 {
        let groups = self.rotations.len() as u64;
        let (group, position) = (element % groups, element / groups);
        let size = self.count / groups + u64::from(group < self.count % groups);
        group + groups * to(position, u64::from(self.rotations[group as usize]), size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Seed, nodes, places of ranks 0 to 4 and of the last rank, ranks at places 0 to 4.
    type Vector = (u64, u64, [u64; 5], u64, [u64; 5]);

    /// LinkBench's own numbers.
    const VECTORS: &[Vector] = &[
        (BY_DEGREE, 5000, [3072, 2049, 1026, 1027, 4], 4999, [2048, 3073, 4098, 4099, 4]),
        (BY_LINK_HEAT, 5000, [3072, 1, 2, 2051, 1028], 2951, [2048, 1, 2, 3075, 4100]),
        (BY_NODE_HEAT, 5000, [2048, 1, 2050, 3, 2052], 1927, [3072, 1, 3074, 3, 3076]),
        (
            BY_DEGREE,
            1_000_000,
            [389_120, 512_001, 686_082, 348_163, 277_508],
            596_543,
            [611_328, 488_449, 314_370, 652_291, 722_948],
        ),
        (
            BY_LINK_HEAT,
            1_000_000,
            [692_224, 477_185, 946_178, 159_747, 608_260],
            361_023,
            [308_224, 523_265, 54_274, 840_707, 392_196],
        ),
        (
            BY_NODE_HEAT,
            1_000_000,
            [963_584, 648_193, 712_706, 159_747, 699_396],
            152_127,
            [36_864, 352_257, 287_746, 840_707, 301_060],
        ),
        (
            BY_DEGREE,
            20_000_000,
            [214_016, 9_426_945, 13_105_154, 3_526_659, 6_119_428],
            12_786_943,
            [19_786_752, 10_573_825, 6_895_618, 16_474_115, 13_881_348],
        ),
        (
            BY_LINK_HEAT,
            20_000_000,
            [15_894_528, 15_279_105, 1_418_242, 723_971, 14_842_884],
            11_675_903,
            [4_106_240, 4_721_665, 18_582_530, 19_276_803, 5_157_892],
        ),
        (
            BY_NODE_HEAT,
            20_000_000,
            [12_656_640, 3_706_881, 1_409_026, 6_668_291, 2_802_692],
            15_560_959,
            [7_344_128, 16_293_889, 18_591_746, 13_332_483, 17_198_084],
        ),
    ];

    #[test]
    fn ranks_and_places_are_those_of_linkbench() {
        for (seed, count, places, last, ranks) in VECTORS {
            let shuffle = Shuffle::over(*count, *seed);
            assert_eq!([0, 1, 2, 3, 4].map(|rank| shuffle.place(rank)), *places, "{seed} over {count}");
            assert_eq!(shuffle.place(count - 1), *last);
            assert_eq!([0, 1, 2, 3, 4].map(|place| shuffle.rank(place)), *ranks, "{seed} over {count}");
        }
    }

    #[test]
    fn sums_of_places_are_those_of_each() {
        for count in [7, 1_024, 5_000, 6_143] {
            let shuffle = Shuffle::over(count, BY_LINK_HEAT);
            for ranks in [0..count, 0..1, 3..count - 2, count / 2..count / 2 + 2, 5..5] {
                let each: u64 = ranks.clone().map(|rank| shuffle.place(rank)).sum();
                assert_eq!(shuffle.sum_of_places(ranks.clone()), each, "{ranks:?} of {count}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_rank_is_found_where_it_was_placed(count in 1_u64..30_000_000, at: u64, seed: u64) {
            let shuffle = Shuffle::over(count, seed);
            let place = shuffle.place(at % count);
            prop_assert!(place < count);
            prop_assert_eq!(shuffle.rank(place), at % count);
            prop_assert!(count >= 2048 || place == at % count);
        }
    }
}
