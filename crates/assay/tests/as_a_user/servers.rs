//! Builds as a user installs them: from an archive that is made here of the distribution's own server, so that no
//! network is needed and everything after the download is the real thing. What each registry gives is the fleet's test.

use crate::desk::{Desk, Said, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::OnceLock;

/// The distribution's server packed like a vendor's, with its version.
struct Archive {
    path: PathBuf,
    version: String,
    sha256: String,
    bytes: u64,
}

fn archive() -> &'static Archive {
    static MADE: OnceLock<Archive> = OnceLock::new();
    MADE.get_or_init(|| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("server.tar");
        let mine = rows(&Desk::without_server()).into_iter().find(|r| r["name"] == "distribution");
        let version = mine.expect("a server is installed")["version"].as_str().expect("a text").to_string();
        let mut tar = Command::new("tar");
        tar.args(["--create", "--dereference", "--transform=s,^usr/,vendor/,", "--directory=/", "--file"]).arg(&path);
        assert!(tar.args(["usr/sbin/mariadbd", "usr/share/mysql"]).status().expect("tar").success());
        let sum = Command::new("sha256sum").arg(&path).output().expect("sha256sum");
        let sha256 = String::from_utf8(sum.stdout).expect("UTF-8")[..64].to_string();
        Archive { bytes: fs::metadata(&path).expect("it was made").len(), path, version, sha256 }
    })
}

/// A desk whose catalogue has `mine`, with more lines in its stanza.
fn desk(more: &str) -> Desk {
    let desk = Desk::new();
    let Archive { version, sha256, bytes, .. } = archive();
    stanza(
        &desk,
        &format!(
            "[\"mine\"]\nkind = \"mariadb\"\nversion = \"{version}\"\nserver = \"sbin/mariadbd\"\narchive = \"\"\n\
             root = \"vendor\"\nsha256 = \"{sha256}\"\ndownload = {bytes}\n{more}"
        ),
    );
    desk
}

fn stanza(desk: &Desk, text: &str) {
    fs::create_dir_all(desk.path("home")).expect("a home");
    desk.write("home/servers.toml", text);
}

fn install(desk: &Desk) -> Said {
    desk.assay(&["servers", "install", "mine", "--from", archive().path.to_str().expect("UTF-8")])
}

fn start_installing(desk: &Desk) -> Child {
    desk.start(&["servers", "install", "mine", "--from", archive().path.to_str().expect("UTF-8")])
}

fn rows(desk: &Desk) -> Vec<Value> {
    let said = desk.assay(&["servers", "list", "--json"]);
    assert_eq!(said.status, 0, "{said:#?}");
    said.out.lines().map(|l| serde_json::from_str(l).expect("a line is JSON")).collect()
}

fn is_installed(desk: &Desk) -> bool {
    rows(desk).iter().any(|r| r["name"] == "mine" && r["installed"] == true)
}

/// Everything below the folder of builds but its lock.
fn builds(desk: &Desk) -> Vec<String> {
    let entries = fs::read_dir(desk.path("home/servers")).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).filter(|n| n != ".lock").collect()
}

#[test]
fn an_archive_of_yours_becomes_a_build_that_serves_and_goes_without_a_trace() {
    let desk = desk("");
    let said = install(&desk);
    assert_eq!(said.status, 0, "{said:#?}");
    assert!(is_installed(&desk));
    let said = desk.assay(&["servers", "start", "mine", "--detach", "--set", "settings.redo='16 MiB'"]);
    assert!(said.status == 0 && said.out.contains("serves at"), "{said:#?}");
    let binary = desk.path("home/servers/mine/server/sbin/mariadbd");
    assert!(desk.processes().iter().any(|(_, c)| c.starts_with(binary.to_str().expect("UTF-8"))));
    let said = desk.assay(&["servers", "uninstall", "mine"]);
    assert!(said.status == 2 && said.err.contains("is in use by process"), "{said:#?}");
    let said = desk.assay(&["servers", "stop", "mine"]);
    assert_eq!(said.status, 0, "{said:#?}");
    assert_eq!(desk.assay(&["servers", "uninstall", "mine"]).status, 0);
    assert_eq!(builds(&desk), [] as [String; 0]);
    assert!(!is_installed(&desk));
    desk.assert_nothing_is_left();
}

