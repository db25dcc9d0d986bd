//! The check `regimes_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::run::RunRecord;
use model::units::Nanos;
use model::verdict::Status::{Fail, NotEvaluable, Pass};

#[test]
fn a_line_through_two_regimes_fails_where_it_changes() {
    assert_eq!(status(&record(), "regimes_agree"), Pass);
    let outgrown = spoilt(|r| of_cell(r, "c002").for_each(|r| counter(r, "db.page_reads", 8_000.0)));
    let verdict = verdict(&outgrown, "regimes_agree");
    assert_eq!(verdict.verdict, Fail);
    let told = "Over users (charset latin1): users 1 is cached (0 pages read from disk per statement) and users 8 is mixed (0.402)";
    assert!(verdict.sentence.contains(told), "{}", verdict.sentence);
    // 0.0008 and 0.0012 pages per statement: on either side of the limit, and not two regimes.
    let about_the_limit = spoilt(|r| {
        of_cell(r, "c001").for_each(|r| counter(r, "db.page_reads", 16.0));
        of_cell(r, "c002").for_each(|r| counter(r, "db.page_reads", 24.0));
    });
    assert_eq!(status(&about_the_limit, "regimes_agree"), Pass);
    assert_eq!(status(&all_runs(|r| forget(r, "db.page_reads")), "regimes_agree"), NotEvaluable);
    let by_charset = spoilt(|r| {
        for cell in ["c003", "c004"] {
            of_cell(r, cell).for_each(|r| counter(r, "db.page_reads", 8_000.0));
        }
    });
    assert_eq!(status(&by_charset, "regimes_agree"), Pass, "each line is in one regime");
}

#[test]
fn an_iteration_in_another_regime_is_named() {
    let iterate = |run: &mut RunRecord| {
        let first = run.phases.remove(0);
        run.phases = (1..=4_u64)
            .map(|n| {
                let mut phase = first.clone();
                phase.name = format!("read.{n}");
                (phase.from, phase.to) = (Nanos(first.from.0 * n), Nanos(first.to.0 * n));
                if n == 4 {
                    phase.counters.insert("db.page_reads".into(), ends(8_000.0));
                }
                phase
            })
            .collect();
    };
    let mut record = experiment(&[]);
    record.runs.iter_mut().for_each(iterate);
    let verdict = verdict(&record, "regimes_agree");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("Phase `read` of run c001-1: iteration 3 is cached"), "{}", verdict.sentence);
}
