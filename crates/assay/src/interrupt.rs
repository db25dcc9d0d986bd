//! Ctrl-C and SIGTERM become a flag that the lab looks at; a second Ctrl-C ends the process at once, which the record
//! survives as it survives `kill -9`.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag unset and only sets it, the second ends the process.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&flag))
            .expect("SIGINT and SIGTERM can be handled");
        signal_hook::flag::register(signal, Arc::clone(&flag)).expect("SIGINT and SIGTERM can be handled");
    }
    flag
}
