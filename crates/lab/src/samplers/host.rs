//! The machine around client and server: CPU with steal, stalls, swapping, disks. These say whether somebody else was at
//! work, which no counter of ours can.

use super::{Occasion, Reading, Source};
use crate::procfs::{cpu, disks, field, pressure, ticks_to_nanos};
use model::record::series::Unit;
use std::path::Path;

pub(super) const NAME: &str = "host";

pub(super) struct HostWide;

impl Source for HostWide {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        if let Some(ticks) = reading.file("/proc/stat", cpu) {
            for (name, ticks) in ["user", "system", "idle", "iowait", "irq", "steal"].iter().zip(ticks) {
                reading.counter(&format!("host.cpu.{name}"), Unit::Nanos, ticks_to_nanos(ticks));
            }
            reading.counter("host.cpu.total", Unit::Nanos, ticks_to_nanos(ticks.iter().sum()));
        }
        for what in ["cpu", "io", "memory"] {
            if let Some(micros) = reading.file(&format!("/proc/pressure/{what}"), pressure) {
                reading.counter(&format!("host.pressure.{what}_some"), Unit::Nanos, micros * 1_000);
            }
        }
        if let Some((swapped_in, out)) =
            reading.file("/proc/vmstat", |t| Some((field(t, "pswpin")?, field(t, "pswpout")?)))
        {
            reading.counter("host.swap.in", Unit::Count, swapped_in);
            reading.counter("host.swap.out", Unit::Count, out);
        }
        if let Some((read, written)) = reading.file("/proc/diskstats", |t| disks(t, is_whole_disk)) {
            reading.counter("host.disk.read_bytes", Unit::Bytes, read);
            reading.counter("host.disk.write_bytes", Unit::Bytes, written);
        }
    }
}

/// A disk with hardware behind it: partitions, loops, RAM disks and stacked devices would count bytes twice.
fn is_whole_disk(name: &str) -> bool {
    Path::new("/sys/block").join(name).join("device").exists()
}
