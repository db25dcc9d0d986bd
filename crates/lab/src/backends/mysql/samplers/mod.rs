//! What a MySQL or MariaDB server counts, read once a second.

mod database;
mod foreground;
mod index_lock;
mod innodb;
mod rocksdb;
mod status;

use crate::samplers::source::Sampler;

/// One file each; of the same turn they are read in this order.
pub(crate) const ALL: &[Sampler] =
    &[status::SAMPLER, foreground::SAMPLER, innodb::SAMPLER, index_lock::SAMPLER, rocksdb::SAMPLER, database::SAMPLER];
