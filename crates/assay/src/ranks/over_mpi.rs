//! Ranks over MPI. A message goes in pieces that every implementation sends at once, whole, without asking its
//! receiver: a larger one would wait for a process that may have been killed or stopped in the midst of it, and so
//! would whoever receives it. Sends are buffered for the same reason. One thread speaks at a time. Where MPI waits all
//! the same, for all others at its beginning and at its end, and for room in a memory that is shared with a process
//! that was stopped, a `Watch` ends this one.

use super::watch::Watch;
use lab::load::follower::FORSAKEN;
use lab::ranks::Ranks;
use lab::ranks::peers::GATHERING;
use model::Nanos;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};
use std::collections::BTreeMap;

/// Below the smallest size from which on an implementation asks first: 4 KiB of Open MPI's shared memory, with its
/// header.
const PIECE: usize = 2048;
/// Room for what was sent and not yet taken: the tallies of many seconds.
const ROOM: usize = 64 << 20;
/// Ranks that have nothing left to do end within milliseconds of each other.
const FAREWELL: Nanos = Nanos::from_secs(10);
/// The first byte of a piece.
const MORE: u8 = 0;
const LAST: u8 = 1;

pub struct OverMpi {
    /// By sender, what has come of a message.
    begun: BTreeMap<i32, Vec<u8>>,
    /// With it MPI ends.
    universe: Option<Universe>,
    watch: Watch,
}

impl OverMpi {
    pub fn begin() -> Result<Self, &'static str> {
        let watch = Watch::begin();
        let _within = watch.enter(GATHERING);
        let (mut universe, had) =
            mpi::initialize_with_threading(Threading::Serialized).ok_or("MPI was begun already in this process")?;
        if !matches!(had, Threading::Serialized | Threading::Multiple) {
            return Err("this MPI was built for processes of one thread, and two of assay's have to speak");
        }
        universe.set_buffer_size(ROOM);
        Ok(Self { begun: BTreeMap::new(), universe: Some(universe), watch })
    }
}

impl Ranks for OverMpi {
    fn rank(&self) -> u32 {
        SimpleCommunicator::world().rank() as u32
    }

    fn size(&self) -> u32 {
        SimpleCommunicator::world().size() as u32
    }

    fn send(&mut self, to: u32, bytes: &[u8]) {
        let _within = self.watch.enter(FORSAKEN);
        let world = SimpleCommunicator::world();
        let to = world.process_at_rank(to as i32);
        let pieces = bytes.chunks(PIECE).count();
        for (number, piece) in (1..).zip(bytes.chunks(PIECE)) {
            let mut framed = Vec::with_capacity(1 + piece.len());
            framed.push(if number == pieces { LAST } else { MORE });
            framed.extend_from_slice(piece);
            to.buffered_send(&framed[..]);
        }
    }

    fn receive(&mut self) -> Option<(u32, Vec<u8>)> {
        let world = SimpleCommunicator::world();
        loop {
            let (piece, status) = world.any_process().immediate_matched_probe()?.matched_receive_vec::<u8>();
            let from = status.source_rank();
            let begun = self.begun.entry(from).or_default();
            let (kind, bytes) = piece.split_first()?;
            begun.extend_from_slice(bytes);
            if *kind == LAST {
                return Some((from as u32, std::mem::take(begun)));
            }
        }
    }

    fn abort(&mut self, status: i32) {
        SimpleCommunicator::world().abort(status)
    }
}

impl Drop for OverMpi {
    fn drop(&mut self) {
        let _within = self.watch.enter(FAREWELL);
        drop(self.universe.take());
    }
}
