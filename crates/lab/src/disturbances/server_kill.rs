//! The server is killed as a fault would kill it, without a word to it, and started again on what lies on its disk:
//! what a crash costs is the time until it serves again and until its caches are warm. Users wait for it and come back
//! to their operation; what was under way has an unknown end, which the audit of the data allows for and no more. What
//! the server counts begins anew, so of such a phase only the client's and the host's counters are kept.

use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::DisturbanceWords;
use std::time::Duration;

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "server_kill",
        "SIGKILL to the server at the begin of the phase, and a start on what it left behind",
        &[],
    )
    .that_writes(),
    act,
};

/// How long one waits for the bell at a time.
const WAIT: Duration = Duration::from_secs(3600);

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    let Some(instance) = &scene.place.instance else {
        let mend = "kill servers that the lab starts, and no nodes of a cluster";
        return Err(Trouble::new("this server is not the lab's to kill").mend(mend));
    };
    let mut instance = instance.lock().expect("no panic while held");
    let recovery = instance.crash(&scene.place.guard)?.as_secs_f64();
    scene.place.process.set(instance.pid());
    drop(instance);
    while !scene.bell.wait(WAIT) {}
    let sentence = format!("The server was killed, and served again {recovery:.3} s after it was started anew.");
    Ok(Deed { sentence, facts: [("recovery_seconds", recovery)].into_iter().collect(), failed: None })
}
