//! Samples of the whole machine, reduced to the server's stacks. Each is unwound at once, from the copy of the thread's
//! stack that it carries, by `.eh_frame` and frame pointers (framehop), so that of a sample two numbers are kept and of
//! equal stacks one. Memory is bounded: what comes beyond the bounds is counted as lost and not silently left out.

use super::events::{Event, Sample};
use super::files::{Bytes, Files, Region};
use crate::os::procfs;
use framehop::Unwinder;
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;

/// 64 MB of samples: an hour of eleven busy CPUs at 99 Hz.
const MOST_SAMPLES: usize = 4 << 20;
/// Different stacks; a server under one load has some thousands. 100 MB at thirty frames each.
const MOST_STACKS: usize = 200_000;
/// A deeper stack is a recursion, and its outer end says nothing.
const MOST_FRAMES: usize = 256;
/// A server loads a library once in a while: what is mapped is read anew no more often than this.
const MAPS_EVERY: u64 = 1_000_000_000;
/// From a session's process up to the server's own.
const GENERATIONS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Frame {
    Kernel(u64),
    /// A file of `Files`, and the address within it as the file itself gives it.
    In(usize, u64),
    Nowhere,
}

/// Innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawStack {
    pub frames: Box<[Frame]>,
    /// Down to the thread's beginning.
    pub is_whole: bool,
}

/// What was counted.
#[derive(Default)]
pub struct Seen {
    /// By phase, stack, and whether the thread was preempted there: samples.
    pub counts: BTreeMap<(usize, u32, bool), u64>,
    /// Samples, those between the phases included.
    pub all: u64,
}

/// A process's memory as far as it can be executed.
struct Space {
    regions: Vec<Region>,
    unwinder: UnwinderX86_64<Bytes>,
    read_at: u64,
}

pub struct Collector {
    servers: Vec<u32>,
    pub files: Files,
    /// By process, whether it is a server's.
    known: HashMap<u32, bool>,
    spaces: HashMap<u32, Space>,
    cache: CacheX86_64,
    stacks: HashMap<RawStack, u32>,
    /// When, and which stack.
    samples: Vec<(u64, u32)>,
    pub lost: u64,
}

impl Collector {
    /// Takes the samples of these processes, and of those that they began.
    pub fn of(servers: Vec<u32>) -> Self {
        Self {
            servers,
            files: Files::default(),
            known: HashMap::new(),
            spaces: HashMap::new(),
            cache: CacheX86_64::new(),
            stacks: HashMap::new(),
            samples: Vec::new(),
            lost: 0,
        }
    }

    pub fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Lost(count, _) => self.lost += count,
            Event::Switch(_) => {}
            Event::Sample(sample) => {
                let Some(stack) = self.stack(&sample) else { return };
                if self.samples.len() < MOST_SAMPLES {
                    self.samples.push((sample.at, stack));
                } else {
                    self.lost += 1;
                }
            }
        }
    }

    /// Whether the process is one of the servers' or was begun by one.
    pub fn is_ours(&mut self, pid: u32) -> bool {
        let servers = &self.servers;
        *self.known.entry(pid).or_insert_with(|| is_of(servers, pid))
    }

    /// The number of a sample's stack; none of what is not the server's, nor, and that is counted as lost, of one more
    /// than there is room for.
    pub fn stack(&mut self, sample: &Sample<'_>) -> Option<u32> {
        if !self.is_ours(sample.pid) {
            return None;
        }
        let files = &mut self.files;
        let space = self.spaces.entry(sample.pid).or_insert_with(|| Space::read(files, sample.pid, sample.at));
        if sample.registers.is_some_and(|[_, _, ip]| space.place(ip).is_none())
            && sample.at > space.read_at + MAPS_EVERY
        {
            *space = Space::read(files, sample.pid, sample.at);
        }
        let stack = space.stack(sample, &mut self.cache);
        let next = self.stacks.len();
        if next >= MOST_STACKS && !self.stacks.contains_key(&stack) {
            self.lost += 1;
            return None;
        }
        Some(*self.stacks.entry(stack).or_insert(next as u32))
    }

    /// How often each stack was there in each of the phases.
    pub fn counted(&self, phases: &[Range<u64>]) -> Seen {
        let mut seen = Seen::default();
        for (at, stack) in &self.samples {
            seen.all += 1;
            if let Some(phase) = phases.iter().position(|phase| phase.contains(at)) {
                *seen.counts.entry((phase, *stack, false)).or_default() += 1;
            }
        }
        seen
    }

    /// The stacks by their numbers.
    pub fn stacks(&self) -> Vec<&RawStack> {
        let mut all: Vec<_> = self.stacks.iter().collect();
        all.sort_by_key(|(_, number)| **number);
        all.into_iter().map(|(stack, _)| stack).collect()
    }
}

/// Whether it is one of these, or was begun by one.
fn is_of(servers: &[u32], pid: u32) -> bool {
    let parent = |pid: &u32| Some(procfs::stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?.parent);
    std::iter::successors(Some(pid), parent).take(GENERATIONS).any(|pid| servers.contains(&pid))
}

impl Space {
    fn read(files: &mut Files, pid: u32, at: u64) -> Self {
        let regions = files.regions(pid);
        let mut unwinder = UnwinderX86_64::new();
        regions.iter().for_each(|region| unwinder.add_module(files.all[region.file].module(region)));
        Self { regions, unwinder, read_at: at }
    }

    fn place(&self, address: u64) -> Option<Frame> {
        let region = self.regions.iter().find(|region| region.at.contains(&address))?;
        Some(Frame::In(region.file, address.wrapping_sub(region.bias)))
    }

    fn stack(&self, sample: &Sample<'_>, cache: &mut CacheX86_64) -> RawStack {
        let mut frames: Vec<Frame> = sample.kernel.iter().map(|address| Frame::Kernel(*address)).collect();
        let Some([bp, sp, ip]) = sample.registers else {
            return RawStack { frames: frames.into(), is_whole: true };
        };
        let mut read = |address: u64| {
            let from = usize::try_from(address.checked_sub(sp).ok_or(())?).map_err(|_| ())?;
            let word = sample.stack.get(from..).and_then(|rest| rest.first_chunk()).ok_or(())?;
            Ok(u64::from_le_bytes(*word))
        };
        let mut walk = self.unwinder.iter_frames(ip, UnwindRegsX86_64::new(ip, sp, bp), cache, &mut read);
        let is_whole = loop {
            match walk.next() {
                // A call returns behind itself, which may be another function.
                Ok(Some(frame)) => frames.push(self.place(frame.address_for_lookup()).unwrap_or(Frame::Nowhere)),
                Ok(None) => break true,
                Err(_) => break false,
            }
            if frames.len() >= MOST_FRAMES {
                break false;
            }
        };
        RawStack { frames: frames.into(), is_whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_the_servers_when_one_of_its_forebears_is() {
        let own = std::process::id();
        let parent = std::os::unix::process::parent_id();
        assert!(is_of(&[own], own) && is_of(&[parent], own));
        assert!(!is_of(&[own], parent) && !is_of(&[own], u32::MAX));
    }

    #[test]
    fn samples_of_others_leave_nothing_and_losses_add_up() {
        let mut collector = Collector::of(vec![u32::MAX]);
        let sample = Sample { pid: 1, tid: 1, at: 5, kernel: vec![1], registers: None, stack: &[] };
        collector.take(Event::Sample(sample));
        collector.take(Event::Lost(3, None));
        collector.take(Event::Lost(4, None));
        assert_eq!((collector.samples.len(), collector.stacks().len(), collector.lost), (0, 0, 7));
    }
}
