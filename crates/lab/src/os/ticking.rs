//! A thread that does something every so often, until it is dropped; then it is over, so that whatever it held is free.
//! What all such threads of this process take of its CPUs is counted, because they work beside what is measured.

use super::clock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

static SPENT: AtomicU64 = AtomicU64::new(0);

/// CPU time of them all until now, in nanoseconds; of each until its last tick.
pub(crate) fn spent() -> u64 {
    SPENT.load(Relaxed)
}

pub(crate) struct Ticking {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    /// `None` where the system gave none: nothing is done then.
    thread: Option<JoinHandle<()>>,
}

impl Ticking {
    /// `make` is called in that thread, and what it makes once in each such time.
    pub fn begin<T: FnMut()>(name: &str, every: Duration, make: impl FnOnce() -> T + Send + 'static) -> Self {
        let (end, ended) = channel::<()>();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            let (mut tick, mut before) = (make(), 0);
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                tick();
                let now = clock::of_this_thread().0;
                SPENT.fetch_add(now - before, Relaxed);
                before = now;
            }
        });
        Self { end: Some(end), thread: thread.ok() }
    }

    pub fn is_under_way(&self) -> bool {
        self.thread.is_some()
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
