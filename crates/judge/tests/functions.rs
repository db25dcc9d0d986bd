//! Tables of functions from imagined profiles: what is known of the server that is sampled must come out, and of two
//! that are the same nothing may. Counts have the noise of counting and, beyond it, what runs differ by; it is seeded.

mod bench;

use bench::experiment;
use judge::compare::functions::{Profiled, diff, profiled_cells};
use model::functions::Spent;
use model::record::profile::{NOT_UNWOUND, Profile, Stack};
use model::record::series::Series;
use model::record::tally::Interval;
use model::seed::{Seed, split_mix};
use model::{CellId, Details, Nanos, Record, RunId, Rung, Share};
use std::collections::BTreeMap;

/// Functions of the server, the nth of which takes 1/n of the time.
const FUNCTIONS: usize = 200;
/// Samples of a run, about: 20 s of a busy CPU at 999 Hz.
const SAMPLES: f64 = 20_000.0;
/// How much a function's time differs from run to run, beyond counting.
const RUNS_DIFFER: f64 = 0.03;
/// Records that are looked at.
const RECORDS: u64 = 100;
const PLANTED: &str = "burn";

struct Profiles(BTreeMap<RunId, Vec<Stack>>);

impl Details for Profiles {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
    fn stacks(&self, run: &RunId) -> Result<Vec<Stack>, String> {
        self.0.get(run).cloned().ok_or(format!("{run}: no file"))
    }
}

struct Dice(u64);

impl Dice {
    fn uniform(&mut self) -> f64 {
        self.0 = split_mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
    fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 50.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0) as u64;
        }
        let (mut count, mut product) = (0, self.uniform());
        while product > (-mean).exp() {
            count += 1;
            product *= self.uniform();
        }
        count
    }
}

/// Two cells with three profile runs each; in the second a function more takes that share of what the first takes.
fn record(seed: u64, planted: f64) -> (Record, Profiles) {
    let mut record = experiment(&[("charset", &["latin1".into(), "utf8mb4-generic".into()])]);
    let mut dice = Dice(Seed(seed).child("profiles").0);
    let harmonic: f64 = (1..=FUNCTIONS).map(|n| 1.0 / n as f64).sum();
    let mut profiles = BTreeMap::new();
    for run in record.runs.clone() {
        let mut profiled = run.clone();
        profiled.id = RunId(format!("{}-profile-{}", run.cell, run.repetition));
        let mut stacks: Vec<Stack> = Vec::new();
        let mut add = |name: &str, mean: f64| {
            let mean = mean * (1.0 + RUNS_DIFFER * dice.normal());
            let frames = vec!["main".to_string(), name.to_string()];
            stacks.push(Stack { phase: "measure".into(), frames, samples: dice.poisson(mean.max(0.0)) });
        };
        (1..=FUNCTIONS).for_each(|n| add(&format!("f{n}"), SAMPLES / harmonic / n as f64));
        if run.cell.0 == "c002" && planted > 0.0 {
            add(PLANTED, planted * SAMPLES);
        }
        let samples = stacks.iter().map(|stack| stack.samples).sum();
        profiled.profile = Some(Profile { period: Nanos(1_001_001), samples, ..Profile::default() });
        profiles.insert(profiled.id.clone(), stacks);
        record.runs.push(profiled);
    }
    (record, Profiles(profiles))
}

fn both(record: &Record, profiles: &Profiles) -> model::functions::FunctionDiff {
    let of = |cell: &str| Profiled::of(record, profiles, &CellId(cell.into()), Spent::OnCpu).unwrap();
    diff(&of("c001"), &of("c002"))
}

#[test]
fn of_cells_that_are_the_same_no_function_is_named() {
    let claimed = |seed: &u64| {
        let (record, profiles) = record(*seed, 0.0);
        both(&record, &profiles).functions.iter().any(|f| f.own.is_significant || f.total.is_significant)
    };
    let wrong = (1..=RECORDS).filter(claimed).count();
    // Claimed below 0.25 %, twice: for what functions take themselves and with what they call.
    assert!(wrong <= 2, "{wrong} of {RECORDS}");
}

