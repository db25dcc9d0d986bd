//! The nouns of assay: what an experiment asks, what a plan decides, what a record holds and what a judgement says.
//! Values only. Nothing here opens a file, a socket, a clock or a source of randomness, so every room may depend on
//! this one, and each of these types can be read back from disk by a later version. One word, one type: the words
//! are those of the glossary in ARCHITECTURE.md.
#![forbid(unsafe_code)]

pub mod bisection;
pub mod charset;
pub mod compared;
pub mod disturbance;
pub mod dsn;
pub mod errors;
pub mod estimate;
pub mod experiment;
pub mod finding;
pub mod forecast;
pub mod functions;
pub mod health;
pub mod histogram;
pub mod history;
pub mod host;
pub mod intervention;
pub mod judgement;
pub mod live;
pub mod load;
pub mod plan;
pub mod precision;
pub mod problem;
pub mod protocol;
pub mod rate;
pub mod record;
pub mod search;
pub mod seed;
pub mod server;
pub mod settings;
pub mod topology;
pub mod units;
pub mod upgrade;

pub mod value;
pub mod verdict;
pub mod words;

pub use charset::Charset;
pub use compared::Compared;
pub use estimate::{Comparison, Estimate, Outcome, Overall};
pub use experiment::Experiment;
pub use finding::{Finding, Rung};
pub use forecast::Forecast;
pub use health::{Health, Reason, Standing};
pub use histogram::Histogram;
pub use host::{Host, InstalledBuild, Version};
pub use intervention::Intervention;
pub use judgement::{
    CellJudgement, CurveJudgement, ErrorCount, Judgement, LawJudgement, PhaseJudgement, SearchJudgement, TrialJudgement,
};
pub use load::{Arrivals, Disturb, Group, Phase, PhaseKind, Transport, Work};
pub use plan::cpus::CpuSet;
pub use plan::memory::MemoryPolicy;
pub use plan::{Cell, CellId, Plan, PlannedRun, RunId, Server};
pub use problem::Problem;
pub use protocol::Protocol;
pub use rate::Rate;
pub use record::answer::{
    DatasetRecord, InstanceRecord, SessionAnswer, SnapshotRecord, StatementPlan, TableAnswer, TlsAnswer,
};
pub use record::disturbance::DisturbanceRecord;
pub use record::event::{Event, EventKind};
pub use record::run::{Ending, GroupRecord, PhaseRecord, RunRecord, WholeRun};
pub use record::series::{Metric, Series};
pub use record::start::StartingState;
pub use record::tally::{ArrivalTally, OperationTally, StatementTally, Tally};
pub use record::{Details, Record};
pub use search::Search;
pub use seed::Seed;
pub use topology::Topology;
pub use units::{Bytes, Nanos, Share, Users};
pub use value::Value;
pub use verdict::{Status, Verdict};
pub use words::{DisturbanceWords, Parameter, WorkloadWords};
