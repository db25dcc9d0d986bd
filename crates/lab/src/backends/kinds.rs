//! Every kind of server that the lab starts by itself; each lies with the protocol that it serves first.

use super::of as backend;
use crate::servers::{Build, Kind};
use model::protocol::Protocol;

pub fn all() -> impl Iterator<Item = &'static dyn Kind> {
    let servers = Protocol::ALL.into_iter().filter_map(|protocol| backend(protocol).servers());
    servers.flat_map(|servers| servers.kinds().iter().copied())
}

/// That of a build which the catalogue has.
pub fn of(build: &Build) -> &'static dyn Kind {
    let kind = all().find(|kind| kind.name() == build.installed.kind);
    kind.expect("the catalogue knows only kinds that exist")
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::servers::catalogue::distribution::kinds;
    use model::plan::served::serves;
    use model::protocol::Protocol;

    #[test]
    fn every_kind_that_the_lab_starts_says_which_protocols_it_serves() {
        for kind in all() {
            assert!(Protocol::ALL.into_iter().any(|protocol| serves(kind.name(), protocol)), "{}", kind.name());
        }
    }

    #[test]
    fn every_kind_of_the_catalogue_can_be_started() {
        for name in kinds() {
            assert!(all().any(|kind| kind.name() == name), "{name}");
        }
    }
}
