//! The nouns of assay: what an experiment asks, what a plan decides, what a record holds and what a judgement says.
//! Values only. Nothing here opens a file, a socket, a clock or a source of randomness, so every room may depend on
//! this one, and each of these types can be read back from disk by a later version. One word, one type: the words
//! are those of the glossary in ARCHITECTURE.md.
#![forbid(unsafe_code)]

pub mod charset;
pub mod compared;
pub mod disturbance;
pub mod dsn;
pub mod errors;
pub mod estimate;
pub mod experiment;
pub mod finding;
pub mod forecast;
pub mod histogram;
pub mod history;
pub mod host;
pub mod intervention;
pub mod judgement;
pub mod load;
pub mod plan;
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
pub mod value;
pub mod verdict;
pub mod words;
