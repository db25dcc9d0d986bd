//! Lines of JSON, appended one at a time: the only way in which a record grows. A line counts when its newline is on
//! disk or when it parses without one; a torn last line is what a kill leaves, and is passed over. A line that cannot
//! be read anywhere else is damage, and is told with its number.

use crate::trouble::Trouble;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// A file of lines of one type, being written.
#[derive(Debug)]
pub struct Page<T> {
    path: PathBuf,
    out: BufWriter<File>,
    /// The first failure: what follows it is not written, because a page with a hole would read as a whole one.
    failed: Option<String>,
    line: PhantomData<fn(&T)>,
}

impl<T: Serialize + DeserializeOwned> Page<T> {
    /// Opens for appending, after the last whole line.
    pub(super) fn open(path: &Path) -> Result<Self, Trouble> {
        mend::<T>(path)?;
        let file = File::options().create(true).append(true).open(path).map_err(Trouble::at("opening", path))?;
        Ok(Self { path: path.to_path_buf(), out: BufWriter::new(file), failed: None, line: PhantomData })
    }

    /// Appends one line and hands it to the kernel, so that it survives the death of this process.
    pub fn append(&mut self, line: &T) -> Result<(), Trouble> {
        if let Some(failed) = &self.failed {
            return Err(Trouble::new(failed.clone()));
        }
        let mut text = serde_json::to_vec(line).expect("records are JSON");
        text.push(b'\n');
        let written = self.out.write_all(&text).and_then(|()| self.out.flush());
        written.map_err(|e| self.fail(e))
    }

    /// Brings everything to the disk.
    pub fn finish(mut self) -> Result<(), Trouble> {
        match self.failed.take() {
            Some(failed) => Err(Trouble::new(failed)),
            None => self.out.get_ref().sync_data().map_err(|e| self.fail(e)),
        }
    }

    fn fail(&mut self, error: std::io::Error) -> Trouble {
        let trouble = Trouble::at("appending to", &self.path)(error);
        self.failed = Some(trouble.to_string());
        trouble
    }
}

/// Makes a page end with a newline: a torn last line goes, a whole one gets its newline.
fn mend<T: DeserializeOwned>(path: &Path) -> Result<(), Trouble> {
    let Ok(bytes) = fs::read(path) else { return Ok(()) };
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let tail = &bytes[whole..];
    let mut file = File::options().append(true).open(path).map_err(Trouble::at("opening", path))?;
    if serde_json::from_slice::<T>(tail).is_ok() {
        file.write_all(b"\n").map_err(Trouble::at("appending to", path))
    } else {
        file.set_len(whole as u64).map_err(Trouble::at("cutting the torn last line of", path))
    }
}

/// Every whole line of a page; none of a page that does not exist. With damage, the lines before it and the damage.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> (Vec<T>, Option<Trouble>) {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return (vec![], None),
        Err(e) => return (vec![], Some(Trouble::at("reading", path)(e))),
    };
    let mut lines = Vec::new();
    for (number, text) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        match serde_json::from_slice(text) {
            Ok(line) => lines.push(line),
            Err(_) if !text.ends_with(b"\n") => {}
            Err(e) => {
                let what = format!("{} is damaged at line {}", path.display(), number + 1);
                return (lines, Some(Trouble::new(what).because(e)));
            }
        }
    }
    (lines, None)
}

/// Writes a whole file at once or not at all: a reader sees the old one, none, or the new one.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
    let temporary = path.with_extension("tmp");
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        File::open(path.parent().expect("a file lies in a folder"))?.sync_all()
    };
    write().map_err(Trouble::at("writing", path))
}

pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Trouble> {
    let mut text = serde_json::to_vec_pretty(value).expect("records are JSON");
    text.push(b'\n');
    write_whole(path, &text)
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Trouble> {
    let bytes = fs::read(path).map_err(Trouble::at("reading", path))?;
    serde_json::from_slice(&bytes).map_err(Trouble::at("understanding", path))
}