#[test]
fn a_download_that_is_cut_off_or_another_is_told_and_leaves_no_build() {
    let desk = desk("");
    let whole = fs::read(&archive().path).expect("it was made");
    let mut other = whole.clone();
    other[1000] ^= 1;
    for (content, says) in [(&whole[..whole.len() / 2], "was cut off"), (&other[..], "is not what the catalogue means")]
    {
        fs::write(desk.path("download.tar"), content).expect("a file");
        let said = desk.assay(&["servers", "install", "mine", "--from", "download.tar"]);
        assert!(said.status == 3 && said.err.contains(says), "{said:#?}");
        assert!(desk.path("download.tar").exists(), "a file of the user's is his");
        assert!(!is_installed(&desk) && builds(&desk).is_empty());
    }
}

#[test]
fn an_install_that_was_killed_or_interrupted_is_repeated_and_never_half_used() {
    let desk = desk("");
    for signal in [Signal::KILL, Signal::INT] {
        loop {
            let mut assay = start_installing(&desk);
            let begun = || builds(&desk).iter().any(|n| n.starts_with(".new-mine"));
            until("the unpacking", || begun().then_some(()));
            kill_process(Pid::from_child(&assay), signal).expect("a process of ours");
            assay.wait().expect("a child of ours");
            if !is_installed(&desk) {
                break;
            }
            // It was done before the signal came.
            assert_eq!(desk.assay(&["servers", "uninstall", "mine"]).status, 0);
        }
        assert!(!desk.path("home/servers/mine").exists());
    }
    assert_eq!(install(&desk).status, 0);
    assert_eq!(builds(&desk), ["mine"], "what the dead left is swept");
    until("the end of every process", || desk.processes().is_empty().then_some(()));
}

#[test]
fn two_installers_take_turns_and_both_find_the_build() {
    let desk = desk("");
    fs::create_dir_all(desk.path("home/servers")).expect("a folder");
    let lock = File::create(desk.path("home/servers/.lock")).expect("a lock");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("a lock");
    let (one, other) = (start_installing(&desk), start_installing(&desk));
    drop(lock);
    let said = [one, other].map(|c| Said::of(c.wait_with_output().expect("it ends")));
    assert!(said.iter().all(|s| s.status == 0), "{said:#?}");
    let unpacked = said.iter().filter(|s| s.err.contains("unpacking")).count();
    assert_eq!(unpacked, 1, "{said:#?}");
    assert_eq!(builds(&desk), ["mine"]);
}

#[test]
fn what_cannot_be_installed_is_refused_with_its_mend_before_anything_is_made() {
    for (more, says, mend) in [
        ("libraries = { \"libnowhere.so.9\" = \"libnowhere9\" }", "libnowhere.so.9", "apt-get install libnowhere9"),
        ("unpacked = 1_000_000_000_000_000_000", "of disk at", "uninstall BUILD"),
    ] {
        let desk = desk(more);
        let said = install(&desk);
        assert!(said.status == 2 && said.err.contains(says) && said.err.contains(mend), "{said:#?}");
        assert!(!desk.path("home/servers").exists());
    }
    let desk = desk("");
    for (arguments, says, mend) in [
        (&["mysql-8.0.3"][..], "no build is called mysql-8.0.3", "did you mean mysql-8.0.33?"),
        (&["mine"], "comes as an archive", "--from FILE"),
        (&["mine", "--from", "nowhere.tar"], "there is no file nowhere.tar", "--from FILE"),
        (&["distribution"], "nothing outside its own folders", "apt-get install mariadb-server-core"),
        (&["mysql-5.7.22", "--from", "x"], "fetched from a registry", "leave --from out"),
    ] {
        let said = desk.assay(&[&["servers", "install"], arguments].concat());
        assert!(said.status == 2 && said.err.contains(says) && said.err.contains(mend), "{said:#?}");
    }
    assert!(!desk.path("home/servers").exists());
}

