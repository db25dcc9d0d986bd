//! How many links a node has, by its rank: the distribution that LinkBench ships as numbers measured on Facebook's graph
//! (Distribution.dat, Apache-2.0), of 2011 and, in Callaghan's fork, of 2017. A file holds percentages with 8 or 10
//! decimals, which are multiples of one count of nodes; kept here are the counts, as pairs of variable-length steps (value,
//! nodes), a tenth of the text. No formula yields these numbers: a tenth of a per mille of nodes has half of the links.

use std::sync::LazyLock;

pub(super) struct Degrees {
    /// Share of nodes with at most the value beside it.
    shares: Vec<f64>,
    values: Vec<u64>,
}

static OF_2011: LazyLock<Degrees> =
    LazyLock::new(|| Degrees::unpacked(include_bytes!("degrees-2011.bin"), 303_705_818, 8));
static OF_2017: LazyLock<Degrees> =
    LazyLock::new(|| Degrees::unpacked(include_bytes!("degrees-2017.bin"), 1_028_595_869, 10));

impl Degrees {
    /// The editions by name.
    pub const EDITIONS: &[&str] = &["2011", "2017"];

    pub fn edition(name: &str) -> &'static Self {
        match name {
            "2011" => &OF_2011,
            "2017" => &OF_2017,
            other => unreachable!("degrees were checked against their editions, and are {other:?}"),
        }
    }
    /// Steps of value and of nodes, `nodes` in all; percentages as the file prints them.
    fn unpacked(packed: &[u8], nodes: u64, decimals: usize) -> Self {
        let (mut shares, mut values) = (Vec::new(), Vec::new());
        let (mut at, mut value, mut seen) = (packed.iter(), 0, 0);
        while let Some(step) = step(&mut at) {
            value += step;
            seen += self::step(&mut at).expect("steps come in pairs");
            let printed = format!("{:.decimals$}", 100.0 * seen as f64 / nodes as f64);
            shares.push(printed.parse::<f64>().expect("it was printed as a number") / 100.0);
            // Values count from 0, so the first step is one too long.
            values.push(value - 1);
        }
        assert_eq!(seen, nodes);
        Self { shares, values }
    }
    /// Links of the node with that rank among `nodes`; rank 0 has the most, whatever their number.
    pub fn of_rank(&self, rank: u64, nodes: u64) -> u64 {
        let share = 1.0 - rank as f64 / nodes as f64;
        self.values[self.shares.partition_point(|s| *s < share)]
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn step<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_files() {
        let (a, b) = (Degrees::edition("2011"), Degrees::edition("2017"));
        assert_eq!((a.values.len(), a.values[0], a.values[19950]), (19951, 0, 961_963));
        assert_eq!((b.values.len(), b.values[0], b.values[23615]), (23616, 1, 4_181_357));
        assert_eq!((a.shares[0], a.shares[10], a.shares[19949]), (0.4533160573, 0.9832803368, 0.9999999967));
        assert_eq!((b.shares[0], b.shares[23614]), (0.797470123808, 0.999999999028));
    }

    #[test]
    fn means_are_those_of_the_files() {
        for (edition, mean) in [("2011", 4.0973), ("2017", 3.8526)] {
            let d = Degrees::edition(edition);
            let before = std::iter::once(&0.0).chain(&d.shares);
            let sum: f64 = d.values.iter().zip(&d.shares).zip(before).map(|((v, s), b)| *v as f64 * (s - b)).sum();
            assert!((sum - mean).abs() < 5e-5, "{edition}: {sum}");
        }
    }
}
