//! Every check on a record that is healthy, on one with the illness it looks for, and on one that lacks its evidence. What
//! is missing must never read as passed.

mod bench;

use bench::*;
use model::histogram::Histogram;
use model::load::{Arrivals, Distribution, Pause, Process};
use model::plan::CellId;
use model::plan::topology::Topology;
use model::rate::Rate;
use model::record::Record;
use model::record::answer::TlsAnswer;
use model::record::run::{Ending, RunRecord, Writes};
use model::record::start::{Prepared, StartingState};
use model::record::tally::ArrivalTally;
use model::units::{Bytes, Nanos};
use model::value::Value;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};
use std::collections::BTreeMap;

/// A healthy record, spoilt.
fn spoilt(spoil: impl FnOnce(&mut Record)) -> Record {
    let mut record = record();
    spoil(&mut record);
    record
}

/// The same with every run spoilt.
fn all_runs(spoil: impl Fn(&mut model::record::run::RunRecord)) -> Record {
    spoilt(|r| r.runs.iter_mut().for_each(spoil))
}

#[test]
fn a_healthy_record_passes_every_check_that_it_has_evidence_for() {
    let mut record = record();
    add_twin(&mut record);
    let judgement = judge(&record);
    // Two levels are no curve that a law could describe.
    let experiment = judgement.verdicts.iter().filter(|v| v.check != "scaling_follows_a_law");
    for verdict in experiment.chain(judgement.cells.iter().flat_map(|c| &c.verdicts)) {
        assert_eq!(verdict.verdict, Pass, "{}: {}", verdict.check, verdict.sentence);
        assert!(
            !verdict.measured.is_empty() && !verdict.limit.is_empty() && !verdict.sentence.is_empty(),
            "{verdict:?}"
        );
        assert_eq!(verdict.advice, "", "a pass needs no advice");
    }
    let per_cell = judge::checks::ALL.iter().filter(|c| c.scope() != judge::Scope::Experiment).count();
    assert!(judgement.cells.iter().all(|c| c.verdicts.len() == per_cell), "one verdict per check and cell");
}

#[test]
fn counters_that_are_missing_never_read_as_passed() {
    let record = all_runs(|r| {
        r.phases[0].counters.clear();
        r.whole.counters.clear();
    });
    for check in judge::checks::ALL.iter().filter(|c| !c.needs.is_empty()) {
        let verdict = verdict(&record, check.id);
        assert_eq!(verdict.verdict, NotEvaluable, "{}", check.id);
        assert!(verdict.sentence.contains("was not measured"), "{}", verdict.sentence);
    }
}

#[test]
fn a_missing_zero_between_workloads_is_found_named_and_refused() {
    let workloads: [Value; 2] = ["oltp.simple_ranges".into(), "oltp.distinct_ranges".into()];
    let mut record = experiment(&[("workload", &workloads), ("charset", &["latin1".into(), "utf8mb4-generic".into()])]);
    assert_eq!(status(&record, "parameters_agree"), Pass);
    for cell in record.plan.cells.iter_mut().filter(|c| c.workload == "oltp.distinct_ranges") {
        cell.parameters.insert("range_size".into(), 10.into());
    }
    let verdict = verdict(&record, "parameters_agree");
    assert_eq!(verdict.verdict, Fail);
    for words in
        ["`range_size` is 100 in oltp.simple_ranges (c001) but 10 in oltp.distinct_ranges (c003)", "exactly one zero"]
    {
        assert!(verdict.sentence.contains(words), "{}", verdict.sentence);
    }
    let judgement = judge(&record);
    for comparison in &judgement.comparisons {
        let refused = comparison.outcome == model::estimate::Outcome::Refused;
        assert_eq!(refused, comparison.axis == "workload", "{}", comparison.sentence);
    }
}

#[test]
fn effective_variables_that_differ_warn_unless_the_axis_implies_them() {
    let with_second_instance = |key: &str, value: &str| {
        spoilt(|r| {
            let mut other = instance("i2");
            other.variables.insert(key.into(), value.into());
            r.instances.push(other);
            for run in r.runs.iter_mut().filter(|r| r.cell.0 == "c003" || r.cell.0 == "c004") {
                run.instance = Some("i2".into());
            }
        })
    };
    let verdict = verdict(&with_second_instance("sync_binlog", "1"), "parameters_agree");
    assert_eq!(verdict.verdict, Warn);
    assert!(verdict.sentence.contains("`variable.sync_binlog` is 0"), "{}", verdict.sentence);
    assert_eq!(
        status(&with_second_instance("collation_server", "utf8mb4_general_ci"), "parameters_agree"),
        Pass,
        "implied by charset"
    );
    assert_eq!(status(&with_second_instance("port", "3307"), "parameters_agree"), Pass, "a name, not a setting");
}

