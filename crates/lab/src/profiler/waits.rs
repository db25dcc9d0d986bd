//! What the server's threads wait for. How long each waits in all is known of its switches; stacks share it out. Each
//! switch of a thread is told with its moment, and of every so many threads that leave a CPU the stack: from there
//! until it comes back it waits for whatever that stack asked for. A stack stands for the switches since the one
//! before it, so that copying stacks costs the same however often threads switch, and what was lost is stood for as
//! well. A wait counts in each phase as often as it would have been looked at, which makes of waits what samples of a
//! CPU are: so many, of a period each.

use super::collector::{Collector, Seen};
use super::events::{Event, Rings, Way};
use crate::os::clock;
use model::seed::split_mix;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Stacks of the server that are wanted of each CPU a second, and all that are copied for it at most.
const STACKS: u64 = 250;
const MOST_STACKS: u64 = 1_000;
/// How often is looked how many leave.
const WINDOW: u64 = 50_000_000;
/// Rings are read one after the other: what is younger may have a neighbour that was not read yet.
const SETTLED: u64 = 1_000_000;
/// 96 MB of waits: half an hour of two CPUs.
const MOST_WAITS: usize = 2 << 20;
/// Between two readings; rings have room for four.
pub const PATIENCE: u64 = 20_000_000;

#[derive(Clone, Debug, PartialEq)]
struct Wait {
    tid: u32,
    from: u64,
    to: u64,
    stack: u32,
    /// Switches that it stands for.
    weight: u64,
    /// Its leaving was told; in between it is only announced.
    has_left: bool,
    is_preempted: bool,
}

struct Told {
    at: u64,
    cpu: usize,
    tid: u32,
    what: What,
}

enum What {
    Stack(u32),
    Switch(Way),
    /// Switches are missing before it.
    Gap,
}

#[derive(Clone, Default)]
struct Cpu {
    /// Threads of the server that left since the last stack.
    unseen: u64,
    /// In this window: threads that left, and those of the server among them.
    left: u64,
    ours: u64,
}

/// Nanoseconds: all that are known, and those of which there are stacks, by their weights.
#[derive(Clone, Copy, Default)]
struct Waited {
    all: u64,
    seen: u64,
}

/// Threads by what they wait for, beside what is read of the kernel.
#[derive(Default)]
struct Pairing {
    cpus: Vec<Cpu>,
    waiting: HashMap<u32, Wait>,
    /// By thread, since when it waits, whether there is a stack of it or not.
    since: HashMap<u32, u64>,
    /// By thread, how long it has waited.
    waited: HashMap<u32, Waited>,
    over: Vec<Wait>,
    lost: u64,
}

pub struct Waits {
    switches: Rings,
    leaving: Rings,
    pub collector: Collector,
    pairing: Pairing,
    young: Vec<Told>,
    window: u64,
}

impl Waits {
    pub fn begin(cpus: &[u32], collector: Collector) -> Result<Self, String> {
        let (switches, leaving) = (Rings::of_switches(cpus)?, Rings::of_leaving(cpus)?);
        let pairing = Pairing { cpus: vec![Cpu::default(); cpus.len()], ..Pairing::default() };
        Ok(Self { switches, leaving, collector, pairing, young: Vec::new(), window: clock::now().0 })
    }

    /// Takes what the kernel has told since the last time.
    pub fn drain(&mut self) {
        let now = clock::now().0;
        let (collector, young, pairing) = (&mut self.collector, &mut self.young, &mut self.pairing);
        self.leaving.drain(|cpu, event| match event {
            Event::Sample(sample) => {
                let told = |stack| Told { at: sample.at, cpu, tid: sample.tid, what: What::Stack(stack) };
                young.extend(collector.stack(&sample).map(told));
            }
            // Those that come after them stand for them.
            Event::Lost(..) | Event::Switch(_) => {}
        });
        self.switches.drain(|cpu, event| match event {
            Event::Switch(switch) => {
                let is_ours = collector.is_ours(switch.pid);
                let counts = &mut pairing.cpus[cpu];
                counts.left += u64::from(switch.way != Way::In);
                counts.ours += u64::from(switch.way != Way::In && is_ours);
                if is_ours {
                    young.push(Told { at: switch.at, cpu, tid: switch.tid, what: What::Switch(switch.way) });
                }
            }
            Event::Lost(_, at) => young.push(Told { at: at.unwrap_or(now), cpu, tid: 0, what: What::Gap }),
            Event::Sample(_) => {}
        });
        self.young.sort_by_key(|told| told.at);
        let ripe = self.young.partition_point(|told| told.at + SETTLED <= now);
        self.young.drain(..ripe).for_each(|told| self.pairing.see(&told));
        if now >= self.window + WINDOW {
            let seconds = (now - self.window) as f64 / 1e9;
            for (cpu, counts) in self.pairing.cpus.iter_mut().enumerate() {
                self.leaving.set_period(cpu, every(counts.ours as f64 / seconds, counts.left as f64 / seconds));
                (counts.left, counts.ours) = (0, 0);
            }
            self.window = now;
        }
    }

