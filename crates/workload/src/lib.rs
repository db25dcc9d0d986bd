//! What one user does, in straight lines, through a session. A workload says which tables it needs, what a user's
//! operations are and which questions are worth asking the server; it never opens a socket, reads a clock or counts
//! itself. Randomness arrives as a seed. To add one: one folder per family, one line in [`ALL`].
#![forbid(unsafe_code)]
#![allow(async_fn_in_trait)] // users run on one thread; nobody needs a Send bound here

pub mod asked;
pub mod audit;
pub mod cheapest;
pub mod dataset;
pub mod draw;
mod insert;
pub mod kv;
pub mod life;
pub mod linkbench;
pub mod noop;
pub mod oltp;
pub mod round_trip;
pub mod rows;
pub mod session;
pub mod tpcc;
pub mod user;
pub mod versioned;
mod workloads;

use audit::Audit;
use dataset::Dataset;
use life::Life;
use model::{Protocol, Seed, Value, WorkloadWords};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use workloads::Workloads;

/// Parameters by name, every one of the workload's filled in and checked.
pub type Parameters = BTreeMap<String, Value>;

/// What kind of work a class of statements is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Read,
    Write,
    /// A statement that writes, and the COMMIT behind it in the same packet.
    WriteAndCommit,
    Begin,
    Commit,
    Rollback,
    /// Preparing, closing, SET: not counted as statements of the load.
    Plumbing,
}

/// One class of statements, as counted and timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement<'w> {
    pub name: &'w str,
    pub doing: Doing,
}

/// A statement of the workload with sampled values in place of its parameters, for EXPLAIN and the probe session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    pub statement: &'static str,
    pub sql: String,
    /// Rows that one execution must return; `None` where it depends on the draw.
    pub rows: Option<u64>,
    /// It changes rows, and must be rolled back.
    pub writes: bool,
}

pub trait Workload: Send + Sync {
    fn words(&self) -> WorkloadWords;
    /// Names of the operations, indexed by `Operation`.
    fn operations(&self) -> &'static [&'static str] {
        self.words().operations
    }
    /// What its users speak through, and what they do there.
    fn life(&self) -> Life<'_>;
    /// Classes of statements, indexed by `Class`.
    fn statements(&self) -> Cow<'_, [Statement<'_>]>;
    /// Whether affected rows are those that a server counts as written: an upsert answers 2 for one that it changed,
    /// and of a partitioned table each is counted twice.
    fn affected_are_rows(&self, _: &Parameters) -> bool {
        true
    }
    /// Names of what users count beside their statements, indexed by `Fact`.
    fn facts(&self) -> &'static [&'static str] {
        &[]
    }
    /// What is asked of the data before the users come and after they left, and the laws that the answers obey.
    fn audit(&self, _: &Parameters) -> Audit {
        Audit::default()
    }
    /// The same in the SQL of that protocol; it is asked alike where nothing else is said.
    fn audit_in(&self, _dialect: Protocol, parameters: &Parameters) -> Audit {
        self.audit(parameters)
    }
    /// Sentences that belong beside its numbers: in what its work is not that of its name.
    fn disclosures(&self, _: &Parameters) -> Vec<String> {
        Vec::new()
    }
    /// `None` for workloads without data.
    fn dataset(&self, _: &Parameters, _engine: &str, _: Seed) -> Option<Box<dyn Dataset>> {
        None
    }
    /// Statements worth explaining, with values drawn from the seed.
    fn probes(&self, _: &Parameters, _: Seed) -> Vec<Probe> {
        Vec::new()
    }
    /// The same in the SQL of that protocol; they are said alike where nothing else is said.
    fn probes_in(&self, _dialect: Protocol, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        self.probes(parameters, seed)
    }
    /// Ends users that heed nothing any more. Only users that open their sessions themselves can come to that.
    fn interrupt(&self) {}
    /// Statements of plumbing that every session sends first, as SET NAMES.
    fn session_setup(&self, _: &Parameters) -> Vec<String> {
        Vec::new()
    }
}

type Members = fn() -> Vec<Arc<dyn Workload>>;

/// The families, each with its members.
const ALL: &[Members] = &[
    oltp::members,
    kv::members,
    linkbench::members,
    tpcc::members,
    versioned::members,
    insert::members,
    noop::members,
];