#[test]
fn another_isolation_is_other_work() {
    let spoilt = spoilt(|r| {
        of_cell(r, "c003")
            .for_each(|r| drop(r.session.variables.insert("transaction_isolation".into(), "SERIALIZABLE".into())))
    });
    assert_eq!(status(&spoilt, "parameters_agree"), Fail);
    assert_eq!(status(&experiment(&[]), "parameters_agree"), NotEvaluable);
}

#[test]
fn cells_across_transports_are_compared_only_when_that_is_the_axis() {
    let tls = |cipher: &str| TlsAnswer { version: "TLSv1.3".into(), cipher: cipher.into(), ..TlsAnswer::default() };
    let encrypt = |r: &mut RunRecord, cipher: &str| {
        r.session.transport = "tcp tls".into();
        r.session.tls = Some(tls(cipher));
    };
    assert_eq!(status(&spoilt(|_| ()), "transports_agree"), Pass);
    let verdict = verdict(&spoilt(|r| of_cell(r, "c003").for_each(|r| encrypt(r, "A"))), "transports_agree");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("were reached by tcp tls and by unix plain"), "{}", verdict.sentence);
    let one_run = spoilt(|r| of_cell(r, "c003").take(1).for_each(|r| encrypt(r, "A")));
    assert_eq!(status(&one_run, "transports_agree"), Fail, "one repetition is enough");
    let ciphers = spoilt(|r| {
        let ids: Vec<_> = r.plan.cells.iter().map(|c| c.id.0.clone()).collect();
        ids.iter().for_each(|id| of_cell(r, id).for_each(|r| encrypt(r, if id == "c003" { "A" } else { "B" })));
    });
    assert_eq!(status(&ciphers, "transports_agree"), Warn);
    let declared = experiment(&[("transport", &["unix".into(), "tls".into()])]);
    assert_eq!(status(&declared, "transports_agree"), NotEvaluable, "nothing else is compared");
    assert_eq!(status(&experiment(&[]), "transports_agree"), NotEvaluable);
}

#[test]
fn rows_per_call_that_no_axis_explains_fail() {
    let record = spoilt(|r| of_cell(r, "c004").for_each(|r| statement(r).rows /= 10));
    let verdict = verdict(&record, "measured_work_agrees");
    assert_eq!((verdict.verdict, verdict.measured.as_str()), (Fail, "×10"));
    assert!(
        verdict.sentence.contains("has 1 rows per call in oltp.point_selects (c003) and 0.1 in"),
        "{}",
        verdict.sentence
    );
    let bytes = spoilt(|r| of_cell(r, "c002").for_each(|r| statement(r).bytes *= 2));
    assert_eq!(status(&bytes, "measured_work_agrees"), Warn, "more users do not make larger answers");
    let charset = spoilt(|r| {
        of_cell(r, "c003").for_each(|r| statement(r).bytes *= 2);
        of_cell(r, "c004").for_each(|r| statement(r).bytes *= 2);
    });
    assert_eq!(status(&charset, "measured_work_agrees"), Pass, "another charset may");
    assert_eq!(status(&all_runs(|r| statement(r).calls = 30), "measured_work_agrees"), NotEvaluable);
}

#[test]
fn operations_cut_by_the_ends_of_a_phase_are_no_different_work() {
    // Of 8 users in three runs 24 operations may be cut: much of 300, little of 60,000.
    let cut = |calls: u64| {
        spoilt(|r| {
            of_cell(r, "c004").for_each(|r| {
                (statement(r).calls, statement(r).rows, operation(r).done) = (calls, calls, calls * 9 / 10);
                statement(r).bytes = 200 * calls;
            });
        })
    };
    assert_eq!(status(&cut(100), "measured_work_agrees"), Pass);
    assert_eq!(status(&cut(20_000), "measured_work_agrees"), Fail);
}

