//! The check `operations_succeeded`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::run::Ending;
use model::verdict::Status::{Fail, Pass, Warn};

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
    assert!(nothing.sentence.contains("(error 1048: Column 'ol_delivery_d' cannot be null, "), "{}", nothing.sentence);
    let named = all_runs(|r| {
        operation(r).failed.insert(1048, 5);
        operation(r).messages.insert(1048, "error 1048 (23000): Column 'x' cannot be null".into());
    });
    let named = verdict(&named, "operations_succeeded");
    assert!(named.sentence.contains("(error 1048 (23000): Column 'x' cannot be null, "), "{}", named.sentence);
    let state = model::errors::of_state(b"23502");
    let by_state = all_runs(move |r| {
        operation(r).failed.insert(state, 5);
        operation(r).messages.insert(state, "23502: ERROR:  null value in column \"x\"\nDETAIL:  Failing row".into());
    });
    let named = verdict(&by_state, "operations_succeeded").sentence;
    assert!(named.contains("(23502: ERROR:  null value in column \"x\", ") && !named.contains("DETAIL"), "{named}");
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
