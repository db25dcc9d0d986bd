//! What a MySQL or MariaDB server counts, read once a second.

pub mod database;
pub mod foreground;
pub mod index_lock;
pub mod innodb;
pub mod node;
pub mod rocksdb;
pub mod status;