#[test]
fn an_axis_over_a_work_parameter_explains_its_rows() {
    let mut record = experiment(&[("range_size", &[10.into(), 100.into()])]);
    of_cell(&mut record, "c002").for_each(|r| statement(r).rows *= 10);
    assert_eq!(status(&record, "measured_work_agrees"), NotEvaluable, "nothing else is compared here");
}

#[test]
fn operations_that_fail_are_never_a_rate() {
    let failing = |done: u64, error: u32, count: u64| {
        all_runs(move |r| {
            let operation = operation(r);
            operation.done = done;
            operation.failed.insert(error, count);
            operation.messages.insert(error, "Column 'ol_delivery_d' cannot be null".into());
        })
    };
    let nothing = verdict(&failing(0, 1048, 20_000), "operations_succeeded");
    assert_eq!(nothing.verdict, Fail);
    assert!(nothing.sentence.contains("error 1048 Column 'ol_delivery_d' cannot be null"), "{}", nothing.sentence);
    assert_eq!(status(&failing(20_000, 1048, 1), "operations_succeeded"), Fail, "one error that retrying cannot mend");
    assert_eq!(status(&failing(20_000, 1213, 100), "operations_succeeded"), Pass, "half a per cent of deadlocks");
    assert_eq!(status(&failing(20_000, 1213, 300), "operations_succeeded"), Fail);
    let retried = all_runs(|r| operation(r).retried = [(1213, 2_000)].into());
    let verdict = verdict(&retried, "operations_succeeded");
    assert_eq!(verdict.verdict, Warn);
    assert!(verdict.sentence.contains("most after 1213 (deadlock): goodput was "), "{}", verdict.sentence);
    let errors = judge(&retried).cells[0].errors.clone().expect("something went wrong");
    assert_eq!((errors.by_number[0].number, errors.by_number[0].failed), (1213, 0));
    assert_eq!(errors.by_number[0].retried % 2_000, 0);
    assert_eq!(judge(&all_runs(|_| {})).cells[0].errors, None, "of what did not happen nothing is said");
}

#[test]
fn a_failed_run_fails_its_cell_and_the_judgement() {
    let failed = |count: usize| {
        spoilt(|r| {
            of_cell(r, "c002").take(count).for_each(|r| r.ending = Ending::Failed { reason: "the server died".into() })
        })
    };
    for record in [failed(1), failed(3)] {
        assert_eq!(status(&record, "operations_succeeded"), Fail);
        assert!(judge(&record).failed());
    }
    let judgement = judge(&failed(3));
    assert_eq!(judgement.cells[1].no_number.as_deref(), Some("the server died"));
    assert_eq!(judgement.cells[1].status, Fail);
}

#[test]
fn client_and_server_must_count_the_same() {
    let asked = |extra: u64| all_runs(move |r| r.whole.questions += extra);
    assert_eq!(status(&asked(10), "counts_agree"), Pass);
    assert_eq!(status(&asked(60), "counts_agree"), Warn);
    assert_eq!(status(&asked(1_000), "counts_agree"), Fail);
    let commits = all_runs(|r| r.whole.commits = 5_000);
    let verdict = verdict(&commits, "counts_agree");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("5000 commits, the server 0"), "{}", verdict.sentence);
    let written = |rows, temporary: bool| {
        all_runs(move |r| {
            r.whole.writes = Some(Writes { statements: 3_000, rows: 3_000 });
            let counters = [("Com_insert", 3_000.0), ("Com_update", 0.0), ("Com_delete", 0.0), ("Handler_write", rows)];
            let tmp = temporary.then_some(("Handler_tmp_write", 7.0));
            for (name, delta) in
                counters.into_iter().chain([("Handler_update", 0.0), ("Handler_delete", 0.0)]).chain(tmp)
            {
                r.whole.counters.insert(format!("status.{name}"), ends(delta));
            }
        })
    };
    assert_eq!(status(&written(3_000.0, true), "counts_agree"), Pass);
    assert_eq!(status(&written(2_000.0, true), "counts_agree"), Fail);
    assert_eq!(status(&written(2_000.0, false), "counts_agree"), Pass, "rows of temporary tables may be among them");
}

