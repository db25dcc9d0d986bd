//! Records with a known truth: two of them beside earlier ones of the same machine, and pairs of them made in turn. A
//! record has an effect of its own (its instance, its hour), and its runs have noise beside it.

use super::rate;
use crate::bench;
use judge::compare::across::{self, Side};
use judge::compare::history::{self, Taken};
use judge::stats::draws::Draws;
use model::compared::{Compared, Row};
use model::estimate::Outcome;
use model::judgement::Judgement;
use model::record::Record;
use model::seed::Seed;

/// Noise of a run beside its record's effect.
const OF_RUNS: f64 = 0.01;
/// By how much hours differ, which both records of a pair meet.
const OF_HOURS: f64 = 0.03;

/// What so many comparisons of the same server with itself come to, as shares.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draw {
    /// Intervals that hold the truth.
    pub covers: f64,
    /// A difference told as decided.
    pub claimed: f64,
    /// Told as what the runs suggest.
    pub suggested: f64,
}

/// One cell of that level, whose runs spread around it.
fn record(d: &mut Draws, runs: usize, level: f64) -> Record {
    let mut record = bench::experiment(&[("build", &["one".into()])]);
    let template = record.runs[0].clone();
    record.runs = (1..=runs as u32)
        .map(|number| {
            let mut run = template.clone();
            run.id = model::plan::RunId(format!("c001-{number}"));
            (run.repetition, run.block) = (number, number);
            bench::set_rate(&mut run, rate(d, level, OF_RUNS));
            run
        })
        .collect();
    record.plan.runs = Vec::new();
    record
}

fn side<'a>(record: &'a Record, judgement: &'a Judgement) -> Side<'a> {
    Side { name: "r".into(), record, details: &bench::NoDetails, judgement, cell: None }
}

fn counted(all: impl Iterator<Item = Compared>, experiments: u64) -> Draw {
    let share = |seen: bool| f64::from(u8::from(seen)) / experiments as f64;
    let differs = |outcome: Outcome| matches!(outcome, Outcome::Better | Outcome::Worse);
    let mut draw = Draw::default();
    for compared in all {
        let Row { ratio, outcome, suggests, .. } = &compared.rows[0];
        draw.covers += share(ratio.low.zip(ratio.high).is_some_and(|(low, high)| low <= 1.0 && 1.0 <= high));
        draw.claimed += share(differs(*outcome));
        draw.suggested += share(suggests.is_some_and(differs));
    }
    draw
}

/// Two records of so many runs, beside so many earlier ones; records differ by `sessions`.
pub fn two_draws(experiments: u64, earlier: usize, runs: usize, sessions: f64) -> Draw {
    let one = |number: u64| {
        let d = &mut Draws::of(Seed(23).nth(number));
        let mut draw = || {
            let level = rate(d, bench::QPS, sessions);
            record(d, runs, level)
        };
        let past: Vec<Record> = (0..earlier).map(|_| draw()).collect();
        let past: Vec<Taken> =
            past.iter().filter_map(|record| history::take("r", record, &bench::judge(record))).collect();
        let (base, candidate) = (draw(), draw());
        let judged = (bench::judge(&base), bench::judge(&candidate));
        across::compare(&side(&base, &judged.0), &side(&candidate, &judged.1), &["qps"], &past)
    };
    counted((0..experiments).map(one), experiments)
}

/// So many pairs of records made in turn, of so many runs each.
pub fn again(experiments: u64, pairs: usize, runs: usize, sessions: f64) -> Draw {
    let one = |number: u64| {
        let d = &mut Draws::of(Seed(29).nth(number));
        let mut pair = || {
            let hour = rate(d, bench::QPS, OF_HOURS);
            let levels = [rate(d, hour, sessions), rate(d, hour, sessions)];
            levels.map(|level| record(d, runs, level))
        };
        let made: Vec<[Record; 2]> = (0..pairs).map(|_| pair()).collect();
        let judged: Vec<[Judgement; 2]> =
            made.iter().map(|[base, candidate]| [bench::judge(base), bench::judge(candidate)]).collect();
        let sides: Vec<(Side, Side)> = made
            .iter()
            .zip(&judged)
            .map(|(pair, judged)| (side(&pair[0], &judged[0]), side(&pair[1], &judged[1])))
            .collect();
        across::again(&sides, &["qps"])
    };
    counted((0..experiments).map(one), experiments)
}
