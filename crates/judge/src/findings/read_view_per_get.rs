//! A get of InnoDB's memcached plugin reads by a view of its own of which transactions are over. In 5.6 that view is
//! made, and taken apart, under the mutex of all transactions (`trx_sys_mutex`), under which the same get also begins
//! and ends its transaction: five passes per get were counted on 5.6.14, from read uncommitted to repeatable read
//! alike, so that no isolation takes the view away. 8.0.33 keeps a view that nobody outdated, and passes the mutex at
//! no get. The mutex has one name for both uses, so what waits at it is told together; several gets in one transaction
//! share its view and need it once. What a get passes is known from an explain run, which has to see threads that are
//! none of the server's.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene};
use super::frame::next::{self, Change};
use super::frame::signature::{self, Signature};
use super::transaction_per_get::{BATCH, FEW_CPUS, MANY, by_plugin};
use crate::frame::account::{operation_us, wait_share};
use crate::frame::{CellEvidence, waits};
use crate::stats::mean;
use model::units::{Share, round3};

const MUTEX: &str = "trx_sys_mutex";
/// Per operation; below it gets share their views.
const EACH: f64 = 0.6;

pub const CAUSE: Cause = Cause {
    id: "read_view_per_get",
    symptom: || "operations of users of InnoDB's memcached plugin take longer with more users".into(),
    necessary: || format!("an explain run sees an operation pass `{MUTEX}` more than {EACH} times"),
    test: || format!("waiting for that mutex covers {SUFFICIENT} of the growth"),
    intervention: || {
        format!("`{BATCH}` = {MANY}, which makes one view for so many gets, closes {CLOSES} of the growth")
    },
    source: include_str!("read_view_per_get.rs"),
    indicator: None,
    within: &["locks of the server"],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| by_plugin(s.high)).map(|s| case(scene, s)).collect()
}

fn case(scene: &Scene, s: &Signature) -> Case {
    let mut case = s.case("", &[]);
    case.cost = cost(s);
    case.necessary = match waits::of_daemon(s.high) {
        Err(why) => Necessary::NotMeasured(why),
        Ok(passes) => match passes(MUTEX) {
            each if each < EACH => Necessary::Contradicted,
            each => Necessary::Present(format!(
                "An operation passes `{MUTEX}` {} times, to begin, to end, and for its read view ({}).",
                round3(each),
                s.row()
            )),
        },
    };
    if scene.evidence.record.host.cpus.len() < FEW_CPUS {
        case.unseen =
            Some("On so few CPUs hardly anybody waits at the mutex; more of them would show what it costs.".into());
    }
    case.next_experiment = next::experiment(s.high, CAUSE.id, Change::setting(s.high, "read_batch", MANY));
    case
}

/// How much of what an operation takes longer than with the fewest users is waited for the mutex, by the explain runs
/// of both.
fn cost(s: &Signature) -> Option<Cost> {
    let waited = |cell: &CellEvidence| wait_share(cell, |event| event.ends_with(MUTEX));
    let (top, bottom) = (waited(s.high)?, waited(s.low)?);
    let of_block = |high: &crate::frame::evidence::RunEvidence| {
        let low = s.low.runs.iter().find(|low| low.run.block == high.run.block)?;
        let (high, low) = (operation_us(high)?, operation_us(low)?);
        (high > low).then(|| (top * high - bottom * low) / (high - low))
    };
    let share = mean::plain(&s.high.runs.iter().filter_map(of_block).collect::<Vec<_>>())?;
    let (value, low, high) = (Share(share.value.max(0.0)), Share(share.low.max(0.0)), Share(share.high.max(0.0)));
    let sentence = format!("{value} of the growth is waiting for it ({low} to {high}).");
    Some(Cost { share, open: crate::frame::account::open(s.high), sentence })
}
