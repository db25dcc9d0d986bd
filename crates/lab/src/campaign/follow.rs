//! What a rank other than 0 does: it says who it is, and then carries out its part of one load after another until the
//! leader says that all is measured. It starts no server, loads nothing and writes nothing.

use crate::backends::orders::Order;
use crate::execution::way;
use crate::load::beside::part_end;
use crate::load::follower::{FORSAKEN, Follower};
use crate::load::{Witness, drive_beside};
use crate::os::clock;
use crate::ranks::hello::Hello;
use crate::ranks::message::{Message, PartEnd};
use crate::ranks::{Port, machine};
use crate::trouble::Trouble;
use model::{Nanos, Plan, Tally};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use workload::Workloads;

/// How often a rank that has nothing to do looks whether somebody spoke.
const LOOK: Duration = Duration::from_millis(1);

/// Follows the leader to the end of its plan; `workloads` are those that the plan names.
pub fn follow(
    port: &Port,
    hello: Hello,
    workloads: impl FnOnce(&Plan) -> Result<Workloads, String>,
    stop: &AtomicBool,
) -> Result<(), Trouble> {
    port.send(0, &Message::Hello(Box::new(hello)));
    let mut ear = Ear { port, heard: clock::now() };
    let mut workloads = Some(workloads);
    let mut known = Workloads::built_in();
    while !stop.load(Relaxed) {
        match ear.next()? {
            Some(Message::Welcome(plan)) => {
                if let Some(workloads) = workloads.take() {
                    known = workloads(&plan).map_err(Trouble::new)?;
                }
            }
            // Rank 0 says why, once.
            Some(Message::Refused(_) | Message::Over) => return Ok(()),
            Some(Message::Attend) => attend(&mut ear, stop)?,
            Some(Message::Floor(text)) => {
                port.send(0, &Message::Trips(way::trips(&ordered(&text).load_plan(&known), stop)))
            }
            Some(Message::Order(text)) => {
                take_part(port, &text, &known, stop)?;
                ear.heard = clock::now();
            }
            Some(_) => {}
            None => std::thread::sleep(LOOK),
        }
    }
    port.send(0, &Message::Failed(String::new(), true));
    Ok(())
}

/// What hears the leader, and when it did last.
struct Ear<'p> {
    port: &'p Port,
    heard: Nanos,
}

impl Ear<'_> {
    /// The next message that is there; an error where nothing was for too long. What was said while nobody listened is
    /// still there.
    fn next(&mut self) -> Result<Option<Message>, Trouble> {
        let message = self.port.receive().map(|(_, message)| message);
        let now = clock::now();
        if message.is_some() {
            self.heard = now;
        }
        if now.0 > self.heard.0 + FORSAKEN.0 { Err(is_gone()) } else { Ok(message) }
    }
}

fn is_gone() -> Trouble {
    Trouble::new("rank 0 is gone, or the way to it: this rank ends without it")
}

/// Answers pings at once.
fn attend(ear: &mut Ear, stop: &AtomicBool) -> Result<(), Trouble> {
    while !stop.load(Relaxed) {
        match ear.next()? {
            Some(Message::Ping(number)) => ear.port.send(0, &Message::Pong(number, clock::now())),
            Some(Message::AtEase) => return Ok(()),
            Some(_) => {}
            None => std::thread::yield_now(),
        }
    }
    Ok(())
}

fn ordered(text: &str) -> Order {
    serde_json::from_str(text).expect("the leader is the same program")
}

fn take_part(port: &Port, text: &str, workloads: &Workloads, stop: &AtomicBool) -> Result<(), Trouble> {
    let order = ordered(text);
    let load_plan = order.load_plan(workloads);
    let (begun, before) = (clock::now(), machine::look());
    let mut follower = Follower::new(port, order.own(), load_plan.phases.len());
    let outcome = drive_beside(&load_plan, order.at_most(), stop, &mut Nobody, Some(&mut follower));
    let interface = way::interface(&load_plan);
    let end = outcome.map_err(|e| e.to_string()).map(|outcome| {
        let end = part_end(&outcome, begun, before);
        (PartEnd { interface, ..end }, outcome.failure)
    });
    if follower.is_forsaken {
        return Err(is_gone());
    }
    let (end, failure) = end.unwrap_or_else(|why| (Default::default(), Some(why)));
    if let Some(why) = failure.filter(|_| !follower.has_said_failed()) {
        port.send(0, &Message::Failed(why, false));
    }
    port.send(0, &Message::Ended(Box::new(end)));
    Ok(())
}

/// The leader's witness sees what is counted here.
struct Nobody;

impl Witness for Nobody {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, _: Tally) {}
    fn progress(&mut self, _: f64) {}
}
