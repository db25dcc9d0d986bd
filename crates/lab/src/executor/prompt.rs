//! Being woken at once: a worker whose users wait for moments asks the kernel for real-time scheduling, the lowest of
//! it, because a server that shares its CPUs otherwise keeps it from the CPU for milliseconds and every late wake-up is
//! in somebody's latency. A worker that only waits for answers does not ask: there, running before the server's threads
//! would make its batches small and the server slow. Where it is not permitted (without CAP_SYS_NICE, with
//! RLIMIT_RTPRIO at zero) the worker stays as it is; which of both it was belongs in the record. Declared here because
//! rustix leaves it to the C library.

use std::ffi::c_int;

const SCHED_RR: c_int = 2;

/// A real-time priority from 1 to 99: above every ordinary thread and below everything else.
static LEAST: c_int = 1;

unsafe extern "C" {
    /// sched_setscheduler(2); `struct sched_param` is one int.
    fn sched_setscheduler(thread: c_int, policy: c_int, priority: *const c_int) -> c_int;
}

/// Asks for the calling thread; whether it was granted.
pub fn ask() -> bool {
    // SAFETY: thread 0 is the calling one, and the pointer is to a static.
    unsafe { sched_setscheduler(0, SCHED_RR, &raw const LEAST) == 0 }
}
