//! Rank 0 among the conductors of one load: it says when all begin, when a phase by count has ended for all, and when
//! to stop; it hears what each counted, on its own clock, and who falls silent. A rank that is gone ends the load:
//! what it asked of the server was part of every number.

use super::beside::{Beside, Own};
use super::course::Course;
use super::failure::Cause;
use crate::os::clock;
use crate::ranks::clock::Offset;
use crate::ranks::message::{Message, Part, PartEnd};
use crate::ranks::peers::{Peers, SILENCE};
use model::load::{PhaseKind, Until};
use model::record::ranks::{RankClock, RankRecord};
use model::{Histogram, Nanos, Phase};

/// Time between "all users of all ranks are ready" and the start: a message on its way, and a conductor that sleeps.
const RUN_UP: Nanos = Nanos::from_millis(100);
/// A load that is stopped hears of each rank within three beats, or that rank is why.
const LAST_WORD: Nanos = Nanos::from_millis(600);
/// Sooner, where it was silent for three beats before: a launcher that misses a rank tells the others to stop a second
/// later, and kills them another second later (Open MPI 4.1).
const LAST_WORD_OF_SILENT: Nanos = Nanos::from_millis(250);

pub struct Leader<'p> {
    peers: &'p mut Peers,
    own: Own,
    phases: Vec<Phase>,
    /// By rank, this one first.
    ranks: Vec<Seen>,
    start: Option<Nanos>,
    /// Phases by count of which everybody was told that they are over.
    over: Vec<bool>,
    stopped: Option<Nanos>,
    /// A rank that was told to stop, and when it said so.
    quitting: Option<(u32, Nanos)>,
}

/// What is known of one rank.
#[derive(Clone, Default)]
pub struct Seen {
    /// Its users and workers; without any it takes no part.
    users: u32,
    workers: Vec<u32>,
    cpus: Vec<u32>,
    /// Its clock's offset before the users came.
    before: Offset,
    is_ready: bool,
    has_left: bool,
    /// By phase.
    finished: Vec<Option<Nanos>>,
    end: Option<PartEnd>,
    is_over: bool,
    /// When its first interval began.
    began: Option<Nanos>,
    latency: Histogram,
}

impl<'p> Leader<'p> {
    /// `ranks`: who takes part with what, the leader first; each is to have its order next.
    pub fn new(peers: &'p mut Peers, phases: &[Phase], mut ranks: Vec<Seen>) -> Self {
        peers.begin_to_listen();
        let of = ranks.iter().filter(|rank| rank.users > 0).count().max(1) as u32;
        for rank in &mut ranks {
            rank.finished = vec![None; phases.len()];
            rank.is_over = rank.users == 0;
        }
        let own = Own { workers: ranks[0].workers.clone(), share: (0, of) };
        let over = vec![false; phases.len()];
        let phases = phases.to_vec();
        Self { peers, own, phases, ranks, start: None, over, stopped: None, quitting: None }
    }

    /// What each of the other ranks that take part has to do, and its CPUs.
    pub fn parts(&self) -> Vec<(u32, Own, Vec<u32>)> {
        let takers = (0..).zip(&self.ranks).filter(|(_, seen)| seen.users > 0);
        let share = |place: usize| (place as u32, self.own.share.1);
        let part = |(place, (rank, seen)): (usize, (u32, &Seen))| {
            (rank, Own { workers: seen.workers.clone(), share: share(place) }, seen.cpus.clone())
        };
        takers.enumerate().map(part).skip(1).collect()
    }

    /// The other ranks that take part and have not ended.
    fn under_way(&self) -> impl Iterator<Item = u32> + use<> {
        let there: Vec<u32> = (1..).zip(&self.ranks[1..]).filter(|(_, seen)| !seen.is_over).map(|(r, _)| r).collect();
        there.into_iter()
    }

