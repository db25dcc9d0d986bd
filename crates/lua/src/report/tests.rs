//! Reports against what sysbench 1.0.20 printed for the same counts, byte by byte.

use super::*;
use crate::Compat;
use crate::cmdline::{invoke, split};
use crate::stat::Stat;

fn settings(line: &str) -> crate::cmdline::Settings {
    let words = split(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>()).unwrap();
    invoke(words.compat, words.given).unwrap().settings
}

const CHECKPOINT: &str = "\
[ 3s ] Checkpoint report:
SQL statistics:
    queries performed:
        read:                            0
        write:                           0
        other:                           464
        total:                           464
    transactions:                        29     (14.50 per sec.)
    queries:                             464    (232.00 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          3.0002s
    total number of events:              29

Latency (ms):
         min:                                    0.05
         avg:                                    0.17
         max:                                    0.52
         95th percentile:                        0.45
         sum:                                    5.07

Threads fairness:
    events (avg/stddev):           14.5000/0.50
    execution time (avg/stddev):   0.0025/0.00

";

fn of_checkpoint() -> Stat {
    Stat {
        time_interval: 2.0,
        time_total: 3.0002,
        latency_pct: 0.000_45,
        latency_min: 0.000_05,
        latency_max: 0.000_52,
        latency_avg: 0.000_175,
        latency_sum: 0.005_07,
        events: 29,
        other: 464,
        ..Stat::default()
    }
}

#[test]
fn a_block_is_printed_as_sysbench_prints_it() {
    let threads = [15, 14].map(|events| OfThread { events, busy: 0.0025, ..OfThread::default() });
    let stat = of_checkpoint();
    let of = Summary {
        compat: Compat::V10,
        stat: &stat,
        percentile: 95,
        database: true,
        cpu: false,
        threads: &threads,
        unfinished: None,
        debug: false,
    };
    assert_eq!(checkpoint(3.0) + &summary(&of), CHECKPOINT);
    let newer = summary(&Summary { compat: Compat::V11, ..of });
    let throughput = "
Throughput:
    events/s (eps):                      14.5000
    time elapsed:                        3.0002s
    total number of events:              29
";
    assert!(newer.contains(throughput), "{newer}");
    let without = summary(&Summary { database: false, percentile: 0, unfinished: Some(3), ..of });
    assert!(without.starts_with("Number of unfinished transactions on forced shutdown: 3\n\nGeneral statistics:\n"));
    assert!(without.contains("\n         percentile stats:               disabled\n"), "{without}");
}

#[test]
fn every_user_is_told_of_under_debug() {
    let threads = [OfThread::default(), OfThread { events: 3, busy: 0.6, min: 0.1, max: 0.3 }];
    let stat = Stat { latency_sum: 2674.62 / 1000.0, ..Stat::default() };
    let of = Summary {
        compat: Compat::V10,
        stat: &stat,
        percentile: 99,
        database: false,
        cpu: false,
        threads: &threads,
        unfinished: None,
        debug: true,
    };
    let expected = "
General statistics:
    total time:                          0.0000s
    total number of events:              0

Latency (ms):
         min:                                    0.00
         avg:                                    0.00
         max:                                    0.00
         99th percentile:                        0.00
         sum:                                 2674.62

Threads fairness:
    events (avg/stddev):           1.5000/1.50
    execution time (avg/stddev):   0.3000/0.30

DEBUG: Verbose per-thread statistics:

DEBUG:     thread #  0: min: 0.0000s  avg: 0.0000s  max: 0.0000s  events: 0
DEBUG:                  total time taken by event execution: 0.0000s
DEBUG:     thread #  1: min: 0.1000s  avg: 0.2000s  max: 0.3000s  events: 3
DEBUG:                  total time taken by event execution: 0.6000s

";
    assert_eq!(summary(&of), expected);
}

#[test]
fn an_interval_is_one_line_and_a_second_one_where_events_begin_at_a_rate() {
    let stat = Stat {
        threads_running: 2,
        time_interval: 1.0,
        time_total: 2.0,
        latency_pct: 0.000_45,
        events: 15,
        reads: 14,
        writes: 4,
        other: 222,
        concurrency: 3,
        ..Stat::default()
    };
    assert_eq!(
        intermediate(&stat, 95, true, true),
        "[ 2s ] thds: 2 tps: 15.00 qps: 240.00 (r/w/o: 14.00/4.00/222.00) lat (ms,95%): 0.45 err/s: 0.00 reconn/s: 0.00\n\
         [ 2s ] queue length: 0, concurrency: 3\n"
    );
    assert_eq!(
        intermediate(&stat, 95, false, true),
        "[ 2s ] thds: 2 eps: 15.00 lat (ms,95%): 0.45\n[ 2s ] queue length: 0 concurrency: 3\n"
    );
    assert_eq!(intermediate(&stat, 99, false, false), "[ 2s ] thds: 2 eps: 15.00 lat (ms,99%): 0.45\n");
}

#[test]
fn the_banner_tells_the_settings_of_the_run() {
    assert_eq!(version_line("1.0.20", "LuaJIT 2.1.0-beta3"), "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta3)\n\n");
    let plain = "Running the test with following options:
Number of threads: 1
Initializing random number generator from current time


Initializing worker threads...

";
    assert_eq!(banner(&settings(""), None), plain);
    let line = "--events=5 --rand-seed=5 --validate --forced-shutdown=10% --rate=100 --report-interval=3 \
                --report-checkpoints=9,5";
    let full = "Running the test with following options:
Number of threads: 1
Target transaction rate: 100/sec
Report intermediate results every 3 second(s)
Report checkpoint(s) at 5, 9 seconds
Validation checks: on.

Initializing random number generator from seed (5).

Forcing shutdown in 11 seconds

Initializing worker threads...

";
    assert_eq!(banner(&settings(line), None), full);
}

#[test]
fn a_histogram_has_stars_for_its_share_of_the_fullest_bucket() {
    let expected = "Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.001 |**************************************** 9
       0.001 |****                                     1
 
";
    assert_eq!(histogram([(0.000_9, 4), (0.001, 5), (0.001_03, 1)].into_iter()), expected);
    assert_eq!(histogram([].into_iter()), "Latency histogram (values are in milliseconds)\n \n");
    let far = histogram([(1e9, 1)].into_iter());
    assert!(far.contains("\n  100000.000 |**"), "{far}");
}

#[test]
fn the_log_says_a_line_once_and_how_often_it_was_meant() {
    let mut log = Log::new(3);
    assert_eq!(log.line(Level::Fatal, "lost"), "FATAL: lost\n");
    assert_eq!(log.line(Level::Fatal, "lost") + &log.line(Level::Fatal, "lost"), "");
    assert_eq!(log.line(Level::Alert, "lost"), "(last message repeated 2 times)\nALERT: lost\n");
    assert_eq!(log.line(Level::Debug, "detail"), "");
    assert_eq!(log.settle(), "");
    assert!(!Log::new(1).prints(Level::Notice) && Log::new(5).prints(Level::Debug));
}
