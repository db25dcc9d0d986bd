//! What is asked of the kernel, and what its records say. Whole CPUs are watched and not the server's threads: the
//! clock of a thread's event begins anew when the thread is scheduled and never fires within 10 µs, so that a server
//! of short turns would be seen only in its long ones; and threads that begin later are seen from their beginning.
//! What else runs is dropped by whoever reads.

use super::ring::Ring;
use perf_event_open_sys::bindings::{
    PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_DUMMY, PERF_RECORD_LOST,
    PERF_RECORD_MISC_SWITCH_OUT, PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, PERF_RECORD_SAMPLE, PERF_RECORD_SWITCH_CPU_WIDE,
    PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
    PERF_TYPE_SOFTWARE, perf_event_attr,
};
use std::fs;
use std::io;

/// Bytes of a thread's stack that a sample carries; a deep query of these servers uses half of it.
const STACK: u32 = 32 << 10;
/// What surrounds the stack in a sample: identity, the kernel's frames, registers.
const AROUND: u64 = 1 << 10;
/// Sizes of a CPU's ring to try: the first is an eighth of a second at a thousand samples, the others are what an
/// account may lock that is not root.
const RINGS: [usize; 3] = [4 << 20, 512 << 10, 128 << 10];
/// The same for switches, of 32 bytes each: a third of a second at two hundred thousand of them.
const SWITCH_RINGS: [usize; 3] = [2 << 20, 512 << 10, 128 << 10];
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
    pub tid: u32,
    /// On the lab's clock.
    pub at: u64,
    /// In the kernel, the innermost first.
    pub kernel: Vec<u64>,
    /// bp, sp and ip outside of it; `None` for a thread of the kernel.
    pub registers: Option<[u64; 3]>,
    /// What lay above sp.
    pub stack: &'a [u8],
}

/// A thread came to a CPU, or left it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Switch {
    pub pid: u32,
    pub tid: u32,
    pub at: u64,
    pub way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    In,
    /// To wait.
    Out,
    /// It would have run on.
    Preempted,
}

#[derive(Debug, PartialEq)]
pub enum Event<'a> {
    Sample(Sample<'a>),
    Switch(Switch),
    /// So many were lost until that moment, where it is told.
    Lost(u64, Option<u64>),
}

/// One ring per CPU.
pub struct Rings {
    rings: Vec<Ring>,
    size: usize,
}

impl Rings {
    /// Samples of these CPUs' clocks, so many times a second; why that cannot be.
    pub fn of_clock(cpus: &[u32], hz: u32) -> Result<Self, String> {
        let mut attributes = with_stacks(PERF_COUNT_SW_CPU_CLOCK, 1_000_000_000 / u64::from(hz));
        attributes.set_exclude_idle(1);
        Self::open(cpus, &RINGS, attributes)
    }

    /// Where threads are when they leave these CPUs; each of them, until a longer period is set.
    pub fn of_leaving(cpus: &[u32]) -> Result<Self, String> {
        Self::open(cpus, &RINGS, with_stacks(PERF_COUNT_SW_CONTEXT_SWITCHES, 1))
    }

    /// Each thread that comes to these CPUs and leaves them.
    pub fn of_switches(cpus: &[u32]) -> Result<Self, String> {
        let mut attributes = timed(PERF_COUNT_SW_DUMMY);
        attributes.set_sample_id_all(1);
        attributes.set_context_switch(1);
        Self::open(cpus, &SWITCH_RINGS, attributes)
    }

    fn open(cpus: &[u32], sizes: &[usize], attributes: perf_event_attr) -> Result<Self, String> {
        let open = |size: usize| -> io::Result<Vec<Ring>> {
            cpus.iter().map(|cpu| Ring::open(attributes, *cpu, size)).collect()
        };
        let mut refused = None;
        let least = sizes.last().expect("there are sizes");
        for size in sizes.iter().filter(|size| **size * cpus.len() <= MOST || *size == least) {
            match open(*size) {
                Ok(rings) => return Ok(Self { rings, size: *size }),
                Err(error) => refused = Some(error),
            }
        }
        Err(refusal(&refused.expect("there are sizes"), paranoid()))
    }

