//! Lines of JSON, appended one at a time: the only way in which a record grows. A line counts when its newline is on
//! disk or when it parses without one; a torn last line is what a kill leaves, and is passed over. A line that cannot
//! be read anywhere else is damage, and is told with its number.

use crate::trouble::Trouble;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{BufRead, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::thread;

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

/// What a thread of its own is worth: a megabyte of text is read in some milliseconds.
const PART: usize = 1 << 20;

/// Every whole line of a page; none of a page that does not exist. With damage, the lines before it and the damage.
/// Long pages are read by all CPUs, since reading a record is little else than this.
pub(super) fn read<T: DeserializeOwned + Send>(path: &Path) -> (Vec<T>, Option<Trouble>) {
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        Err(trouble) => return (vec![], trouble),
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(bytes.len() / PART + 1);
    let parts = parts(&bytes, threads);
    let understand = |text: &[u8]| serde_json::from_slice(text).map(Some);
    let read: Vec<_> = thread::scope(|scope| {
        let others: Vec<_> = parts[1..].iter().map(|part| scope.spawn(move || lines(part, understand))).collect();
        let first = lines(parts[0], understand);
        let others = others.into_iter().map(|part| part.join().expect("reading does not panic"));
        [first].into_iter().chain(others).collect()
    });
    let mut all = Vec::new();
    for (number, (lines, damage)) in read.into_iter().enumerate() {
        all.extend(lines);
        if let Some((line, error)) = damage {
            let before = parts[..number].iter().flat_map(|part| part.iter()).filter(|b| **b == b'\n').count();
            return (all, Some(damaged(path, before + line, error)));
        }
    }
    (all, None)
}

/// The same of lines that `of` understands in its own way, or passes over.
pub(super) fn read_by<T>(
    path: &Path,
    of: impl FnMut(&[u8]) -> serde_json::Result<Option<T>>,
) -> (Vec<T>, Option<Trouble>) {
    let (lines, damage) = match bytes(path) {
        Ok(bytes) => lines(&bytes, of),
        Err(trouble) => return (vec![], trouble),
    };
    (lines, damage.map(|(line, error)| damaged(path, line, error)))
}

fn damaged(path: &Path, line: usize, error: serde_json::Error) -> Trouble {
    Trouble::new(format!("{} is damaged at line {line}", path.display())).because(error)
}

/// The bytes of a page; one that does not exist has none, and is no trouble.
fn bytes(path: &Path) -> Result<Vec<u8>, Option<Trouble>> {
    fs::read(path).map_err(|e| (e.kind() != std::io::ErrorKind::NotFound).then(|| Trouble::at("reading", path)(e)))
}

/// As many parts of about one length, cut behind line ends.
fn parts(bytes: &[u8], count: usize) -> Vec<&[u8]> {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    for left in (2..=count).rev() {
        let middle = rest.len() / left;
        let end = rest[middle..].iter().position(|b| *b == b'\n').map_or(rest.len(), |at| middle + at + 1);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// The lines, and the number (1-based) of the first that cannot be read although it is whole.
fn lines<T>(
    bytes: &[u8],
    mut of: impl FnMut(&[u8]) -> serde_json::Result<Option<T>>,
) -> (Vec<T>, Option<(usize, serde_json::Error)>) {
    let (mut lines, mut rest, mut number) = (Vec::new(), bytes, 0);
    while !rest.is_empty() {
        // The library's search for a byte is many times as fast as looking at each.
        let mut after = rest;
        let length = after.skip_until(b'\n').expect("a slice can be read");
        let text = &rest[..length];
        (rest, number) = (after, number + 1);
        match of(text) {
            Ok(line) => lines.extend(line),
            Err(_) if !text.ends_with(b"\n") => {}
            Err(e) => return (lines, Some((number, e))),
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

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Trouble> {
    let mut text = serde_json::to_vec_pretty(value).expect("records are JSON");
    text.push(b'\n');
    write_whole(path, &text)
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Trouble> {
    let bytes = fs::read(path).map_err(Trouble::at("reading", path))?;
    serde_json::from_slice(&bytes).map_err(Trouble::at("understanding", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_lines_and_together_everything() {
        let text: Vec<u8> =
            (0..200).flat_map(|i| format!("{}\n", "x".repeat(i % 17)).into_bytes()).chain(*b"torn").collect();
        for count in 1..9 {
            let parts = parts(&text, count);
            assert_eq!((parts.len(), parts.concat()), (count, text.clone()));
            assert!(parts[..count - 1].iter().all(|part| part.is_empty() || part.ends_with(b"\n")));
        }
        assert_eq!(parts(b"", 3), [b"", b"", b""]);
    }

    #[test]
    fn damage_is_told_with_its_line_whatever_part_it_lies_in() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("page.jsonl");
        let line = format!("\"{}\"\n", "x".repeat(1000));
        let text = [line.repeat(3000).as_bytes(), b"{\n", line.as_bytes()].concat();
        std::fs::write(&path, text).unwrap();
        let (lines, damage) = read::<String>(&path);
        assert_eq!(lines.len(), 3000);
        assert!(damage.unwrap().to_string().contains("damaged at line 3001"));
    }
}
