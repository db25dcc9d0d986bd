//! Hot path: fetches what a task will touch into the cache while the tasks before it are polled. With a thousand users the state
//! of one lies in thirty places that the users between two of its turns have pushed out of the nearest cache; reading them one
//! after the other was most of what a statement cost this program. `unsafe` is the instruction's; it reads nothing and
//! cannot fail, whatever the address, so what is registered here may be freed at any time.

use super::reactor::TaskId;

/// How many turns ahead memory is fetched: one turn lasts longer than memory takes, and two do when it is busy.
const AHEAD: usize = 2;

/// Pieces of memory per task, which fill a line of the cache: the future, what it waits in, its buffers, its request.
const PIECES: usize = 4;
const LINE_BYTES: usize = 64;

/// Of one piece: a future that is larger keeps most of it for what it seldom does.
const MOST_LINES: usize = 64;

/// Where one task's memory lies.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Places([Piece; PIECES]);

#[derive(Clone, Copy)]
struct Piece {
    at: *const u8,
    lines: usize,
}

/// By `TaskId`.
#[derive(Default)]
pub struct Near(Vec<Places>);

impl Near {
    /// Adds what this task touches in each of its turns. What finds no room is read when it is needed.
    pub fn add<T: ?Sized>(&mut self, task: TaskId, value: &T) {
        let task = task.0 as usize;
        if self.0.len() <= task {
            self.0.resize(task + 1, Places([Piece { at: std::ptr::null(), lines: 0 }; PIECES]));
        }
        if let Some(free) = self.0[task].0.iter_mut().find(|piece| piece.lines == 0) {
            let at = std::ptr::from_ref(value).cast::<u8>();
            let before = at.addr() % LINE_BYTES;
            *free = Piece { at, lines: (before + size_of_val(value)).div_ceil(LINE_BYTES).min(MOST_LINES) };
        }
    }

    /// Asks for the memory of the task that is `AHEAD` in this turn, and for where that of those behind it lies.
    #[inline]
    pub fn fetch(&self, turn: &[TaskId], at: usize) {
        if let Some(places) = turn.get(at + 2 * AHEAD).and_then(|id| self.0.get(id.0 as usize)) {
            fetch_line(std::ptr::from_ref(places).cast());
        }
        let Some(places) = turn.get(at + AHEAD).and_then(|id| self.0.get(id.0 as usize)) else { return };
        for piece in places.0 {
            for line in 0..piece.lines {
                fetch_line(piece.at.wrapping_add(line * LINE_BYTES));
            }
        }
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
