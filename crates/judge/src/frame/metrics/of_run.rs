//! The values of one run, all phases that measure together. Rates come from the tally over the phase; what the server
//! or the kernel counted is a rate over the reading's own window, so that reading a little early or late does not
//! enter. A value whose evidence is missing is absent.

use crate::frame::evidence::RunEvidence;
use model::Histogram;
use model::judgement::Made;
use std::collections::BTreeMap;

pub const CLIENT_USER: &str = "client.cpu.user";
pub const CLIENT_SYSTEM: &str = "client.cpu.system";
pub const CLIENT_PROCESS: &str = "client.cpu.process";
pub const SERVER_USER: &str = "server.cpu.user";
pub const SERVER_SYSTEM: &str = "server.cpu.system";
pub const SERVER_VOLUNTARY: &str = "server.switches.voluntary";
pub const SERVER_INVOLUNTARY: &str = "server.switches.involuntary";

/// Facts and a question of workloads that take orders.
const NEW_ORDERS: &str = "new_orders";
const USER_ROLLBACKS: &str = "user_rollbacks";
const ORDERS_OF_SERVER: &str = "data.next_order_ids";

/// Name and unit of a value.
pub type Name = (&'static str, &'static str);
pub type Values = Vec<(Name, f64)>;

/// Counters that are divided by the statements answered in the same time: name, unit, what one counted unit is worth.
const PER_STATEMENT: &[(Name, &[&str], f64)] = &[
    (("client_cpu_us_per_statement", "µs"), &[CLIENT_USER, CLIENT_SYSTEM], 1e-3),
    (("client_cpu_user_us_per_statement", "µs"), &[CLIENT_USER], 1e-3),
    (("server_cpu_us_per_statement", "µs"), &[SERVER_USER, SERVER_SYSTEM], 1e-3),
    (("server_switches_per_statement", "switches"), &[SERVER_VOLUNTARY, SERVER_INVOLUNTARY], 1.0),
];

/// Counters that are divided by the operations done in the same time: name, unit, of several lists of counters the
/// first that was read, what one counted unit is worth.
const PER_OPERATION: &[(Name, &[&[&str]], f64)] = &[
    (("server_cpu_us_per_op", "µs"), &[&[SERVER_USER, SERVER_SYSTEM]], 1e-3),
    (("client_cpu_us_per_op", "µs"), &[&[CLIENT_USER, CLIENT_SYSTEM]], 1e-3),
    (("server_switches_per_op", "switches"), &[&[SERVER_VOLUNTARY, SERVER_INVOLUNTARY]], 1.0),
    (("page_reads_per_op", "pages"), &[&["db.page_reads"]], 1.0),
    (("disk_reads_per_op", "reads"), &[&["host.disk.reads"]], 1.0),
    (("read_kib_per_op", "KiB"), &[&["server.io.read_bytes"]], KIB),
    (("written_kib_per_op", "KiB"), &[&["server.io.write_bytes"]], KIB),
    (("log_kib_per_op", "KiB"), &[&["db.redo_written"]], KIB),
    (("fsyncs_per_op", "fsyncs"), &[&["db.data_fsyncs"], &["db.redo_fsyncs"]], 1.0),
];
const KIB: f64 = 1.0 / 1024.0;

/// CPUs kept busy: name, unit, counters in nanoseconds.
const BUSY: &[(Name, &[&str])] = &[
    (("server_cpus_used", "CPUs"), &[SERVER_USER, SERVER_SYSTEM]),
    (("client_cpus_used", "CPUs"), &[CLIENT_USER, CLIENT_SYSTEM]),
];

/// What the server held at the ends of phases: its process in memory, its data on disk.
const HELD: [(Name, &str); 2] =
    [(("server_memory_bytes", "bytes"), "server.memory.resident"), (("server_disk_bytes", "bytes"), "server.disk")];

