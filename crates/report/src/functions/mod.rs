//! Profiles in text: the functions of a cell or of two, for a terminal, and stacks in the forms that other programs
//! draw. Beside each table stands what it rests on: how many samples, which of them could not be unwound or named, and
//! what profiling itself cost, because a share of what was seen is no share of the whole.

mod pprof;

pub use pprof::pprof;

use crate::figures::three;
use model::Estimate;
use model::functions::{CounterPerOperation, FunctionDiff, FunctionTable, Moved, Sampled, Spent};
use model::units::Share;
use std::collections::BTreeSet;

/// Names longer than this are cut in the middle, where templates say least.
const LONGEST: usize = 64;

/// The functions of each of these cells, at most so many. What could not be read is said once.
pub fn tables(tables: &[FunctionTable], most: usize) -> String {
    let mut said = BTreeSet::new();
    tables.iter().map(|one| table(one, most, &mut said)).collect::<Vec<_>>().join("\n")
}

fn table<'a>(table: &'a FunctionTable, most: usize, said: &mut BTreeSet<&'a str>) -> String {
    let heads = ["function", "own µs", "", "of all", "total µs", "of all"].map(String::from);
    let all = table.sampled.operation.value;
    let shown = table.functions.iter().take(most);
    let rows = shown.map(|function| {
        let share = |estimate: &Estimate| percent(estimate.value, all);
        let Estimate { value, .. } = function.own;
        let (own, total) = (share(&function.own), share(&function.total));
        [short(&function.name), three(value), half(&function.own), own, three(function.total.value), total]
    });
    let rest = table.functions.len().saturating_sub(most);
    rests_on(&table.sampled, said) + "\n" + &columns(heads, rows.collect()) + &left(rest)
}

/// Two cells: what moved most first, and what is not more than chance behind it, marked.
pub fn diff(diff: &FunctionDiff, most: usize) -> String {
    let heads =
        ["function", "base µs", "candidate µs", "difference", "", "ratio", "with callees", ""].map(String::from);
    let is_sure = |moved: &Moved| moved.is_significant;
    let (sure, others): (Vec<_>, Vec<_>) =
        diff.functions.iter().partition(|function| is_sure(&function.own) || is_sure(&function.total));
    let row = |function: &&model::functions::MovedFunction| {
        let Moved { base, candidate, difference, ratio, .. } = &function.own;
        let ratio = ratio.map_or("new".to_string(), |ratio| format!("× {}", three(ratio)));
        let told = match (is_sure(&function.own), is_sure(&function.total)) {
            (true, _) => "",
            (false, true) => "by its callees",
            (false, false) => "by chance",
        };
        let total = signed(function.total.difference.value);
        let name = short(&function.name);
        [name, three(*base), three(*candidate), signed(difference.value), half(difference), ratio, total, told.into()]
    };
    let shown: Vec<_> = sure.iter().chain(&others).take(most).map(row).collect();
    let rest = diff.functions.len() - shown.len();
    let both = [("base", &diff.base), ("candidate", &diff.candidate)];
    let mut said = BTreeSet::new();
    let mut text: String = both.map(|(side, sampled)| format!("{side}: {}", rests_on(sampled, &mut said))).concat();
    text += &whole(diff, &sure);
    text + "\n" + &columns(heads, shown) + &left(rest)
}

/// The difference of the whole, and how much of it the functions cover that surely moved.
fn whole(diff: &FunctionDiff, sure: &[&model::functions::MovedFunction]) -> String {
    let Moved { base, candidate, difference, .. } = &diff.operation;
    let all = format!(
        "an operation takes {} µs {} instead of {}: {} {}",
        three(*candidate),
        of_whom(diff.base.spent),
        three(*base),
        signed(difference.value),
        half(difference)
    );
    if difference.n < 3 {
        return format!("{}; fewer than three runs of each tell no difference from chance\n", all.trim_end());
    }
    let own: Vec<f64> = sure.iter().filter(|f| f.own.is_significant).map(|f| f.own.difference.value).collect();
    if sure.is_empty() {
        return format!("{}; no function differs by more than chance\n", all.trim_end());
    }
    let sum = signed(own.iter().sum());
    let functions = if own.len() == 1 {
        "function that surely differs itself adds"
    } else {
        "functions that surely differ themselves add"
    };
    format!("{}; {} {functions} up to {sum}\n", all.trim_end(), own.len())
}

/// What a table rests on, and what to do about what is missing and was not said yet.
fn rests_on<'a>(sampled: &'a Sampled, said: &mut BTreeSet<&'a str>) -> String {
    let Sampled { cell, spent, runs, samples, lost, hz, operation, not_unwound, not_named, cost, slower, .. } = sampled;
    let lost = if *lost > 0 { format!(", {lost} lost") } else { String::new() };
    let runs = if *runs == 1 { "1 run".to_string() } else { format!("{runs} runs") };
    let mut text = format!(
        "{cell}: {} µs {} per operation {}({samples} samples at {} Hz in {runs}{lost}; {not_unwound} not unwound, \
         {not_named} not named; the profiler took {cost} of the server's CPU)\n",
        three(operation.value),
        what(*spent),
        half(operation) + if operation.low.is_some() { " " } else { "" },
        three(*hz),
    );
    if let Some(slower) = slower {
        text += &format!(
            "  an operation takes × {} {} as long as beside each without samples\n",
            three(slower.value),
            half(slower)
        );
    }
    text += &counters(sampled);
    let missing = sampled.missing.iter().filter(|missing| said.insert(missing));
    missing.for_each(|missing| text += &format!("  {missing}\n"));
    text
}

