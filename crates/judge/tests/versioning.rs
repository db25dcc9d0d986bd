//! What system versioning costs, on records that show a price per row, rows more, both taken away, and neither.

mod bench;

use bench::*;
use model::estimate::Outcome;
use model::finding::{Finding, Rung};
use model::load::{Phase, Work};
use model::plan::RunId;
use model::record::profile::{Profile, Stack};
use model::record::run::{PhaseRecord, RunRecord};
use model::record::series::Series;
use model::record::tally::Interval;
use model::record::{Details, Record};
use model::units::{Nanos, Users};
use model::value::Value;

/// Operations per second of a step, and rows that each looks at.
type Shows = (f64, f64);

/// A range under the system's time zone and under a fixed offset, and a step by secondary key before and after updates.
const STEPS: [(&str, &str, &str); 4] = [
    ("scan", "versioned.range_queries", "SYSTEM"),
    ("fixed", "versioned.range_queries", "+00:00"),
    ("secondary", "versioned.secondary_selects", "SYSTEM"),
    ("again", "versioned.secondary_selects", "SYSTEM"),
];

const PLAIN: [Shows; 4] = [(2_000.0, 1_000.0), (2_000.0, 1_000.0), (20_000.0, 10.0), (20_000.0, 10.0)];

/// A step's name, its workload, and a parameter that it says.
type Says = (&'static str, &'static str, (&'static str, &'static str));

/// A cell for each variant, with these steps in each of its runs.
fn record(variants: &[(&str, [Shows; 4])]) -> Record {
    record_of(STEPS.map(|(name, workload, zone)| (name, workload, ("time_zone", zone))), variants)
}

fn record_of<const N: usize>(steps: [Says; N], variants: &[(&str, [Shows; N])]) -> Record {
    let names: Vec<Value> = variants.iter().map(|(name, _)| (*name).into()).collect();
    let mut record = experiment(&[("variant", &names)]);
    for (cell, (variant, shows)) in record.plan.cells.iter_mut().zip(variants) {
        let one = cell.phases[0].clone();
        let step = |(name, workload, said): &Says| {
            let parameters = [("variant", *variant), *said];
            let parameters = parameters.map(|(key, value)| (key.to_string(), value.into())).into();
            Phase { name: (*name).into(), work: Some(Work { workload: (*workload).into(), parameters }), ..one.clone() }
        };
        cell.phases = steps.iter().map(step).collect();
        let id = cell.id.clone();
        for run in record.runs.iter_mut().filter(|r| r.cell == id) {
            let noise = 0.002 * f64::from(run.repetition);
            let phases = steps.iter().zip(shows).enumerate().map(|(k, ((name, ..), (rate, rows)))| {
                let mut alone = run.clone();
                let rate = rate * (1.0 + noise * (1.0 + k as f64));
                set_rate(&mut alone, rate);
                counter(&mut alone, "db.handler_reads", rows * rate);
                PhaseRecord { name: (*name).into(), ..alone.phases.remove(0) }
            });
            let phases: Vec<_> = phases.collect();
            run.phases = phases;
        }
    }
    record
}

fn finding(record: &Record, name: &str) -> Option<Finding> {
    judge(record).findings.into_iter().find(|f| f.name == name)
}

const PRICE: &str = "implicit_time_condition";
const ROWS: &str = "history_in_the_path";

/// Half as fast under the system's time zone, and nearly as fast as plain under a fixed offset.
const BY_TIMESTAMP: [Shows; 4] = [(1_000.0, 1_000.0), (1_800.0, 1_000.0), (20_000.0, 10.0), (10_000.0, 21.0)];

