//! The check `labels_are_true`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::host::Version;
use model::verdict::Status::{Fail, NotEvaluable, Pass};

#[test]
fn a_build_that_is_not_what_it_is_called_fails() {
    assert_eq!(status(&record(), "labels_are_true"), Pass);
    let other = verdict(&spoilt(|r| r.instances[0].version = Version(10, 6, 21)), "labels_are_true");
    assert_eq!(other.verdict, Fail);
    assert!(other.sentence.starts_with("`mariadb-10.11` is really 10.6.21"), "{}", other.sentence);
    assert_eq!(status(&all_runs(|r| r.instance = None), "labels_are_true"), NotEvaluable);
    let at_an_address = spoilt(|r| {
        for cell in &mut r.plan.cells {
            cell.server.build = "127.0.0.1:3307".into();
            cell.server.on = Some("mysql://127.0.0.1:3307".into());
        }
    });
    assert_eq!(status(&at_an_address, "labels_are_true"), Pass, "an address states no version");
}
