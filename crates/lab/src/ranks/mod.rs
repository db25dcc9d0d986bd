//! Several processes as one load: what a rank must be able to do (`Ranks`), what they say to each other, and how far
//! apart their clocks are. MPI is one way to be ranks and lives with the command line, so that this room builds
//! without it; channels within one process are the other, for tests. Nothing here lies on the path of an operation:
//! the conductor of each rank's load speaks, a few times a second.

pub mod clock;
pub mod hello;
pub mod machine;
pub mod message;
pub mod peers;
pub mod within;

use crate::os::ticking::Ticking;
use message::Message;
use model::Nanos;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// How often ranks say that they are there.
pub const BEAT: Nanos = Nanos::from_millis(200);

/// One process among those of a load, numbered from 0; 0 leads.
pub trait Ranks: Send {
    fn rank(&self) -> u32;
    fn size(&self) -> u32;
    /// Hands the bytes over and waits for nobody.
    fn send(&mut self, to: u32, bytes: &[u8]);
    /// The next that has arrived, in its sender's order; waits for nobody.
    fn receive(&mut self) -> Option<(u32, Vec<u8>)>;
    /// Ends all ranks at once, this one too, with that exit status: some no longer answer.
    fn abort(&mut self, status: i32);
}

/// Messages over ranks; lent to whoever has to speak, one at a time.
pub struct Port(Arc<Mutex<Box<dyn Ranks>>>);

impl Port {
    pub fn new(ranks: Box<dyn Ranks>) -> Self {
        Self(Arc::new(Mutex::new(ranks)))
    }
    fn ranks(&self) -> MutexGuard<'_, Box<dyn Ranks>> {
        self.0.lock().expect("nobody panics with it")
    }
    pub fn rank(&self) -> u32 {
        self.ranks().rank()
    }
    pub fn size(&self) -> u32 {
        self.ranks().size()
    }
    /// Says to all others that this process is there, whatever its other threads do, until what comes back is dropped.
    pub(crate) fn beat(&self) -> Ticking {
        let port = Self(Arc::clone(&self.0));
        Ticking::begin("beat", Duration::from_nanos(BEAT.0), || move || port.tell_all(&Message::Beat))
    }
    /// The other ranks.
    pub fn others(&self) -> impl Iterator<Item = u32> + use<> {
        let own = self.rank();
        (0..self.size()).filter(move |rank| *rank != own)
    }
    pub fn send(&self, to: u32, message: &Message) {
        let bytes = serde_json::to_vec(message).expect("a message is JSON");
        self.ranks().send(to, &bytes);
    }
    pub fn tell_all(&self, message: &Message) {
        self.others().for_each(|rank| self.send(rank, message));
    }
    /// What none of us would say is dropped: all ranks are one binary, which was compared before.
    pub fn receive(&self) -> Option<(u32, Message)> {
        loop {
            let (from, bytes) = self.ranks().receive()?;
            if let Ok(message) = serde_json::from_slice(&bytes) {
                return Some((from, message));
            }
        }
    }
    pub fn abort(&self, status: i32) {
        self.ranks().abort(status);
    }
}