#[test]
fn a_price_per_row_that_goes_with_a_fixed_offset_and_leaves_plain_tables_alone_is_confirmed() {
    let found = finding(&record(&[("plain", PLAIN), ("timestamp", BY_TIMESTAMP)]), PRICE).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    for told in ["takes 2 times as long for `scan`", "looks at as many rows (× 1)", "does not move with it"] {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
}

/// The same stacks in each profile run.
struct Stacks(Vec<Stack>);

impl Details for Stacks {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
    fn stacks(&self, _: &RunId) -> Result<Vec<Stack>, String> {
        Ok(self.0.clone())
    }
}

/// What the finding says of a profile in which so many of a hundred samples are in each of these functions.
fn with_profile(functions: &[(&str, u64)], missing: &[&str]) -> String {
    let mut record = record(&[("plain", PLAIN), ("timestamp", BY_TIMESTAMP)]);
    for run in record.runs.clone() {
        let missing = missing.iter().map(|sentence| (*sentence).to_string()).collect();
        let profile = Some(Profile { period: Nanos(1_000_000), missing, ..Profile::default() });
        record.runs.push(RunRecord { id: RunId(format!("{}-profile", run.id)), profile, ..run });
    }
    let stack = |(name, samples): &(&str, u64)| Stack {
        phase: "scan".into(),
        frames: vec!["do_command".into(), (*name).into()],
        samples: *samples,
    };
    let judged = judge::judge(&record, &Stacks(functions.iter().map(stack).collect()));
    judged.findings.into_iter().find(|f| f.name == PRICE).expect("it is found").sentence
}

#[test]
fn functions_that_bear_it_are_named_and_where_many_have_no_name_it_is_not_said_that_they_are_missing() {
    let named = with_profile(&[("localtime_r", 30), ("row_search_mvcc", 70)], &[]);
    assert!(named.contains("The profile names `localtime_r`: 30"), "{named}");
    let absent = with_profile(&[("row_search_mvcc", 95), ("[libc.so.6+0x10]", 5)], &[]);
    assert!(absent.contains("Its functions are not in the profile"), "{absent}");
    let mend = "functions that mariadbd does not export have no name, since it is stripped; install its debug symbols";
    let unknown = with_profile(&[("row_search_mvcc", 58), ("[mariadbd+0x10]", 42)], &[mend]);
    assert!(!unknown.contains("are not in the profile"), "{unknown}");
    for told in ["cannot be said: 42", "without a name: functions that mariadbd", "install its debug symbols"] {
        assert!(unknown.contains(told), "{told}: {unknown}");
    }
}

#[test]
fn what_a_number_as_condition_costs_as_well_is_not_the_times() {
    let by_number = [(1_500.0, 1_000.0), (1_500.0, 1_000.0), PLAIN[2], PLAIN[3]];
    // Of 500 µs more than plain 222 go, which is not half; of the 333 more than by transaction id they are two thirds.
    let partly = [(1_000.0, 1_000.0), (1_286.0, 1_000.0), PLAIN[2], PLAIN[3]];
    let alone = finding(&record(&[("plain", PLAIN), ("timestamp", partly)]), PRICE).expect("it is found");
    assert_ne!(alone.rung, Rung::ConfirmedByIntervention, "{}", alone.sentence);
    let variants = [("plain", PLAIN), ("transaction", by_number), ("timestamp", partly)];
    let beside = finding(&record(&variants), PRICE).expect("it is found");
    assert_eq!(beside.rung, Rung::ConfirmedByIntervention, "{}", beside.sentence);
    assert!(beside.sentence.contains("a table versioned by transaction id takes"), "{}", beside.sentence);
    insta::assert_snapshot!(beside.sentence);
}

#[test]
fn more_than_all_that_it_takes_longer_than_a_slow_control_is_told_as_all() {
    let by_number = [(1_050.0, 1_000.0), (1_050.0, 1_000.0), PLAIN[2], PLAIN[3]];
    let variants = [("plain", PLAIN), ("transaction", by_number), ("timestamp", BY_TIMESTAMP)];
    let found = finding(&record(&variants), PRICE).expect("it is found");
    assert!(found.sentence.contains("all of the difference is gone"), "{}", found.sentence);
    insta::assert_snapshot!(found.sentence);
}

#[test]
fn a_phase_that_a_check_strikes_takes_its_own_numbers_away_and_no_others() {
    let wrong = |phase: &str| {
        let mut record = record(&[("plain", PLAIN), ("timestamp", BY_TIMESTAMP)]);
        for run in &mut record.runs {
            let phase = run.phases.iter_mut().find(|p| p.name == phase).unwrap();
            let statements = phase.groups.values_mut().flat_map(|group| group.tally.statements.values_mut());
            statements.for_each(|statement| statement.unexpected = 1);
        }
        record
    };
    let judged = judge(&wrong("again"));
    let struck = |phase: &str| judged.cells[1].phases.iter().find(|p| p.name == phase).unwrap().struck.clone();
    assert_eq!((struck("scan"), struck("again")), (vec![], vec!["answers_were_expected".to_string()]));
    let compared =
        |phase: &str| rates(&judged).into_iter().find(|c| c.phase.as_deref() == Some(phase)).unwrap().outcome;
    assert_eq!((compared("scan"), compared("again")), (Outcome::Worse, Outcome::Refused));
    let found = finding(&wrong("again"), PRICE).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    assert_eq!(finding(&wrong("scan"), PRICE), None);
}

#[test]
fn a_placebo_that_moves_as_well_confirms_nothing() {
    let moving = [PLAIN[0], (4_000.0, 1_000.0), PLAIN[2], PLAIN[3]];
    let found =
        finding(&record(&[("plain", moving), ("timestamp", BY_TIMESTAMP)]), PRICE).expect("the symptom is there");
    assert_ne!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
}

#[test]
fn a_price_that_stays_under_a_fixed_offset_is_another_cause() {
    let stays = [BY_TIMESTAMP[0], (1_000.0, 1_000.0), BY_TIMESTAMP[2], BY_TIMESTAMP[3]];
    let found = finding(&record(&[("plain", PLAIN), ("timestamp", stays)]), PRICE).expect("the symptom is there");
    assert_eq!(found.rung, Rung::Unexplained, "{}", found.sentence);
}

#[test]
fn ranges_that_look_at_more_rows_are_another_cause_and_equal_ones_are_no_finding() {
    let rows = [(1_000.0, 2_000.0), (1_800.0, 2_000.0), PLAIN[2], PLAIN[3]];
    assert_eq!(finding(&record(&[("plain", PLAIN), ("timestamp", rows)]), PRICE), None);
    assert_eq!(finding(&record(&[("plain", PLAIN), ("timestamp", PLAIN)]), PRICE), None);
    assert_eq!(finding(&record(&[("plain", PLAIN), ("timestamp", PLAIN)]), ROWS), None);
}

#[test]
fn history_that_a_partition_takes_out_of_the_path_is_confirmed_as_what_is_waded_through() {
    let apart = [PLAIN[0], PLAIN[1], (19_000.0, 10.0), (19_000.0, 10.0)];
    let record = record(&[("plain", PLAIN), ("timestamp", BY_TIMESTAMP), ("timestamp_partitioned", apart)]);
    let found = finding(&record, ROWS).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    for told in ["`again` takes 2 times as long", "looks at × 2.1 rows at × 0.952 time per row"] {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
    assert!(found.next_experiment.is_some_and(|text| text.contains("begin = [\"filled\", \"aged\"]")));
}

#[test]
fn a_step_that_is_slower_without_a_row_more_is_unexplained_and_proposes_what_would_tell() {
    let slower = [PLAIN[0], PLAIN[1], PLAIN[2], (10_000.0, 10.0)];
    let found = finding(&record(&[("plain", PLAIN), ("transaction", slower)]), ROWS).expect("it is told");
    assert_eq!(found.rung, Rung::Unexplained, "{}", found.sentence);
    assert!(found.sentence.contains("Why is unexplained"), "{}", found.sentence);
    assert!(found.next_experiment.is_some());
}

/// A step by secondary key with history behind it, and the same when that was deleted.
const FORGETTING: [Says; 3] = [
    ("with history", "versioned.secondary_selects", ("period", "current")),
    ("delete history", "versioned.delete_history", ("time_zone", "SYSTEM")),
    ("without history", "versioned.secondary_selects", ("period", "current")),
];

#[test]
fn history_that_is_deleted_and_gives_its_time_back_is_confirmed_and_one_that_gives_none_is_not() {
    let plain = [(20_000.0, 10.0), (1_000.0, 1.0), (20_000.0, 10.0)];
    let with = |after| [(10_000.0, 21.0), (1_000.0, 1.0), after];
    let freed = record_of(FORGETTING, &[("plain", plain), ("transaction", with((18_000.0, 11.0)))]);
    let found = finding(&freed, ROWS).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    insta::assert_snapshot!(found.sentence);
    let kept = record_of(FORGETTING, &[("plain", plain), ("transaction", with((10_000.0, 11.0)))]);
    let found = finding(&kept, ROWS).expect("the symptom is there");
    assert_eq!(found.rung, Rung::Unexplained, "{}", found.sentence);
    // What the plain table gained meanwhile is not history's.
    let faster = [plain[0], plain[1], (40_000.0, 10.0)];
    let moving = record_of(FORGETTING, &[("plain", faster), ("transaction", with((13_400.0, 11.0)))]);
    let found = finding(&moving, ROWS).expect("the symptom is there");
    assert_ne!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
}

#[test]
fn a_condition_that_all_versions_need_not_is_confirmed_while_no_row_has_history() {
    const ASKED: [Says; 2] = [
        ("range", "versioned.range_queries", ("period", "current")),
        ("range of all versions", "versioned.range_queries", ("period", "all")),
    ];
    let variants =
        [("plain", [(2_000.0, 1_000.0), (2_000.0, 1_000.0)]), ("timestamp", [(1_000.0, 1_000.0), (1_900.0, 1_000.0)])];
    let found = finding(&record_of(ASKED, &variants), PRICE).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    insta::assert_snapshot!(found.sentence);
    // With history they are other rows.
    let [range, all] = ASKED;
    let updated = [("update", "versioned.update_index", ("time_zone", "SYSTEM")), range, all];
    let update = (1_000.0, 10.0);
    let variants = variants.map(|(name, [range, all])| (name, [update, range, all]));
    assert_eq!(finding(&record_of(updated, &variants), PRICE), None);
}

#[test]
fn each_build_is_told_for_itself_at_many_users_and_at_one() {
    const SCANS: [Says; 4] = [
        ("scan", "versioned.range_queries", ("time_zone", "SYSTEM")),
        ("scan at a fixed offset", "versioned.range_queries", ("time_zone", "+00:00")),
        ("scan alone", "versioned.range_queries", ("time_zone", "SYSTEM")),
        ("scan alone at a fixed offset", "versioned.range_queries", ("time_zone", "+00:00")),
    ];
    let shows = |rates: [f64; 4]| rates.map(|rate| (rate, 1_000.0));
    let plain = shows([2_000.0, 2_000.0, 1_000.0, 1_000.0]);
    let old = shows([1_000.0, 1_900.0, 700.0, 960.0]);
    let variants = [("plain", plain), ("plain", plain), ("timestamp", old), ("timestamp", plain)];
    let mut record = record_of(SCANS, &variants);
    for (cell, build) in record.plan.cells.iter_mut().zip(["mariadb-10.11", "mariadb-11.4.5"].into_iter().cycle()) {
        cell.server.build = build.into();
        cell.axes.insert("build".into(), build.into());
        cell.phases.iter_mut().filter(|p| p.name.contains("alone")).for_each(|p| p.users = Some(Users(1)));
    }
    let found = judge(&record).findings.into_iter().filter(|f| f.name == PRICE);
    let [found] = &found.collect::<Vec<_>>()[..] else { panic!("the build with the fix has no such price") };
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    for told in
        ["On mariadb-10.11,", "`scan` at 8 users", "At 1 user it is 1.43 times as long, 91.2 % of which goes with it."]
    {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
}
