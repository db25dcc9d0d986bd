//! Bytes to messages and back, without sockets: every protocol that assay speaks is a folder here.
//!
//! A codec that owns no socket can be driven by io_uring, by epoll, by a test that feeds one byte at a time, and by a
//! fuzzer, and it is the same code each time. What is deliberately not here: files, clocks, threads, randomness
//! (random bytes arrive as arguments), retries, and any opinion about what a reply means for a measurement.
#![forbid(unsafe_code)]

mod decimal;
pub mod handlersocket;
pub mod memcached;
pub mod mongodb;
pub mod mysql;
pub mod postgres;
mod reader;
pub mod scram;
