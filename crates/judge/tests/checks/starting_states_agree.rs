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
