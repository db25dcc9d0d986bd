//! A bound on what may wait without one: a thread that ends this process, with a word, when a call has not come back in
//! time. A launcher that sees a rank end so ends all others, those too that were stopped.

use crate::exit::Exit;
use model::Nanos;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked: no bound is shorter than ten of these.
const LOOK: Duration = Duration::from_secs(1);

/// Since when a call has been under way, and how long it may take.
type Call = Option<(Instant, Nanos)>;

pub struct Watch(Arc<Mutex<Call>>);

impl Watch {
    pub fn begin() -> Self {
        let call: Arc<Mutex<Call>> = Arc::default();
        let seen = call.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(LOOK);
                let Some((since, most)) = *seen.lock().expect("nobody panics with it") else { continue };
                if since.elapsed().as_nanos() > u128::from(most.0) {
                    eprintln!(
                        "assay: another rank has not answered for {most}, stopped or cut off: this one ends, and the \
                         launcher ends it. What was measured is in the record."
                    );
                    std::process::exit(Exit::WorldFailed as i32);
                }
            }
        });
        Self(call)
    }

    /// Until what comes back is dropped, the call may take so long.
    pub fn enter(&self, most: Nanos) -> Within {
        *self.0.lock().expect("nobody panics with it") = Some((Instant::now(), most));
        Within(self.0.clone())
    }
}

pub struct Within(Arc<Mutex<Call>>);

impl Drop for Within {
    fn drop(&mut self) {
        *self.0.lock().expect("nobody panics with it") = None;
    }
}
