//! Hot path: a signal for the calling thread every `TICK`, which ends whatever receive it blocks in, so that the thread
//! looks at its timers and deadlines. The socket's own time-out would do the same, and makes the kernel set and take
//! back a timer at each receive: 0.8 µs of 3.6 per point select with two users, as much as the rest of what assay adds
//! to the floor (docs/performance.md). Declared with the C library's words, because rustix leaves both to it.

use super::task::TICK;
use std::ffi::c_int;
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

/// Nobody else uses it: by itself it is ignored, so one that comes late harms nobody.
const SIGNAL: c_int = libc::SIGURG;

/// A timer of the kernel's for the thread that made it.
pub struct Tick(libc::timer_t);

/// That the signal came is all that it has to say.
extern "C" fn heard(_: c_int) {}

impl Tick {
    pub fn of_this_thread() -> io::Result<Self> {
        // SAFETY: zero is a valid value of each of these structures; the handler does nothing and touches nothing; the
        // pointers are to structures that outlive the calls.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            // Without SA_RESTART: the receive is to end.
            action.sa_sigaction = heard as *const () as usize;
            if libc::sigaction(SIGNAL, &raw const action, null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            let mut event: libc::sigevent = zeroed();
            (event.sigev_notify, event.sigev_signo) = (libc::SIGEV_THREAD_ID, SIGNAL);
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer = null_mut();
            if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) != 0 {
                return Err(io::Error::last_os_error());
            }
            let tick = Self(timer);
            let every = libc::timespec { tv_sec: 0, tv_nsec: TICK.0 as libc::c_long };
            let times = libc::itimerspec { it_interval: every, it_value: every };
            if libc::timer_settime(tick.0, 0, &raw const times, null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(tick)
        }
    }
}

impl Drop for Tick {
    fn drop(&mut self) {
        // SAFETY: the timer was made by this one and is deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}
