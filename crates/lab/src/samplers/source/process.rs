//! Whom sources read: the process of a server, which may become another while a run goes on, and the threads of the
//! load.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of a server's process, which is another when the server was started again.
#[derive(Clone, Debug)]
pub struct Process(Arc<AtomicU32>);

impl Process {
    pub fn of(pid: u32) -> Self {
        Self(Arc::new(AtomicU32::new(pid)))
    }
    pub fn set(&self, pid: u32) {
        self.0.store(pid, SeqCst);
    }
    pub(crate) fn pid(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

/// The thread ids of the load's workers, set when they are known.
#[derive(Clone, Debug, Default)]
pub struct Workers(Arc<Mutex<Vec<u32>>>);

impl Workers {
    pub fn set(&self, threads: Vec<u32>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = threads;
    }
    pub(crate) fn get(&self) -> Vec<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
