//! The check `starting_states_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::start::{Prepared, StartingState};
use model::units::Bytes;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

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
    let warnings: [Illness; 3] = [
        ("differ by 10 % in size", |s| s.bytes = Bytes((4 << 20) * 11 / 10)),
        ("23.4 % of them were in the buffer pool before run c002-1", |s| s.pool_pages = Some((60, 8_000))),
        ("1001 old row versions", |s| s.history = Some(1_001)),
    ];
    for (said, spoil) in warnings {
        let (status, sentence) = status_of(&spoil);
        assert!(status == Warn && sentence.contains(said), "{status:?}: {sentence}");
    }
    let unknown = all_runs(|r| r.start = None);
    assert_eq!(status(&unknown, "starting_states_agree"), NotEvaluable);
}

/// All runs of a record in the same way; the second in another.
fn prepared(ways: [Prepared; 2]) -> model::record::Record {
    spoilt(|r| {
        let first = r.runs[0].id.clone();
        r.runs.iter_mut().for_each(|run| run.start.as_mut().unwrap().prepared = ways[usize::from(run.id != first)]);
    })
}

#[test]
fn data_that_were_found_and_compared_are_those_of_a_load() {
    let mixed = [[Prepared::Found, Prepared::Loaded], [Prepared::Loaded, Prepared::Found]];
    for ways in mixed {
        let told = verdict(&prepared(ways), "starting_states_agree");
        assert_eq!(told.verdict, Pass, "{}", told.sentence);
        assert!(told.sentence.contains("found there or loaded"), "{}", told.sentence);
    }
    type Doubt = (&'static str, fn(&mut model::record::answer::DatasetRecord));
    let doubts: [Doubt; 3] = [
        ("counted and not compared", |d| d.rows_checked = 0),
        ("compared, and other rows", |d| d.rows_wrong = 1),
        ("not all of them", |d| d.tables[0].rows -= 1),
    ];
    for (doubt, spoil) in doubts {
        let mut record = prepared(mixed[0]);
        record.datasets.iter_mut().for_each(spoil);
        assert_eq!(status(&record, "starting_states_agree"), Fail, "{doubt}");
    }
    for other in [Prepared::Found, Prepared::Loaded] {
        assert_eq!(status(&prepared([Prepared::Snapshot, other]), "starting_states_agree"), Fail, "{other}");
    }
}
