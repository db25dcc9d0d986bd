//! FerretDB 1 with its SQLite back end, as a kind: MongoDB's protocol over one file per database. No option file and no
//! SQL; a command line, and a socket in the private folder. It has no transactions and keeps what it is told to.
//! Telemetry is off.

use super::super::session::control as documents;
use crate::backends::mysql::kinds::option_file;
use crate::servers::{Build, Description, Kind, Listens, Site};
use crate::trouble::Trouble;
use model::plan::Server;
use std::time::Duration;

pub struct FerretDb;

/// A server that is there answers its first word within that.
const PATIENCE: Duration = Duration::from_secs(10);
/// Words that mean something here; one line tells of all others.
const WORDS: &[&str] = &["doors"];

impl Kind for FerretDb {
    fn name(&self) -> &'static str {
        model::plan::served::FERRETDB
    }

    fn check(&self, _: &Build, wanted: &Server) -> Result<(), Trouble> {
        option_file::check_native(wanted)
    }

    fn listens_past_sql(&self, wanted: &Server) -> Option<Listens> {
        Some(Listens::by(wanted))
    }

    fn serves(&self, site: &Site) -> bool {
        site.key_listener.is_some_and(|listener| documents::answers(listener.address(false), PATIENCE))
    }

    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description {
        let listener = site.key_listener.expect("a store of documents has a listener");
        let (tcp, unix) = match listener.ports {
            Some([port, _]) => (format!("127.0.0.1:{port}"), String::new()),
            None => (String::new(), listener.socket.display().to_string()),
        };
        let data = site.data();
        let words = [
            "--handler=sqlite".to_string(),
            format!("--sqlite-url=file:{}/", data.display()),
            format!("--state-dir={}", data.display()),
            format!("--listen-addr={tcp}"),
            format!("--listen-unix={unix}"),
            "--debug-addr=-".into(),
            "--telemetry=disable".into(),
            "--log-level=warn".into(),
        ];
        let others = wanted.settings.keys().filter(|word| !WORDS.contains(&word.as_str())).count();
        Description {
            option_file: String::new(),
            folders: Vec::new(),
            initialise: Vec::new(),
            start: build.command(words),
            not_applicable: match others {
                0 => Vec::new(),
                n => vec![format!("{n} settings of storage engines and of SQL: this server has neither")],
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
    fn a_store_of_documents_is_a_command_line() {
        let settings = [("doors", true.into()), ("redo", 1.into())];
        let text = described(&FerretDb, Version(1, 24, 2), &wanting("innodb", &settings, &[]));
        assert_eq!(
            text,
            "\nstart: /base/bin/server --handler=sqlite --sqlite-url=file:/home/i1/data/ --state-dir=/home/i1/data \
             --listen-addr=127.0.0.1:41 --listen-unix= --debug-addr=- --telemetry=disable --log-level=warn\n\
             not applicable: 1 settings of storage engines and of SQL: this server has neither\n"
        );
    }
}
