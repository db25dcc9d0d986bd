//! A closed load without pauses has every user in exactly one operation at every moment, so rate times mean latency is
//! the number of users. What is missing was spent outside any measured operation: client work, reconnects, users that
//! died. The law needs no counters and catches a client that times the wrong thing.
//!
//! Off by 2 % warns, by 5 % fails. Operations that were cut by the ends of a phase blur it by about one in the
//! operations per user and root of users; that much is allowed beside the limits, and where it is more than 2 % the law says
//! nothing.

use crate::check::{Check, Look, Seen, Sight, graded};
use crate::evidence::RunEvidence;
use model::units::{Share, round3};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "littles_law",
    code: "L3",
    claim: || format!("rate × latency is the number of users, within {FAIL}"),
    source: include_str!("littles_law.rs"),
    needs: &[],
    advice: "look for users that ended early, for reconnects and for time between operations; latencies of this run are not whole",
    look: Look::Run(look),
};

const WARN: Share = Share(0.02);
const FAIL: Share = Share(0.05);
/// The widest blur under which the law still says something.
const BLUR: Share = Share(0.02);

fn look(run: &RunEvidence) -> Sight {
    if run.cell.load.arrivals.is_some() {
        return Err("the load is open, and its users wait for arrivals".into());
    }
    let (users, done) = (f64::from(run.users()), run.done() as f64);
    if done == 0.0 || users == 0.0 {
        return Err("no operation was done".into());
    }
    let blur = users.sqrt() / done;
    if blur > BLUR.0 {
        return Err(format!(
            "{done} operations of {users} users are too few: their ends alone blur it by {}",
            Share(blur)
        ));
    }
    let busy: f64 =
        run.operations().filter_map(|(_, o)| Some(o.latency.mean()?.seconds() * o.latency.count() as f64)).sum();
    let outstanding = busy / run.seconds();
    let off = (outstanding / users - 1.0).abs();
    let status = graded(off, WARN.0 + blur, FAIL.0 + blur);
    let sentence = match status {
        Status::Pass | Status::NotEvaluable => format!("Rate × latency is {} for {users} users.", round3(outstanding)),
        Status::Warn | Status::Fail => format!(
            "Rate × latency is {} for {users} users: {} of their time is outside any measured operation.",
            round3(outstanding),
            Share(off)
        ),
    };
    Ok(Seen::new(
        status,
        format!("{} off", Share(off)),
        format!("{FAIL}; warns at {WARN}; blur {}", Share(blur)),
        sentence,
    ))
}