    /// Hands over what came since the last time, with the place of its CPU in the list.
    pub fn drain(&mut self, mut take: impl FnMut(usize, Event<'_>)) {
        for (cpu, ring) in self.rings.iter_mut().enumerate() {
            ring.drain(|record| {
                if let Some(event) = parse(record) {
                    take(cpu, event);
                }
            });
        }
    }

    pub fn set_period(&self, cpu: usize, period: u64) {
        self.rings[cpu].set_period(period);
    }

    /// In so many nanoseconds a ring is a third full of stacks, where so many come a second.
    pub fn patience(&self, hz: u32) -> u64 {
        self.size as u64 / (u64::from(STACK) + AROUND) * 1_000_000_000 / u64::from(hz) / 3
    }
}

fn timed(event: u32) -> perf_event_attr {
    let mut attributes = perf_event_attr {
        type_: PERF_TYPE_SOFTWARE,
        config: u64::from(event),
        sample_type: u64::from(PERF_SAMPLE_TID | PERF_SAMPLE_TIME),
        clockid: CLOCK_MONOTONIC,
        ..perf_event_attr::default()
    };
    attributes.set_use_clockid(1);
    attributes
}

fn with_stacks(event: u32, period: u64) -> perf_event_attr {
    let mut attributes = timed(event);
    attributes.sample_type |= u64::from(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
    attributes.sample_regs_user = REGISTERS;
    attributes.sample_stack_user = STACK;
    attributes.__bindgen_anon_1.sample_period = period;
    attributes.set_exclude_callchain_user(1);
    attributes
}

/// A record as `perf_event_open(2)` lays it out for what was asked; `None` for kinds that nobody asked for.
fn parse(record: &[u8]) -> Option<Event<'_>> {
    let mut rest = Words(record.get(8..)?);
    match u32::from_ne_bytes(record[..4].try_into().ok()?) {
        PERF_RECORD_LOST => {
            rest.next()?;
            let count = rest.next()?;
            Some(Event::Lost(count, rest.next().and_then(|_| rest.next())))
        }
        PERF_RECORD_SAMPLE => {
            let (pid, tid) = rest.pair()?;
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
            Some(Event::Sample(Sample { pid, tid, at, kernel, registers, stack }))
        }
        PERF_RECORD_SWITCH_CPU_WIDE => {
            // Who is on the other side of the switch.
            rest.next()?;
            let (pid, tid) = rest.pair()?;
            let kinds = u32::from(u16::from_ne_bytes(record[4..6].try_into().ok()?));
            let way = match (kinds & PERF_RECORD_MISC_SWITCH_OUT > 0, kinds & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT > 0) {
                (false, _) => Way::In,
                (true, false) => Way::Out,
                (true, true) => Way::Preempted,
            };
            Some(Event::Switch(Switch { pid, tid, at: rest.next()?, way }))
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
    fn pair(&mut self) -> Option<(u32, u32)> {
        self.next().map(|word| (word as u32, (word >> 32) as u32))
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
        assert_eq!((sample.pid, sample.tid, sample.at), (7, 8, 1_000));
        assert_eq!(sample.kernel, [0xffff_8000, 0xffff_9000]);
        assert_eq!((sample.registers, sample.stack), (Some([1, 2, 3]), &5_u64.to_ne_bytes()[..]));
        // A thread of the kernel has neither registers nor a stack.
        let bytes = record(PERF_RECORD_SAMPLE, &[7, 1_000, 0, 0, 0]);
        assert!(matches!(parse(&bytes), Some(Event::Sample(Sample { registers: None, stack: [], .. }))));
        assert_eq!(parse(&record(PERF_RECORD_LOST, &[1, 42])), Some(Event::Lost(42, None)));
        assert_eq!(parse(&record(PERF_RECORD_LOST, &[1, 42, 7, 1_000])), Some(Event::Lost(42, Some(1_000))));
    }

    #[test]
    fn a_switch_says_who_came_or_left_and_whether_it_would_have_run_on() {
        for (kinds, way) in [
            (0, Way::In),
            (PERF_RECORD_MISC_SWITCH_OUT, Way::Out),
            (PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Way::Preempted),
        ] {
            let mut bytes = record(PERF_RECORD_SWITCH_CPU_WIDE, &[1 | 1 << 32, 7 | 8 << 32, 1_000]);
            bytes[4..6].copy_from_slice(&(kinds as u16).to_ne_bytes());
            assert_eq!(parse(&bytes), Some(Event::Switch(Switch { pid: 7, tid: 8, at: 1_000, way })));
        }
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
