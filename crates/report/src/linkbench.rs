//! LinkBench's own report of runs of `linkbench`, for whoever has scripts that read it or numbers to lay beside: the
//! lines at the end of its request phase, and the table of its `-csvstats`, both with the buckets of its histogram. Its
//! buckets are coarse (a millisecond wide above one millisecond), so the text has the exact percentiles below.

use model::{Histogram, Nanos, PhaseKind, PhaseRecord, Record, RunRecord};
use std::fmt::Write;

const FAMILY: &str = "linkbench";

/// In the order of its report.
const OPERATIONS: [&str; 10] = [
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_links_list",
];
const PERCENTS: [f64; 5] = [25.0, 50.0, 75.0, 95.0, 99.0];
/// What LinkBench does not tell.
const EXACT: [f64; 8] = [25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// Names and contents of the files, none where nobody ran LinkBench: a text of all runs, a table for each measured
/// phase.
pub fn of(record: &Record) -> Vec<(String, String)> {
    let mut text = String::new();
    let mut files = Vec::new();
    for run in &record.runs {
        for phase in run.phases.iter().filter(|p| p.kind == PhaseKind::Measure) {
            let operations = latencies(phase);
            if operations.is_empty() {
                continue;
            }
            write(&mut text, run, phase, &operations);
            files.push((format!("linkbench-{}-{}.csv", run.id, phase.name), table(&operations)));
        }
    }
    if !text.is_empty() {
        files.insert(0, ("linkbench.txt".to_string(), text));
    }
    files
}

type Latencies = Vec<(String, Histogram)>;

/// The latencies of operations that were done, over all groups that ran LinkBench.
fn latencies(phase: &PhaseRecord) -> Latencies {
    let groups: Vec<_> = phase.groups.values().filter(|g| g.workload.split('.').next() == Some(FAMILY)).collect();
    let of = |name: &&str| {
        let mut all = Histogram::default();
        groups.iter().filter_map(|g| g.tally.operations.get(*name)).for_each(|o| all.merge(&o.latency));
        (all.count() > 0).then(|| (name.to_uppercase(), all))
    };
    OPERATIONS.iter().filter_map(of).collect()
}

fn write(text: &mut String, run: &RunRecord, phase: &PhaseRecord, operations: &Latencies) {
    let written = "writing into a String cannot fail";
    writeln!(text, "{} {}", run.id, phase.name).expect(written);
    for (name, all) in operations {
        write!(text, "{name} count = {}", all.count()).expect(written);
        for percent in PERCENTS {
            let (low, high) = Bucket::at(all, percent).bounds_ms();
            write!(text, "  p{percent} = [{},{}]ms", short(low, 2), short(high, 2)).expect(written);
        }
        let (max, mean) = (ms(all.max()), ms(all.mean()));
        writeln!(text, "  max = {}ms  mean = {}ms", short(max, 3), short(mean, 3)).expect(written);
    }
    let done: u64 = operations.iter().map(|(_, all)| all.count()).sum();
    let seconds = (phase.to.0 - phase.from.0) as f64 / 1e9;
    writeln!(
        text,
        "REQUEST PHASE COMPLETED. {done} requests done in {} seconds. Requests/second = {}",
        seconds as u64,
        (done as f64 / seconds.max(1e-9)) as u64
    )
    .expect(written);
    for (name, all) in operations {
        write!(text, "{name} exact").expect(written);
        for percent in EXACT {
            write!(text, "  p{percent} = {}us", short(ms(all.percentile(percent)) * 1000.0, 1)).expect(written);
        }
        writeln!(text, "  max = {}us", short(ms(all.max()) * 1000.0, 1)).expect(written);
    }
    text.push('\n');
}

/// As `-csvstats` writes it.
fn table(operations: &Latencies) -> String {
    let bounds: Vec<_> = PERCENTS.iter().map(|p| format!("p{p}_low,p{p}_high")).collect();
    let mut csv = format!("op,count,{},max,mean\n", bounds.join(","));
    for (name, all) in operations {
        let mut fields = vec![name.clone(), all.count().to_string()];
        for percent in PERCENTS {
            let (low, high) = Bucket::at(all, percent).bounds_ms();
            fields.extend([short(low, 2), short(high, 2)]);
        }
        fields.extend([short(ms(all.max()), 2), short(ms(all.mean()), 2)]);
        csv += &(fields.join(",") + "\n");
    }
    csv
}

fn ms(time: Option<Nanos>) -> f64 {
    time.map_or(0.0, |t| t.0 as f64 / 1e6)
}

/// At most so many decimals, none that are zero at the end.
fn short(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A bucket of LinkBench's histogram: tenths of a millisecond up to one, then milliseconds up to a hundred, tenths of a
/// second up to one, seconds up to ten, and whatever is longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bucket {
    low_us: u64,
    high_us: u64,
}

impl Bucket {
    const LONGEST: Self = Self { low_us: 10_000_000, high_us: 100_000_000 };

    fn of(micros: u64) -> Self {
        let width = match micros {
            0..1_000 => 100,
            1_000..100_000 => 1_000,
            100_000..1_000_000 => 100_000,
            1_000_000..10_000_000 => 1_000_000,
            10_000_000.. => return Self::LONGEST,
        };
        let low_us = micros / width * width;
        Self { low_us, high_us: low_us + width }
    }
    /// The one in which so many per cent have been seen.
    fn at(all: &Histogram, percent: f64) -> Self {
        let rank = (percent / 100.0 * all.count() as f64) as u64;
        let mut seen = 0;
        let mut found = Self::of(0);
        for (value, count) in all.buckets() {
            seen += count;
            found = Self::of(value.0 / 1000);
            if seen >= rank {
                break;
            }
        }
        found
    }
    fn bounds_ms(self) -> (f64, f64) {
        (self.low_us as f64 / 1000.0, self.high_us as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_linkbench() {
        let bounds = |micros| Bucket::of(micros).bounds_ms();
        assert_eq!((bounds(0), bounds(99), bounds(100)), ((0.0, 0.1), (0.0, 0.1), (0.1, 0.2)));
        assert_eq!((bounds(999), bounds(1_000), bounds(99_999)), ((0.9, 1.0), (1.0, 2.0), (99.0, 100.0)));
        assert_eq!((bounds(100_000), bounds(999_999)), ((100.0, 200.0), (900.0, 1000.0)));
        assert_eq!((bounds(1_000_000), bounds(77_000_000)), ((1000.0, 2000.0), (10_000.0, 100_000.0)));
    }

    #[test]
    fn a_table_reads_as_linkbench_writes_it() {
        let mut all = Histogram::new();
        for (micros, count) in [(750, 30), (1_500, 50), (10_200, 17), (2_064_476, 3)] {
            all.record_many(Nanos(micros * 1000), count);
        }
        let operations = vec![("GET_LINKS_LIST".to_string(), all)];
        assert_eq!(
            table(&operations).lines().collect::<Vec<_>>()[0],
            "op,count,p25_low,p25_high,p50_low,p50_high,p75_low,p75_high,p95_low,p95_high,p99_low,p99_high,max,mean"
        );
        let row = table(&operations).lines().nth(1).unwrap_or("").to_string();
        assert!(row.starts_with("GET_LINKS_LIST,100,0.7,0.8,1,2,1,2,10,11,2000,3000,"), "{row}");
    }

    #[test]
    fn numbers_have_no_zeros_behind_them() {
        assert_eq!(
            [short(1.0, 2), short(0.70, 2), short(2064.4761, 3), short(100.0, 0)],
            ["1", "0.7", "2064.476", "100"]
        );
    }
}
