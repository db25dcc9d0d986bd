//! The kernel's samples: `perf_event_open(2)` for each CPU, and the rings through which it hands them over. Whole CPUs
//! are sampled and not the server's threads: the clock of a thread's event begins anew when the thread is scheduled and
//! never fires within 10 µs, so that a server of short turns would be seen only in its long ones. What else runs is
//! dropped by whoever reads. `unsafe` here: a system call without a safe wrapper, and memory shared with the kernel.

use perf_event_open_sys::bindings::{
    PERF_COUNT_SW_CPU_CLOCK, PERF_RECORD_LOST, PERF_RECORD_SAMPLE, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_REGS_USER,
    PERF_SAMPLE_STACK_USER, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_TYPE_SOFTWARE, perf_event_attr,
    perf_event_mmap_page,
};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr::{null_mut, slice_from_raw_parts};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a thread's stack that a sample carries; a deep query of these servers uses half of it.
const STACK: u32 = 32 << 10;
/// What surrounds the stack in a sample: identity, the kernel's frames, registers.
const AROUND: u64 = 1 << 10;
/// Sizes of a CPU's ring to try: the first is an eighth of a second at a thousand samples, the others are what an
/// account may lock that is not root.
const RINGS: [usize; 3] = [4 << 20, 512 << 10, 128 << 10];
/// What all rings have together; a large machine has smaller ones.
const MOST: usize = 512 << 20;
const CLOCK_MONOTONIC: i32 = 1;
/// Callchains carry marks between their parts, which lie above all addresses.
const MARKS: u64 = -4095_i64 as u64;

/// Registers of x86-64 as `asm/perf_regs.h` numbers them: bp, sp, ip, in the order in which they come.
const REGISTERS: u64 = 1 << 6 | 1 << 7 | 1 << 8;

/// Where a thread was; borrowed from the ring's copy.
#[derive(Debug, PartialEq)]
pub struct Sample<'a> {
    pub pid: u32,
    /// On the lab's clock.
    pub at: u64,
    /// In the kernel, the innermost first.
    pub kernel: Vec<u64>,
    /// bp, sp and ip outside of it; `None` for a thread of the kernel.
    pub registers: Option<[u64; 3]>,
    /// What lay above sp.
    pub stack: &'a [u8],
}

#[derive(Debug, PartialEq)]
pub enum Event<'a> {
    Sample(Sample<'a>),
    Lost(u64),
}

/// One ring per CPU.
pub struct Rings {
    rings: Vec<Ring>,
    size: usize,
    hz: u32,
}

struct Ring {
    memory: *mut u8,
    size: usize,
    page: usize,
    _event: OwnedFd,
}

// SAFETY: the memory belongs to the ring alone on our side, and `drain` takes it mutably.
unsafe impl Send for Ring {}

impl Rings {
    /// Begins to sample these CPUs; why that cannot be.
    pub fn open(cpus: &[u32], hz: u32) -> Result<Self, String> {
        let open =
            |size: usize| -> io::Result<Vec<Ring>> { cpus.iter().map(|cpu| Ring::open(*cpu, hz, size)).collect() };
        let mut refused = None;
        let [.., least] = RINGS;
        for size in RINGS.into_iter().filter(|size| size * cpus.len() <= MOST || *size == least) {
            match open(size) {
                Ok(rings) => return Ok(Self { rings, size, hz }),
                Err(error) => refused = Some(error),
            }
        }
        Err(refusal(&refused.expect("there are sizes"), paranoid()))
    }

