//! Every kind of server that the lab starts by itself; each lies with the protocol that it serves first.

use super::memcached::kind as memcached;
use super::mongodb::kind as ferretdb;
use super::mysql::kinds::{mariadb, mysql};
use crate::servers::{Build, Kind};

pub const ALL: &[&dyn Kind] = &[&mariadb::MariaDb, &mysql::MySql, &memcached::Memcached, &ferretdb::FerretDb];

/// That of a build which the catalogue has.
pub fn of(build: &Build) -> &'static dyn Kind {
    let kind = ALL.iter().copied().find(|kind| kind.name() == build.installed.kind);
    kind.expect("the catalogue knows only kinds that exist")
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::servers::catalogue::entry::KINDS;
    use model::plan::served::serves;
    use model::protocol::Protocol;

    #[test]
    fn every_kind_that_the_lab_starts_says_which_protocols_it_serves() {
        for kind in ALL {
            assert!(Protocol::ALL.into_iter().any(|protocol| serves(kind.name(), protocol)), "{}", kind.name());
        }
    }

    #[test]
    fn every_kind_of_the_catalogue_can_be_started() {
        for name in KINDS {
            assert!(ALL.iter().any(|kind| kind.name() == *name), "{name}");
        }
    }
}
