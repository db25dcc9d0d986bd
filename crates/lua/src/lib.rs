//! sysbench's Lua scripts as a workload: the only room for LuaJIT. A script lives in states, one per user; what it asks
//! of a database it yields, and whoever drives the state carries it out and resumes it, so that nothing here knows a
//! socket. sysbench's names stay as they are in this room, because scripts and the people who wrote them know no
//! others.

pub mod bundled;
pub mod cmdline;
mod compat;
mod draws;
mod emulation;
mod exchange;
mod fiber;
pub mod guest;
pub mod ignored;
mod interrupt;
pub mod option;
pub mod placeholders;
pub mod player;
mod postgres_words;
pub mod report;
pub mod script;
pub mod scripted;
pub mod shapes;
pub mod share;
pub mod stat;
pub mod state;

pub use compat::Compat;
