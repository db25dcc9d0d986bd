//! Records made in turn, over and over: each pair is one ratio, what drifts over hours falls on both, and a struck
//! record takes its pair along.

mod bench;

use bench::*;
use judge::compare::across::{self, FEWEST_PAIRS, Side};
use model::compared::{Compared, Row};
use model::estimate::Outcome;
use model::judgement::Judgement;
use model::record::Record;

const METRICS: &[&str] = &["qps", "latency_us_p99", "server_cpu_us_per_op"];

/// A record at so many times the rate.
fn at(factor: f64) -> Record {
    let mut record = record();
    for run in &mut record.runs {
        set_rate(run, QPS * factor * (1.0 + 0.001 * f64::from(run.repetition)));
    }
    record
}

fn again(pairs: &[(Record, Record)]) -> Compared {
    let judged: Vec<(Judgement, Judgement)> = pairs.iter().map(|(one, other)| (judge(one), judge(other))).collect();
    let side = |record, judgement| Side { name: "r".into(), record, details: &NoDetails, judgement, cell: None };
    let sides: Vec<(Side, Side)> = pairs
        .iter()
        .zip(&judged)
        .map(|((one, other), (first, second))| (side(one, first), side(other, second)))
        .collect();
    across::again(&sides, METRICS)
}

fn of<'a>(compared: &'a Compared, metric: &str) -> Vec<&'a Row> {
    compared.rows.iter().filter(|row| row.metric == metric).collect()
}

/// Hours that make everything slower together.
const HOURS: [f64; 5] = [1.0, 0.8, 0.9, 0.85, 0.95];

fn pairs(ratio: f64) -> Vec<(Record, Record)> {
    let noise = |i: usize| 1.0 + 0.002 * (i as f64 - 2.0);
    HOURS.iter().enumerate().map(|(i, hour)| (at(*hour), at(hour * ratio * noise(i)))).collect()
}

#[test]
fn hours_that_differ_by_a_fifth_hide_no_twentieth_from_pairs() {
    let compared = again(&pairs(0.95));
    assert_eq!((compared.again, of(&compared, "qps").len()), (Some(5), 4));
    for row in of(&compared, "qps") {
        assert_eq!((row.outcome, row.suggests, row.ratio.n), (Outcome::Worse, None, 5), "{row:#?}");
        assert!((row.ratio.value - 0.95).abs() < 0.005 && row.ratio.high.unwrap() < 0.97, "{row:#?}");
    }
    assert!(of(&compared, "latency_us_p99").iter().all(|row| row.outcome == Outcome::Worse), "slower is a longer tail");
    let same = again(&pairs(1.0));
    assert!(of(&same, "qps").iter().all(|row| row.outcome == Outcome::Equivalent), "{same:#?}");
}

#[test]
fn a_struck_record_takes_its_pair_along_and_too_few_that_are_left_are_refused() {
    let mut all = pairs(0.95);
    let spoil = |record: &mut Record| of_cell(record, "c001").for_each(|r| statement(r).unexpected = 1);
    spoil(&mut all[1].0);
    let of_first = |compared: &Compared| of(compared, "qps")[0].clone();
    let row = of_first(&again(&all));
    assert_eq!((row.outcome, row.ratio.n), (Outcome::Worse, 4), "{row:#?}");
    all[2..4].iter_mut().for_each(|pair| spoil(&mut pair.1));
    let row = of_first(&again(&all));
    assert_eq!(row.outcome, Outcome::Refused);
    assert_eq!(row.why, "answers_were_expected struck 3 of 5 pairs of records, and 2 are too few");
}

#[test]
fn noisy_pairs_say_how_many_more_would_decide() {
    let noisy: Vec<_> = [0.90, 1.02, 0.94, 0.99].iter().map(|ratio| (at(1.0), at(*ratio))).collect();
    let row = of(&again(&noisy), "qps")[0].clone();
    assert_eq!(row.outcome, Outcome::Undecided);
    assert!(row.why.ends_with("more pairs of records would probably decide"), "{}", row.why);
    let few = again(&noisy[..FEWEST_PAIRS - 1]);
    assert!(of(&few, "qps").iter().all(|row| row.outcome == Outcome::Undecided && row.ratio.low.is_none()));
}
