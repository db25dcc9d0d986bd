//! The queue at which the users of a group find the arrivals of an open load. Users of one worker share a cell; users
//! who have a thread each share a lock, which only they pay for.

use super::backlog::Backlog;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};

/// Users with a thread each share one, because an arrival that waited for one busy user beside idle ones would be this
/// program's delay.
pub enum Queue {
    Own(RefCell<Backlog>),
    Shared(Arc<Mutex<Backlog>>),
}

impl Queue {
    #[inline]
    pub fn with<T>(&self, act: impl FnOnce(&mut Backlog) -> T) -> T {
        match self {
            Self::Own(backlog) => act(&mut backlog.borrow_mut()),
            Self::Shared(backlog) => act(&mut backlog.lock().expect("no panic while held")),
        }
    }
}
