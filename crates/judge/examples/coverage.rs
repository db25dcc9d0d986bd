//! Prints the tables of docs/statistics.md: how often intervals hold the truth, and how often the judge cries wolf,
//! over simulated experiments. `cargo run --release -p judge --example coverage [EXPERIMENTS]
//! [intervals|percentiles|records|until|histories|CELLS]`: ten thousand unless said otherwise; a word or a number of cells prints that part
//! alone, since all of it takes half an hour.

#[path = "../tests/bench/mod.rs"]
mod bench;
#[path = "../tests/simulation/mod.rs"]
mod simulation;

use simulation as simulate;

fn main() {
    let experiments = std::env::args().nth(1).map_or(10_000, |n| n.parse().expect("a number of experiments"));
    let only = std::env::args().nth(2);
    let cells: Option<usize> = only.as_deref().and_then(|only| only.parse().ok());
    let part = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if part("intervals") {
        coverage(experiments);
    }
    if only.is_none() || cells.is_some() {
        alarms(experiments, cells);
    }
    if part("percentiles") {
        percentiles(experiments / 10);
    }
    if part("until") {
        until(experiments / 2);
    }
    if part("records") {
        records(experiments / 10);
    }
    if part("histories") {
        histories(experiments / 10);
    }
}

fn percentiles(count: u64) {
    println!(
        "\n| percentile | runs | levels of runs spread by | runs with stalls | its interval holds the truth in | the range of the runs in |\n|---|--:|--:|--:|--:|--:|"
    );
    for (between, stalling) in [(0.0, 0.0), (0.02, 0.0), (0.1, 0.0), (0.02, 0.25)] {
        for (name, q) in [("p50", 0.5), ("p99", 0.99)] {
            for n in [3, 5, 10] {
                let of = simulate::Latencies { between, stalling };
                let [ours, range] = [false, true].map(|range| 100.0 * simulate::percentiles(count, n, q, of, range));
                let [between, stalling] = [between, stalling].map(|share| format!("{:.0} %", 100.0 * share));
                println!("| {name} | {n} | {between} | {stalling} | {ours:.1} % | {range:.1} % |");
            }
        }
    }
}

fn until(count: u64) {
    println!(
        "\n| cells | runs spread by | blocks made for \"until 2 %\" | its intervals hold the truth in |\n|--:|--:|--:|--:|"
    );
    for cells in [1, 4, 12] {
        for spread in [0.005, 0.01, 0.02, 0.03, 0.05] {
            let (covers, blocks) = simulate::until(count, cells, spread);
            println!("| {cells} | {:.1} % | {blocks:.1} | {:.1} % |", 100.0 * spread, 100.0 * covers);
        }
    }
}

fn records(count: u64) {
    use simulate::records::{Draw, again, two_draws};
    println!(
        "\n| two records of one server | runs each | records differ by | interval holds the truth in | a difference claimed | suggested by the runs |\n|---|--:|--:|--:|--:|--:|"
    );
    let row = |what: String, runs: usize, sessions: f64, draw: Draw| {
        let [covers, claimed, suggested] =
            [draw.covers, draw.claimed, draw.suggested].map(|share| format!("{:.1} %", 100.0 * share));
        println!("| {what} | {runs} | {:.0} % | {covers} | {claimed} | {suggested} |", 100.0 * sessions);
    };
    for sessions in [0.0, 0.01, 0.03] {
        for runs in [3, 5] {
            for earlier in [0, 3, 5, 10] {
                row(
                    format!("beside {earlier} earlier ones"),
                    runs,
                    sessions,
                    two_draws(count, earlier, runs, sessions),
                );
            }
            for pairs in [3, 5, 10] {
                row(format!("{pairs} pairs made in turn"), runs, sessions, again(count, pairs, runs, sessions));
            }
        }
    }
}

fn histories(count: u64) {
    println!(
        "\n| records | resemblance to the one before | told without a change | told of a step of 3 % | of 10 % |\n|--:|--:|--:|--:|--:|"
    );
    for (records, phi) in [(12, 0.0), (12, 0.5), (30, 0.0), (30, 0.5), (100, 0.0), (100, 0.5)] {
        let [calm, small, large] =
            [0.0, 0.03, 0.10].map(|step| format!("{:.1} %", 100.0 * simulate::histories(count, records, phi, step)));
        println!("| {records} | {phi} | {calm} | {small} | {large} |");
    }
}

fn coverage(experiments: u64) {
    println!("| a 95 % interval of | repetitions | holds the truth in |\n|---|--:|--:|");
    let row = |what: &str, n: &str, share: f64| println!("| {what} | {n} | {:.1} % |", 100.0 * share);
    for n in [3, 5, 10] {
        row("a mean", &n.to_string(), simulate::mean_plain(experiments, n));
        row("a mean of rates (logarithms)", &n.to_string(), simulate::mean_of_logs(experiments, n));
        row("a ratio by block, blocks drifting by 30 %", &n.to_string(), simulate::ratio_in_blocks(experiments, n));
    }
    for (n, m) in [(3, 3), (5, 5), (4, 9)] {
        row("a ratio of arms without common blocks", &format!("{n}, {m}"), simulate::ratio_of_arms(experiments, n, m));
    }
    for n in [3, 5, 10] {
        row("a ratio in a table of 10, equal noise", &n.to_string(), simulate::table(experiments / 10, 10, n, 0.0));
        row(
            "a ratio in a table of 10, noise of 1 to 4 %",
            &n.to_string(),
            simulate::table(experiments / 10, 10, n, 0.35),
        );
    }
    for n in [8, 12, 20] {
        let (student, bootstrap) = (
            simulate::ratio_with_a_tail(experiments, n, |ratios, _| judge::stats::mean::of_logs(ratios)),
            simulate::ratio_with_a_tail(experiments, n, simulate::bootstrapped),
        );
        row("a ratio with a tail to one side, Student", &n.to_string(), student);
        row("a ratio with a tail to one side, bootstrap", &n.to_string(), bootstrap);
    }
}

fn alarms(experiments: u64, only: Option<usize>) {
    println!(
        "\n| unchanged cells | repetitions | noise between runs | a difference claimed | a check warns or fails | either | which check |"
    );
    println!("|--:|--:|--:|--:|--:|--:|---|");
    let all = [(2, 3, 0.01), (2, 5, 0.01), (2, 10, 0.01), (6, 3, 0.01), (6, 5, 0.02), (12, 3, 0.02), (12, 5, 0.01)];
    for (cells, repetitions, spread) in all.into_iter().filter(|(cells, ..)| only.is_none_or(|only| only == *cells)) {
        let alarms = simulate::false_alarms(experiments, cells, repetitions, spread);
        let [differences, verdicts, any] =
            [alarms.differences, alarms.verdicts, alarms.any].map(|share| format!("{:.2} %", 100.0 * share));
        let by_check = alarms.by_check.iter().map(|(check, share)| format!("`{check}` {:.2} %", 100.0 * share));
        let by_check = by_check.collect::<Vec<_>>().join(", ");
        println!(
            "| {cells} | {repetitions} | {:.0} % | {differences} | {verdicts} | {any} | {by_check} |",
            100.0 * spread
        );
    }
}
