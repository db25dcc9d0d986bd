//! How many stale index entries a list of LinkBench meets while purge is held up: each update of a link leaves one,
//! updates and lists share their hot spots, and so the expectation is the updates so far times the probability that
//! both draw the same node and type, halved where the writes of a node go to either type. It is a prediction from the
//! parameters and one count; what was measured is put beside it.

use model::value::Value;
use std::collections::BTreeMap;

/// Terms of a sum that are added one by one; the rest is an integral.
const SUMMED: u64 = 10_000;

/// Statements that leave a stale entry of the list's index: data and time, visibility.
const UPDATES: &[&str] = &["write_link", "write_link_commit", "hide_link"];

/// Whether a statement of LinkBench makes an entry stale.
pub fn is_update(statement: &str) -> bool {
    UPDATES.contains(&statement)
}

/// Stale entries that a list meets after so many updates.
pub fn of_linkbench(parameters: &BTreeMap<String, Value>, updates: f64) -> Option<f64> {
    let number = |name: &str| parameters.get(name).and_then(Value::number);
    let nodes = number("maxid1")? - number("startid1")?;
    let shape = number("read_shape")?;
    let uncorrelated = number("read_uncorrelated")? / 100.0;
    let (writes_at, shares) = match parameters.get("write_heat")?.text()? {
        "as_reads" => (shape, uncorrelated * uncorrelated),
        _ => (number("write_shape")?, uncorrelated * number("write_uncorrelated")? / 100.0),
    };
    let meeting = harmonic(nodes, shape + writes_at) / (harmonic(nodes, shape) * harmonic(nodes, writes_at));
    Some(updates * shares * meeting / number("link_types")?)
}

/// The sum of k^-shape up to `count`.
fn harmonic(count: f64, shape: f64) -> f64 {
    let summed = (count as u64).min(SUMMED);
    let sum: f64 = (1..=summed).map(|k| (k as f64).powf(-shape)).sum();
    let (from, to) = (summed as f64 + 0.5, count + 0.5);
    let rest = if count as u64 <= SUMMED {
        0.0
    } else if (shape - 1.0).abs() < 1e-9 {
        (to / from).ln()
    } else {
        (to.powf(1.0 - shape) - from.powf(1.0 - shape)) / (1.0 - shape)
    };
    sum + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(maxid1: i64, write_heat: &str) -> BTreeMap<String, Value> {
        let reals =
            [("read_shape", 0.8), ("read_uncorrelated", 99.5), ("write_shape", 0.741), ("write_uncorrelated", 95.0)];
        let reals = reals.map(|(name, x)| (name.to_string(), Value::Real(x)));
        let counts = [("startid1", 1), ("maxid1", maxid1), ("link_types", 2)];
        let counts = counts.map(|(name, n)| (name.to_string(), Value::Count(n)));
        reals.into_iter().chain(counts).chain([("write_heat".to_string(), write_heat.into())]).collect()
    }

    #[test]
    fn the_slopes_are_those_that_the_literature_gives() {
        // 5.8e-5, 7.7e-5 and 2.0e-4 stale entries per update; 2.8e-5 with the documented heat of writes.
        for (maxid1, heat, slope) in [
            (20_000_001, "as_reads", 5.8e-5),
            (10_000_001, "as_reads", 7.7e-5),
            (1_000_001, "as_reads", 2.0e-4),
            (20_000_001, "documented", 2.8e-5),
        ] {
            let found = of_linkbench(&parameters(maxid1, heat), 1.0).expect("all parameters are there");
            assert!((found / slope - 1.0).abs() < 0.03, "{maxid1} {heat}: {found}");
        }
    }

    #[test]
    fn another_workload_has_no_prediction() {
        assert_eq!(of_linkbench(&BTreeMap::new(), 1e6), None);
    }
}
