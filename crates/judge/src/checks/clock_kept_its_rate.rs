//! Every second of a record is a second of CLOCK_MONOTONIC, and so every rate is as wrong as that clock. Who sets the
//! time right may do it by letting the clock go faster or slower for a while: ntpd by 0.05 % at most, as the kernel
//! allows it (500 ppm), chronyd by 8 % as it comes, `adjtimex` by 10 %. Beside it the kernel has a clock that nobody
//! sets right (CLOCK_MONOTONIC_RAW); what the two differ by over the measured time is what the time was bent by.
//!
//! Off by 0.1 %, twice what the kernel does by itself, warns; off by 2 % fails. A record from before both were read
//! says nothing of it.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "clock_kept_its_rate",
    claim: || format!("a second of the clock was within {RATE_FAIL} of a second of the clock that nobody sets right"),
    source: include_str!("clock_kept_its_rate.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[RATE_WARN, RATE_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "let the time be set right before measuring (`chronyc makestep`, `timedatectl`), and run again when the clock is no longer slewed",
    look: Look::Run(look),
};

const RATE_WARN: Limit = Limit::share("rate_of_clock_warn", 0.001, "twice what the kernel slews by itself").law();
const RATE_FAIL: Limit =
    Limit::share("rate_of_clock_fail", 0.02, "as much as the smallest difference that is claimed").law();

/// Nobody asks how much less.
const MILLIONTH: f64 = 1e-6;
const SET_RIGHT: &str = "host.clock.monotonic";
const RAW: &str = "host.clock.raw";

fn absent(run: &RunEvidence) -> Absence {
    let none = run.phases.iter().all(|phase| !phase.counters.contains_key(RAW));
    none.then(|| "The record is from before the clock that nobody sets right was read.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let grown = |name: &str| run.growth(name).map(|growth| growth.delta).filter(|delta| *delta > 0.0);
    let (Some(set), Some(raw)) = (grown(SET_RIGHT), grown(RAW)) else {
        return Err("the two clocks were not read in each phase".into());
    };
    let off = set / raw - 1.0;
    let (warn, fail) = (run.limits.share(&RATE_WARN), run.limits.share(&RATE_FAIL));
    let (share, status) = (Share(off.abs()), graded(off.abs(), warn.0, fail.0));
    let sentence = if status == Status::Pass {
        let within = if share.0 < MILLIONTH { "a millionth".to_string() } else { share.to_string() };
        format!("The clock went as the one that nobody sets right, within {within}.")
    } else {
        let (way, rates) = if off < 0.0 { ("slowly", "high") } else { ("fast", "low") };
        format!(
            "The clock was slewed: it went {share} too {way} beside the one that nobody sets right, and rates are as much too {rates}."
        )
    };
    Ok(Seen::new(status, format!("{share} off"), format!("{fail}; warns at {warn}"), sentence))
}
