//! The smallest placebo: a session that is open and asks nothing. It must still be there at the end, or it was none.

use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::DisturbanceWords;
use std::time::Duration;

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new("idle_connection", "a placebo: a session that is open and asks nothing", &[]),
    act,
};

/// Longer than any phase.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    let mut idle = scene.session()?;
    scene.bell.wait(FOREVER);
    let failed = idle.value("SELECT 1").err().map(|e| format!("the session was gone at the end: {e}"));
    let sentence = match &failed {
        None => "A session was open to the end and asked nothing.".into(),
        Some(why) => format!("A session was opened, and {why}."),
    };
    Ok(Deed { sentence, failed, ..Deed::default() })
}
