//! Made-up profiles of two cells: a few functions, one of which takes surely longer in the second, one that may not,
//! and one that only the second has.

use model::functions::{Function, FunctionDiff, FunctionTable, Moved, MovedFunction, Sampled};
use model::record::profile::{NOT_UNWOUND, Profile, Stack};
use model::record::series::Series;
use model::record::tally::Interval;
use model::record::{Details, Record};
use model::units::{Nanos, Share};
use model::{Estimate, RunId};

/// Outermost first, with the samples of both cells.
const STACKS: &[(&[&str], [u64; 2])] = &[
    (&["do_command", "dispatch_command", "mysql_execute_command", "JOIN::exec", "row_search_mvcc"], [420, 430]),
    (&["do_command", "dispatch_command", "mysql_execute_command", "JOIN::exec", "my_strnncollsp_latin1"], [60, 180]),
    (
        &["do_command", "dispatch_command", "mysql_execute_command", "JOIN::exec", "my_uca_scanner_next_utf8mb4"],
        [0, 240],
    ),
    (&["do_command", "dispatch_command", "mysql_execute_command", "JOIN::optimize"], [110, 120]),
    (&["do_command", "my_net_write", "do_syscall_64_[k]", "unix_stream_sendmsg_[k]"], [260, 250]),
    (&["[mariadbd+0x4a3b10]", "buf_flush_page_cleaner"], [40, 38]),
    (&[NOT_UNWOUND, "[libc.so.6+0x9f0b0]"], [12, 14]),
];
const CELLS: [&str; 2] = ["c001", "c002"];
const US: f64 = 0.05;

/// The details of a record, and stacks besides.
pub struct WithStacks<D>(pub D);

impl<D: Details> Details for WithStacks<D> {
    fn intervals(&self, run: &RunId) -> Vec<Interval> {
        self.0.intervals(run)
    }
    fn series(&self, run: &RunId, metrics: &[&str]) -> Vec<Series> {
        self.0.series(run, metrics)
    }
    fn stacks(&self, run: &RunId) -> Result<Vec<Stack>, String> {
        let place = usize::from(run.0.starts_with(CELLS[1]));
        let stack = |(frames, samples): &(&[&str], [u64; 2])| Stack {
            phase: "measure".into(),
            frames: frames.iter().map(|frame| (*frame).to_string()).collect(),
            samples: samples[place],
        };
        Ok(STACKS.iter().map(stack).filter(|stack| stack.samples > 0).collect())
    }
}

/// A profile run of each of the cells.
pub fn add_runs(record: &mut Record) {
    for cell in CELLS {
        let mut run = record.runs.iter().find(|run| run.cell.0 == cell && run.is_done()).expect("a run").clone();
        run.id = RunId(format!("{cell}-profile-1"));
        run.profile = Some(Profile { event: "cpu-clock".into(), period: Nanos(1_001_001), ..Profile::default() });
        record.runs.push(run);
    }
}

fn us(place: usize, is_in: impl Fn(&[&str]) -> bool) -> f64 {
    STACKS.iter().filter(|(frames, _)| is_in(frames)).map(|(_, samples)| samples[place] as f64 * US).sum()
}

fn estimate(value: f64, half: f64) -> Estimate {
    Estimate { value, low: Some(value - half), high: Some(value + half), n: 3, unit: "µs".into() }
}

fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = STACKS.iter().flat_map(|(frames, _)| frames.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn sampled(place: usize) -> Sampled {
    Sampled {
        cell: CELLS[place].into(),
        runs: 3,
        samples: STACKS.iter().map(|(_, samples)| samples[place]).sum(),
        lost: 3,
        hz: 99.0,
        operation: estimate(us(place, |_| true), 0.6),
        not_unwound: Share(0.012),
        not_named: Share(0.013),
        cost: Share(0.004),
        slower: Some(estimate(1.01, 0.01)),
        missing: vec![
            "functions that libc.so.6 does not export have no name, since it is stripped; install its debug symbols"
                .into(),
        ],
    }
}

pub fn tables() -> Vec<FunctionTable> {
    let table = |place: usize| {
        let function = |name: &str| Function {
            name: name.into(),
            own: estimate(us(place, |frames| frames.last() == Some(&name)), 0.4),
            total: estimate(us(place, |frames| frames.contains(&name)), 0.5),
            samples: 0,
        };
        let mut functions: Vec<Function> = names().into_iter().map(function).filter(|f| f.total.value > 0.0).collect();
        functions.sort_by(|a, b| b.own.value.total_cmp(&a.own.value));
        FunctionTable { sampled: sampled(place), functions }
    };
    vec![table(0), table(1)]
}

pub fn diff() -> FunctionDiff {
    let moved = |is_in: &dyn Fn(&[&str]) -> bool| {
        let [base, candidate] = [0, 1].map(|place| us(place, is_in));
        let difference = estimate(candidate - base, 0.9);
        let ratio = (base > 0.0).then(|| candidate / base);
        Moved { base, candidate, ratio, is_significant: difference.value.abs() > 2.0, difference }
    };
    let function = |name: &str| MovedFunction {
        name: name.into(),
        own: moved(&|frames| frames.last() == Some(&name)),
        total: moved(&|frames| frames.contains(&name)),
    };
    let mut functions: Vec<MovedFunction> = names().into_iter().map(function).collect();
    functions.sort_by(|a, b| b.own.difference.value.abs().total_cmp(&a.own.difference.value.abs()));
    FunctionDiff { base: sampled(0), candidate: sampled(1), operation: moved(&|_| true), functions }
}