#[test]
fn what_the_nodes_of_a_cluster_count_is_one_sum() {
    let of_two = |second: u64| {
        spoilt(move |r| {
            r.plan.cells.iter_mut().for_each(|c| c.server.topology = Topology::Galera { nodes: 2 });
            for run in &mut r.runs {
                run.whole.questions += second;
                run.whole.writes = Some(Writes { statements: 3_000, rows: 3_000 });
                run.whole.counters.insert("node2.status.Questions".into(), ends(1_001.0));
                run.whole.counters.insert("node2.sampler.statements".into(), ends(1.0));
                // Applied for the others, too.
                run.whole.counters.insert("status.Com_insert".into(), ends(6_000.0));
            }
        })
    };
    assert_eq!(status(&of_two(1_000), "counts_agree"), Pass);
    assert_eq!(status(&of_two(0), "counts_agree"), Fail);
}

#[test]
fn one_unexpected_answer_fails() {
    assert_eq!(status(&spoilt(|r| statement(&mut r.runs[5]).unexpected = 1), "answers_were_expected"), Fail);
    assert_eq!(status(&all_runs(|r| tally(r).statements.clear()), "answers_were_expected"), NotEvaluable);
}

#[test]
fn a_client_near_its_end_is_called_so() {
    let busy = |cpus: f64| all_runs(move |r| counter(r, "client.cpu.user", cpus * 1e9));
    assert_eq!(status(&busy(1.3), "client_had_headroom"), Warn);
    let verdict = verdict(&busy(1.65), "client_had_headroom");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.starts_with("Run c001-1: CLIENT-BOUND"), "{}", verdict.sentence);
    let judgement = judge(&busy(1.65));
    assert_eq!(judgement.cells[0].bound.as_ref().unwrap().label, "client-bound");
    let ceiling = spoilt(|r| r.canary.as_mut().unwrap().points.iter_mut().for_each(|p| p.qps = 22_000.0));
    assert_eq!(status(&ceiling, "client_had_headroom"), Fail, "the rate is the canary's");
    let slow = spoilt(|r| r.canary.as_mut().unwrap().points.iter_mut().for_each(|p| p.qps = 10_000.0));
    assert_eq!(status(&slow, "client_had_headroom"), Warn, "a canary below the run was disturbed");
    assert_eq!(status(&all_runs(|r| counter(r, "client.runqueue.wait", 5e9)), "client_had_headroom"), Fail);
}

#[test]
fn on_shared_cpus_a_busy_client_warns_and_only_the_canary_fails_it() {
    let shared = |client: f64| {
        all_runs(move |r| {
            r.load_cpus = vec![0, 1];
            counter(r, "client.cpu.user", client * 1e9);
            counter(r, "client.runqueue.wait", 5e9);
        })
    };
    assert_eq!(status(&shared(0.3), "client_had_headroom"), Pass);
    assert_eq!(status(&shared(1.9), "client_had_headroom"), Warn);
    let judgement = judge(&shared(0.1));
    assert!(judgement.not_measured.iter().any(|s| s.contains("share CPUs")), "{:?}", judgement.not_measured);
    assert!(judgement.cells[1].bound.as_ref().unwrap().sentence.contains("they share these CPUs"));
}

/// At the rate that the record shows: so many were due, so many begun, and the load was so late.
fn open(due: f64, begun: f64, lag: Nanos) -> Record {
    spoilt(|r| {
        for cell in &mut r.plan.cells {
            cell.load.arrivals = Some(Arrivals { rate: Rate::steady(QPS), process: Process::Poisson });
        }
        for run in &mut r.runs {
            let done = operation(run).done as f64;
            let count = |share: f64| (share * done).round() as u64;
            tally(run).arrivals = Some(ArrivalTally { due: count(due), begun: count(begun), most_waiting: 0 });
            tally(run).lag.get_or_insert_default().record_many(lag, count(begun));
        }
    })
}