    /// Ends it at this moment, until which whoever waits has waited.
    pub fn end(&mut self) {
        self.drain();
        self.young.drain(..).for_each(|told| self.pairing.see(&told));
        let now = clock::now().0;
        let waiting = std::mem::take(&mut self.pairing.waiting);
        // Who is not there any more has left its last CPU for good.
        let lives = |tid: &u32| Path::new(&format!("/proc/{tid}")).exists();
        let alive = waiting.into_iter().filter(|(tid, _)| lives(tid));
        alive.for_each(|(_, wait)| self.pairing.keep(wait, now));
        let since = std::mem::take(&mut self.pairing.since);
        since.into_iter().filter(|(tid, _)| lives(tid)).for_each(|(tid, from)| self.pairing.waited(tid, now - from));
    }

    /// Stacks of which it is not known how long their threads waited, and those without room.
    pub fn lost(&self) -> u64 {
        self.pairing.lost + self.collector.lost
    }

    /// How often threads would have been seen waiting in the phases, looked at once in a period; without those aside.
    pub fn counted(&self, phases: &[Range<u64>], period: u64, aside: &[u32]) -> Seen {
        self.pairing.counted(phases, period, aside)
    }
}

impl Pairing {
    fn see(&mut self, told: &Told) {
        let cpu = &mut self.cpus[told.cpu];
        match told.what {
            What::Stack(stack) => {
                let weight = std::mem::take(&mut cpu.unseen) + 1;
                let (from, to) = (told.at, told.at);
                let tid = told.tid;
                let wait = Wait { tid, from, to, stack, weight, has_left: false, is_preempted: false };
                // It came back meanwhile, and that was not told.
                self.lost += u64::from(self.waiting.insert(told.tid, wait).is_some());
            }
            What::Switch(way @ (Way::Out | Way::Preempted)) => {
                self.since.insert(told.tid, told.at);
                self.leaves(told, way);
            }
            // Whoever waits may have come back in it.
            What::Gap => {
                self.since.clear();
                self.lost += self.waiting.drain().count() as u64;
            }
            What::Switch(Way::In) => {
                if let Some(from) = self.since.remove(&told.tid) {
                    self.waited(told.tid, told.at - from);
                }
                if let Some(wait) = self.waiting.remove(&told.tid) {
                    self.keep(wait, told.at);
                }
            }
        }
    }

    fn leaves(&mut self, told: &Told, way: Way) {
        let cpu = &mut self.cpus[told.cpu];
        match self.waiting.get_mut(&told.tid) {
            Some(wait) if !wait.has_left => {
                wait.has_left = true;
                wait.is_preempted = way == Way::Preempted;
            }
            Some(_) => {
                self.waiting.remove(&told.tid);
                self.lost += 1;
                cpu.unseen += 1;
            }
            None => cpu.unseen += 1,
        }
    }

    fn waited(&mut self, tid: u32, nanos: u64) {
        self.waited.entry(tid).or_default().all += nanos;
    }

    fn keep(&mut self, wait: Wait, to: u64) {
        if self.over.len() < MOST_WAITS {
            self.waited.entry(wait.tid).or_default().seen += wait.weight * (to - wait.from);
            self.over.push(Wait { to, ..wait });
        } else {
            self.lost += 1;
        }
    }

    fn counted(&self, phases: &[Range<u64>], period: u64, aside: &[u32]) -> Seen {
        let mut seen = Seen::default();
        for (number, wait) in self.over.iter().enumerate().filter(|(_, wait)| !aside.contains(&wait.tid)) {
            // Where between two looks it began, the same whenever it is asked.
            let chance = (split_mix(number as u64) >> 11) as f64 / (1_u64 << 53) as f64;
            let Waited { all, seen: by_stacks } = self.waited.get(&wait.tid).copied().unwrap_or_default();
            let weight = wait.weight as f64 * all as f64 / by_stacks.max(1) as f64;
            let looks = |nanos: u64| (nanos as f64 * weight / period as f64 + chance) as u64;
            seen.all += looks(wait.to - wait.from);
            for (phase, span) in phases.iter().enumerate() {
                let within = wait.to.min(span.end).saturating_sub(wait.from.max(span.start));
                let count = if within > 0 { looks(within) } else { 0 };
                if count > 0 {
                    *seen.counts.entry((phase, wait.stack, wait.is_preempted)).or_default() += count;
                }
            }
        }
        seen
    }
}

