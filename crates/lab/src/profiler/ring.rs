//! One event, and the ring through which the kernel hands over its records. `unsafe` here: a system call
//! without a safe wrapper, and memory shared with the kernel. What is asked, and what records mean, is in `events`.

use perf_event_open_sys::bindings::{
    PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING, perf_event_attr, perf_event_mmap_page,
};
use perf_event_open_sys::ioctls;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{null_mut, slice_from_raw_parts};
use std::sync::atomic::{AtomicU64, Ordering};

/// What counts an event of a thread and of those that it begins, as three words: the count, the time in which it was
/// wanted, and that in which it was counted.
pub fn counting(class: u32, config: u32) -> perf_event_attr {
    let mut attributes = perf_event_attr { type_: class, config: u64::from(config), ..perf_event_attr::default() };
    attributes.read_format = u64::from(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    attributes.set_inherit(1);
    attributes
}

/// Asks for an event of a thread on a CPU; −1 stands for any of them.
pub fn event(mut attributes: perf_event_attr, thread: i32, cpu: i32) -> io::Result<OwnedFd> {
    const CLOEXEC: u64 = 8;
    attributes.size = size_of::<perf_event_attr>() as u32;
    // SAFETY: the attributes live through the call, which keeps nothing of them.
    let fd = unsafe { perf_event_open_sys::perf_event_open(&mut attributes, thread, cpu, -1, CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave it to us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

pub struct Ring {
    memory: *mut u8,
    size: usize,
    page: usize,
    event: OwnedFd,
}

// SAFETY: the memory belongs to the ring alone on our side, and `drain` takes it mutably.
unsafe impl Send for Ring {}

impl Ring {
    /// Asks for the event on that CPU; its records have so many bytes (a power of two) of room.
    pub fn open(attributes: perf_event_attr, cpu: u32, size: usize) -> io::Result<Self> {
        let event = event(attributes, -1, i32::try_from(cpu).expect("CPUs are few"))?;
        let page = rustix::param::page_size();
        // SAFETY: a new mapping at a place of the kernel's choice.
        let memory =
            unsafe { mmap(null_mut(), page + size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &event, 0)? };
        Ok(Self { memory: memory.cast(), size, page, event })
    }

    /// From now on every so many events are a sample. Where the kernel refuses that, they stay what they were.
    pub fn set_period(&self, period: u64) {
        // SAFETY: the kernel reads one word at that address during the call.
        let _ = unsafe { ioctls::PERIOD(self.event.as_raw_fd(), &raw const period as u64) };
    }

    /// Hands over the records that came since the last time, each with its header.
    pub fn drain(&mut self, mut take: impl FnMut(&[u8])) {
        let header = self.memory.cast::<perf_event_mmap_page>();
        // SAFETY: the first page is this structure as long as the mapping lives; the kernel writes `data_head` while we
        // read it, and reads `data_tail` while we write it: both as whole words, hence atomics.
        let (head, tail) = unsafe {
            (AtomicU64::from_ptr(&raw mut (*header).data_head), AtomicU64::from_ptr(&raw mut (*header).data_tail))
        };
        let (end, mut at) = (head.load(Ordering::Acquire), tail.load(Ordering::Relaxed));
        let mut record = Vec::with_capacity(usize::from(u16::MAX));
        while at < end {
            self.copy(at, 8, &mut record);
            let length = usize::from(u16::from_ne_bytes([record[6], record[7]]));
            if length < 8 {
                break;
            }
            self.copy(at, length, &mut record);
            at += length as u64;
            take(&record);
        }
        tail.store(end, Ordering::Release);
    }

    /// Bytes of the ring, which ends somewhere within.
    fn copy(&self, at: u64, length: usize, into: &mut Vec<u8>) {
        let from = (at % self.size as u64) as usize;
        let first = length.min(self.size - from);
        into.clear();
        for (from, length) in [(from, first), (0, length - first)] {
            // SAFETY: within the mapping behind its first page; the kernel does not write between tail and head.
            into.extend_from_slice(unsafe { &*slice_from_raw_parts(self.memory.add(self.page + from), length) });
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this length, and used by nobody any more.
        let _ = unsafe { munmap(self.memory.cast(), self.page + self.size) };
    }
}
