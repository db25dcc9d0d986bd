//! Hot path: fetches what a task will touch into the cache while the tasks before it are polled. With a thousand users
//! the state of one lies in forty lines that the users between two of its turns have pushed out of the nearest caches;
//! reading them one after the other was most of what a statement cost this program. Whoever keeps such state says where
//! it lies: a whole task would be too much, as fetching what is not read pushes out what is. `unsafe` is the
//! instruction's; it reads nothing and cannot fail, whatever the address, so what is registered here may be freed at
//! any time.

use super::task::TaskId;
use workload::user::Memory;

/// How many turns ahead memory is fetched: one turn lasts longer than memory takes, and two do when it is busy.
const AHEAD: usize = 2;

const LINE_BYTES: usize = 64;

/// What a task touches in each of its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Task,
    /// What the task awaits, where that is a box of its own.
    Life,
    /// Its session and its seat.
    Place,
    Buffers,
    Request,
    /// The statements that its session has prepared.
    Statements,
    /// What its user draws, and from what.
    Drawn(Drawn),
}

/// As many as complete a line of `Places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    First,
    Second,
}

const PARTS: usize = 8;

/// Where one task's memory lies.
#[repr(align(64))]
#[derive(Clone, Copy, Default)]
struct Places([Piece; PARTS]);

/// The address of its first line, and in the bits that an address of a line leaves free the number of those that
/// follow; zero where nothing is known.
#[derive(Clone, Copy, Default)]
struct Piece(usize);

/// By `TaskId`.
#[derive(Default)]
pub struct Near(Vec<Places>);

impl Near {
    /// Says where a part of this task lies from now on.
    pub fn set(&mut self, task: TaskId, part: Part, memory: Memory) {
        let task = task.0 as usize;
        if self.0.len() <= task {
            self.0.resize(task + 1, Places::default());
        }
        self.0[task].0[part.place()] = Piece::of(memory);
    }

    /// Asks for the memory of the task that is `AHEAD` in this turn, and for where that of those behind it lies.
    #[inline]
    pub fn fetch(&self, turn: &[TaskId], at: usize) {
        if let Some(places) = turn.get(at + 2 * AHEAD).and_then(|id| self.0.get(id.0 as usize)) {
            fetch_line(std::ptr::from_ref(places).cast());
        }
        let Some(places) = turn.get(at + AHEAD).and_then(|id| self.0.get(id.0 as usize)) else { return };
        for Piece(piece) in places.0.into_iter().filter(|piece| piece.0 != 0) {
            let first = std::ptr::without_provenance::<u8>(piece & !(LINE_BYTES - 1));
            for line in 0..=piece % LINE_BYTES {
                fetch_line(first.wrapping_add(line * LINE_BYTES));
            }
        }
    }
}

impl Part {
    fn place(self) -> usize {
        match self {
            Self::Task => 0,
            Self::Life => 1,
            Self::Place => 2,
            Self::Buffers => 3,
            Self::Request => 4,
            Self::Statements => 5,
            Self::Drawn(Drawn::First) => 6,
            Self::Drawn(Drawn::Second) => 7,
        }
    }
}

impl Piece {
    fn of(memory: Memory) -> Self {
        if memory.bytes == 0 {
            return Self(0);
        }
        let before = memory.at % LINE_BYTES;
        let following = (before + memory.bytes - 1) / LINE_BYTES;
        Self((memory.at - before) | following.min(LINE_BYTES - 1))
    }
}

#[inline]
fn fetch_line(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint to the processor; an address that cannot be read is ignored.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_every_line_that_its_memory_lies_in_and_no_other() {
        let piece = |at, bytes| Piece::of(Memory { at, bytes }).0;
        assert_eq!(piece(6400, 0), 0);
        assert_eq!(piece(6400, 64), 6400);
        assert_eq!(piece(6400, 65), 6400 | 1);
        assert_eq!(piece(6463, 2), 6400 | 1);
        assert_eq!(piece(6410, 1 << 20), 6400 | 63);
    }
}
