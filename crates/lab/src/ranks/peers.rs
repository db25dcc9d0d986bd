//! The leader's view of the other ranks, for as long as a plan is carried out: who they are, how their clocks go, when
//! each was heard of last. Whoever falls silent is lost, by name, and with it all that would need it: a load of fewer
//! users is another load.

use super::clock::{Clock, Offset};
use super::hello::{self, Hello};
use super::message::Message;
use super::{Port, Ranks};
use crate::os::clock;
use crate::os::ticking::Ticking;
use model::record::way::Trips;
use model::{Nanos, Plan};
use std::time::Duration;

/// Ranks are started together by one launcher, over a network or a scheduler; who is not there then never comes.
pub const GATHERING: Nanos = Nanos::from_secs(60);
/// A rank speaks several times a second. A machine that stops it for so long has spoilt the run in any case.
pub const SILENCE: Nanos = Nanos::from_secs(5);
/// Round trips of which the shortest counts: a busy CPU lengthens most of them and seldom all.
const TRIPS: u32 = 200;
/// A way of several milliseconds is as well known by fewer.
const TRIPPING: Nanos = Nanos::from_millis(100);
/// How often it is looked whether somebody spoke, where nobody waits for a moment.
const LOOK: Duration = Duration::from_millis(1);
/// What a rank says between loads is that it goes.
const TOLD_TO_STOP: &str = "was told to stop";

pub struct Peers {
    /// Loading takes hours, in which nothing else is said. Before the port, to be dropped before it: whoever began MPI
    /// has to end it.
    beating: Option<Ticking>,
    pub port: Port,
    /// By rank, the leader's own first.
    pub hellos: Vec<Hello>,
    clocks: Vec<Clock>,
    heard: Vec<Nanos>,
    /// Why no further load can be driven.
    pub lost: Option<String>,
}

impl Peers {
    /// Waits for what each rank says of itself. Nobody is compared yet: `refuse` or `welcome` has to follow.
    pub fn gather(ranks: Box<dyn Ranks>, own: Hello) -> Result<Self, String> {
        let port = Port::new(ranks);
        let beating = port.beat();
        let mut hellos: Vec<Option<Hello>> = vec![None; port.size() as usize];
        hellos[0] = Some(own);
        let limit = Nanos(clock::now().0 + GATHERING.0);
        while let Some(rank) = hellos.iter().position(Option::is_none) {
            match port.receive() {
                Some((from, Message::Hello(hello))) => hellos[from as usize] = Some(*hello),
                Some(_) => {}
                None if clock::now() > limit => {
                    return Err(format!("rank {rank} of {} did not say who it is within {GATHERING}", hellos.len()));
                }
                None => std::thread::sleep(LOOK),
            }
        }
        let hellos: Vec<Hello> = hellos.into_iter().flatten().collect();
        let (clocks, heard) = (vec![Clock::default(); hellos.len()], vec![clock::now(); hellos.len()]);
        Ok(Self { beating: Some(beating), port, hellos, clocks, heard, lost: None })
    }

    pub fn size(&self) -> u32 {
        self.hellos.len() as u32
    }

    pub fn refuse(&self, why: &str) {
        self.port.tell_all(&Message::Refused(why.into()));
    }

    pub fn welcome(&self, plan: &Plan) {
        self.port.tell_all(&Message::Welcome(Box::new(plan.clone())));
    }

    /// Tells all that nothing more is measured.
    pub fn end(&mut self) {
        self.beating = None;
        self.port.tell_all(&Message::Over);
    }

    pub fn name(&self, rank: u32) -> String {
        hello::name(rank, &self.hellos[rank as usize])
    }

    pub fn clock(&self, rank: u32) -> Clock {
        self.clocks[rank as usize]
    }

    /// The next message, and that its sender is there.
    pub fn receive(&mut self) -> Option<(u32, Message)> {
        let (from, message) = self.port.receive()?;
        self.heard[from as usize] = clock::now();
        Some((from, message))
    }

    pub fn heard(&self, rank: u32) -> Nanos {
        self.heard[rank as usize]
    }

    /// Silence counts from now on: a rank that had nothing to do said nothing.
    pub fn begin_to_listen(&mut self) {
        self.heard.fill(clock::now());
    }

    /// Gives a rank up, and says so.
    pub fn lose(&mut self, rank: u32, how: &str) -> String {
        let why = format!(
            "{} {how}; what it had counted meanwhile is lost with it\n    look whether its process and its host are \
             still there, and give the same command again: what is over stays",
            self.name(rank)
        );
        self.lost.get_or_insert_with(|| why.clone());
        why
    }

    /// The floor of a rank's way to the server of a load.
    pub fn floor_of(&mut self, rank: u32, load: String) -> Result<Trips, String> {
        let asked = clock::now();
        self.port.send(rank, &Message::Floor(load));
        loop {
            match self.receive() {
                Some((from, Message::Trips(trips))) if from == rank => return trips,
                Some((from, Message::Failed(..))) => return Err(self.lose(from, TOLD_TO_STOP)),
                Some(_) => {}
                None if clock::now().0 > asked.0 + SILENCE.0 => {
                    return Err(self.lose(rank, &format!("has not answered for {SILENCE}")));
                }
                None => std::thread::sleep(LOOK),
            }
        }
    }

    /// Takes each rank's offset now, and what it may be off by.
    pub fn synchronise(&mut self) -> Result<Vec<Offset>, String> {
        let mut offsets = vec![Offset::default(); self.hellos.len()];
        for rank in self.port.others() {
            self.port.send(rank, &Message::Attend);
            let end = Nanos(clock::now().0 + TRIPPING.0);
            let numbers = (0..TRIPS).take_while(|number| *number == 0 || clock::now() < end);
            let trips: Result<Vec<Offset>, String> = numbers.map(|number| self.trip(rank, number)).collect();
            self.port.send(rank, &Message::AtEase);
            let best = Offset::best(trips?).expect("there are some");
            offsets[rank as usize] = best;
            self.clocks[rank as usize] = self.clocks[rank as usize].renewed(best);
        }
        Ok(offsets)
    }

    fn trip(&mut self, rank: u32, number: u32) -> Result<Offset, String> {
        let sent = clock::now();
        self.port.send(rank, &Message::Ping(number));
        loop {
            match self.receive() {
                Some((from, Message::Pong(answered, there))) if (from, answered) == (rank, number) => {
                    return Ok(Offset::of_trip(sent, there, clock::now()));
                }
                Some((from, Message::Failed(..))) => return Err(self.lose(from, TOLD_TO_STOP)),
                Some(_) => {}
                None if clock::now().0 > sent.0 + SILENCE.0 => {
                    return Err(self.lose(rank, &format!("has not answered for {SILENCE}")));
                }
                None => std::thread::yield_now(),
            }
        }
    }
}