#[test]
fn an_open_load_is_honest_while_the_server_keeps_up_and_the_load_its_appointments() {
    let quick = Nanos(1_000);
    let verdict_of = |record: &Record| verdict(record, "latency_was_honest");
    assert_eq!(verdict_of(&open(1.0, 1.0, quick)).verdict, Pass);
    assert_eq!(verdict_of(&open(1.0, 1.1, quick)).verdict, Pass, "it works off what a warm-up left");
    assert_eq!(verdict_of(&open(1.02, 1.0, quick)).verdict, Warn);
    let overload = verdict_of(&open(2.0, 1.0, quick));
    assert_eq!(overload.verdict, Fail);
    assert!(overload.sentence.contains("Offered load exceeds capacity"), "{}", overload.sentence);
    let late = verdict_of(&open(1.0, 1.0, Nanos(10_000)));
    assert_eq!(late.verdict, Warn, "{}", late.sentence);
    assert!(late.sentence.contains("too late"), "{}", late.sentence);
    let mut silent = open(1.0, 1.0, quick);
    silent.runs.iter_mut().for_each(|r| tally(r).arrivals = None);
    assert_eq!(verdict_of(&silent).verdict, NotEvaluable);
}

#[test]
fn times_are_blurred_by_a_slow_clock_a_coarse_one_and_late_timers() {
    let verdict_of = |record: &Record| verdict(record, "timers_were_fine");
    let sentence = |record: Record| {
        let verdict = verdict_of(&record);
        assert_eq!(verdict.verdict, Warn, "{}", verdict.sentence);
        verdict.sentence
    };
    assert_eq!(verdict_of(&record()).verdict, Pass);
    assert!(sentence(spoilt(|r| r.host.clock_source = Some("hpet".into()))).contains("hpet enters the kernel"));
    assert!(sentence(spoilt(|r| r.host.clock_step = Some(Nanos::from_millis(4)))).contains("20 steps"));
    assert!(sentence(spoilt(|r| r.host.clock_cost = Some(Nanos::from_millis(1)))).contains("costs"));
    let late = |r: &mut model::record::run::RunRecord| {
        r.whole.timer_error.get_or_insert_default().record_many(Nanos::from_millis(80), 2);
    };
    assert!(sentence(all_runs(late)).contains("timers were late"));
    assert_eq!(verdict_of(&spoilt(|r| r.host.clock_cost = None)).verdict, NotEvaluable);
    assert_eq!(verdict_of(&spoilt(|r| r.host.clock_source = None)).verdict, NotEvaluable);
    assert_eq!(verdict_of(&all_runs(|r| r.whole.timer_error = None)).verdict, NotEvaluable);
}

#[test]
fn stalls_of_a_closed_load_are_told_as_their_share_of_the_time() {
    let stalled = |millis| all_runs(move |r| tally(r).gaps.get_or_insert_default().record(Nanos::from_millis(millis)));
    assert_eq!(status(&stalled(10), "latency_was_honest"), Pass, "half a per cent of two workers' second");
    let verdict = verdict(&stalled(600), "latency_was_honest");
    assert_eq!((verdict.verdict, verdict.measured.as_str()), (Warn, "30 % in stalls"));
    assert!(verdict.sentence.contains("1 stalls took 30 % of the time"), "{}", verdict.sentence);
    assert_eq!(status(&all_runs(|r| tally(r).gaps = None), "latency_was_honest"), NotEvaluable);
}

#[test]
fn think_time_is_part_of_littles_law_and_intended_starts_are_beyond_it() {
    let pausing = |pause: Pause| {
        spoilt(|r| {
            r.plan.cells.iter_mut().for_each(|c| c.load.pause = Some(pause.clone()));
            for run in &mut r.runs {
                // Half of each user's cycle is thinking.
                let users = f64::from(run.phases[0].groups["users"].users);
                let operation = operation(run);
                let cycle = users * 1e9 / operation.done as f64;
                let mut histogram = Histogram::new();
                histogram.record_many(Nanos((cycle / 2.0) as u64), operation.done);
                operation.latency = histogram;
            }
        })
    };
    let thinking =
        |mean, by_operation| Pause::Think { mean: Nanos(mean), distribution: Distribution::Exponential, by_operation };
    let think = |mean| thinking(mean, BTreeMap::new());
    let of = |record: &Record, cell: usize| {
        let judgement = judge(record);
        judgement.cells[cell].verdicts.iter().find(|v| v.check == "littles_law").unwrap().verdict
    };
    // One user, 20,000 cycles a second.
    assert_eq!(of(&pausing(think(25_000)), 0), Pass);
    assert_eq!(of(&pausing(think(15_000)), 0), Fail);
    let own = |name: &str| thinking(15_000, BTreeMap::from([(name.to_string(), Nanos(25_000))]));
    let name = record().runs[0].phases[0].groups["users"].tally.operations.keys().next().unwrap().clone();
    assert_eq!(of(&pausing(own(&name)), 0), Pass, "the operation's own");
    assert_eq!(of(&pausing(own("another")), 0), Fail);
    assert_eq!(of(&pausing(Pause::Pace { every: Nanos(50_000) }), 0), NotEvaluable);
}

