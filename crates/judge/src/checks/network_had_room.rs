//! A full network makes every server equally fast. At 700,000 operations a second a link of 1 Gbit/s leaves 178 bytes
//! for each in either direction, and a study of such rates once met that wall. Bytes in the fuller direction are held
//! against the speed that the links state, and segments that TCP had to send again against all. Users on a Unix socket
//! or on loopback pass: their bytes never leave the machine, and what moving them costs is CPU time of client and
//! server. Where ranks on other machines are users, each of these is judged by its own link, from before its users came
//! until they left; ranks of one machine share what was sampled there.
//!
//! 70 % of the link warns and 90 % fails; one segment in a thousand sent again warns.

use crate::frame::applies::Absence;
use crate::frame::ranks::elsewhere;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::record::ranks::RankRecord;
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
    } else if transport.starts_with("tcp") && run.is_on_this_host() && elsewhere(run).next().is_none() {
        "loopback"
    } else {
        return None;
    };
    Some(format!("Users come over {way}: no network is between them and the server."))
}

/// The host's own network, which all ranks of that host share, and that of each rank elsewhere: the worst of them.
fn look(run: &RunEvidence) -> Sight {
    if run.run.session.transport.is_empty() {
        return Err("how the sessions were carried is not known".into());
    }
    let own = judged(run, used(run), run.run.ranks.first());
    elsewhere(run).map(|rank| judged(run, used_by(rank), Some(rank))).fold(own, worse)
}

/// How full a network was.
struct Used {
    /// Bytes per second in the fuller direction, and those that the link takes.
    fuller: f64,
    link: f64,
    /// The part of the segments that was sent again.
    again: Share,
}

const NO_SPEED: &str = "the link does not state its speed";
const NOT_COUNTED: &str = "the network's bytes were not counted";

/// That of the host that was sampled, over the measured phases.
fn used(run: &RunEvidence) -> Result<Used, &'static str> {
    let directions = [run.rate("host.net.received_bytes"), run.rate("host.net.sent_bytes")];
    let fuller = directions.into_iter().flatten().fold(f64::NAN, f64::max);
    let link =
        run.phases.first().and_then(|p| p.counters.get("host.net.link")).map(|ends| ends.end).filter(|l| *l > 0.0);
    let link = link.ok_or(NO_SPEED)?;
    if fuller.is_nan() {
        return Err(NOT_COUNTED);
    }
    let grown = |name: &str| run.growth(name).map(|g| g.delta);
    let again = grown("host.net.segments_again").zip(grown("host.net.segments")).filter(|(_, all)| *all > 0.0);
    Ok(Used { fuller, link, again: Share(again.map_or(0.0, |(again, all)| again / all)) })
}

/// That of a rank's machine, while its users were there.
fn used_by(rank: &RankRecord) -> Result<Used, &'static str> {
    let traffic = rank.traffic.as_ref().ok_or(NOT_COUNTED)?;
    let link = traffic.link.filter(|link| link.0 > 0).ok_or(NO_SPEED)?.0 as f64;
    let fuller = traffic.fuller().ok_or(NOT_COUNTED)?;
    let all = traffic.segments.max(1) as f64;
    Ok(Used { fuller, link, again: Share(traffic.segments_again as f64 / all) })
}

/// What is to be said of a network; `rank` is who asks over it, where several ranks do.
fn judged(run: &RunEvidence, used: Result<Used, &'static str>, rank: Option<&RankRecord>) -> Sight {
    let (warn, fail, most) = (run.limits.share(&LINK_WARN), run.limits.share(&LINK_FAIL), run.limits.share(&RESENT));
    let Used { fuller, link, again } = used.map_err(|why| match rank {
        Some(rank) => format!("of {}, {why}", rank.name()),
        None => why.to_string(),
    })?;
    let part = Share(fuller / link);
    let by_again = if again.0 > most.0 { Status::Warn } else { Status::Pass };
    let status = graded(part.0, warn.0, fail.0).max(by_again);
    let whose = rank.map_or(String::new(), |rank| format!(" of {}", rank.name()));
    let state = if status == Status::Pass { "had room" } else { "was near its end" };
    let sentence = format!(
        "The network{whose} {state}: {part} of {} per second were used, and {again} of the segments were sent again.",
        Bytes(link as u64)
    );
    let limit = format!("{fail} of the link, warns at {warn}; {most} sent again");
    Ok(Seen::new(status, format!("{part} of the link"), limit, sentence))
}

/// What strikes before what is not known, and that before what passes.
fn worse(one: Sight, other: Sight) -> Sight {
    let rank = |sight: &Sight| match sight {
        Ok(seen) if seen.status == Status::Pass => 0,
        Err(_) => 1,
        Ok(seen) if seen.status == Status::Fail => 3,
        Ok(_) => 2,
    };
    if rank(&other) > rank(&one) { other } else { one }
}
