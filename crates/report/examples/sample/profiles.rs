//! Made-up profiles of two cells: a few functions, one of which takes surely longer in the second, one that may not,
//! and one that only the second has.

use model::functions::{
    CounterPerOperation, Function, FunctionDiff, FunctionTable, Moved, MovedFunction, Sampled, Spent,
};
use model::record::profile::{NOT_UNWOUND, Profile, Stack};
use model::record::series::Series;
use model::record::tally::Interval;
use model::record::{Details, Record};
use model::units::{Nanos, Share};
use model::{Estimate, RunId};

type Samples = (&'static [&'static str], [u64; 2]);

/// Outermost first, with the samples of both cells.
const ON_CPU: &[Samples] = &[
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
const WAITING: &[Samples] = &[
    (
        &["do_command", "dispatch_command", "ha_commit_trans", "log_write_up_to", "fdatasync", "folio_wait_bit_[k]"],
        [900, 90],
    ),
    (&["do_command", "my_net_read_packet", "recv", "unix_stream_read_generic_[k]"], [400, 410]),
    (&["do_command", "dispatch_command", "mysql_execute_command", "preempted_[k]"], [30, 28]),
];
const CELLS: [&str; 2] = ["c001", "c002"];
const US: f64 = 0.05;

const fn stacks(spent: Spent) -> &'static [Samples] {
    match spent {
        Spent::OnCpu => ON_CPU,
        Spent::Waiting => WAITING,
    }
}

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
        let spent = if run.0.contains("-waits-") { Spent::Waiting } else { Spent::OnCpu };
        let stack = |(frames, samples): &Samples| Stack {
            phase: "measure".into(),
            frames: frames.iter().map(|frame| (*frame).to_string()).collect(),
            samples: samples[place],
        };
        Ok(stacks(spent).iter().map(stack).filter(|stack| stack.samples > 0).collect())
    }
}

/// A profile run of each kind of each of the cells.
pub fn add_runs(record: &mut Record) {
    for (cell, spent) in CELLS.into_iter().flat_map(|cell| Spent::ALL.map(|spent| (cell, spent))) {
        let mut run = record.runs.iter().find(|run| run.cell.0 == cell && run.is_done()).expect("a run").clone();
        let word = if spent.is_on_cpu() { "profile" } else { "waits" };
        run.id = RunId(format!("{cell}-{word}-1"));
        run.profile = Some(Profile { spent, period: Nanos(1_001_001), ..Profile::default() });
        record.runs.push(run);
    }
}

fn us(spent: Spent, place: usize, is_in: impl Fn(&[&str]) -> bool) -> f64 {
    stacks(spent).iter().filter(|(frames, _)| is_in(frames)).map(|(_, samples)| samples[place] as f64 * US).sum()
}

fn estimate(value: f64, half: f64) -> Estimate {
    Estimate { value, low: Some(value - half), high: Some(value + half), n: 3, unit: "µs".into() }
}

fn names(spent: Spent) -> Vec<&'static str> {
    let mut names: Vec<&str> = stacks(spent).iter().flat_map(|(frames, _)| frames.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn sampled(spent: Spent, place: usize) -> Sampled {
    Sampled {
        cell: CELLS[place].into(),
        spent,
        runs: 3,
        samples: stacks(spent).iter().map(|(_, samples)| samples[place]).sum(),
        lost: 3,
        hz: 99.0,
        operation: estimate(us(spent, place, |_| true), 0.6),
        not_unwound: Share(0.012),
        not_named: Share(0.013),
        cost: Share(0.004),
        slower: Some(estimate(1.01, 0.01)),
        counters: vec![CounterPerOperation { name: "instructions".into(), value: estimate(45_200.0, 300.0) }],
        missing: vec![
            "functions that libc.so.6 does not export have no name, since it is stripped; install its debug symbols"
                .into(),
        ],
    }
}

pub fn tables() -> Vec<FunctionTable> {
    let table = |spent: Spent, place: usize| {
        let function = |name: &str| Function {
            name: name.into(),
            own: estimate(us(spent, place, |frames| frames.last() == Some(&name)), 0.4),
            total: estimate(us(spent, place, |frames| frames.contains(&name)), 0.5),
            samples: 0,
        };
        let mut functions: Vec<Function> =
            names(spent).into_iter().map(function).filter(|f| f.total.value > 0.0).collect();
        functions.sort_by(|a, b| b.own.value.total_cmp(&a.own.value));
        FunctionTable { sampled: sampled(spent, place), functions }
    };
    Spent::ALL.into_iter().flat_map(|spent| [table(spent, 0), table(spent, 1)]).collect()
}

pub fn diffs() -> Vec<FunctionDiff> {
    Spent::ALL.into_iter().map(diff).collect()
}

fn diff(spent: Spent) -> FunctionDiff {
    let moved = |is_in: &dyn Fn(&[&str]) -> bool| {
        let [base, candidate] = [0, 1].map(|place| us(spent, place, is_in));
        let difference = estimate(candidate - base, 0.9);
        let ratio = (base > 0.0).then(|| candidate / base);
        Moved { base, candidate, ratio, is_significant: difference.value.abs() > 2.0, difference }
    };
    let function = |name: &str| MovedFunction {
        name: name.into(),
        own: moved(&|frames| frames.last() == Some(&name)),
        total: moved(&|frames| frames.contains(&name)),
    };
    let mut functions: Vec<MovedFunction> = names(spent).into_iter().map(function).collect();
    functions.sort_by(|a, b| b.own.difference.value.abs().total_cmp(&a.own.difference.value.abs()));
    let [base, candidate] = [0, 1].map(|place| sampled(spent, place));
    FunctionDiff { base, candidate, operation: moved(&|_| true), functions }
}
