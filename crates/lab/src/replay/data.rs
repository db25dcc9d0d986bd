//! The data that a trace begins with: a logical dump (a file of SQL, or a folder of them), which each build loads once,
//! statistics, of which each build makes the same rows once, or a data directory, of which each build gets a copy. It
//! is then kept as a snapshot of that build, and every replay begins with a copy of it.

use super::asked::AskedFor;
use super::dump::Statements;
use super::loading::Loading;
use super::synthetic;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::Control;
use crate::os::digest::digest;
use crate::shapes::{OWN_SCHEMAS, ROUTINES, SCHEMA, STATISTICS, Shapes};
use crate::trouble::Trouble;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What lies in every data directory of InnoDB.
const SYSTEM_TABLESPACE: &str = "ibdata1";

#[derive(Clone, Debug)]
pub enum Data {
    Dump(Vec<PathBuf>),
    /// What `assay capture --statistics` took.
    Statistics(PathBuf),
    Directory(PathBuf),
}

impl Data {
    pub fn at(path: &Path) -> Result<Self, Trouble> {
        let wrong = |what: &str| {
            Trouble::new(format!("{} {what}", path.display())).mend(
                "give a dump (a .sql file, or a folder of them), a copy of a data directory that its server left cleanly, or \
                 a folder of `assay capture --statistics`",
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
        if files.iter().any(|file| file.ends_with(STATISTICS)) {
            return Shapes::read(path).map(|_| Self::Statistics(path.to_path_buf()));
        }
        files.retain(|file| file.extension().is_some_and(|ending| ending == "sql"));
        files.sort();
        if files.is_empty() {
            Err(wrong("holds neither SQL nor a data directory nor statistics"))
        } else {
            Ok(Self::Dump(files))
        }
    }

    /// What tells these data from others, without reading them: their files, lengths and times.
    pub fn fingerprint(&self) -> Result<String, Trouble> {
        let files = match self {
            Self::Dump(files) => files.clone(),
            Self::Statistics(folder) => [SCHEMA, ROUTINES, STATISTICS].map(|name| folder.join(name)).to_vec(),
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
    /// The rows that it asks for, where rows are made.
    pub asked: AskedFor,
}

impl Needed {
    pub fn of(script: &super::Script, data: &Data) -> Result<Self, Trouble> {
        let schemas = script.schemas.iter().filter(|name| !OWN_SCHEMAS.contains(&name.as_str())).cloned().collect();
        let asked = if let Data::Statistics(_) = data { AskedFor::of(script)? } else { AskedFor::default() };
        Ok(Self { schemas, users: script.users.clone(), asked })
    }
}

/// Loads data into a fresh server; `at` is told how much of how much. What could not be made is told.
pub(super) fn load(
    endpoint: &SqlEndpoint,
    data: &Data,
    needed: &Needed,
    stop: &AtomicBool,
    at: &dyn Fn(u64, u64, &str),
) -> Result<Vec<String>, Trouble> {
    if let Data::Directory(_) = data {
        return Ok(Vec::new());
    }
    let mut loading = Loading::open(endpoint, &needed.schemas)?;
    let notes = match data {
        Data::Dump(files) => {
            let sizes: Vec<u64> = files.iter().map(|file| fs::metadata(file).map_or(0, |found| found.len())).collect();
            let (all, mut before) = (sizes.iter().sum(), 0);
            for (file, size) in files.iter().zip(sizes) {
                loading.file(file, stop, &|read| at(before + read, all, "bytes of the dump"))?;
                before += size;
            }
            Vec::new()
        }
        Data::Statistics(folder) => {
            let shapes = Shapes::read(folder)?;
            loading.file(&folder.join(SCHEMA), stop, &|_| ())?;
            let rows = &|made, of| at(made, of, "synthetic rows");
            let notes = synthetic::fill(&mut loading, &shapes, &needed.asked, stop, rows)?;
            loading.file(&folder.join(ROUTINES), stop, &|_| ())?;
            notes
        }
        Data::Directory(_) => Vec::new(),
    };
    loading.quit();
    Ok(notes)
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
    let own: Vec<String> = OWN_SCHEMAS.iter().map(|name| format!("'{name}'")).collect();
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
    let mut loading = Loading::open(endpoint, &BTreeSet::new())?;
    statements.iter().try_for_each(|statement| loading.say(statement).map(drop))?;
    loading.quit();
    Ok(())
}

/// The statements of a file of the user's.
pub fn statements(file: &Path) -> Result<Vec<Vec<u8>>, Trouble> {
    let open = File::open(file).map_err(Trouble::at("opening", file))?;
    let all: std::io::Result<Vec<_>> = Statements::new(BufReader::new(open)).collect();
    all.map_err(Trouble::at("reading", file))
}
