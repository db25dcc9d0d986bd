//! How response times are spread: the share of operations that each bucket took, with the ends of the public insert
//! benchmark, and the longest of all. A percentile hides whether one operation in a million waited for seconds; here
//! each that did is seen. Runs of one test are summed.

use super::form::pasted;
use super::side::{Measured, Sides, Test, place, runs_of};
use super::{Pasted, PastedCell};
use crate::axes;
use crate::figures::three;
use model::{Histogram, Nanos};
use std::collections::BTreeMap;

/// Up to and with.
const ENDS: [(&str, Nanos); 9] = [
    ("256 µs", Nanos(256_000)),
    ("1 ms", Nanos::from_millis(1)),
    ("4 ms", Nanos::from_millis(4)),
    ("16 ms", Nanos::from_millis(16)),
    ("64 ms", Nanos::from_millis(64)),
    ("256 ms", Nanos::from_millis(256)),
    ("1 s", Nanos::from_secs(1)),
    ("4 s", Nanos::from_secs(4)),
    ("16 s", Nanos::from_secs(16)),
];
/// Shares below this are told as less than it: that there were some is what matters.
const LEAST_PERCENT: f64 = 0.001;

pub fn of(sides: &Sides) -> Option<Pasted> {
    let groups = sides.grouped(|test| rows(sides, test));
    if groups.iter().all(|group| group.rows.is_empty()) {
        return None;
    }
    let heads = ["test"].into_iter().chain(ENDS.map(|(head, _)| head)).chain(["longer", "max µs"]);
    let title = format!(
        "Response times of {}: percent of operations in each bucket, from the end of the one before.",
        sides.record.plan.name
    );
    let note = format!(
        "Struck: a check failed, the number does not count. –: none; <{LEAST_PERCENT}: some, and less than that. All \
         runs of a test together."
    );
    Some(pasted("buckets", title, note, heads.map(str::to_string).collect(), groups))
}

fn rows(sides: &Sides, test: &Test) -> Vec<Vec<PastedCell>> {
    let columns = test.cells.iter().enumerate().filter_map(|(column, of)| Some((column, (*of)?)));
    let of_column = |(column, of): (usize, Measured)| {
        let all = latencies(sides, of);
        let value = place(sides, column).map_or(String::new(), |value| format!(", {}", axes::text(value)));
        let is_one = all.len() == 1;
        let row = move |(name, latency): (String, Histogram)| {
            let whose = if is_one { String::new() } else { format!(", {name}") };
            let name = PastedCell::plain(format!("{}{whose}{value}", test.name));
            let cell = |text| PastedCell { text, struck: of.is_struck() };
            [name].into_iter().chain(spread(&latency).into_iter().map(cell)).collect()
        };
        all.into_iter().map(row).collect::<Vec<Vec<PastedCell>>>()
    };
    columns.flat_map(of_column).collect()
}

/// By group, where there are several, and operation.
fn latencies(sides: &Sides, of: Measured) -> BTreeMap<String, Histogram> {
    let mut all = BTreeMap::<String, Histogram>::new();
    let phases = runs_of(sides.record, of.cell).flat_map(|run| run.measured());
    for phase in phases.filter(|phase| of.phase().is_none_or(|name| phase.name == name)) {
        for (group, told) in &phase.groups {
            for (name, operation) in told.tally.operations.iter().filter(|(_, operation)| operation.done > 0) {
                let whose = if phase.groups.len() > 1 { format!("{group}: {name}") } else { name.clone() };
                all.entry(whose).or_default().merge(&operation.latency);
            }
        }
    }
    all
}

fn spread(latency: &Histogram) -> Vec<String> {
    let all = latency.count().max(1) as f64;
    let percent = |count: u64| match count as f64 / all * 100.0 {
        _ if count == 0 => "–".to_string(),
        percent if percent < LEAST_PERCENT => format!("<{LEAST_PERCENT}"),
        percent => three(percent),
    };
    // One past an end is in the next bucket.
    let from = |end: Nanos| latency.count_from(Nanos(end.0 + 1));
    let beyond: Vec<u64> = [latency.count()].into_iter().chain(ENDS.map(|(_, end)| from(end))).collect();
    let shares = beyond.windows(2).map(|pair| percent(pair[0] - pair[1]));
    let max = latency.max().map_or("–".to_string(), |max| three(max.0 as f64 / 1e3));
    shares.chain([percent(beyond[ENDS.len()]), max]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bucket_has_its_share_and_rare_ones_are_seen() {
        let mut latency = Histogram::default();
        for (micros, count) in [(100, 900_000), (1_500, 99_999), (3_000_000, 1), (20_000_000, 100_000)] {
            latency.record_many(Nanos(micros * 1_000), count);
        }
        let told = spread(&latency);
        assert_eq!(told[..4], ["81.8", "–", "9.09", "–"]);
        assert_eq!((told[7].as_str(), told[9].as_str()), ("<0.001", "9.09"));
        assert_eq!((told.len(), told.last().map(String::as_str)), (ENDS.len() + 2, Some("20 000 000")));
    }
}
