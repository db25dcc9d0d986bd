//! What ranks say to each other. Moments are on the leader's clock wherever the leader hears or says them; a rank
//! converts nothing, because only the leader knows how far apart the clocks are.

use super::hello::Hello;
use model::record::ranks::{Interface, Traffic};
use model::record::way::Trips;
use model::{Histogram, Nanos, Plan, Share, Tally};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// To the leader, once: who I am.
    Hello(Box<Hello>),
    /// To each rank, once: this is what is measured.
    Welcome(Box<Plan>),
    /// To each rank: we do not go together, and why.
    Refused(String),
    /// To each rank: look at nothing else now, pings follow. Ends with the next order, or with `AtEase`.
    Attend,
    AtEase,
    Ping(u32),
    /// The rank's own clock, unconverted.
    Pong(u32, Nanos),
    /// To each rank: one load, as bytes of whoever knows what a load is.
    Order(String),
    /// To each rank: take the floor of your way to the server of this load.
    Floor(String),
    /// To the leader: that floor, or why it could not be taken.
    Trips(Result<Trips, String>),
    /// To the leader: my users are ready.
    Ready,
    /// To each rank: the first phase begins then, on the rank's own clock.
    Start(Nanos),
    /// To the leader: my part of a phase by count ended then, on my clock.
    Finished(usize, Nanos),
    /// To each rank: the phase by count has ended for all then, on the rank's clock.
    PhaseOver(usize, Nanos),
    /// To the leader: what one worker counted.
    Counted(Box<Part>),
    /// To the leader: all my users left by themselves.
    Left,
    /// To the leader: my part cannot go on, and why; the flag says that I was told to stop.
    Failed(String, bool),
    /// To each rank: end your part.
    Stop,
    /// To the leader: my part is over.
    Ended(Box<PartEnd>),
    /// I am there.
    Beat,
    /// To each rank: all is measured.
    Over,
}

/// What one worker's group counted in one interval; moments on its own clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    pub user_group: usize,
    pub phase: Option<usize>,
    pub from: Nanos,
    pub to: Nanos,
    pub questions: u64,
    pub rows: u64,
    pub tally: Tally,
}

/// How a rank's part of a load ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PartEnd {
    pub worker_cpu: Nanos,
    /// The busiest worker's CPU.
    pub busiest: Nanos,
    pub io: String,
    pub scheduling: String,
    pub timer_error: Histogram,
    /// From before the first of its users connected until the last had left.
    pub lived: Nanos,
    /// CPU time of its machine that other machines took meanwhile.
    pub stolen: Option<Share>,
    /// What went over the network cards of its machine meanwhile.
    pub traffic: Option<Traffic>,
    /// What carries its way to the server.
    pub interface: Option<Interface>,
}
