//! A rank other than 0 among the conductors of one load: it begins when it is told to, says what it counted and when
//! its part of a phase by count has ended, and stops when it is told to, or when the leader falls silent.

use super::beside::{Beside, Own};
use super::course::Course;
use crate::os::clock;
use crate::ranks::message::{Message, Part};
use crate::ranks::{BEAT, Port};
use model::Nanos;
use model::load::Until;

/// A thread of the leader's beats whatever the others do: one that is silent for so long is gone, and its server with
/// it. Three times what a rank is given, because without the leader all is over.
pub const FORSAKEN: Nanos = Nanos::from_secs(15);

pub struct Follower<'p> {
    port: &'p Port,
    own: Own,
    has_said_ready: bool,
    has_said_left: bool,
    has_said_failed: bool,
    start: Option<Nanos>,
    /// By phase: the end of this rank's part was said.
    finished: Vec<bool>,
    next_beat: Nanos,
    heard: Nanos,
    is_told_to_stop: bool,
    /// The leader was silent for too long.
    pub is_forsaken: bool,
}

impl<'p> Follower<'p> {
    pub fn new(port: &'p Port, own: Own, phases: usize) -> Self {
        Self {
            port,
            own,
            has_said_ready: false,
            has_said_left: false,
            has_said_failed: false,
            start: None,
            finished: vec![false; phases],
            next_beat: Nanos(0),
            heard: clock::now(),
            is_told_to_stop: false,
            is_forsaken: false,
        }
    }

    pub fn has_said_failed(&self) -> bool {
        self.has_said_failed
    }

    fn say(&self, message: &Message) {
        self.port.send(0, message);
    }

    fn hear(&mut self, course: &Course) {
        while let Some((_, message)) = self.port.receive() {
            self.heard = clock::now();
            match message {
                Message::Start(at) => self.start = Some(at),
                Message::PhaseOver(phase, at) => course.end_phase(phase, at),
                Message::Stop | Message::Over => {
                    self.is_told_to_stop = true;
                    course.stop();
                }
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
                | Message::Ready
                | Message::Finished(..)
                | Message::Counted(_)
                | Message::Left
                | Message::Failed(..)
                | Message::Ended(_) => {}
            }
        }
    }
}

impl Beside for Follower<'_> {
    fn own(&self) -> &Own {
        &self.own
    }

    fn meet(&mut self, course: &Course) -> Vec<Part> {
        self.hear(course);
        let now = clock::now();
        if now.0 > self.heard.0 + FORSAKEN.0 {
            self.is_forsaken = true;
            course.fail(format!("rank 0 has not been heard of for {FORSAKEN}"));
        }
        if course.stopped() && !self.is_told_to_stop && !self.has_said_failed {
            self.has_said_failed = true;
            let why = course.failure().map(|(_, why)| why);
            self.say(&Message::Failed(why.clone().unwrap_or_default(), why.is_none()));
        }
        for (phase, is_said) in self.finished.iter_mut().enumerate() {
            let is_by_count = matches!(course.phases()[phase].until, Until::Count(_));
            if let Some(at) = course.own_end_of(phase).filter(|_| is_by_count && !*is_said) {
                *is_said = true;
                self.port.send(0, &Message::Finished(phase, at));
            }
        }
        if now >= self.next_beat {
            self.next_beat = Nanos(now.0 + BEAT.0);
            self.say(&Message::Beat);
        }
        Vec::new()
    }

    fn start(&mut self, is_ready: bool) -> Option<Nanos> {
        if is_ready && !self.has_said_ready {
            self.has_said_ready = true;
            self.say(&Message::Ready);
        }
        self.start
    }

    fn have_all_left(&mut self, own: bool) -> bool {
        if own && !self.has_said_left {
            self.has_said_left = true;
            self.say(&Message::Left);
        }
        // The leader says when nobody is left.
        false
    }

    fn counted(&mut self, part: &Part) {
        self.say(&Message::Counted(Box::new(part.clone())));
    }

    fn is_over(&self) -> bool {
        true
    }
}
