//! Ranks that are threads of one process, over channels: how everything above a message is tried without MPI.

use super::Ranks;
use std::sync::mpsc::{Receiver, Sender, channel};

pub struct Within {
    rank: u32,
    all: Vec<Sender<(u32, Vec<u8>)>>,
    arrived: Receiver<(u32, Vec<u8>)>,
}

impl Within {
    /// So many ranks; each is for a thread of its own.
    pub fn together(size: u32) -> Vec<Self> {
        let (all, arrived): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        (0..).zip(arrived).map(|(rank, arrived)| Self { rank, all: all.clone(), arrived }).collect()
    }
}

impl Ranks for Within {
    fn rank(&self) -> u32 {
        self.rank
    }
    fn size(&self) -> u32 {
        self.all.len() as u32
    }
    fn send(&mut self, to: u32, bytes: &[u8]) {
        // One that has ended hears nothing any more, as over a network.
        let _ = self.all[to as usize].send((self.rank, bytes.to_vec()));
    }
    fn receive(&mut self) -> Option<(u32, Vec<u8>)> {
        self.arrived.try_recv().ok()
    }
    fn abort(&mut self, _: i32) {}
}
