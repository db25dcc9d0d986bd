//! Runs of a record that are carried out again, because a neighbour spoilt them and for no other reason.

use crate::desk::Desk;
use crate::live::{Serving, fetched, moments};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// One run, long beside the second in which whoever watches looks again.
const RUN: &[&str] = &[
    "run",
    "tiny.toml",
    "--out",
    "record",
    "--set",
    "axes.range_size=[100]",
    "--set",
    "repeat.repetitions=1",
    "--set",
    "load.measure=\"3s\"",
];

/// Takes as much of two CPUs as it is given, until it is told to stop.
fn beside_a_neighbour<T>(work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let spin = || {
            while !stop.load(Relaxed) {
                std::hint::spin_loop();
            }
        };
        scope.spawn(spin);
        scope.spawn(spin);
        let done = work();
        stop.store(true, Relaxed);
        done
    })
}

#[test]
fn a_run_that_a_neighbour_spoilt_is_made_again_in_its_record_with_the_reason_kept() {
    let desk = Desk::new();
    let spoilt = beside_a_neighbour(|| desk.assay(RUN));
    assert_eq!(spoilt.status, 1, "{spoilt:#?}");
    // Whoever watches sees it made, and the report at the end.
    let serving = Serving::begin(desk.command(&["run", "--again", "struck", "record", "--live"]));
    let page = serving.address();
    let (mut is_made, mut is_over) = (false, false);
    for moment in moments(&page) {
        is_made |= moment["run"]["id"] == "c001-1";
        is_over = moment["is_over"] == true;
    }
    assert!(is_made && is_over, "made: {is_made}, over: {is_over}");
    let shown = fetched(&page).1;
    let again = serving.end();
    again.assert_carried_out();
    assert!(shown == desk.read("record/report.html"), "another page than the report");
    assert!(again.err.contains("c001-1 is carried out again because machine_was_quiet failed:"), "{again:#?}");
    desk.assert_nothing_is_left();
    assert!(desk.run_folders().contains(&"c001-1.again-1".to_string()), "{:?}", desk.run_folders());
    assert_eq!(desk.runs().keys().filter(|name| !name.contains("again")).count(), 1);
    let times = desk.count("run_repeated") as u64;
    assert!((1..=3).contains(&times), "it is bounded");
    assert_eq!(desk.run("c001-1")["position"], times);
    assert!(desk.read("record/report.md").contains("carried out again"));
}

#[test]
fn what_is_to_be_made_again_must_be_a_record_and_its_own_question() {
    let desk = Desk::without_server();
    for (arguments, told) in [
        (&["run", "--again", "slow", "record"][..], "what can be carried out again is what a check of the machine"),
        (&["run", "--again", "struck", "tiny.toml"], "tiny.toml is not a record"),
        (&["run", "--again", "struck", "record", "--set", "load.users=3"], "would ask another question"),
    ] {
        let said = desk.assay(arguments);
        assert!(said.status == 2 && said.err.contains(told), "{said:#?}");
    }
}
