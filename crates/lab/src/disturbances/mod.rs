//! Disturbances: what is done to an instance during a phase, on purpose, to see what it costs. Each acts from the
//! phase's begin on until the scene is over, proves that it did what it is named after, and leaves nothing behind;
//! placebos are disturbances, too. They act on a thread of their own and share nothing with the load. Who starts and
//! ends them is `scene::acting`; a disturbance itself is straight lines over a `Scene`.

mod begin;
mod cpu_hog;
mod idle_connection;
mod index_build;
mod logical_backup;
mod long_query;
mod open_snapshot;
pub mod scene;
mod server_kill;

use crate::trouble::Trouble;
use model::disturbance::{Does, does};
use model::load::Disturb;
use model::words::DisturbanceWords;
use std::collections::BTreeMap;

pub struct Disturbance {
    pub words: DisturbanceWords,
    /// Acts until the scene is over. An error means that it could not act at all.
    act: fn(&Scene) -> Result<Deed, Trouble>,
}

/// Every disturbance, one file each.
pub const ALL: &[Disturbance] = &[
    open_snapshot::DISTURBANCE,
    idle_connection::DISTURBANCE,
    begin::READ_COMMITTED,
    begin::READ_UNCOMMITTED,
    logical_backup::DISTURBANCE,
    long_query::DISTURBANCE,
    cpu_hog::DISTURBANCE,
    index_build::DISTURBANCE,
    server_kill::DISTURBANCE,
];

use scene::Scene;

/// What was done, as the record tells it.
#[derive(Debug, Default)]
pub struct Deed {
    pub sentence: String,
    pub facts: BTreeMap<&'static str, f64>,
    /// Why it did not do what it is named after.
    pub failed: Option<String>,
}

pub fn by_name(name: &str) -> Option<&'static Disturbance> {
    ALL.iter().find(|d| d.words.name == name)
}

/// For the vocabulary of experiments.
pub fn words() -> Vec<DisturbanceWords> {
    ALL.iter().map(|d| d.words).collect()
}

/// Whether a run with it changes what its dataset lies in.
pub fn writes(name: &str) -> bool {
    by_name(name).is_some_and(|d| d.words.writes)
}

/// Whether users must outlast an end of the server.
pub fn ends_the_server(disturb: Option<&Disturb>) -> bool {
    disturb.is_some_and(|d| does(&d.name, Does::EndsServer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::disturbance::ROWS;

    #[test]
    fn what_disturbances_do_is_said_of_those_that_there_are_and_of_every_placebo() {
        for (name, does) in ROWS {
            let words = by_name(name).unwrap_or_else(|| panic!("there is no {name}")).words;
            assert_eq!(*does == Does::Placebo, words.why.starts_with("a placebo"), "{name}");
        }
        let placebos = words().into_iter().filter(|w| w.why.starts_with("a placebo"));
        placebos.for_each(|words| assert!(does(words.name, Does::Placebo), "{} has no row", words.name));
    }
}
