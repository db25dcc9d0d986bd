//! The operating system as the lab sees it: clocks, processes, /proc, what else runs on this host.

pub mod address;
pub mod ask;
pub(crate) mod cgroups;
pub mod clock;
pub mod copy;
pub mod digest;
pub mod elf;
pub mod file_attributes;
pub mod http;
pub(crate) mod io_priority;
pub mod limits;
pub mod mounts;
pub mod names;
pub mod neighbours;
pub mod network;
pub mod placement;
pub mod ports;
pub mod present;
pub mod probes;
pub mod process;
pub mod procfs;
pub mod speed_probe;
pub(crate) mod sync_probe;
pub(crate) mod ticking;
pub mod waits;
pub(crate) mod write_back;