#[test]
fn a_planted_function_is_found_with_its_share_in_its_interval() {
    let (mut found, mut others, mut inside) = (0, 0, 0);
    for seed in 1..=RECORDS {
        let (record, profiles) = record(seed, 0.03);
        let diff = both(&record, &profiles);
        let whole = diff.operation.base;
        for function in diff.functions.iter().filter(|function| function.own.is_significant) {
            found += usize::from(function.name == PLANTED);
            others += usize::from(function.name != PLANTED);
        }
        let planted = diff.functions.iter().find(|function| function.name == PLANTED).unwrap();
        let (low, high) = (planted.own.difference.low.unwrap(), planted.own.difference.high.unwrap());
        inside += usize::from((low..high).contains(&(0.03 * whole)));
        assert_eq!(planted.own.ratio, None, "the base has none of it");
    }
    assert_eq!(found, RECORDS as usize);
    assert!(others <= 2 && inside >= 90, "{others} others, {inside} inside");
}

#[test]
fn time_of_functions_is_samples_by_period_over_operations() {
    let (record, profiles) = record(1, 0.0);
    assert_eq!(profiled_cells(&record, Spent::OnCpu).len(), 2);
    let table = Profiled::of(&record, &profiles, &CellId("c001".into()), Spent::OnCpu).unwrap().table();
    let operations: f64 = 3.0 * bench::QPS;
    let wanted = table.sampled.samples as f64 * 1_001.001 / operations;
    assert!((table.sampled.operation.value / wanted - 1.0).abs() < 1e-3, "{:?}", table.sampled);
    let sum: f64 = table.functions.iter().map(|function| function.own.value).sum();
    assert!((sum / wanted - 1.0).abs() < 1e-3);
    let main = table.functions.iter().find(|function| function.name == "main").unwrap();
    assert!(main.own.value == 0.0 && (main.total.value / wanted - 1.0).abs() < 1e-3);
    assert_eq!(table.functions[0].name, "f1");
    let own = &table.functions[0].own;
    assert!(own.low.unwrap() < own.value && own.value < own.high.unwrap() && own.n == 3, "{own:?}");
}

#[test]
fn what_was_not_unwound_or_not_named_is_a_share_of_all() {
    let (record, mut profiles) = record(1, 0.0);
    for stacks in profiles.0.values_mut() {
        let stack = |frames: &[&str], samples| Stack {
            phase: "measure".into(),
            frames: frames.iter().map(|frame| (*frame).to_string()).collect(),
            samples,
        };
        *stacks =
            vec![stack(&["main", "f", "g_[i]"], 70), stack(&[NOT_UNWOUND, "f"], 20), stack(&["main", "[libc]"], 10)];
    }
    let table = Profiled::of(&record, &profiles, &CellId("c001".into()), Spent::OnCpu).unwrap().table();
    assert_eq!((table.sampled.not_unwound, table.sampled.not_named), (Share(0.2), Share(0.1)));
    // One function, wherever the compiler put it.
    assert_eq!(table.functions.iter().find(|function| function.name == "g").unwrap().samples, 210);
}

#[test]
fn what_profiling_costs_is_told_by_pairs() {
    let (mut record, profiles) = record(1, 0.0);
    let sampled: Vec<_> = record.runs.iter().filter(|run| run.profile.is_some()).cloned().collect();
    for (run, rate) in sampled.into_iter().zip([1.01, 1.02, 1.03, 1.01, 1.02, 1.03]) {
        let mut bare = run.clone();
        bare.id = RunId(run.id.0.replace("profile", "bare"));
        bare.profile = Some(Profile::default());
        let qps = bench::QPS * (1.0 + 0.005 * (f64::from(run.repetition) - 2.0));
        bench::set_rate(&mut bare, qps * rate);
        record.runs.push(bare);
    }
    let table = Profiled::of(&record, &profiles, &CellId("c001".into()), Spent::OnCpu).unwrap().table();
    let slower = table.sampled.slower.unwrap();
    assert!((1.0..1.05).contains(&slower.value) && slower.low < Some(slower.value) && slower.n == 3, "{slower:?}");
    assert_eq!(table.sampled.runs, 3, "they are in no table");
}

