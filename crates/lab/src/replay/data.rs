//! The data that a trace begins with: a logical dump (a file of SQL, or a folder of them), which each build loads once,
//! or a data directory, of which each build gets a copy. Either is then kept as a snapshot of that build, and every
//! replay begins with a copy of it.

use super::dump::Statements;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::Control;
use crate::backends::mysql::session::replaying::Replaying;
use crate::backends::opening::{Opening, connecting};
use crate::executor::block_on;
use crate::os::digest::digest;
use crate::trouble::Trouble;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// A statement of a dump that is not answered within it has no server any more: building an index is the longest.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);
/// Schemas that every server has of its own.
const OWN: &[&str] = &["mysql", "sys", "information_schema", "performance_schema"];
/// What lies in every data directory of InnoDB.
const SYSTEM_TABLESPACE: &str = "ibdata1";

#[derive(Clone, Debug)]
pub enum Data {
    Dump(Vec<PathBuf>),
    Directory(PathBuf),
}

impl Data {
    pub fn at(path: &Path) -> Result<Self, Trouble> {
        let wrong = |what: &str| {
            Trouble::new(format!("{} {what}", path.display())).mend(
                "give a dump (a .sql file, or a folder of them) or a copy of a data directory that its server left cleanly",
            )
        };
        if path.is_file() {
            let name = path.to_string_lossy();
            if name.ends_with(".gz") || name.ends_with(".zst") {
                return Err(wrong("is compressed: unpack it first"));
            }
            return Ok(Self::Dump(vec![path.to_path_buf()]));
        }
        let entries = fs::read_dir(path).map_err(|e| wrong("cannot be read").because(e))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        if files.iter().any(|file| file.ends_with(SYSTEM_TABLESPACE)) {
            return Ok(Self::Directory(path.to_path_buf()));
        }
        files.retain(|file| file.extension().is_some_and(|ending| ending == "sql"));
        files.sort();
        if files.is_empty() { Err(wrong("holds neither SQL nor a data directory")) } else { Ok(Self::Dump(files)) }
    }

    /// What tells these data from others, without reading them: their files, lengths and times.
    pub fn fingerprint(&self) -> Result<String, Trouble> {
        let files = match self {
            Self::Dump(files) => files.clone(),
            Self::Directory(folder) => {
                crate::os::copy::walk(folder)?.1.into_iter().map(|entry| folder.join(entry.path)).collect()
            }
        };
        let mut text = String::new();
        for file in files {
            let found = fs::metadata(&file).map_err(Trouble::at("looking at", &file))?;
            text += &format!("{} {} {}.{}\n", file.display(), found.len(), found.mtime(), found.mtime_nsec());
        }
        Ok(digest(text.as_bytes()))
    }
}

/// What a trace asks of its data: the schemas that it begins in, and who comes.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    pub schemas: BTreeSet<String>,
    pub users: BTreeSet<String>,
}

impl Needed {
    pub fn of(script: &super::Script) -> Self {
        let named = script.statements.iter().map(|statement| statement.database.to_string());
        let schemas = named.filter(|name| !name.is_empty() && !OWN.contains(&name.as_str())).collect();
        Self { schemas, users: script.users.clone() }
    }
}

/// Loads a dump into a fresh server.
pub(super) fn load(
    endpoint: &SqlEndpoint,
    files: &[PathBuf],
    needed: &Needed,
    stop: &AtomicBool,
) -> Result<(), Trouble> {
    let fault = |fault| Trouble::new("the dump cannot be loaded").because(fault);
    let connect = connecting(&endpoint.address, PATIENCE);
    let opening = Opening { endpoint: endpoint.clone(), connect, setup: Vec::new(), again: None };
    let mut session = block_on(Replaying::open(&opening)).map_err(fault)?;
    session.waits_at_most(PATIENCE);
    for schema in &needed.schemas {
        let sql = format!("CREATE DATABASE IF NOT EXISTS `{schema}`");
        block_on(session.query(sql.as_bytes())).map_err(fault)?;
    }
    // A dump of one schema does not name it.
    if let Some(schema) = needed.schemas.first() {
        block_on(session.init_db(schema)).map_err(fault)?;
    }
    for file in files {
        let open = File::open(file).map_err(Trouble::at("opening", file))?;
        for (number, statement) in Statements::new(BufReader::with_capacity(1 << 20, open)).enumerate() {
            let statement = statement.map_err(Trouble::at("reading", file))?;
            if stop.load(Relaxed) {
                return Err(Trouble::new("asked to stop"));
            }
            let answered = block_on(session.query(&statement)).map_err(fault)?;
            if let Some(error) = answered.error {
                let shown: String = String::from_utf8_lossy(&statement).trim().chars().take(80).collect();
                let what = format!("{}: statement {} (`{shown}`): {error}", file.display(), number + 1);
                return Err(Trouble::new(what).mend("mend the dump, or dump for this version"));
            }
        }
    }
    block_on(session.quit());
    Ok(())
}

/// What data need before they are kept: accounts for whoever comes, and statistics of every table.
pub(super) fn finish(name: &str, engine: &str, endpoint: &SqlEndpoint, needed: &Needed) -> Result<(), Trouble> {
    let fault = |fault| Trouble::new(format!("{name} does not take its data in")).because(fault);
    let mut control = Control::connect(endpoint).map_err(fault)?;
    for user in needed.users.iter().filter(|user| *user != "root") {
        let user = user.replace('\'', "''");
        for sql in [
            format!("CREATE USER IF NOT EXISTS '{user}'@'localhost'"),
            format!("GRANT ALL ON *.* TO '{user}'@'localhost' WITH GRANT OPTION"),
        ] {
            control.execute(&sql).map_err(fault)?;
        }
    }
    let own: Vec<String> = OWN.iter().map(|name| format!("'{name}'")).collect();
    let tables = control.rows(&format!(
        "SELECT CONCAT('`', table_schema, '`.`', table_name, '`') FROM information_schema.tables WHERE table_type = \
         'BASE TABLE' AND table_schema NOT IN ({})",
        own.join(", ")
    ));
    for table in tables.map_err(fault)?.into_iter().flatten().flatten() {
        control.rows(&format!("ANALYZE TABLE {table}")).map_err(fault)?;
    }
    crate::backends::mysql::rest::settle(&mut control, engine).map_err(fault)?;
    control.quit();
    Ok(())
}

/// Says statements of the user's to one server.
pub(super) fn say(endpoint: &SqlEndpoint, statements: &[Vec<u8>]) -> Result<(), Trouble> {
    if statements.is_empty() {
        return Ok(());
    }
    let fault = |fault| Trouble::new("a statement of the user's cannot be said").because(fault);
    let connect = connecting(&endpoint.address, PATIENCE);
    let opening = Opening { endpoint: endpoint.clone(), connect, setup: Vec::new(), again: None };
    let mut session = block_on(Replaying::open(&opening)).map_err(fault)?;
    session.waits_at_most(PATIENCE);
    for statement in statements {
        if let Some(error) = block_on(session.query(statement)).map_err(fault)?.error {
            let shown = String::from_utf8_lossy(statement);
            return Err(Trouble::new(format!("`{}`: {error}", shown.trim())));
        }
    }
    block_on(session.quit());
    Ok(())
}

/// The statements of a file of the user's.
pub fn statements(file: &Path) -> Result<Vec<Vec<u8>>, Trouble> {
    let open = File::open(file).map_err(Trouble::at("opening", file))?;
    let all: std::io::Result<Vec<_>> = Statements::new(BufReader::new(open)).collect();
    all.map_err(Trouble::at("reading", file))
}