/// So many threads leave a CPU for each that hands over its stack, where so many of the server's leave it in a second,
/// and so many at all. A prime number falls into step with nothing that goes round.
fn every(ours: f64, all: f64) -> u64 {
    let wanted = (ours / STACKS as f64).max(all / MOST_STACKS as f64) as u64;
    let is_prime = |n: &u64| (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (wanted.max(1)..).find(is_prime).expect("there is always a larger one")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn pairing(told: &[(u64, u32, What)]) -> Pairing {
        let mut pairing = Pairing { cpus: vec![Cpu::default()], ..Pairing::default() };
        for (at, tid, what) in told {
            let what = match what {
                What::Stack(stack) => What::Stack(*stack),
                What::Switch(way) => What::Switch(*way),
                What::Gap => What::Gap,
            };
            pairing.see(&Told { at: at * MS, cpu: 0, tid: *tid, what });
        }
        pairing
    }

    #[test]
    fn a_thread_waits_from_its_stack_until_it_comes_back_and_stands_for_those_before_it() {
        let out = || What::Switch(Way::Out);
        let told = [
            (0, 1, out()),
            (1, 1, What::Switch(Way::In)),
            (2, 1, out()),
            (10, 2, What::Stack(7)),
            (10, 2, out()),
            (11, 1, What::Switch(Way::In)),
            (40, 2, What::Switch(Way::In)),
            (50, 2, What::Stack(8)),
            (50, 2, What::Switch(Way::Preempted)),
            (60, 2, What::Switch(Way::In)),
        ];
        let pairing = pairing(&told);
        assert_eq!(pairing.lost, 0);
        let of = |n: usize| {
            let wait = &pairing.over[n];
            (wait.from / MS, wait.to / MS, wait.stack, wait.weight, wait.is_preempted)
        };
        assert_eq!((of(0), of(1), pairing.over.len()), ((10, 40, 7, 3, false), (50, 60, 8, 1, true), 2));
        // It waited 40 ms, for which stacks of 3 × 30 and 1 × 10 stand; ten of thirty are in the first phase.
        let seen = pairing.counted(&[0..20 * MS, 20 * MS..55 * MS], MS, &[]);
        let counts: Vec<_> = seen.counts.into_iter().collect();
        assert_eq!(counts, [((0, 7, false), 12), ((1, 7, false), 24), ((1, 8, true), 2)]);
        assert_eq!(seen.all, 40);
        assert_eq!(pairing.counted(&[0..20 * MS, 20 * MS..55 * MS], MS, &[2]).all, 0, "a session of the lab's");
    }

    #[test]
    fn what_was_not_told_is_lost_and_no_wait_without_end() {
        let out = || What::Switch(Way::Out);
        let told = [(0, 1, What::Stack(1)), (0, 1, out()), (9, 1, What::Stack(1)), (9, 1, out()), (12, 1, out())];
        let pairing = pairing(&told);
        assert_eq!((pairing.lost, pairing.over.len(), pairing.waiting.len()), (2, 0, 0));
        // It may have come back where switches are missing.
        let told = [(0, 1, What::Stack(1)), (0, 1, out()), (5, 0, What::Gap), (9, 1, What::Switch(Way::In))];
        let pairing = self::pairing(&told);
        assert_eq!((pairing.lost, pairing.over.len()), (1, 0));
    }

    #[test]
    fn short_waits_count_by_chance_and_together_for_what_they_are() {
        let waits = (0..10_000_u64).map(|n| Wait {
            tid: 1,
            from: n * MS,
            to: n * MS + MS / 4,
            stack: 0,
            weight: 1,
            has_left: true,
            is_preempted: false,
        });
        let waited = Waited { all: 2_500 * MS, seen: 2_500 * MS };
        let waited = HashMap::from([(1, waited)]);
        let pairing = Pairing { over: waits.collect(), waited, ..pairing(&[]) };
        let seen = pairing.counted(&[0..1, 1..u64::MAX], MS, &[]);
        assert!((2_400..2_600).contains(&seen.counts[&(1, 0, false)]), "{:?}", seen.counts);
    }

    #[test]
    fn so_many_stacks_are_asked_for_as_can_be_afforded() {
        assert_eq!(every(0.0, 0.0), 1);
        assert_eq!(every(400.0, 1_500.0), 1);
        assert_eq!(every(50_000.0, 150_000.0), 211);
        assert_eq!(every(100.0, 150_000.0), 151, "of a server that hardly switches");
    }
}