/// How each of these is made, for a reader who wants to make it again: in words, and the counters of `run.json` that
/// enter.
pub fn made_of() -> BTreeMap<String, Made> {
    let made = |how: &str, counters: &[&str]| Made {
        how: how.into(),
        counters: counters.iter().map(|c| (*c).to_string()).collect(),
    };
    let of_tally = [
        ("qps", "statements answered in the measured phases ÷ their length"),
        ("ops_per_s", "operations done in the measured phases ÷ their length"),
        ("tps", "commits in the measured phases ÷ their length"),
        ("errors_per_op", "operations given up ÷ operations attempted"),
        ("rows_per_statement", "rows returned ÷ statements answered"),
        ("answer_bytes_per_op", "bytes of the answers ÷ operations done"),
    ];
    let held = HELD.map(|((name, _), counter)| (name, made("the largest at the end of a measured phase", &[counter])));
    let per_statement = PER_STATEMENT.iter().map(|((name, _), counters, _)| {
        (*name, made("growth of the counters over their window ÷ statements answered in that time", counters))
    });
    let per_operation = PER_OPERATION.iter().map(|((name, _), lists, _)| {
        let first = if lists.len() > 1 { ", of the first that was read," } else { "" };
        let how = format!("growth of the counters{first} over their window ÷ operations done in that time");
        (*name, made(&how, &lists.concat()))
    });
    let busy =
        BUSY.iter().map(|((name, _), counters)| (*name, made("growth of the counters ÷ their window", counters)));
    let all = of_tally.into_iter().map(|(name, how)| (name, made(how, &[])));
    let all = all.chain(per_statement).chain(per_operation).chain(busy).chain(held);
    all.map(|(name, made)| (name.to_string(), made)).collect()
}

/// The run as a whole.
pub fn whole(run: &RunEvidence) -> Values {
    let seconds = run.seconds();
    let (calls, done) = (run.calls() as f64, run.done() as f64);
    let mut values = vec![(("qps", "statements/s"), calls / seconds), (("ops_per_s", "operations/s"), done / seconds)];
    let commits: u64 = run.tallies().map(|t| t.commits).sum();
    if commits > 0 {
        values.push((("tps", "transactions/s"), commits as f64 / seconds));
    }
    let failed: u64 = run.operations().flat_map(|(_, o)| o.failed.values()).sum();
    let rolled_back: u64 = run.operations().map(|(_, o)| o.rolled_back).sum();
    let attempted = done + (failed + rolled_back) as f64;
    if attempted > 0.0 {
        values.push((("errors_per_op", "errors/operation"), failed as f64 / attempted));
    }
    if calls > 0.0 {
        let rows: u64 = run.statements().map(|(_, s)| s.rows).sum();
        values.push((("rows_per_statement", "rows/statement"), rows as f64 / calls));
        let each = |counters: &[&str], worth| run.rates(counters).map(|rate| rate * worth / (calls / seconds));
        values.extend(PER_STATEMENT.iter().filter_map(|(name, counters, worth)| Some((*name, each(counters, worth)?))));
    }
    if done > 0.0 {
        values.extend(per_operation(run, done / seconds));
    }
    values.extend(debt_adjusted(run).map(|rate| (("debt_adjusted_ops_per_s", "operations/s"), rate)));
    values.extend(settled(run).map(|seconds| (("settle_s", "s"), seconds)));
    values.extend(orders(run));
    values.extend(crate::frame::metrics::keys::values(run));
    values.extend(BUSY.iter().filter_map(|(name, counters)| Some((*name, run.rates(counters)? / 1e9))));
    values.extend(HELD.iter().filter_map(|(name, counter)| Some((*name, largest(run, counter)?))));
    // The client's counters are the leader's, and statements were answered to all ranks.
    values.retain(|((name, _), _)| run.run.ranks.is_empty() || !name.starts_with("client_"));
    values
}

fn largest(run: &RunEvidence, counter: &str) -> Option<f64> {
    let ends = run.phases.iter().filter_map(|phase| phase.counters.get(counter)).map(|ends| ends.end);
    ends.reduce(f64::max).filter(|bytes| *bytes > 0.0)
}

/// What each operation cost, at so many of them in a second.
fn per_operation<'r>(run: &'r RunEvidence, each_second: f64) -> impl Iterator<Item = (Name, f64)> + use<'r> {
    let bytes: u64 = run.statements().map(|(_, s)| s.bytes).sum();
    let answers = (("answer_bytes_per_op", "bytes"), bytes as f64 / run.seconds() / each_second);
    let counted = PER_OPERATION.iter().filter_map(move |(name, lists, worth)| {
        let rate = lists.iter().find_map(|counters| run.rates(counters))?;
        Some((*name, rate * worth / each_second))
    });
    counted.chain((bytes > 0).then_some(answers))
}

