//! InnoDB's memcached plugin. It is given its tables and installed for all who work on a server that is to have it, so
//! that none of its runs is on another server than the others; when the data lie behind it they are mapped, and it is
//! looked at.

use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::keyed::answers::listeners;
use crate::backends::mysql::control::Control;
use crate::backends::mysql::keys::{MEMCACHED, answers, are_wanted};
use crate::backends::needs::{DatasetNeed, identity};
use crate::backends::up::{Listener, Up};
use crate::trouble::{Trouble, Unready};
use model::{Cell, Protocol, Transport, Work};
use std::path::Path;
use std::time::{Duration, Instant};
use workload::Workloads;
use workload::kv::{COLUMNS, TABLE};
use workload::session::Fault;

/// How long a plugin may take until its daemon listens; it was up within a second wherever it came up.
const LISTENING: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Opens it for users who do this work.
pub(crate) fn open(
    up: &mut Up,
    workloads: &Workloads,
    cell: &Cell,
    work: &Work,
    needs: &[DatasetNeed],
) -> Result<(), Unready> {
    let (addresses, by_port) = listeners(up, MEMCACHED, &cell.server.build)?;
    if by_port && cell.load.transport != Some(Transport::Tcp) {
        let why = "the plugin listens at a port or at a socket, and other users of this experiment come by the port";
        return Err(Unready::Skip(why.into()));
    }
    let engine = &cell.server.engine;
    let need =
        needs.iter().find(|need| need.name == identity(workloads, work, engine).0).expect("a workload by key has data");
    let fail = |trouble: Trouble| Unready::Fail(trouble.to_string());
    map(&up.endpoint, &up.build.share, &addresses[0], &need.schema()).map_err(fail)?;
    let listeners = addresses.map(|address| Listener { address, secret: String::new() });
    up.listeners.insert(Protocol::Memcached, listeners);
    Ok(())
}

fn refuses(fault: Fault) -> Trouble {
    Trouble::new("the server does not take the memcached plugin").because(fault)
}

/// Whether a server is to have it: a build that brings it, whose key endpoints are wanted.
pub fn is_wanted(up: &Up, cell: &Cell) -> bool {
    are_wanted(&cell.server) && up.build.plugins.as_ref().is_some_and(|folder| folder.join(MEMCACHED).is_file())
}

/// Installs the plugin where it is not yet.
pub fn install(sql: &SqlEndpoint, share: &Path) -> Result<Control, Trouble> {
    let mut control = Control::connect(sql).map_err(refuses)?;
    let there = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'innodb_memcache'";
    if control.value(there).map_err(refuses)?.as_deref() == Some("0") {
        let path = share.join("innodb_memcached_config.sql");
        let script = std::fs::read_to_string(&path).map_err(Trouble::at("reading", &path))?;
        for statement in statements(&script) {
            control.execute(&statement).map_err(refuses)?;
        }
    }
    let installed = "SELECT COUNT(*) FROM information_schema.plugins WHERE plugin_name = 'daemon_memcached'";
    if control.value(installed).map_err(refuses)?.as_deref() == Some("0") {
        let install = format!("INSTALL PLUGIN daemon_memcached SONAME '{MEMCACHED}'");
        control.execute(&install).map_err(refuses)?;
    }
    Ok(control)
}

/// Maps a dataset as a container of its schema's name. A row of the mapping that is new is found by the daemon itself.
pub fn map(sql: &SqlEndpoint, share: &Path, address: &Address, schema: &str) -> Result<(), Trouble> {
    let mut control = install(sql, share)?;
    let [key, value] = COLUMNS;
    let row = format!(
        "REPLACE INTO innodb_memcache.containers VALUES ('{schema}', '{schema}', '{TABLE}', '{key}', '{value}', '0', '0', '0', 'PRIMARY')"
    );
    control.execute(&row).map_err(refuses)?;
    control.quit();
    let begun = Instant::now();
    while !answers(address) {
        if begun.elapsed() > LISTENING {
            return Err(Trouble::new(format!("the plugin is installed, and nobody answers at {address}")));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// The statements of a script, which has comments and `use`, and no semicolon within a text.
fn statements(script: &str) -> Vec<String> {
    let code: Vec<&str> = script.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    // One of them ends with its line and not with a semicolon.
    let code: Vec<String> =
        code.iter().map(|l| if l.trim() == "USE test" { "USE test;".into() } else { (*l).to_string() }).collect();
    code.join("\n").split(';').map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_falls_into_its_statements() {
        let script = "create database a;\n\nuse a;\n-- a comment; of words\nCREATE TABLE t (\n  -- key\n  c int);\nUSE test\n-- more\nINSERT INTO t VALUES (\"x\");\n";
        assert_eq!(
            statements(script),
            ["create database a", "use a", "CREATE TABLE t (\n  c int)", "USE test", "INSERT INTO t VALUES (\"x\")"]
        );
    }
}
