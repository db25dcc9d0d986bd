//! The lab's servers against the MariaDB that is installed here: they come up, they end, and they never outlive their
//! lab. Each test has a house of its own in a temporary folder; what a test leaves behind would fail the next one.

mod skipped;

use lab::backends::kinds;
use lab::os::limits;
use lab::os::process::{Ended, Guard, memory_nodes};
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, MARKER, STOP_PATIENCE, Wish};
use lab::servers::{Build, catalogue};
use model::plan::Server;
use model::settings;
use model::value::Value;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;
use tempfile::TempDir;

/// Nobody asks these labs to stop.
static GO: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// A place of its own with its house, removed at the end of the test.
fn place() -> (TempDir, Folders) {
    let place = tempfile::tempdir().unwrap();
    let folders = house_in(place.path());
    (place, folders)
}

fn house_in(place: &Path) -> Folders {
    Folders { home: place.join("home"), runtime: place.to_path_buf() }
}

fn guard() -> &'static Guard {
    static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard::program(env!("CARGO_BIN_EXE_lab-guard")));
    &GUARD
}

/// A server of this build on all CPUs, by its socket alone.
fn wish<'a>(folders: &'a Folders, build: &'a Build, server: &'a Server) -> Wish<'a> {
    Wish { folders, guard: guard(), kind: kinds::of(build), build, server, cpus: &[], tcp: None, stop: &GO }
}

/// The durable profile whole, so that the server itself says whether each of its words was honoured, in a small
/// directory.
fn small(native: &[(&str, Value)]) -> Server {
    let defaults = settings::ALL.iter().filter_map(|p| Some((p.name.to_string(), p.default?.value())));
    let small = [("redo", 16 << 20), ("buffer_pool", 64 << 20)].map(|(k, v)| (k.to_string(), Value::Count(v)));
    Server {
        build: "distribution".into(),
        on: None,
        topology: Default::default(),
        engine: "innodb".into(),
        profile: "durable".into(),
        settings: defaults.chain(small).collect(),
        native: native.iter().map(|(k, v)| (k.to_string(), v.clone())).collect(),
        tcp: false,
        cpus: None,
        load_cpus: None,
        memory: None,
    }
}

fn alive(pid: u32) -> bool {
    // A zombie is dead, though its number is still taken.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
}

/// Folders of instances, and of sockets.
fn left_in(folders: &Folders) -> (usize, usize) {
    let names = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
    let sockets = names(&folders.runtime).iter().filter(|n| n.to_string_lossy().starts_with("assay-")).count();
    (names(&folders.instances()).len(), sockets)
}

fn wait_for_death(pid: u32) {
    while alive(pid) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_private_server_comes_up_greets_and_leaves_nothing_behind() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[]));
    let wish = Wish {
        folders: &folders,
        guard: guard(),
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[0],
        tcp: None,
        stop: &GO,
    };
    let mut instance = Instance::provision(&wish).unwrap();

    let mut head = [0; 5];
    UnixStream::connect(instance.socket()).unwrap().read_exact(&mut head).unwrap();
    assert_eq!(head[4], 10, "protocol version of the greeting");
    assert_eq!(instance.cpus(), [0]);
    assert_eq!(instance.complaints(), Vec::<String>::new());
    assert_eq!(instance.description().not_applicable, Vec::<String>::new());
    assert!(instance.ended(Duration::ZERO).is_none());

    let (pid, folder) = (instance.pid(), instance.folder().to_path_buf());
    assert_eq!(instance.stop(STOP_PATIENCE), Ended::Code(0));
    drop(instance);
    assert!(!alive(pid));
    assert!(!folder.exists());
    assert_eq!(left_in(&folders), (0, 0));
}

#[test]
fn a_servers_memory_comes_from_the_nodes_that_were_named() {
    if memory_nodes().first() != Some(&0) {
        return skipped::test("a kernel with NUMA nodes", "CONFIG_NUMA");
    }
    let (_place, folders) = place();
    let build = catalogue::find("distribution").unwrap();
    let own = limits::of_process(std::process::id())["memory policy"].clone();
    for (asked, read) in [(Some("node 0"), "bind:0"), (Some("local"), "local"), (None, &*own)] {
        let server = Server { memory: asked.map(String::from), ..small(&[]) };
        let wish = wish(&folders, &build, &server);
        let mut instance = Instance::provision(&wish).unwrap();
        assert_eq!(limits::of_process(instance.pid())["memory policy"], read);
        if asked == Some("node 0") {
            instance.crash(guard()).unwrap();
            assert_eq!(limits::of_process(instance.pid())["memory policy"], read, "started anew");
        }
        instance.stop(STOP_PATIENCE);
    }
    let server = Server { memory: Some("node 999".into()), ..small(&[]) };
    let told = Instance::provision(&wish(&folders, &build, &server)).unwrap_err().to_string();
    assert!(told.contains("taking the server's memory as asked: the host has NUMA"), "{told}");
}

#[test]
fn a_server_that_cannot_start_says_why_in_its_own_words() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[("frobnicate", Value::Count(1))]));
    let wish = wish(&folders, &build, &server);
    let told = Instance::provision(&wish).unwrap_err().to_string();
    assert!(told.contains("exit status") && told.contains("unknown variable 'frobnicate=1'"), "{told}");
}