#[test]
fn time_outside_any_operation_breaks_littles_law() {
    let latency = |share: f64| {
        all_runs(move |r| {
            let users = f64::from(r.phases[0].groups["users"].users);
            let operation = operation(r);
            let mut histogram = Histogram::new();
            histogram.record_many(Nanos((share * users * 1e9 / operation.done as f64) as u64), operation.done);
            operation.latency = histogram;
        })
    };
    assert_eq!(status(&latency(1.0), "littles_law"), Pass);
    assert_eq!(status(&latency(0.97), "littles_law"), Warn);
    assert_eq!(status(&latency(0.9), "littles_law"), Fail);
    assert_eq!(
        status(&all_runs(|r| operation(r).latency.record(Nanos(60_000_000))), "littles_law"),
        NotEvaluable,
        "a stall"
    );
    let open = spoilt(|r| {
        r.plan
            .cells
            .iter_mut()
            .for_each(|c| c.load.arrivals = Some(Arrivals { rate: Rate::steady(1.0), process: Process::Poisson }))
    });
    assert_eq!(status(&open, "littles_law"), NotEvaluable);
}

#[test]
fn a_table_that_is_not_as_submitted_fails() {
    let changed = |from: &str, to: &str| {
        spoilt(|r| r.datasets[0].tables[0].created = r.datasets[0].tables[0].created.replace(from, to))
    };
    assert_eq!(status(&changed("ENGINE=InnoDB", "ENGINE=MyISAM"), "schema_as_declared"), Fail);
    let null = verdict(&changed("DEFAULT NULL", "NOT NULL DEFAULT 0"), "schema_as_declared");
    assert!(null.sentence.contains("in sbtest1, column k is NOT NULL instead of NULL"), "{}", null.sentence);
    assert_eq!(null.evidence[0], "datasets/d1.json");
    assert_eq!(status(&spoilt(|r| r.datasets[0].tables[0].rows = 9_999), "schema_as_declared"), Fail);
    assert_eq!(
        status(&spoilt(|r| r.datasets[0].tables[0].warnings.push("1286 Unknown engine".into())), "schema_as_declared"),
        Warn
    );
    assert_eq!(status(&spoilt(|r| r.datasets.clear()), "schema_as_declared"), NotEvaluable);
}

#[test]
fn one_wrong_row_fails_the_data() {
    assert_eq!(status(&spoilt(|r| r.datasets[0].rows_wrong = 1), "data_as_generated"), Fail);
    assert_eq!(status(&spoilt(|r| r.datasets[0].rows_checked = 0), "data_as_generated"), NotEvaluable);
}

#[test]
fn a_run_that_reads_from_disk_is_in_another_regime() {
    let reading = |pages: f64, stalled: f64| {
        all_runs(move |r| {
            counter(r, "status.Innodb_buffer_pool_reads", pages);
            counter(r, "host.pressure.io_some", stalled * 1e9);
        })
    };
    assert_eq!(status(&reading(10.0, 0.0), "regime_was_cached"), Pass);
    let mixed = verdict(&reading(2_000.0, 0.0), "regime_was_cached");
    assert_eq!(mixed.verdict, Warn);
    assert!(mixed.sentence.contains("The regime was mixed"), "{}", mixed.sentence);
    assert_eq!(judge(&reading(2_000.0, 0.5)).cells[0].bound.as_ref().unwrap().label, "io-bound");
    assert_eq!(
        status(&spoilt(|r| r.datasets[0].tables[0].bytes = Bytes(1 << 30)), "regime_was_cached"),
        Warn,
        "barely fits"
    );
    assert_eq!(
        status(&spoilt(|r| drop(r.instances[0].variables.remove("innodb_buffer_pool_size"))), "regime_was_cached"),
        NotEvaluable
    );
}

