//! A disturbance that was asked for and did not act explains nothing, and a placebo that acted is none. So each of them
//! watches its own mechanism to its end: who holds a snapshot must go on reading the first value of a canary row that
//! is written each second, and who begins a transaction that holds none must read the last one; a session must still be
//! there when its phase ends; a backup must have read bytes, and programs that take CPU must have got some. A
//! disturbance of which that was not seen fails its cell, and so does one that came to an end before its phase did.
//!
//! It may begin up to 1 s after its phase, or 5 % of it in longer ones: until then the phase has nothing of it.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::{Nanos, Share, Status};

pub const CHECK: Check = Check {
    id: "disturbances_acted",
    claim: || {
        "what was done to a server on purpose did what it is named after, from the begin of its phase to the end".into()
    },
    source: include_str!("disturbances_acted.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "read what the record says of the disturbance: a time-out of idle transactions or sessions, another isolation, or an account without the right may have ended it",
    look: Look::Run(look),
};

const LATE: Nanos = Nanos::from_secs(1);
const LATE_SHARE: Share = Share(0.05);

fn absent(run: &RunEvidence) -> Absence {
    let is_calm = run.phases.iter().all(|phase| phase.disturb.is_none());
    is_calm.then(|| "Nothing is done to the server on purpose.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let mut seen = Vec::new();
    for phase in run.phases.iter().filter(|p| p.disturb.is_some()) {
        let name = phase.disturb.as_deref().unwrap_or_default();
        let Some(deed) = &phase.disturbance else {
            return Err(format!("what `{name}` did in phase `{}` is not in the record", phase.name));
        };
        if let Some(why) = &deed.failed {
            let sentence = format!("{} did not act to the end of phase `{}`: {why}.", deed.what, phase.name);
            return Ok(Seen::new(Status::Fail, "not seen", "seen to the end", sentence));
        }
        let late = Nanos(deed.began.0.saturating_sub(phase.from.0));
        let early = Nanos(phase.to.0.saturating_sub(deed.ended.0));
        let most = Nanos(LATE.0.max((phase.length().0 as f64 * LATE_SHARE.0) as u64));
        if late > most || early > most {
            let sentence = format!(
                "{} acted from {late} after the begin of phase `{}` until {early} before its end.",
                deed.what, phase.name
            );
            return Ok(Seen::new(Status::Fail, format!("{late}, {early}"), most.to_string(), sentence));
        }
        seen.push(deed.sentence.as_str());
    }
    Ok(Seen::new(Status::Pass, format!("{} seen", seen.len()), "seen to the end", seen.join(" ")))
}