#[test]
fn a_data_directory_that_we_did_not_make_is_left_alone() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[]));
    let wish = wish(&folders, &build, &server);
    let claim = folders.claim_instance("foreign").unwrap();
    std::fs::create_dir(claim.folder().join("data")).unwrap();
    let told = Instance::start_on(claim, &wish).unwrap_err().to_string();
    assert!(told.contains("was not made by assay and is left alone"), "{told}");
}

#[test]
fn a_data_directory_of_another_version_is_refused_with_both_versions() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[]));
    let wish = wish(&folders, &build, &server);
    let claim = folders.claim_instance("older").unwrap();
    std::fs::create_dir(claim.folder().join("data")).unwrap();
    std::fs::write(claim.folder().join(MARKER), "mysql 5.5.34\n").unwrap();
    let told = Instance::start_on(claim, &wish).unwrap_err().to_string();
    let version = build.installed.version;
    assert!(told.contains(&format!("holds data of mysql 5.5.34, not of mariadb {version}")), "{told}");
    assert!(told.contains("start it with mysql 5.5.34"), "{told}");
}

#[test]
fn a_taken_port_is_told_before_anything_starts() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[]));
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let wish = Wish {
        folders: &folders,
        guard: guard(),
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: Some(port),
        stop: &GO,
    };
    let told = Instance::provision(&wish).unwrap_err().to_string();
    assert!(told.contains(&format!("port {port} of 127.0.0.1 is taken")), "{told}");
}

#[test]
fn a_lab_that_was_asked_to_stop_does_not_wait_for_its_server() {
    let (_place, folders) = place();
    let (build, server, stop) = (catalogue::find("distribution").unwrap(), small(&[]), true.into());
    let wish = Wish {
        folders: &folders,
        guard: guard(),
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: None,
        stop: &stop,
    };
    assert!(Instance::provision(&wish).unwrap_err().to_string().contains("asked to stop"));
    assert_eq!(left_in(&folders), (0, 0));
}

#[test]
fn native_options_cannot_move_a_server_out_of_its_folder() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[("log_error", "/etc/passwd".into())]));
    let wish = wish(&folders, &build, &server);
    assert!(Instance::provision(&wish).unwrap_err().to_string().contains("native.log_error is the lab's own"));
}

fn guard_of(server: u32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{server}/status")).unwrap();
    status.lines().find_map(|l| l.strip_prefix("PPid:")).unwrap().trim().parse().unwrap()
}

#[test]
fn a_server_dies_with_its_guard_and_the_lab_hears_of_it() {
    let (_place, folders) = place();
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[]));
    let wish = wish(&folders, &build, &server);
    let mut instance = Instance::provision(&wish).unwrap();
    let guard = rustix::process::Pid::from_raw(guard_of(instance.pid()) as i32).unwrap();
    rustix::process::kill_process(guard, rustix::process::Signal::KILL).unwrap();
    wait_for_death(instance.pid());
    while instance.ended(Duration::from_millis(5)).is_none() {}
}

#[test]
fn a_server_dies_with_its_lab_though_the_lab_is_killed() {
    let (place, folders) = place();
    // The lab is this very test binary, started again and asked for the other half.
    let mut lab = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_lab_that_is_killed", "--ignored", "--nocapture"])
        .env("ASSAY_TEST_PLACE", place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(lab.stdout.take().unwrap()).lines().map_while(Result::ok);
    let line = lines.find(|l| l.contains("serving ")).expect("the lab says when it serves");
    let server: u32 = line.rsplit(' ').next().unwrap().parse().unwrap();
    let guard = guard_of(server);
    assert!(alive(server));
    lab.kill().unwrap();
    lab.wait().unwrap();
    wait_for_death(server);
    wait_for_death(guard);

    // The next lab finds the folders of the dead one stale and sweeps them away.
    assert_eq!(left_in(&folders), (1, 1));
    let (mine, socket) = (folders.claim_instance("next").unwrap(), folders.claim_socket().unwrap());
    assert_eq!(left_in(&folders), (1, 1));
    assert!(mine.folder().exists() && socket.folder().exists());
}

#[test]
#[ignore = "the other half of the test above, which starts it"]
fn the_lab_that_is_killed() {
    let Some(place) = std::env::var_os("ASSAY_TEST_PLACE").map(PathBuf::from) else { return };
    let folders = house_in(&place);
    let (build, server) = (catalogue::find("distribution").unwrap(), small(&[]));
    let guard = guard();
    // The thread that starts the server ends: that is no reason for the server to die.
    let instance = std::thread::scope(|s| {
        let wish = Wish {
            folders: &folders,
            guard,
            kind: kinds::of(&build),
            build: &build,
            server: &server,
            cpus: &[],
            tcp: None,
            stop: &GO,
        };
        s.spawn(move || Instance::provision(&wish).unwrap()).join().unwrap()
    });
    UnixStream::connect(instance.socket()).unwrap().read_exact(&mut [0; 5]).unwrap();
    println!("serving {}", instance.pid());
    loop {
        std::thread::park();
    }
}