/// What the CPUs counted, on a line.
fn counters(sampled: &Sampled) -> String {
    if sampled.counters.is_empty() {
        return String::new();
    }
    let one = |counter: &CounterPerOperation| {
        let half = half(&counter.value);
        let half = if half.is_empty() { half } else { half + " " };
        format!("{} {half}{}", three(counter.value.value), counter.name)
    };
    let all: Vec<String> = sampled.counters.iter().map(one).collect();
    format!("  an operation takes {}\n", all.join(", "))
}

/// The time of an operation's profile, for short.
fn what(spent: Spent) -> &'static str {
    match spent {
        Spent::OnCpu => "of CPU",
        Spent::Waiting => "of waiting",
    }
}

fn of_whom(spent: Spent) -> &'static str {
    match spent {
        Spent::OnCpu => "of the server's CPU time",
        Spent::Waiting => "of waiting in the server",
    }
}

fn left(rest: usize) -> String {
    if rest == 0 { String::new() } else { format!("… and {rest} more; --top says how many to show\n") }
}

fn half(estimate: &Estimate) -> String {
    let half = estimate.high.map(|high| high - estimate.value);
    half.map_or(String::new(), |half| format!("± {}", three(half)))
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "−" } else { "+" }, three(value.abs()))
}

fn percent(part: f64, of: f64) -> String {
    if of > 0.0 { Share(part / of).to_string() } else { String::new() }
}

fn short(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST {
        return name.to_string();
    }
    let half = (LONGEST - 1) / 2;
    letters[..half].iter().chain(&['…']).chain(&letters[letters.len() - half..]).collect()
}

/// As wide as what they hold; the first to the left, the others, which are numbers or words about them, to the right.
fn columns<const N: usize>(heads: [String; N], rows: Vec<[String; N]>) -> String {
    let rows: Vec<[String; N]> = std::iter::once(heads).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let padded = row.iter().enumerate().map(|(i, cell)| {
            let space = " ".repeat(widths[i] - cell.chars().count());
            if i == 0 { cell.clone() + &space } else { space + cell }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::functions::{Function, MovedFunction};

    fn estimate(value: f64, half: f64) -> Estimate {
        Estimate { value, low: Some(value - half), high: Some(value + half), n: 3, unit: "µs".into() }
    }

    fn sampled(cell: &str, operation: f64) -> Sampled {
        Sampled {
            cell: cell.into(),
            spent: Spent::OnCpu,
            runs: 3,
            samples: 9_000,
            lost: 12,
            hz: 99.0,
            operation: estimate(operation, 0.2),
            not_unwound: Share(0.01),
            not_named: Share(0.124),
            cost: Share(0.006),
            slower: Some(estimate(1.012, 0.008)),
            counters: vec![
                CounterPerOperation { name: "instructions".into(), value: estimate(45_200.0, 300.0) },
                CounterPerOperation { name: "iTLB misses".into(), value: estimate(12.1, 0.5) },
            ],
            missing: vec!["functions of the kernel have no names here (kptr_restrict); run as root".into()],
        }
    }

    fn moved(base: f64, candidate: f64, half: f64, is_significant: bool) -> Moved {
        let ratio = (base > 0.0).then(|| candidate / base);
        Moved { base, candidate, difference: estimate(candidate - base, half), ratio, is_significant }
    }

    #[test]
    fn a_table_says_what_it_rests_on_and_what_it_leaves_out() {
        let function = |name: &str, own: f64, total: f64| Function {
            name: name.into(),
            own: estimate(own, own / 10.0),
            total: estimate(total, 0.1),
            samples: 300,
        };
        let long = format!("std::vector<{}>::push_back", "x".repeat(80));
        let functions =
            vec![function("row_search_mvcc", 1.25, 6.0), function(&long, 0.5, 0.5), function("main", 0.0, 20.0)];
        insta::assert_snapshot!(tables(&[FunctionTable { sampled: sampled("c001", 20.0), functions }], 2));
    }

    #[test]
    fn a_difference_shows_first_what_is_more_than_chance_and_marks_the_rest() {
        let function = |name: &str, own: Moved, total: Moved| MovedFunction { name: name.into(), own, total };
        let mut functions = vec![
            function("noise", moved(2.0, 1.1, 1.2, false), moved(2.0, 1.1, 1.2, false)),
            function("burn", moved(0.0, 0.62, 0.1, true), moved(0.0, 0.62, 0.1, true)),
            function("do_command", moved(0.2, 0.21, 0.1, false), moved(19.0, 19.7, 0.3, true)),
        ];
        let operation = moved(20.0, 20.7, 0.3, true);
        let (base, candidate) = (sampled("c001", 20.0), sampled("c002", 20.7));
        let told = |functions: &[MovedFunction]| {
            let (base, candidate, operation) = (base.clone(), candidate.clone(), operation.clone());
            diff(&FunctionDiff { base, candidate, operation, functions: functions.to_vec() }, 20)
        };
        insta::assert_snapshot!(told(&functions));
        assert_eq!(told(&functions).matches("kptr_restrict").count(), 1, "what both lack is said once");
        functions.truncate(1);
        assert!(told(&functions).contains("no function differs by more than chance"));
    }
}