#[test]
fn a_build_from_sources_is_refused_without_a_compiler_that_can_make_it() {
    let desk = Desk::without_server();
    let folder = desk.path("programs");
    fs::create_dir(&folder).expect("a folder");
    let install = || {
        let mut command = desk.command(&["servers", "install", "ferretdb"]);
        Said::of(command.env("PATH", &folder).output().expect("assay starts"))
    };
    let said = install();
    assert!(said.status == 2 && said.err.contains("go is not installed"), "{said:#?}");
    assert!(said.err.contains("apt-get install golang-go"), "{said:#?}");
    desk.write("programs/go", "#!/bin/sh\necho go1.19.8\n");
    fs::set_permissions(folder.join("go"), fs::Permissions::from_mode(0o755)).expect("a file of ours");
    let said = install();
    assert!(said.status == 2 && said.err.contains("go1.19.8 is too old"), "{said:#?}");
    assert!(!desk.path("home/servers").exists());
}

#[test]
fn a_server_that_is_not_what_its_stanza_says_gets_no_name() {
    let desk = desk("");
    let text = desk.read("home/servers.toml").replace(&archive().version, "10.1.2");
    stanza(&desk, &text);
    let said = install(&desk);
    assert!(said.status == 3 && said.err.contains("not mariadb 10.1.2"), "{said:#?}");
    assert!(builds(&desk).is_empty() && !is_installed(&desk));
}

#[test]
fn a_base_directory_is_used_where_it_is() {
    let desk = Desk::without_server();
    let version = &archive().version;
    stanza(
        &desk,
        &format!(
            "[\"mine\"]\nkind = \"mariadb\"\nversion = \"{version}\"\nserver = \"sbin/mariadbd\"\nbasedir = \"/usr\"\n"
        ),
    );
    assert!(is_installed(&desk));
    let said = desk.assay(&["servers", "install", "mine"]);
    assert!(said.status == 2 && said.err.contains("lies in /usr and is not installed"), "{said:#?}");
}

#[test]
fn every_mistake_of_your_catalogue_is_told_wherever_builds_are_named() {
    let desk = Desk::without_server();
    stanza(&desk, "[\"mine\"]\nkind = \"oracle\"\nverison = \"1.2.3\"\n");
    for arguments in [&["servers"][..], &["plan", "tiny.toml"], &["servers", "install", "mysql-8.0"]] {
        let said = desk.assay(arguments);
        assert_eq!(said.status, 2, "{said:#?}");
        assert!(said.err.contains("servers.toml: 5 mistakes to mend"), "{}", said.err);
        assert!(said.err.contains("line 3: mine.verison: no such key\n      write version"), "{}", said.err);
    }
}

#[test]
fn a_catalogued_build_that_is_not_here_is_put_aside_with_the_command_that_brings_it() {
    let desk = Desk::without_server();
    let builds = ["--set", "axes.build=[\"distribution\", \"mysql-8.0.33\"]"];
    let said = desk.assay(&[&["plan", "tiny.toml"][..], &builds].concat());
    assert!(said.status == 0 && said.out.contains("`assay servers install mysql-8.0.33` brings it"), "{said:#?}");
    let said = desk.assay(&["plan", "tiny.toml", "--set", "server.build=\"mysql-8.0.34\""]);
    assert!(said.status == 2 && said.err.contains("did you mean `mysql-8.0.33`?"), "{said:#?}");
}

#[test]
fn a_file_names_a_build_by_where_it_lies() {
    let desk = Desk::without_server();
    let of = |build: &str| {
        let file = format!(
            "question = \"Is mine as fast?\"\n[axes]\nbuild = [\"distribution\", \"{build}\"]\n\
             [workload.oltp.point_selects]\ntables = 1\nrows = 1000\n[load]\nusers = 2\nmeasure = \"1s\"\n"
        );
        desk.write("mine.toml", &file);
        desk.assay(&["plan", "mine.toml"])
    };
    let said = of("/usr/sbin/mariadbd");
    assert!(said.status == 0 && said.out.contains("c002-1  1      /usr/sbin/mariadbd"), "{said:#?}");
    let said = of("/nowhere");
    assert!(said.status == 2 && said.err.contains("no server lies in /nowhere"), "{said:#?}");
    assert!(said.err.contains("bin/mariadbd or bin/mysqld"), "{said:#?}");
}
