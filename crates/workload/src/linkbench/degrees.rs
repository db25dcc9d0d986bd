//! How many links a node has, by its rank: the distribution that LinkBench ships as numbers measured on Facebook's
//! graph (Distribution.dat, Apache-2.0), of 2011 and, in Callaghan's fork, of 2017. A file holds percentages with 8 or
//! 10 decimals, which are multiples of one count of nodes; kept here are the counts, as pairs of variable-length steps
//! (value, nodes), a tenth of the text. No formula yields these numbers: a tenth of a per mille of nodes has half of
//! the links.

use std::sync::{Arc, LazyLock};

pub(super) struct Degrees {
    /// Share of nodes with at most the value beside it.
    shares: Vec<f64>,
    values: Vec<u64>,
}

static OF_2011: LazyLock<Arc<Degrees>> =
    LazyLock::new(|| Arc::new(Degrees::unpacked(include_bytes!("degrees-2011.bin"), 303_705_818, 8)));
static OF_2017: LazyLock<Arc<Degrees>> =
    LazyLock::new(|| Arc::new(Degrees::unpacked(include_bytes!("degrees-2017.bin"), 1_028_595_869, 10)));

/// What a Distribution.dat calls links per node.
const SECTION: &str = "nlinks";

impl Degrees {
    /// The editions by name.
    pub const EDITIONS: &[&str] = &["2011", "2017"];

    /// The one of that name, if it is none of a user.
    pub fn edition(name: &str) -> Option<Arc<Self>> {
        match name {
            "2011" => Some(Arc::clone(&OF_2011)),
            "2017" => Some(Arc::clone(&OF_2017)),
            _ => None,
        }
    }
    /// The section `nlinks` of a Distribution.dat: a value and the percentage of nodes that have no more, a line for
    /// each.
    pub fn parsed(text: &str) -> Result<Self, String> {
        let lines = text.lines().zip(1..).skip_while(|(line, _)| line.trim() != SECTION).skip(1);
        let (mut shares, mut values): (Vec<f64>, Vec<u64>) = Default::default();
        for (line, number) in lines {
            let mut words = line.split_whitespace();
            let pair = (words.next().map(str::parse::<u64>), words.next().map(str::parse::<f64>));
            let (Some(Ok(value)), Some(Ok(percent))) = pair else { break };
            let rises = values.last().is_none_or(|v| *v < value) && shares.last().is_none_or(|s| *s <= percent / 100.0);
            if !rises || !(0.0..=100.0).contains(&percent) {
                return Err(format!("line {number}: values and percentages rise, the latter to 100"));
            }
            values.push(value);
            shares.push(percent / 100.0);
        }
        match shares.last() {
            None => Err(format!("it has no section `{SECTION}` with a value and a percentage a line")),
            Some(last) if *last < 1.0 => {
                Err(format!("its section `{SECTION}` ends at {} % of the nodes", 100.0 * last))
            }
            Some(_) => Ok(Self { shares, values }),
        }
    }
    /// For a reader.
    pub fn describe(&self) -> String {
        let before = std::iter::once(&0.0).chain(&self.shares);
        let mean: f64 = self.values.iter().zip(&self.shares).zip(before).map(|((v, s), b)| *v as f64 * (s - b)).sum();
        let most = self.values.last().expect("it has points");
        format!("{} points, {mean:.4} on average, {most} at most", self.values.len())
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

    fn edition(name: &str) -> Arc<Degrees> {
        Degrees::edition(name).expect("it is ours")
    }

    #[test]
    fn points_are_those_of_the_files() {
        let (a, b) = (edition("2011"), edition("2017"));
        assert_eq!((a.values.len(), a.values[0], a.values[19950]), (19951, 0, 961_963));
        assert_eq!((b.values.len(), b.values[0], b.values[23615]), (23616, 1, 4_181_357));
        assert_eq!((a.shares[0], a.shares[10], a.shares[19949]), (0.4533160573, 0.9832803368, 0.9999999967));
        assert_eq!((b.shares[0], b.shares[23614]), (0.797470123808, 0.999999999028));
    }

    #[test]
    fn a_file_of_the_user_is_read_as_linkbench_reads_it() {
        let own = edition("2011");
        let lines = own.values.iter().zip(&own.shares).map(|(v, s)| format!("{v} {:.8}\n", 100.0 * s));
        let text = format!("nlinks\n{}link_nreads\n0 99.0\n1 100.0\n", lines.collect::<String>());
        let read = Degrees::parsed(&text).expect("it is whole");
        assert_eq!((&read.values, &read.shares), (&own.values, &own.shares));
        assert_eq!(read.describe(), "19951 points, 4.0973 on average, 961963 at most");
        let told = |text: &str| Degrees::parsed(text).map(drop).unwrap_err();
        assert!(told("link_nreads\n0 100\n").contains("no section `nlinks`"));
        assert!(told("nlinks\n0 50\n1 40\n").starts_with("line 3: "));
        assert!(told("nlinks\n0 50\n1 99.5\n").contains("ends at 99.5 %"));
    }

    #[test]
    fn means_are_those_of_the_files() {
        for (name, mean) in [("2011", 4.0973), ("2017", 3.8526)] {
            let d = edition(name);
            let before = std::iter::once(&0.0).chain(&d.shares);
            let sum: f64 = d.values.iter().zip(&d.shares).zip(before).map(|((v, s), b)| *v as f64 * (s - b)).sum();
            assert!((sum - mean).abs() < 5e-5, "{name}: {sum}");
        }
    }
}