    fn hear(&mut self, course: &Course) -> Vec<Part> {
        let mut parts = Vec::new();
        while let Some((from, message)) = self.peers.receive() {
            let (clock, rank) = (self.peers.clock(from), &mut self.ranks[from as usize]);
            match message {
                Message::Ready => rank.is_ready = true,
                Message::Left => rank.has_left = true,
                Message::Finished(phase, at) => rank.finished[phase] = Some(clock.here(at)),
                Message::Counted(mut part) => {
                    (part.from, part.to) = (clock.here(part.from), clock.here(part.to));
                    for stall in part.tally.course.iter_mut().flat_map(|course| &mut course.stalls) {
                        stall.at = clock.here(stall.at);
                    }
                    rank.saw(&self.phases, &part);
                    parts.push(*part);
                }
                Message::Failed(_, true) => self.quitting = Some((from, clock::now())),
                Message::Failed(why, false) => course.fail(format!("{}: {why}", self.peers.name(from))),
                Message::Ended(end) => (rank.end, rank.is_over) = (Some(*end), true),
                // What belongs to a load that is over, or says only that somebody is there.
                Message::Beat
                | Message::Hello(_)
                | Message::Welcome(_)
                | Message::Refused(_)
                | Message::Attend
                | Message::AtEase
                | Message::Ping(_)
                | Message::Pong(..)
                | Message::Order(_)
                | Message::Floor(_)
                | Message::Trips(_)
                | Message::Start(_)
                | Message::PhaseOver(..)
                | Message::Stop
                | Message::Over => {}
            }
        }
        parts
    }

    /// Who has fallen silent is lost.
    fn watch(&mut self, course: &Course) {
        let now = clock::now();
        for rank in self.under_way() {
            let heard = self.peers.heard(rank);
            let has_no_last_word = |stopped: Nanos| {
                let was_silent = heard.0 + LAST_WORD.0 < stopped.0;
                let patience = if was_silent { LAST_WORD_OF_SILENT } else { LAST_WORD };
                heard < stopped && now.0 > stopped.0 + patience.0
            };
            let how = match self.stopped {
                Some(stopped) if has_no_last_word(stopped) => "was gone when all were told to stop".to_string(),
                _ if now.0 > heard.0 + SILENCE.0 => format!("has not been heard of for {SILENCE}"),
                Some(_) | None => continue,
            };
            self.ranks[rank as usize].is_over = true;
            course.fail_by(Cause::Lost, self.peers.lose(rank, &how));
        }
        if let Some((rank, at)) = self.quitting.filter(|(_, at)| now.0 > at.0 + LAST_WORD.0)
            && !course.stopped()
        {
            course.fail(format!("{} was told to stop, {} ago", self.peers.name(rank), Nanos(now.0 - at.0)));
        }
    }

