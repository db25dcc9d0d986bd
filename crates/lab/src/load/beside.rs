//! What a conductor has with those of other ranks: which of the load's workers run here, a start that all take, the
//! end of phases by count, and the end. A load of one process has none of it. Called by the conductor's thread between
//! its looks, never by a worker.

use super::Outcome;
use super::course::Course;
use crate::os::clock;
use crate::ranks::machine::{self, Look};
use crate::ranks::message::{Part, PartEnd};
use model::Nanos;

/// This rank's part of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// The workers that run here, by their number among those of all ranks.
    pub workers: Vec<u32>,
    /// Which of how many ranks with users this one is: what users with a thread each share is dealt among those.
    pub share: (u32, u32),
}

pub trait Beside {
    fn own(&self) -> &Own;
    /// Called often: hears what the others say, and says what they wait for. What other ranks counted comes back.
    fn meet(&mut self, course: &Course) -> Vec<Part>;
    /// When the first phase begins here, once that is agreed; `is_ready`: all users of this rank are.
    fn start(&mut self, is_ready: bool) -> Option<Nanos>;
    /// Whether no user of any rank is left; `own`: none of this one.
    fn have_all_left(&mut self, own: bool) -> bool;
    /// This rank counted something.
    fn counted(&mut self, part: &Part);
    /// Whether nothing more is to be heard, now that this rank's workers have ended.
    fn is_over(&self) -> bool;
}

/// What a part came to that was begun then, its machine being so.
pub fn part_end(outcome: &Outcome, begun: Nanos, before: Look) -> PartEnd {
    let after = machine::look();
    PartEnd {
        worker_cpu: outcome.worker_cpu,
        busiest: outcome.busiest_worker,
        io: outcome.io.clone(),
        scheduling: outcome.scheduling.clone(),
        timer_error: outcome.timer_error.clone(),
        lived: Nanos(clock::now().0 - begun.0),
        stolen: after.stolen_since(before),
        traffic: after.traffic_since(before),
        interface: None,
    }
}

/// Deals a load's workers to ranks, one each in turn, as far as each has room.
pub fn deal(room: &[u32], workers: u32) -> Vec<Vec<u32>> {
    let mut dealt: Vec<Vec<u32>> = vec![Vec::new(); room.len()];
    let rounds = room.iter().copied().max().unwrap_or(0);
    let seats = (0..rounds).flat_map(|round| (0..room.len()).filter(move |rank| room[*rank] > round));
    for (worker, rank) in (0..workers).zip(seats) {
        dealt[rank].push(worker);
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::deal;

    #[test]
    fn workers_are_dealt_in_turn_and_none_beyond_its_room() {
        assert_eq!(deal(&[1, 1, 1], 3), [[0], [1], [2]]);
        assert_eq!(deal(&[2, 4, 1], 7), [vec![0, 3], vec![1, 4, 5, 6], vec![2]]);
        assert_eq!(deal(&[2, 2], 1), [vec![0], vec![]], "fewer users than ranks leave one without");
        assert_eq!(deal(&[9, 9, 9], 7), [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
    }
}
