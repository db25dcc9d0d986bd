//! Samplers: each reads one source of numbers about a run and names them (`docs/record.md` lists the names). A source
//! that cannot be read leaves its metrics out and says so once; nothing is ever reported as zero because it was not
//! there. Here are those of the host, of processes and of the load itself; what a server counts lies in its backend.
//! `execution/sampling.rs` decides when they are read; the sources only know how.

mod client;
mod data;
mod host;
mod kernel_writes;
mod limits;
mod sampler;
mod server_disk;
mod server_process;
mod server_processes;
mod server_stands;
mod server_stops;
pub(crate) mod server_threads;
pub(crate) mod source;
mod throttled;

pub(crate) use source::Asker;
pub use source::{Ask, Dialect, Occasion, Process, Reading, Refused, Source, Workers};

/// One file each; of the same turn they are read in this order.
pub(crate) const ALL: &[source::Sampler] = &[
    sampler::SAMPLER,
    data::SAMPLER,
    server_process::SAMPLER,
    server_processes::SAMPLER,
    server_stops::SAMPLER,
    server_stands::SAMPLER,
    client::SAMPLER,
    host::SAMPLER,
    limits::SAMPLER,
    kernel_writes::SAMPLER,
    throttled::SAMPLER,
    server_threads::SAMPLER,
    server_disk::SAMPLER,
];