    /// Phases by count end with the last rank's part.
    fn end_phases(&mut self, course: &Course) {
        for (phase, until) in self.phases.iter().map(|phase| phase.until).enumerate() {
            if self.over[phase] || !matches!(until, Until::Count(_)) {
                continue;
            }
            self.ranks[0].finished[phase] = course.own_end_of(phase);
            let parts = self.ranks.iter().filter(|rank| rank.users > 0).map(|rank| rank.finished[phase]);
            let Some(end) = parts.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).flatten() else { continue };
            self.over[phase] = true;
            course.end_phase(phase, end);
            for rank in self.under_way() {
                self.peers.port.send(rank, &Message::PhaseOver(phase, self.peers.clock(rank).there(end)));
            }
        }
    }

    fn pass_on(&mut self, course: &Course) {
        if course.stopped() && self.stopped.is_none() {
            self.stopped = Some(clock::now());
            self.under_way().for_each(|rank| self.peers.port.send(rank, &Message::Stop));
        }
    }

    /// What each rank's part came to; `own` is that of this one, and `after` the offsets taken since.
    pub fn records(mut self, own: PartEnd, after: &[Offset]) -> Vec<RankRecord> {
        self.ranks[0].end = Some(own);
        let record = |(rank, seen): (u32, Seen)| {
            let (hello, leader) = (&self.peers.hellos[rank as usize], &self.peers.hellos[0]);
            let end = seen.end?;
            let began = seen.began.zip(self.start).map_or(0, |(began, start)| began.0 as i64 - start.0 as i64);
            Some(RankRecord {
                rank,
                host: hello.host.clone(),
                pid: hello.pid,
                is_beside_leader: hello.shares_a_machine_with(leader),
                users: seen.users,
                workers: seen.workers.len() as u32,
                cpus: seen.cpus,
                clock: (rank > 0).then(|| clock_record(seen.before, *after.get(rank as usize).unwrap_or(&seen.before))),
                start_skew_ns: began,
                worker_cpu: end.worker_cpu,
                busiest_worker: end.busiest,
                lived: end.lived,
                stolen: end.stolen,
                traffic: end.traffic,
                interface: end.interface,
                timer_error: end.timer_error,
                scheduling: end.scheduling,
                latency: seen.latency,
                way: None,
            })
        };
        (0..).zip(std::mem::take(&mut self.ranks)).filter_map(record).collect()
    }

    /// The peers, whose clocks are to be read again.
    pub fn peers(&mut self) -> &mut Peers {
        self.peers
    }

    /// The timers of all other ranks that told of theirs.
    pub fn timers(&self) -> Histogram {
        let mut all = Histogram::default();
        self.ranks.iter().filter_map(|rank| rank.end.as_ref()).for_each(|end| all.merge(&end.timer_error));
        all
    }
}

fn clock_record(before: Offset, after: Offset) -> RankClock {
    let seconds = after.at.seconds() - before.at.seconds();
    let gained = (after.ahead_ns - before.ahead_ns) as f64;
    RankClock {
        ahead_before_ns: before.ahead_ns,
        within_before: before.within,
        ahead_after_ns: after.ahead_ns,
        within_after: after.within,
        drift_ns_per_s: if seconds > 0.0 { gained / seconds } else { 0.0 },
    }
}

impl Seen {
    /// One that has so many users on these workers, which keep to these CPUs.
    pub fn new(users: u32, workers: Vec<u32>, cpus: Vec<u32>, before: Offset) -> Self {
        Self { users, workers, cpus, before, ..Self::default() }
    }

    fn saw(&mut self, phases: &[Phase], part: &Part) {
        let Some(phase) = part.phase else { return };
        if phase == 0 {
            self.began = Some(self.began.map_or(part.from, |began| began.min(part.from)));
        }
        if phases[phase].kind == PhaseKind::Measure {
            part.tally.operations.values().for_each(|operation| self.latency.merge(&operation.latency));
        }
    }
}

impl Beside for Leader<'_> {
    fn own(&self) -> &Own {
        &self.own
    }

    fn meet(&mut self, course: &Course) -> Vec<Part> {
        let parts = self.hear(course);
        self.watch(course);
        self.end_phases(course);
        self.pass_on(course);
        parts
    }

    fn start(&mut self, is_ready: bool) -> Option<Nanos> {
        if !is_ready || !self.ranks[1..].iter().all(|rank| rank.is_ready || rank.users == 0) {
            return None;
        }
        let start = Nanos(clock::now().0 + RUN_UP.0);
        for rank in self.under_way() {
            self.peers.port.send(rank, &Message::Start(self.peers.clock(rank).there(start)));
        }
        self.start = Some(start);
        Some(start)
    }

    fn have_all_left(&mut self, own: bool) -> bool {
        own && self.ranks[1..].iter().all(|rank| rank.has_left || rank.users == 0)
    }

    fn counted(&mut self, part: &Part) {
        self.ranks[0].saw(&self.phases, part);
    }

    fn is_over(&self) -> bool {
        self.ranks[1..].iter().all(|rank| rank.is_over)
    }
}