/// Operations over the time that they were measured and that the server went on paying for them without users; `None`
/// where nobody waited for that, and of a part of the run alone.
pub fn debt_adjusted(run: &RunEvidence) -> Option<f64> {
    let drain = run.run.whole.drain.as_ref()?;
    let is_whole = run.phases.len() == run.run.measured().count();
    is_whole.then(|| run.done() as f64 / (run.seconds() + drain.took.seconds()))
}

/// How long the server took to come to rest in the phases that are for that; `None` where there are none, and of a part
/// of the run alone.
pub fn settled(run: &RunEvidence) -> Option<f64> {
    let is_whole = run.phases.len() == run.run.measured().count();
    let all = run.run.phases.iter().filter_map(|phase| phase.settled.as_ref()).map(|settled| settled.took.seconds());
    all.reduce(|all, more| all + more).filter(|_| is_whole && run.group.is_none())
}

/// New orders per minute, where a workload counts them: as the clients saw them committed, and as the server's data
/// grew. Orders that were rolled back on purpose stand apart.
fn orders(run: &RunEvidence) -> Values {
    const MINUTE: f64 = 60.0;
    let sum = |fact: &str| run.tallies().filter_map(|t| t.facts.get(fact)).sum::<i64>() as f64;
    if run.tallies().all(|t| !t.facts.contains_key(NEW_ORDERS) && !t.facts.contains_key(USER_ROLLBACKS)) {
        return Vec::new();
    }
    let per_minute = |count: f64| count / run.seconds() * MINUTE;
    let server = run.rate(ORDERS_OF_SERVER).map(|rate| (("nopm_server", "orders/min"), rate * MINUTE));
    let client = [
        (("nopm", "orders/min"), per_minute(sum(NEW_ORDERS))),
        (("user_rollbacks_per_min", "orders/min"), per_minute(sum(USER_ROLLBACKS))),
    ];
    client.into_iter().chain(server).collect()
}

/// By operation: how many per second.
pub fn operations(run: &RunEvidence) -> BTreeMap<String, Values> {
    let mut done: BTreeMap<&String, u64> = BTreeMap::new();
    for (name, operation) in run.operations() {
        *done.entry(name).or_default() += operation.done;
    }
    let value = |done: u64| vec![(("ops_per_s", "operations/s"), done as f64 / run.seconds())];
    done.into_iter().map(|(name, done)| (name.clone(), value(done))).collect()
}

/// By statement: how many per second, and what each returned.
pub fn statements(run: &RunEvidence) -> BTreeMap<String, Values> {
    let mut sums: BTreeMap<&String, (u64, u64, u64)> = BTreeMap::new();
    for (name, statement) in run.statements() {
        let (calls, rows, bytes) = sums.entry(name).or_default();
        *calls += statement.calls;
        *rows += statement.rows;
        *bytes += statement.bytes;
    }
    let values = |(calls, rows, bytes): (u64, u64, u64)| {
        let mut values = vec![(("calls_per_s", "statements/s"), calls as f64 / run.seconds())];
        if calls > 0 {
            values.push((("rows_per_call", "rows"), rows as f64 / calls as f64));
            values.push((("bytes_per_call", "bytes"), bytes as f64 / calls as f64));
        }
        values
    };
    sums.into_iter().filter(|(_, sums)| sums.0 > 0).map(|(name, sums)| (name.clone(), values(sums))).collect()
}

/// Histograms that percentiles are taken of, one per phase and group.
pub type Named<'a> = Vec<(&'a str, &'a Histogram)>;

/// The latencies of all operations together, under no name.
pub fn latencies<'a>(run: &RunEvidence<'a>) -> Named<'a> {
    run.operations().map(|(_, o)| ("", &o.latency)).collect()
}
pub fn latencies_of_operations<'a>(run: &RunEvidence<'a>) -> Named<'a> {
    run.operations().map(|(name, o)| (name.as_str(), &o.latency)).collect()
}
pub fn latencies_of_statements<'a>(run: &RunEvidence<'a>) -> Named<'a> {
    run.statements().map(|(name, s)| (name.as_str(), &s.service)).collect()
}
