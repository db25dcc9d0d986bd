//! Scripts are other people's programs, and may never come to an end by themselves: whoever works with one has somebody
//! beside it who interrupts it when it does not heed that it is to stop.

use crate::os::clock;
use model::units::Nanos;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// sysbench has no time-outs: a day is longer than any of its runs.
pub const DEADLINE: Nanos = Nanos::from_secs(24 * 60 * 60);
/// After being told to stop, a script has so long to ask for something; then it is interrupted where it is.
const PATIENCE: Nanos = Nanos::from_millis(1_000);
/// How often it is looked whether a command must end.
const LOOK: Duration = Duration::from_millis(20);

/// Notes when a stop was first seen, and says whether patience is over.
#[derive(Default)]
struct LastResort(Option<Nanos>);

impl LastResort {
    fn is_due(&mut self, is_stopping: bool) -> bool {
        is_stopping && clock::now().0 > self.0.get_or_insert_with(clock::now).0 + PATIENCE.0
    }
}

/// Does it with somebody beside it who interrupts a script that does not heed that it is to stop.
pub fn watched<T>(
    interrupt: &(dyn Fn() + Sync),
    is_stopping: &(dyn Fn() -> bool + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let (done, is_over) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut last_resort = LastResort::default();
            while is_over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if last_resort.is_due(is_stopping()) {
                    interrupt();
                }
            }
        });
        let end = work();
        drop(done);
        end
    })
}