#[test]
fn waits_are_those_of_threads_that_serve_users_and_stand_beside_the_cpus_time() {
    let (mut record, mut profiles) = record(1, 0.0);
    let stack = |frames: &[&str], samples| Stack {
        phase: "measure".into(),
        frames: frames.iter().map(|frame| (*frame).to_string()).collect(),
        samples,
    };
    for run in record.runs.iter().filter(|run| run.profile.is_some()).cloned().collect::<Vec<_>>() {
        let mut waits = run.clone();
        waits.id = RunId(run.id.0.replace("profile", "waits"));
        waits.profile = Some(Profile { spent: Spent::Waiting, ..run.profile.unwrap() });
        let flush = if run.cell.0 == "c002" { 900 } else { 500 };
        let served = stack(&["start_thread", "do_command", "fdatasync", "jbd2_log_wait_commit_[k]"], flush);
        profiles.0.insert(waits.id.clone(), vec![served, stack(&["start_thread", "io_getevents"], 100_000)]);
        record.runs.push(waits);
    }
    let of = |cell: &str, spent| Profiled::of(&record, &profiles, &CellId(cell.into()), spent).unwrap();
    let table = of("c001", Spent::Waiting).table();
    assert_eq!((table.sampled.samples, table.sampled.spent), (1_500, Spent::Waiting));
    assert!(table.functions.iter().all(|function| function.name != "io_getevents") && table.sampled.missing.is_empty());
    assert!(of("c001", Spent::OnCpu).table().sampled.samples > 10_000, "the others are as they were");
    let moved = diff(&of("c001", Spent::Waiting), &of("c002", Spent::Waiting));
    let flush = moved.functions.iter().find(|function| function.name == "fdatasync").unwrap();
    assert!(flush.total.is_significant && (flush.total.ratio.unwrap() - 1.8).abs() < 1e-9, "{flush:?}");

    // Where not one function is known by which a thread serves, all count, and that is said.
    profiles.0.values_mut().for_each(|stacks| stacks.retain(|s| s.frames.iter().all(|f| f != "do_command")));
    let table = Profiled::of(&record, &profiles, &CellId("c001".into()), Spent::Waiting).unwrap().table();
    assert_eq!(table.sampled.samples, 300_000);
    assert!(table.sampled.missing[0].contains("-dbgsym"), "{:?}", table.sampled.missing);
}

#[test]
fn two_runs_of_each_tell_no_difference_and_none_tells_nothing() {
    let (mut record, profiles) = record(1, 0.5);
    record.runs.retain(|run| run.profile.is_none() || run.repetition < 3);
    let diff = both(&record, &profiles);
    assert!(diff.functions.iter().all(|f| !f.own.is_significant && f.own.difference.low.is_none()));
    record.runs.retain(|run| run.profile.is_none());
    let why = Profiled::of(&record, &profiles, &CellId("c001".into()), Spent::OnCpu).err().unwrap();
    assert!(why.contains("[repeat] profiles = 3"), "{why}");
    let why = Profiled::of(&record, &profiles, &CellId("c009".into()), Spent::OnCpu).err().unwrap();
    assert!(why.contains("no cell c009; it has c001, c002"), "{why}");
}

#[test]
fn a_difference_between_cells_names_its_function_and_how_much_it_covers() {
    let judged = |seed, planted| {
        let (record, profiles) = record(seed, planted);
        judge::judge(&record, &profiles)
    };
    let judgement = judged(1, 0.2);
    let finding = judgement
        .findings
        .iter()
        .find(|finding| finding.name == "cpu_moved")
        .unwrap_or_else(|| panic!("{:?}", judgement.findings));
    for word in ["`burn` +", "together +", "% of the difference", "not unwound"] {
        assert!(finding.sentence.contains(word), "{word}: {}", finding.sentence);
    }
    assert_eq!((finding.rung, &*finding.evidence), (Rung::ConsistentWith, &["c001".to_string(), "c002".into()][..]));
    let silent = |seed| judged(seed, 0.0).findings.iter().all(|finding| finding.name != "cpu_moved");
    assert!((1..=10).all(silent), "of cells that are the same nothing is said");
}