#[test]
fn cpu_time_of_others_is_noticed_as_far_as_the_clock_resolves_it() {
    let idle = |seconds: f64| all_runs(move |r| counter(r, "host.cpu.idle", seconds * 1e9));
    assert_eq!(status(&idle(1.74), "machine_was_quiet"), Pass);
    assert_eq!(status(&idle(1.60), "machine_was_quiet"), Warn);
    assert_eq!(status(&idle(1.30), "machine_was_quiet"), Fail);
    assert_eq!(status(&all_runs(|r| counter(r, "host.cpu.steal", 0.2e9)), "machine_was_quiet"), Fail);
    let short = all_runs(|r| {
        for ends in r.phases[0].counters.values_mut() {
            ends.end = ends.begin + ends.delta() / 100.0;
            ends.end_at = Nanos(ends.begin_at.0 + 10_000_000);
        }
    });
    let verdict = verdict(&short, "machine_was_quiet");
    assert_eq!(verdict.verdict, NotEvaluable);
    assert!(verdict.sentence.contains("ticks of the clock"), "{}", verdict.sentence);
}

#[test]
fn repetitions_that_spread_are_noise() {
    let spread = |by: f64| {
        spoilt(|r| of_cell(r, "c001").for_each(|r| set_rate(r, QPS * (1.0 + by * (f64::from(r.repetition) - 2.0)))))
    };
    assert_eq!(status(&spread(0.04), "repetitions_agree"), Pass);
    assert_eq!(status(&spread(0.08), "repetitions_agree"), Warn);
    assert_eq!(status(&spread(0.30), "repetitions_agree"), Warn);
    assert_eq!(status(&spread(0.55), "repetitions_agree"), Fail);
    assert_eq!(status(&spoilt(|r| r.runs.retain(|r| r.repetition < 3)), "repetitions_agree"), NotEvaluable);
}

/// An A/A arm: the first cell once more, with runs of its own.
fn add_twin(record: &mut Record) {
    let id = CellId(format!("c{:03}", record.plan.cells.len() + 1));
    let twin =
        model::plan::Cell { id: id.clone(), repeats: Some(CellId("c001".into())), ..record.plan.cells[0].clone() };
    record.plan.cells.push(twin);
    let runs: Vec<_> = of_cell(record, "c001").map(|r| r.clone()).collect();
    for mut run in runs {
        run.id = model::plan::RunId(format!("{id}-{}", run.repetition));
        run.cell = id.clone();
        record.runs.push(run);
    }
}

#[test]
fn a_pair_that_should_agree_and_does_not_makes_all_claims_warn() {
    assert_eq!(status(&record(), "aa_pairs_agree"), NotEvaluable);
    let mut record = record();
    add_twin(&mut record);
    assert_eq!(status(&record, "aa_pairs_agree"), Pass);
    of_cell(&mut record, "c005").for_each(|r| set_rate(r, QPS * 1.1));
    assert_eq!(status(&record, "aa_pairs_agree"), Warn);
    assert!(judge(&record).claims.iter().filter(|c| c.sentence.contains("comparisons")).all(|c| c.status == Warn));
}

#[test]
fn a_percentile_of_few_samples_is_said_to_be_one() {
    let samples = |count: u64| {
        all_runs(move |r| {
            let mut histogram = Histogram::new();
            histogram.record_many(Nanos(400_000), count);
            operation(r).latency = histogram;
        })
    };
    assert_eq!(status(&samples(4_000), "percentiles_have_samples"), Pass, "three runs of 4,000");
    let few = verdict(&samples(100), "percentiles_have_samples");
    assert_eq!(few.verdict, Warn);
    assert!(
        few.sentence.contains("too few for p99 and p99.9. There is no upper bound at all for p99 and p99.9."),
        "{}",
        few.sentence
    );
    assert_eq!(status(&samples(0), "percentiles_have_samples"), NotEvaluable);
}

