//! memcached, and every server that speaks its protocol: a cache, which is nothing else, and MySQL with InnoDB's
//! plugin.

pub mod backend;
pub mod cache;
pub mod found;
pub mod guest;
pub mod kinds;
pub mod plugin;
pub mod samplers;
pub mod servers;
pub mod session;

pub use servers::Memcached;
