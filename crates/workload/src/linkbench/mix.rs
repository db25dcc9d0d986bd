//! Hot path: which of the ten operations comes next. Order and percentages are LinkBench's; its draw takes the first
//! whose percentages so far add up to it, and so does ours.

use crate::draw::Generator;

/// In the order in which LinkBench adds up percentages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    AddLink,
    DeleteLink,
    UpdateLink,
    CountLinks,
    MultigetLinks,
    GetLinksList,
    AddNode,
    UpdateNode,
    DeleteNode,
    GetNode,
}

impl Kind {
    /// Whether it writes data of a node or of a link.
    pub fn has_bytes(self) -> bool {
        matches!(self, Self::AddLink | Self::UpdateLink | Self::AddNode | Self::UpdateNode)
    }
}

pub(super) const KINDS: [Kind; 10] = [
    Kind::AddLink,
    Kind::DeleteLink,
    Kind::UpdateLink,
    Kind::CountLinks,
    Kind::MultigetLinks,
    Kind::GetLinksList,
    Kind::AddNode,
    Kind::UpdateNode,
    Kind::DeleteNode,
    Kind::GetNode,
];

/// By `Kind`: the names of LinkBench's report in the case of ours.
pub(super) const OPERATIONS: &[&str] = &[
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_links_list",
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
];

/// Percentages by `Kind`.
type Percentages = [f64; 10];

pub(super) const NAMES: &[&str] = &["2011", "2017", "lists", "nodes", "multigets"];

const OF_2011: Percentages = [
    8.988_660_1,
    2.990_766_4,
    8.012_212_5,
    4.886_356_7,
    0.526_114_2,
    50.711_914_5,
    2.573_278_9,
    7.366_437,
    1.011_591_4,
    12.932_668_3,
];
const OF_2017: Percentages =
    [5.350_38, 0.984_01, 4.755_89, 4.278_98, 12.147_25, 22.570_39, 2.611_98, 3.062_56, 0.251_66, 43.986_9];

/// What the fork's skewed files give to their one kind, and to each other.
const MOSTLY: (f64, f64) = (91.0, 1.0);

fn mostly(kind: Kind) -> Percentages {
    let mut all = [MOSTLY.1; 10];
    all[kind as usize] = MOSTLY.0;
    all
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Mix {
    /// Percentages added up.
    up_to: [f64; 10],
}

impl Mix {
    pub fn named(name: &str) -> Self {
        let percentages = match name {
            "2011" => OF_2011,
            "2017" => OF_2017,
            "lists" => mostly(Kind::GetLinksList),
            "nodes" => mostly(Kind::GetNode),
            "multigets" => mostly(Kind::MultigetLinks),
            other => unreachable!("mix was checked against its choices, and is {other:?}"),
        };
        let mut sum = 0.0;
        Self {
            up_to: percentages.map(|p| {
                sum += p;
                sum
            }),
        }
    }
    pub fn draw(&self, generator: &mut Generator) -> Kind {
        let point = 100.0 * generator.unit();
        let place = self.up_to.iter().position(|up_to| point <= *up_to);
        // The sum may miss 100 by rounding.
        KINDS[place.unwrap_or(KINDS.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn percentages_add_up_to_a_hundred() {
        for name in NAMES {
            let mix = Mix::named(name);
            // LinkBench's own tolerance.
            assert!((mix.up_to[9] - 100.0).abs() < 1e-5, "{name}: {}", mix.up_to[9]);
        }
    }

    #[test]
    fn operations_are_drawn_by_their_percentages() {
        const DRAWS: f64 = 500_000.0;
        for (name, wanted) in [("2011", OF_2011), ("2017", OF_2017)] {
            let (mix, mut generator, mut seen) = (Mix::named(name), Generator::new(Seed(5)), [0.0; 10]);
            for _ in 0..DRAWS as u64 {
                seen[mix.draw(&mut generator) as usize] += 1.0;
            }
            let chi_square: f64 = (0..10)
                .map(|k| {
                    let want: f64 = wanted[k] / 100.0 * DRAWS;
                    let off: f64 = seen[k] - want;
                    off * off / want
                })
                .sum();
            // The 99.9 % quantile of chi-square with 9 degrees of freedom.
            assert!(chi_square < 27.9, "{name}: {chi_square}, {seen:?}");
        }
    }

    #[test]
    fn kinds_point_at_their_names() {
        for (place, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
        assert_eq!(OPERATIONS[Kind::GetLinksList as usize], "get_links_list");
        assert_eq!(OPERATIONS[Kind::GetNode as usize], "get_node");
    }
}
