//! A full network makes every server equally fast. At 700,000 operations a second a link of 1 Gbit/s leaves 178 bytes
//! for each in either direction, and a study of such rates once met that wall. Bytes in the fuller direction are held
//! against the speed that the links state, and segments that TCP had to send again against all. Users on a Unix socket
//! or on loopback pass: their bytes never leave the machine, and what moving them costs is CPU time of client and
//! server.
//!
//! 70 % of the link warns and 90 % fails; one segment in a thousand sent again warns.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::{Bytes, Share, Status};

pub const CHECK: Check = Check {
    id: "network_had_room",
    claim: || {
        format!(
            "the network was used to less than {LINK_FAIL}, and fewer than {RESENT} of the segments were sent again"
        )
    },
    source: include_str!("network_had_room.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[LINK_WARN, LINK_FAIL, RESENT],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "use a faster link, ask for smaller answers, or measure on the server's own machine over its socket",
    look: Look::Run(look),
};

const LINK_WARN: Limit =
    Limit::share("link_warn", 0.70, "of the link's rate in one direction; bursts meet its end from there on")
        .convention();
const LINK_FAIL: Limit = Limit::share("link_fail", 0.90, "headers and gaps take the rest").law();
const RESENT: Limit =
    Limit::share("resent", 0.001, "of TCP segments; each costs its operation 200 ms or more").convention();

fn absent(run: &RunEvidence) -> Absence {
    let transport = run.run.session.transport.as_str();
    let way = if transport.starts_with("unix") {
        "a Unix socket"
    } else if transport.starts_with("tcp") && run.is_on_this_host() {
        "loopback"
    } else {
        return None;
    };
    Some(format!("Users come over {way}: no network is between them and the server."))
}

fn look(run: &RunEvidence) -> Sight {
    let transport = run.run.session.transport.as_str();
    let (warn, fail, most) = (run.limits.share(&LINK_WARN), run.limits.share(&LINK_FAIL), run.limits.share(&RESENT));
    let limit = format!("{fail} of the link, warns at {warn}; {most} sent again");
    if transport.is_empty() {
        return Err("how the sessions were carried is not known".into());
    }
    let directions = [run.rate("host.net.received_bytes"), run.rate("host.net.sent_bytes")];
    let fuller = directions.into_iter().flatten().fold(f64::NAN, f64::max);
    let link =
        run.phases.first().and_then(|p| p.counters.get("host.net.link")).map(|ends| ends.end).filter(|l| *l > 0.0);
    let link = link.ok_or("the link does not state its speed")?;
    if fuller.is_nan() {
        return Err("the network's bytes were not counted".into());
    }
    let used = Share(fuller / link);
    let grown = |name: &str| run.growth(name).map(|g| g.delta);
    let again = grown("host.net.segments_again").zip(grown("host.net.segments")).filter(|(_, all)| *all > 0.0);
    let again = Share(again.map_or(0.0, |(again, all)| again / all));
    let by_again = if again.0 > most.0 { Status::Warn } else { Status::Pass };
    let status = graded(used.0, warn.0, fail.0).max(by_again);
    let first = if status == Status::Pass { "The network had room" } else { "The network was near its end" };
    let sentence = format!(
        "{first}: {used} of {} per second were used, and {again} of the segments were sent again.",
        Bytes(link as u64)
    );
    Ok(Seen::new(status, format!("{used} of the link"), limit, sentence))
}
