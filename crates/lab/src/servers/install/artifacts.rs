//! What was downloaded, kept under its checksum: the same file serves every build that needs it, a name that two
//! mirrors use for two contents does no harm, and what is not whole is never found here.

use crate::servers::catalogue::entry::Sha256;
use crate::servers::process::folders::{Folders, private_folder};
use crate::trouble::Trouble;
use model::units::Bytes;
use sha2::Digest;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub struct Artifacts {
    folder: PathBuf,
}

impl Artifacts {
    pub fn of(folders: &Folders) -> Result<Self, Trouble> {
        let folder = folders.home.join("artifacts");
        private_folder(&folder)?;
        Ok(Self { folder })
    }

    /// The file with that checksum, read again to be sure; what no longer has it is removed.
    pub fn find(&self, sum: &Sha256) -> Option<PathBuf> {
        let path = self.folder.join(&sum.0);
        if checksum(&path).ok()? == *sum {
            return Some(path);
        }
        let _ = fs::remove_file(&path);
        None
    }

    /// Takes a file of ours in, when it is what it should be; else it is removed.
    pub fn admit(&self, file: &Path, sum: &Sha256, size: Bytes) -> Result<PathBuf, Trouble> {
        if let Err(trouble) = verify(file, sum, size) {
            let _ = fs::remove_file(file);
            return Err(trouble);
        }
        let path = self.folder.join(&sum.0);
        fs::rename(file, &path).map_err(Trouble::at("keeping", &path))?;
        Ok(path)
    }

    /// Removes what is not among these names; lists of packages go with them. Gives the bytes.
    pub fn remove_all_but(&self, names: &[String]) -> Result<Bytes, Trouble> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.folder).map_err(Trouble::at("reading", &self.folder))?.flatten() {
            if !names.iter().any(|n| entry.file_name() == n.as_str()) {
                removed += entry.metadata().map_or(0, |m| m.len());
                fs::remove_file(entry.path()).map_err(Trouble::at("removing", &entry.path()))?;
            }
        }
        Ok(Bytes(removed))
    }
}

/// That a file has that checksum; `size` is what it should have, zero when nobody knows.
pub fn verify(file: &Path, sum: &Sha256, size: Bytes) -> Result<(), Trouble> {
    let found = checksum(file).map_err(Trouble::at("reading", file))?;
    if found == *sum {
        return Ok(());
    }
    let length = fs::metadata(file).map_or(0, |m| m.len());
    let shown = file.display();
    Err(if length < size.0 {
        Trouble::new(format!("the download of {shown} was cut off: {length} of {} bytes are here", size.0))
            .mend("download it again")
    } else {
        Trouble::new(format!("{shown} is not what the catalogue means: its SHA-256 is {}, not {}", found.0, sum.0))
            .mend("download it again; if it differs again, do not use it, or change its stanza in servers.toml")
    })
}

pub fn checksum(path: &Path) -> io::Result<Sha256> {
    let (mut file, mut digest) = (File::open(path)?, sha2::Sha256::new());
    let mut part = vec![0; 1 << 20];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(Sha256(digest.finalize().iter().map(|b| format!("{b:02x}")).collect())),
            n => digest.update(&part[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 of "hello\n".
    const HELLO: &str = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

    fn artifacts(home: &Path) -> Artifacts {
        Artifacts::of(&Folders { home: home.to_path_buf(), runtime: home.to_path_buf() }).unwrap()
    }

    #[test]
    fn what_is_not_whole_is_told_from_what_is_something_else_and_neither_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let artifacts = artifacts(home.path());
        let sum = Sha256(HELLO.into());
        let file = home.path().join("download");
        for (content, says) in [("hel", "was cut off: 3 of 6 bytes"), ("hullo\n", "is not what the catalogue means")] {
            fs::write(&file, content).unwrap();
            let why = artifacts.admit(&file, &sum, Bytes(6)).unwrap_err().to_string();
            assert!(why.contains(says) && why.contains("download it again"), "{why}");
            assert!(!file.exists() && artifacts.find(&sum).is_none());
        }
        fs::write(&file, "hello\n").unwrap();
        artifacts.admit(&file, &sum, Bytes(6)).unwrap();
        assert!(!file.exists() && artifacts.find(&sum).is_some());
    }

    #[test]
    fn what_changed_on_disk_is_not_found_again() {
        let home = tempfile::tempdir().unwrap();
        let artifacts = artifacts(home.path());
        fs::write(home.path().join("artifacts").join(HELLO), "hellö\n").unwrap();
        assert_eq!(artifacts.find(&Sha256(HELLO.into())), None);
        assert!(!home.path().join("artifacts").join(HELLO).exists());
    }
}
