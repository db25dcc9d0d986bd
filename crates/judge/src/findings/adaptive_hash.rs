//! InnoDB's adaptive hash index saves the walk down an index and costs a latch that all readers and writers share. With
//! many users, or with writes among reads, the latch costs more than the walk. Which of the two it is, only the explain
//! run's waits tell; being from one run they have no interval, so that the finding stays at "consistent with" until the
//! index is switched off.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::CellEvidence;
use crate::frame::account::{open, wait_share};
use crate::stats::Interval;
use model::units::Share;

const LATCH: &str = "btr_search";
const WORTH: Share = Share(0.05);

pub const CAUSE: Cause = Cause {
    id: "adaptive_hash_index",
    symptom: || {
        format!("waiting for the latch of the adaptive hash index takes more than {WORTH} of an operation's time")
    },
    necessary: || "an explain run saw the wait, and the index is on (`innodb_adaptive_hash_index`)".into(),
    test: || format!("the wait covers {SUFFICIENT} of an operation's time; one explain run gives no interval"),
    intervention: || format!("`settings.adaptive_hash_index` = false closes {CLOSES} of that time"),
    source: include_str!("adaptive_hash.rs"),
    indicator: None,
    within: &["locks of the server"],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let share = wait_share(cell, |event| event.contains(LATCH)).filter(|share| *share > WORTH.0)?;
    let symptom = format!("{}: users wait for the adaptive hash index.", name(cell));
    let on = cell.runs.first()?.variable("innodb_adaptive_hash_index")?;
    let necessary =
        if on == "ON" || on == "1" { Necessary::Present("The index is on.".into()) } else { Necessary::Contradicted };
    let mut case = Case::of(cell, symptom, necessary);
    case.cost = Some(Cost {
        // One run: everything from nothing to all of it is possible.
        share: Interval { value: share, low: 0.0, high: 1.0 },
        open: open(cell),
        sentence: format!("In the explain run its latch took {} of an operation's time.", Share(share)),
    });
    case.next_experiment = next::experiment(cell, CAUSE.id, Change::setting(cell, "adaptive_hash_index", false));
    Some(case)
}