#[test]
fn runs_that_began_otherwise_are_not_repetitions() {
    let status_of = |spoil: &dyn Fn(&mut StartingState)| {
        let record = spoilt(|r| spoil(r.runs[1].start.as_mut().unwrap()));
        let verdict = verdict(&record, "starting_states_agree");
        (verdict.verdict, verdict.sentence)
    };
    assert_eq!(status_of(&|_| ()).0, Pass);
    type Illness = (&'static str, fn(&mut StartingState));
    let failures: [Illness; 3] = [
        ("other rows", |s| s.datasets = [("oltp_1".to_string(), "cd".to_string())].into()),
        ("were loaded", |s| s.prepared = Prepared::Loaded),
        ("had written into its data", |s| s.aged = true),
    ];
    for (said, spoil) in failures {
        let (status, sentence) = status_of(&spoil);
        assert!(status == Fail && sentence.contains(said), "{status:?}: {sentence}");
    }
    let warnings: [Illness; 2] = [
        ("differ by 10 % in size", |s| s.bytes = Bytes((4 << 20) * 11 / 10)),
        ("1001 old row versions", |s| s.history = Some(1_001)),
    ];
    for (said, spoil) in warnings {
        let (status, sentence) = status_of(&spoil);
        assert!(status == Warn && sentence.contains(said), "{status:?}: {sentence}");
    }
    let unknown = all_runs(|r| r.start = None);
    assert_eq!(status(&unknown, "starting_states_agree"), NotEvaluable);
}

#[test]
fn cells_whose_data_were_prepared_otherwise_are_not_compared() {
    let other = |r: &mut Record| {
        let last = r.runs.last().unwrap().cell.clone();
        for run in r.runs.iter_mut().filter(|run| run.cell == last) {
            run.start.as_mut().unwrap().prepared = Prepared::Loaded;
        }
    };
    let verdict = verdict(&spoilt(other), "parameters_agree");
    assert_eq!(verdict.verdict, Fail, "{}", verdict.sentence);
    assert!(verdict.sentence.contains("`data` is restored from a snapshot in"), "{}", verdict.sentence);
}

/// Seven levels of users whose rates lie on a curve, but for the noise of repetitions.
fn curve(rate: impl Fn(f64) -> f64) -> model::record::Record {
    let mut record = experiment(&[("users", &[1, 2, 4, 8, 16, 32, 64].map(Into::into))]);
    for run in &mut record.runs {
        let users = f64::from(run.phases[0].groups["users"].users);
        // Half a per cent to either side, in another order at each level.
        let noise = f64::from((run.repetition + users.log2() as u32) % 3) - 1.0;
        set_rate(run, rate(users) * (1.0 + 0.005 * noise));
    }
    record
}

#[test]
fn scaling_follows_a_law_only_where_the_law_describes_the_curve() {
    assert_eq!(status(&record(), "scaling_follows_a_law"), NotEvaluable);
    let law = |n: f64| 1_500.0 * n / (1.0 + 0.02 * (n - 1.0) + 5e-4 * n * (n - 1.0));
    let good = verdict(&curve(law), "scaling_follows_a_law");
    assert_eq!(good.verdict, Pass, "{}", good.sentence);
    assert!(good.sentence.contains("its peak is") && good.sentence.contains("at 44 users"), "{}", good.sentence);

    let plateau = verdict(&curve(|n| (1_500.0 * n).min(12_000.0)), "scaling_follows_a_law");
    assert_eq!(plateau.verdict, Warn, "{}", plateau.sentence);
    let rising = verdict(&curve(|n| 500.0 * n / (1.0 + 0.001 * (n - 1.0))), "scaling_follows_a_law");
    assert_eq!(rising.verdict, Warn, "{}", rising.sentence);
    assert!(judge(&curve(|n| (1_500.0 * n).min(12_000.0))).curves[0].law.is_none());

    let drawn = judge(&curve(law)).curves.remove(0).law.unwrap();
    assert!(drawn.line.iter().all(|[_, rate, low, high]| low < rate && rate < high));
    assert!((drawn.alpha.low.unwrap()..drawn.alpha.high.unwrap()).contains(&0.02));
}

#[test]
fn a_level_that_the_client_held_back_bends_no_law() {
    let law = |n: f64| 1_500.0 * n / (1.0 + 0.02 * (n - 1.0) + 5e-4 * n * (n - 1.0));
    let mut record = curve(law);
    for run in of_cell(&mut record, "c007") {
        set_rate(run, 0.5 * law(64.0));
        counter(run, "client.cpu.user", 1.99e9);
    }
    let verdict = verdict(&record, "scaling_follows_a_law");
    assert_eq!(verdict.verdict, Pass, "{}", verdict.sentence);
    assert!(verdict.sentence.contains("3 runs that the client held back"), "{}", verdict.sentence);
}
