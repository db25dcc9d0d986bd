//! Archives into a folder, only what a server needs of them. The programs that everybody has do it (tar, unzip,
//! dpkg-deb): they know every format that packagers use and refuse paths that lead out of the folder.

use crate::os::ask;
use crate::servers::catalogue::entry::Inside;
use crate::trouble::Trouble;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Parts of Debian's packages that no server reads.
const UNREAD: &[&str] = &[
    "./etc",
    "./var",
    "./lib/systemd",
    "./usr/lib/systemd",
    "./usr/share/doc",
    "./usr/share/man",
    "./usr/share/locale",
    "./usr/share/lintian",
    "./usr/share/bug",
    "./usr/share/info",
    "./usr/share/apport",
];

/// What is wanted of an archive becomes `into`, which is there and empty.
pub fn archive(file: &Path, inside: &Inside, into: &Path) -> Result<(), Trouble> {
    let Some(name) = &inside.archive else { return root(file, inside, into) };
    let outer = into.with_extension("outer");
    fs::create_dir(&outer).map_err(Trouble::at("making", &outer))?;
    extract(file, &Inside { keep: vec![name.clone()], ..Inside::default() }, &outer)?;
    root(&outer.join(name), inside, into)?;
    fs::remove_dir_all(&outer).map_err(Trouble::at("removing", &outer))
}

/// The archive's root becomes `into`.
fn root(file: &Path, inside: &Inside, into: &Path) -> Result<(), Trouble> {
    let room = into.with_extension("unpacking");
    fs::create_dir(&room).map_err(Trouble::at("making", &room))?;
    extract(file, inside, &room)?;
    let root = room.join(&inside.root);
    if !root.is_dir() {
        return Err(Trouble::new(format!("{} holds no folder {}", file.display(), inside.root))
            .mend("mend `root` of its stanza in servers.toml"));
    }
    fs::remove_dir(into).map_err(Trouble::at("replacing", into))?;
    fs::rename(&root, into).map_err(Trouble::at("moving", &root))?;
    // The root itself may be what was just moved.
    let _ = fs::remove_dir_all(&room);
    Ok(())
}

fn extract(file: &Path, inside: &Inside, into: &Path) -> Result<(), Trouble> {
    let below = |path: &String| if inside.root.is_empty() { path.clone() } else { format!("{}/{path}", inside.root) };
    let keep: Vec<_> = match (&inside.keep[..], inside.root.is_empty()) {
        ([], true) => Vec::new(),
        ([], false) => vec![format!("{}/", inside.root)],
        (keep, _) => keep.iter().map(below).collect(),
    };
    let omit: Vec<_> = inside.omit.iter().map(below).collect();
    if is_zip(file)? { unzip(file, &keep, &omit, into) } else { untar(file, &keep, &omit, into) }
}

/// By its first bytes: a jar is a zip under another name.
pub fn is_zip(file: &Path) -> Result<bool, Trouble> {
    let mut head = [0; 2];
    let mut file_ = fs::File::open(file).map_err(Trouble::at("opening", file))?;
    file_.read_exact(&mut head).map_err(Trouble::at("reading", file))?;
    Ok(head == *b"PK")
}

fn unzip(file: &Path, keep: &[String], omit: &[String], into: &Path) -> Result<(), Trouble> {
    let pattern = |path: &String| if path.ends_with('/') { format!("{path}*") } else { path.clone() };
    let mut command = Command::new("unzip");
    command.arg("-q").arg("-o").arg(file).args(keep.iter().map(pattern));
    if !omit.is_empty() {
        command.arg("-x").args(omit.iter().map(pattern));
    }
    finish(command.arg("-d").arg(into), file)
}

fn untar(file: &Path, keep: &[String], omit: &[String], into: &Path) -> Result<(), Trouble> {
    let name = |path: &String| path.trim_end_matches('/').to_string();
    let mut command = Command::new("tar");
    command.arg("--extract").arg("--no-same-owner").arg("--directory").arg(into);
    command.args(omit.iter().map(|o| format!("--exclude={}", name(o))));
    finish(command.arg("--file").arg(file).args(keep.iter().map(name)), file)
}

fn finish(command: &mut Command, file: &Path) -> Result<(), Trouble> {
    let what = format!("{} to be unpacked", file.display());
    let output = ask::output(command.stdin(Stdio::null()), &what, ask::UNPACKING);
    let output = output.map_err(Trouble::at("unpacking", file))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    Err(Trouble::new(format!("unpacking {} failed ({}): {}", file.display(), output.status, said.trim())))
}

/// Adds one of Debian's packages to a prefix; no script of it is run.
pub fn package(file: &Path, into: &Path) -> Result<(), Trouble> {
    let mut source = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(Trouble::at("unpacking", file))?;
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--no-same-owner").arg("--directory").arg(into);
    tar.args(UNREAD.iter().map(|u| format!("--exclude={u}")));
    tar.stdin(source.stdout.take().expect("stdout is piped"));
    let output = ask::output(&mut tar, &format!("{} to be unpacked", file.display()), ask::UNPACKING);
    // Its reader is gone, so it ends now if it has not yet.
    drop(tar);
    let source = ask::ended(&mut source, ask::ANSWER).map_err(Trouble::at("unpacking", file))?;
    let output = output.map_err(Trouble::at("unpacking", file))?;
    if source.success() && output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Trouble::new(format!("unpacking {} failed: {}", file.display(), said.trim())))
}

/// A jar forgets which of its files are programs.
pub fn make_executable(server: &Path) -> Result<(), Trouble> {
    let programs = if server.parent().is_some_and(|p| p.ends_with("bin")) {
        let folder = server.parent().expect("just looked at");
        let entries = fs::read_dir(folder).map_err(Trouble::at("reading", folder))?;
        entries.flatten().map(|e| e.path()).collect()
    } else {
        vec![server.to_path_buf()]
    };
    for program in programs.iter().filter(|p| p.is_file() && !p.is_symlink()) {
        let meta = fs::metadata(program).map_err(Trouble::at("looking at", program))?;
        let mode = fs::Permissions::from_mode(meta.permissions().mode() | 0o111);
        fs::set_permissions(program, mode).map_err(Trouble::at("making executable", program))?;
    }
    Ok(())
}
