//! `repetitions = "until …"` as its user meets it: the plan says the most, the record has whole blocks, a killed one goes
//! on, and what makes no sense is refused with its mend.

use crate::desk::{Desk, RUN, TINY, until};

/// Of runs of 300 ms: calm enough to end early on most machines, and bounded on all.
const UNTIL: &str = "repetitions = \"until 50 %, at most 7\"";
const FEWEST: usize = 5;
const MOST: usize = 7;

#[test]
fn repetitions_end_with_whole_blocks_when_the_rates_are_known_and_a_killed_record_goes_on() {
    let desk = Desk::new();
    desk.write("tiny.toml", &TINY.replace("repetitions = 2", UNTIL));
    let plan = desk.assay(&["plan", "tiny.toml"]);
    assert!(plan.out.contains("at most 14 runs"), "{plan:?}");
    assert!(plan.out.contains("repetitions: until 50 %, at most 7, whole blocks, 5 at least"), "{plan:?}");

    let mut killed = desk.start(RUN);
    until("the third run", || (desk.runs().len() >= 3).then_some(()));
    killed.kill().and_then(|()| killed.wait()).expect("it was running");
    let before = desk.runs();
    let said = desk.assay(RUN);
    said.assert_carried_out();
    let after = desk.runs();
    assert!(before.iter().all(|(id, run)| after.get(id) == Some(run)), "finished runs are kept");
    let blocks = after.keys().filter(|id| id.starts_with("c001")).count();
    assert_eq!((after.len(), (FEWEST..=MOST).contains(&blocks)), (2 * blocks, true), "{after:?}");
    let judged = desk.assay(&["judge", "record", "--all"]);
    assert!(judged.out.contains("It ended because"), "{judged:?}");

    // It is over, and the same command adds nothing.
    desk.assay(RUN).assert_carried_out();
    assert_eq!(desk.runs(), after);
    desk.assert_nothing_is_left();
}

#[test]
fn until_is_refused_where_it_makes_no_sense() {
    let desk = Desk::without_server();
    let refused = |text: String| {
        desk.write("tiny.toml", &text);
        let said = desk.assay(&["plan", "tiny.toml"]);
        assert_eq!(said.status, 2, "{said:?}");
        said.err
    };
    let with = |value: &str| TINY.replace("repetitions = 2", &format!("repetitions = {value:?}"));
    assert!(refused(with("until 0 %")).contains("is not between"));
    assert!(refused(with("until calm")).contains("write a whole number, or \"until 2 %\""));
    let rate = refused(with("until 2 %").replace("[load]", "[load]\nrate = 100"));
    assert!(rate.contains("until a rate is known that the load is given"), "{rate}");
}
