//! The machine around client and server: CPU with steal, stalls, swapping and want of memory, disks, network. These say
//! whether somebody else was at work, which no counter of ours can.

use super::source::{Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use crate::os::clock;
use crate::os::network::{is_card, link};
use crate::os::procfs::{cpu, disks, field, interfaces, pressure, segments, sum_of, ticks_to_nanos};
use std::path::Path;

pub(crate) const SAMPLER: Sampler = Sampler { name: "host", turn: Turn::Between, owner: Owner::Host, make };

fn make(_: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(HostWide))
}

pub(crate) struct HostWide;

impl Source for HostWide {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let (set, raw) = clock::beside_raw();
        reading.tell("host.clock.monotonic", set.0);
        reading.tell("host.clock.raw", raw.0);
        if let Some((ticks, interrupts)) = reading.file("/proc/stat", |text| Some((cpu(text)?, field(text, "intr")?))) {
            reading.tell("host.interrupts", interrupts);
            for (name, ticks) in ["user", "system", "idle", "iowait", "irq", "steal"].iter().zip(ticks) {
                reading.tell(&format!("host.cpu.{name}"), ticks_to_nanos(ticks));
            }
            reading.tell("host.cpu.total", ticks_to_nanos(ticks.iter().sum()));
        }
        for what in ["cpu", "io", "memory"] {
            if let Some(micros) = reading.file(&format!("/proc/pressure/{what}"), pressure) {
                reading.tell(&format!("host.pressure.{what}_some"), micros * 1_000);
            }
        }
        let memory = |t: &str| {
            let stalls = (sum_of(t, "allocstall")?, sum_of(t, "compact_stall")?);
            Some((field(t, "pswpin")?, field(t, "pswpout")?, stalls.0 + stalls.1, field(t, "oom_kill")?))
        };
        if let Some((swapped_in, out, stalls, kills)) = reading.file("/proc/vmstat", memory) {
            reading.tell("host.swap.in", swapped_in);
            reading.tell("host.swap.out", out);
            reading.tell("host.memory.stalls", stalls);
            reading.tell("host.memory.kills", kills);
        }
        if let Some((received, sent)) = reading.file("/proc/self/net/dev", |t| interfaces(t, is_card)) {
            reading.tell("host.net.received_bytes", received);
            reading.tell("host.net.sent_bytes", sent);
        }
        if let Some((sent, again)) = reading.file("/proc/self/net/snmp", segments) {
            reading.tell("host.net.segments", sent);
            reading.tell("host.net.segments_again", again);
        }
        if let Some(link) = link() {
            reading.tell("host.net.link", link);
        }
        if let Some(disks) = reading.file("/proc/diskstats", |t| disks(t, is_whole_disk)) {
            reading.tell("host.disk.reads", disks.reads);
            reading.tell("host.disk.read_bytes", disks.read_bytes);
            reading.tell("host.disk.writes", disks.writes);
            reading.tell("host.disk.write_bytes", disks.write_bytes);
        }
    }
}

/// A disk with hardware behind it: partitions, loops, RAM disks and stacked devices would count bytes twice.
fn is_whole_disk(name: &str) -> bool {
    Path::new("/sys/block").join(name).join("device").exists()
}
