//! What a snapshot says of itself: which data lie in it, how long they took, and the name and length of every file. Its
//! first line is the digest of the rest, so that a manifest that was cut off or edited is no manifest; a snapshot whose
//! files are not exactly those of its manifest is torn. Contents of files are not read again: the server has checksums
//! on its pages, and rows are compared with the generator after each restore.

use crate::os::copy::{Allocated, allocated, allocated_whole, hollow, walk};
use crate::os::digest::digest;
use crate::trouble::Trouble;
use model::{Bytes, DatasetRecord, Nanos, Server};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// In the folder of a snapshot, beside `data`.
const FILE: &str = "manifest";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub key: String,
    /// The server that loaded the data, and the version whose data they are.
    pub server: Server,
    /// `mariadb 10.11.19`, as in the marker of a data directory.
    pub made_by: String,
    /// What was loaded, by name.
    pub datasets: BTreeMap<String, DatasetRecord>,
    /// What this build cannot hold, with the reason.
    pub unsupported: BTreeMap<String, String>,
    pub load_time: Nanos,
    /// From the last row loaded until the data lay here: purge, a clean end of the server, syncing.
    pub snapshot_time: Nanos,
    pub unix_ms: u64,
    /// On disk, without holes.
    pub bytes: Bytes,
    /// Path below `data` and length.
    pub files: BTreeMap<String, u64>,
    /// Those that the server had allocated from end to end.
    pub allocated: Allocated,
}

impl Manifest {
    /// The manifest of a snapshot whose data are yet to be loaded.
    pub fn of(key: &str, server: &Server, unix_ms: u64) -> Self {
        Self {
            key: key.to_string(),
            server: server.clone(),
            made_by: String::new(),
            datasets: BTreeMap::new(),
            unsupported: BTreeMap::new(),
            load_time: Nanos(0),
            snapshot_time: Nanos(0),
            unix_ms,
            bytes: Bytes(0),
            files: BTreeMap::new(),
            allocated: Allocated::default(),
        }
    }

    /// Gives back what the files below `data` never used, and fills in what they are.
    pub fn take_stock(&mut self, data: &Path) -> Result<(), Trouble> {
        self.allocated = allocated_whole(&walk(data)?.1);
        for path in self.allocated.iter().map(|p| data.join(p)) {
            hollow(&path).map_err(Trouble::at("giving back the unused blocks of", &path))?;
        }
        let (_, files) = walk(data)?;
        self.bytes = allocated(&files);
        self.files = files.into_iter().map(|f| (f.path.to_string_lossy().into_owned(), f.length)).collect();
        Ok(())
    }

    /// What a restored copy takes: its server has all blocks again.
    pub fn whole(&self) -> Bytes {
        let lengths = |f: &Path| self.files.get(&*f.to_string_lossy()).copied().unwrap_or(0);
        Bytes(self.bytes.0.max(self.allocated.iter().map(|f| lengths(f)).sum()))
    }

    pub fn write(&self, folder: &Path) -> Result<(), Trouble> {
        let body = serde_json::to_string_pretty(self).expect("a manifest is JSON");
        let path = folder.join(FILE);
        let mut file = File::create(&path).map_err(Trouble::at("making", &path))?;
        let text = format!("{}\n{body}", digest(body.as_bytes()));
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(Trouble::at("writing", &path))
    }

    /// The manifest in a folder; why there is none worth the name.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join(FILE)).map_err(|e| format!("its manifest cannot be read: {e}"))?;
        let (first, body) = text.split_once('\n').ok_or("its manifest is cut off")?;
        if first != digest(body.as_bytes()) {
            return Err("its manifest is not as it was written".into());
        }
        serde_json::from_str(body).map_err(|e| format!("its manifest is of another assay: {e}"))
    }

    /// Whether the files below `data` are those of the manifest; if not, the first that is not.
    pub fn compare(&self, data: &Path) -> Result<(), String> {
        let (_, files) = walk(data).map_err(|e| e.to_string())?;
        let found: BTreeMap<_, _> = files.iter().map(|f| (f.path.to_string_lossy(), f.length)).collect();
        for (name, length) in &self.files {
            match found.get(name.as_str()) {
                Some(there) if there == length => {}
                Some(there) => return Err(format!("its {name} has {there} bytes where {length} were kept")),
                None => return Err(format!("its {name} is gone")),
            }
        }
        let extra = found.keys().find(|name| !self.files.contains_key(name.as_ref()));
        extra.map_or(Ok(()), |name| Err(format!("its {name} was not kept with it")))
    }
}