    /// Hands over what came since the last time.
    pub fn drain(&mut self, mut take: impl FnMut(Event<'_>)) {
        for ring in &mut self.rings {
            ring.drain(&mut take);
        }
    }

    /// In so many nanoseconds a ring is a third full.
    pub fn patience(&self) -> u64 {
        self.size as u64 / (u64::from(STACK) + AROUND) * 1_000_000_000 / u64::from(self.hz) / 3
    }
}

impl Ring {
    fn open(cpu: u32, hz: u32, size: usize) -> io::Result<Self> {
        let mut attributes = perf_event_attr {
            type_: PERF_TYPE_SOFTWARE,
            size: size_of::<perf_event_attr>() as u32,
            config: u64::from(PERF_COUNT_SW_CPU_CLOCK),
            sample_type: u64::from(
                PERF_SAMPLE_TID
                    | PERF_SAMPLE_TIME
                    | PERF_SAMPLE_CALLCHAIN
                    | PERF_SAMPLE_REGS_USER
                    | PERF_SAMPLE_STACK_USER,
            ),
            sample_regs_user: REGISTERS,
            sample_stack_user: STACK,
            clockid: CLOCK_MONOTONIC,
            ..perf_event_attr::default()
        };
        attributes.__bindgen_anon_1.sample_period = 1_000_000_000 / u64::from(hz);
        attributes.set_use_clockid(1);
        attributes.set_exclude_idle(1);
        attributes.set_exclude_callchain_user(1);
        const CLOEXEC: u64 = 8;
        let cpu = i32::try_from(cpu).expect("CPUs are few");
        // SAFETY: the attributes live through the call, which keeps nothing of them.
        let fd = unsafe { perf_event_open_sys::perf_event_open(&mut attributes, -1, cpu, -1, CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just gave it to us.
        let event = unsafe { OwnedFd::from_raw_fd(fd) };
        let page = rustix::param::page_size();
        // SAFETY: a new mapping at a place of the kernel's choice.
        let memory =
            unsafe { mmap(null_mut(), page + size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &event, 0)? };
        Ok(Self { memory: memory.cast(), size, page, _event: event })
    }

    fn drain(&mut self, take: &mut impl FnMut(Event<'_>)) {
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
            if let Some(event) = parse(&record) {
                take(event);
            }
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

/// A record as `perf_event_open(2)` lays it out for what was asked; `None` for kinds that nobody asked for.
fn parse(record: &[u8]) -> Option<Event<'_>> {
    let mut rest = Words(record.get(8..)?);
    match u32::from_ne_bytes(record[..4].try_into().ok()?) {
        PERF_RECORD_LOST => {
            rest.next()?;
            Some(Event::Lost(rest.next()?))
        }
        PERF_RECORD_SAMPLE => {
            let pid = rest.next()? as u32;
            let at = rest.next()?;
            let mut kernel = Vec::new();
            for _ in 0..rest.next()? {
                kernel.extend(Some(rest.next()?).filter(|address| *address < MARKS));
            }
            let registers = match rest.next()? {
                0 => None,
                _ => Some([rest.next()?, rest.next()?, rest.next()?]),
            };
            let size = usize::try_from(rest.next()?).ok()?;
            let mut stack = rest.0.get(..size)?;
            if size > 0 {
                rest.0 = &rest.0[size..];
                stack = &stack[..usize::try_from(rest.next()?).ok()?.min(size)];
            }
            Some(Event::Sample(Sample { pid, at, kernel, registers, stack }))
        }
        _ => None,
    }
}

struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*word))
    }
}

/// The kernel's own word on who may sample.
fn paranoid() -> Option<i64> {
    fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// Why nothing can be sampled, and what would mend it.
fn refusal(error: &io::Error, paranoid: Option<i64>) -> String {
    const SYSCTL: &str = "run as root, give the program CAP_PERFMON, or set `sysctl kernel.perf_event_paranoid=0`";
    match (error.kind(), error.raw_os_error().map(rustix::io::Errno::from_raw_os_error), paranoid) {
        (_, Some(rustix::io::Errno::NOSYS), _) | (_, _, None) => {
            format!("no profile: this kernel has no perf_event_open ({error}); run on one that has")
        }
        (_, Some(rustix::io::Errno::PERM), Some(_)) => format!(
            "no profile: perf_event_open is forbidden here ({error}), as containers do; start the container with \
             `--cap-add PERFMON` and a seccomp profile that allows the call, or {SYSCTL}"
        ),
        (io::ErrorKind::PermissionDenied, _, Some(paranoid)) => format!(
            "no profile: the kernel lets this account sample no CPU (perf_event_paranoid is {paranoid}); {SYSCTL}"
        ),
        (_, _, Some(_)) => format!("no profile: perf_event_open failed: {error}; `dmesg` may say more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, words: &[u64]) -> Vec<u8> {
        let mut bytes = kind.to_ne_bytes().to_vec();
        bytes.extend([0, 0]);
        bytes.extend(((8 + 8 * words.len()) as u16).to_ne_bytes());
        words.iter().for_each(|word| bytes.extend(word.to_ne_bytes()));
        bytes
    }

    #[test]
    fn a_sample_is_read_as_the_manual_lays_it_out() {
        let words = [7 | 8 << 32, 1_000, 3, -128_i64 as u64, 0xffff_8000, 0xffff_9000, 2, 1, 2, 3, 16, 5, 6, 8];
        let bytes = record(PERF_RECORD_SAMPLE, &words);
        let Some(Event::Sample(sample)) = parse(&bytes) else { panic!("a sample") };
        assert_eq!((sample.pid, sample.at, &*sample.kernel), (7, 1_000, &[0xffff_8000, 0xffff_9000][..]));
        assert_eq!((sample.registers, sample.stack), (Some([1, 2, 3]), &5_u64.to_ne_bytes()[..]));
        // A thread of the kernel has neither registers nor a stack.
        let bytes = record(PERF_RECORD_SAMPLE, &[7, 1_000, 0, 0, 0]);
        assert!(matches!(parse(&bytes), Some(Event::Sample(Sample { registers: None, stack: [], .. }))));
        assert_eq!(parse(&record(PERF_RECORD_LOST, &[1, 42])), Some(Event::Lost(42)));
    }

    #[test]
    fn records_that_are_cut_are_none_and_no_panic() {
        let words = [7, 1_000, 1, 0xffff_8000, 2, 1, 2, 3, 16, 5, 6, 8];
        let whole = record(PERF_RECORD_SAMPLE, &words);
        assert!((0..whole.len()).all(|end| parse(&whole[..end]).is_none()));
        assert_eq!(parse(&record(PERF_RECORD_SAMPLE, &[7, 1_000, u64::MAX])), None);
    }

    #[test]
    fn each_refusal_is_one_sentence_with_its_mend() {
        let of = |errno: rustix::io::Errno, paranoid| refusal(&errno.into(), paranoid);
        let wanted = [
            (of(rustix::io::Errno::ACCESS, Some(3)), "perf_event_paranoid is 3"),
            (of(rustix::io::Errno::PERM, Some(2)), "--cap-add PERFMON"),
            (of(rustix::io::Errno::NOSYS, Some(2)), "no perf_event_open"),
            (of(rustix::io::Errno::ACCESS, None), "no perf_event_open"),
            (of(rustix::io::Errno::MFILE, Some(0)), "failed"),
        ];
        for (sentence, word) in wanted {
            assert!(sentence.contains(word) && sentence.contains(';') && !sentence.contains('\n'), "{sentence}");
        }
    }
}
