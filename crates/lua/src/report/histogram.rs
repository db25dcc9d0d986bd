//! The table of latencies: sysbench's buckets, evenly spaced on a logarithmic scale, filled from counts of a finer
//! histogram.

use std::collections::BTreeMap;

const BUCKETS: usize = 1024;
/// Milliseconds of the first bucket and of the last; what lies outside is counted in them.
const FIRST_MS: f64 = 0.001;
const LAST_MS: f64 = 100_000.0;
/// Stars of the fullest bucket.
const STARS: u64 = 40;

fn bucket(ms: f64) -> usize {
    let position = (ms.max(FIRST_MS) / FIRST_MS).ln() / (LAST_MS / FIRST_MS).ln();
    ((position * (BUCKETS - 1) as f64).round() as usize).min(BUCKETS - 1)
}

fn value_ms(bucket: usize) -> f64 {
    FIRST_MS * ((LAST_MS / FIRST_MS).ln() * bucket as f64 / (BUCKETS - 1) as f64).exp()
}

/// The table of so many events of each latency, with its heading.
pub fn histogram(latencies_ms: impl Iterator<Item = (f64, u64)>) -> String {
    let mut buckets: BTreeMap<usize, u64> = BTreeMap::new();
    latencies_ms
        .filter(|(_, count)| *count > 0)
        .for_each(|(ms, count)| *buckets.entry(bucket(ms)).or_default() += count);
    let mut text = String::from("Latency histogram (values are in milliseconds)\n");
    if let Some(most) = buckets.values().max() {
        text += "       value  ------------- distribution ------------- count\n";
        for (bucket, count) in &buckets {
            let stars = "*".repeat(((2 * count * STARS + most) / (2 * most)) as usize);
            text += &format!("{:12.3} |{stars:<40} {count}\n", value_ms(*bucket));
        }
    }
    text + " \n"
}
