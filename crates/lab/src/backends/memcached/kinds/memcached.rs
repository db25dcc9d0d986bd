//! memcached itself, as a kind: no data directory, no option file, no SQL; a command line. It is the measure for key
//! endpoint: the same protocol with nothing behind it. Keys lie in memory and are gone with the process, so they are
//! set at each start.

use crate::backends::mysql::keys;
use crate::backends::mysql::kinds::option_file;
use crate::servers::{Build, Description, Kind, Listens, Site};
use crate::trouble::Trouble;
use model::{Server, Value};

pub struct Memcached;

/// Words that mean something here; one line tells of all others.
const WORDS: &[&str] = &["buffer_pool", "max_connections", "doors", "door_threads"];
const MEBIBYTE: i64 = 1 << 20;
/// Where nobody says how much, so that no key of a test falls out.
const MEMORY: i64 = 1 << 30;

impl Kind for Memcached {
    fn name(&self) -> &'static str {
        model::plan::served::CACHE
    }

    fn check(&self, _: &Build, wanted: &Server) -> Result<(), Trouble> {
        option_file::check_native(wanted)
    }

    fn listens_past_sql(&self, wanted: &Server) -> Option<Listens> {
        Some(Listens::by(wanted))
    }

    fn serves(&self, site: &Site) -> bool {
        site.key_listener.is_some_and(|listener| keys::answers(&listener.address(false)))
    }

    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description {
        let memory = wanted.settings.get("buffer_pool").and_then(Value::count).unwrap_or(MEMORY);
        let listener = site.key_listener.expect("a cache has a listener");
        let mut words = keys::daemon(listener, site.as_root, wanted);
        words.extend(["-m".into(), (memory / MEBIBYTE).max(64).to_string()]);
        let others = wanted.settings.keys().filter(|word| !WORDS.contains(&word.as_str())).count();
        Description {
            option_file: String::new(),
            folders: Vec::new(),
            initialise: Vec::new(),
            start: build.command(words),
            not_applicable: match others {
                0 => Vec::new(),
                n => vec![format!("{n} settings of storage engines and of SQL: a cache has neither")],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::golden::{described, wanting};
    use model::host::Version;

    #[test]
    fn a_cache_is_a_command_line() {
        let settings = [
            ("buffer_pool", (256_i64 << 20).into()),
            ("doors", true.into()),
            ("door_threads", 2.into()),
            ("redo", 1.into()),
        ];
        let text = described(&Memcached, Version(1, 6, 18), &wanting("innodb", &settings, &[]));
        assert_eq!(
            text,
            "\nstart: /base/bin/server -p 41 -l 127.0.0.1 -U 0 -u root -t 2 -c 1040 -m 256\n\
             not applicable: 1 settings of storage engines and of SQL: a cache has neither\n"
        );
    }
}
