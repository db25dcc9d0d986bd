//! One private server: a data directory made by us, a process under guard, a socket that only we can reach. Accounts
//! are as the bootstrap leaves them, root@localhost without a password, because the socket lies in a folder of mode
//! 0700. What to write and run is the kind's business; waiting, refusing and cleaning up are this file's.

use super::certificates;
use super::error_log;
use super::folders::{Claim, Folders, SOCKET_PATH_LIMIT};
use crate::os::ports::free_port;
use crate::os::process::{Ended, Guard, Guarded, Order, cpus_of};
use crate::os::waits;
use crate::servers::member::{Member, NodePorts};
use crate::servers::{Build, DATA, Description, KeyListener, Kind, Listens, Site, Step};
use crate::trouble::Trouble;
use model::{Nanos, Server};
use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A folder is ours when this file lies in it; it holds the version whose data it is.
pub const MARKER: &str = "made-by-assay";
/// Crash recovery of a large data directory is the slowest honest start.
const START_PATIENCE: Duration = Duration::from_secs(300);
/// Short beside the half second that a start takes, long beside a look.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// A clean end writes back the buffer pool: tens of seconds on a slow disk.
pub const STOP_PATIENCE: Duration = Duration::from_secs(60);
/// Shorter: it may only have lost its socket, and each run waits.
const LEAVES: Duration = Duration::from_secs(15);
/// What is to run, and where.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    pub folders: &'a Folders,
    pub guard: &'a Guard,
    /// That of the build.
    pub kind: &'static dyn Kind,
    pub build: &'a Build,
    pub server: &'a Server,
    /// CPUs for the server's process; empty leaves it all.
    pub cpus: &'a [u32],
    /// A port on loopback beside the socket.
    pub tcp: Option<u16>,
    /// Set when nobody waits for the server any more: making and starting it are given up.
    pub stop: &'a AtomicBool,
}

#[derive(Debug)]
pub struct Instance {
    process: Guarded,
    kind: &'static dyn Kind,
    description: Description,
    error_log: PathBuf,
    /// What that complained of before it served.
    early_complaints: Vec<String>,
    socket: PathBuf,
    /// Whether a file stands there while it serves.
    has_socket: bool,
    /// The CA that signed its certificate, when it offers TLS.
    ca: Option<PathBuf>,
    cpus: Vec<u32>,
    memory: Option<String>,
    /// Where users past SQL come: a socket, or ports.
    key_listener: Option<(PathBuf, Option<[u16; 2]>)>,
    /// Ports of all nodes of its cluster.
    gates: Vec<NodePorts>,
    start_time: Nanos,
    data: Claim,
    _socket: Claim,
}

/// The name of a wanted server in a record and on disk: equal wishes have equal keys.
pub fn key(wanted: &Server) -> String {
    let text = serde_json::to_string(wanted).expect("a plan is JSON");
    format!("i{:014x}", model::seed::Seed(0).child(&text).0)
}

impl Instance {
    /// Makes a data directory, starts the server on it and waits until it serves.
    pub fn provision(wish: &Wish) -> Result<Self, Trouble> {
        Self::start_on(Self::claimed(wish)?, wish)
    }

    /// An empty folder for it.
    pub(crate) fn claimed(wish: &Wish) -> Result<Claim, Trouble> {
        wish.kind.check(wish.build, wish.server)?;
        wish.folders.claim_instance(&key(wish.server))
    }

    /// The same on data of this build, which `fill` puts into the folder that it is given.
    pub fn provision_on(wish: &Wish, fill: impl FnOnce(&Path) -> Result<(), Trouble>) -> Result<Self, Trouble> {
        Self::start_on(Self::filled(wish, fill)?, wish)
    }

    /// A folder that holds such data.
    pub(crate) fn filled(wish: &Wish, fill: impl FnOnce(&Path) -> Result<(), Trouble>) -> Result<Claim, Trouble> {
        let claim = Self::claimed(wish)?;
        fill(&claim.folder().join(DATA))?;
        let marker = claim.folder().join(MARKER);
        fs::write(&marker, made_by(wish.build)).map_err(Trouble::at("writing", &marker))?;
        Ok(claim)
    }

    /// The same in a folder that may already hold a data directory of ours.
    pub fn start_on(data: Claim, wish: &Wish) -> Result<Self, Trouble> {
        Self::start_as(data, wish, None)
    }

    /// The same as a node of a cluster.
    pub(crate) fn start_as(data: Claim, wish: &Wish, member: Option<Member>) -> Result<Self, Trouble> {
        let room = wish.folders.claim_socket()?;
        let socket = room.folder().join(wish.kind.socket(wish.tcp));
        let key_socket = room.folder().join("k");
        let ports = match wish.kind.listens_past_sql(wish.server) {
            None => None,
            Some(Listens::BySocket) => Some(None),
            Some(Listens::ByPorts) => Some(Some([free_port()?, free_port()?])),
        };
        let site = Site {
            folder: data.folder(),
            socket: &socket,
            tcp: wish.tcp,
            as_root: rustix::process::geteuid().is_root(),
            key_listener: ports.as_ref().map(|ports| KeyListener { socket: &key_socket, ports: *ports }),
            member,
        };
        let description = wish.kind.describe(wish.build, &site, wish.server);
        check_doors(&site)?;
        fs::create_dir_all(site.temporary()).map_err(Trouble::at("making", &site.temporary()))?;
        if certificates::wanted(wish.server) {
            certificates::make(&site.certificates())?;
        }
        fs::write(site.option_file(), &description.option_file).map_err(Trouble::at("writing", &site.option_file()))?;
        let order = Order {
            command: &description.start,
            cpus: wish.cpus,
            memory: wish.server.memory.as_deref(),
            log: &site.error_log(),
            input: None,
            owner: &data.owner(),
        };
        initialise(wish, &site, &description, &order)?;
        let begun = Instant::now();
        let mut process = Guarded::spawn(wish.guard, &order)?;
        wait_until_ready(wish.stop, &mut process, wish.kind, &site)?;
        let start_time = Nanos(begun.elapsed().as_nanos() as u64);
        let cpus = cpus_of(process.pid())?;
        let ca = certificates::wanted(wish.server).then(|| certificates::ca(&site.certificates()));
        Ok(Self {
            process,
            kind: wish.kind,
            description,
            early_complaints: error_log::complaints_of(&site.error_log()),
            error_log: site.error_log(),
            has_socket: socket.exists(),
            socket,
            ca,
            cpus,
            memory: wish.server.memory.clone(),
            key_listener: ports.map(|ports| (key_socket, ports)),
            gates: member.map(|m| m.gates.to_vec()).unwrap_or_default(),
            start_time,
            data,
            _socket: room,
        })
    }

    /// Its folder, once it has ended.
    pub(crate) fn into_claim(self) -> Claim {
        self.data
    }
    pub fn gates(&self) -> &[NodePorts] {
        &self.gates
    }
    /// Where users past SQL come, when the server was told of them.
    pub fn key_listener(&self) -> Option<KeyListener<'_>> {
        self.key_listener.as_ref().map(|(socket, ports)| KeyListener { socket, ports: *ports })
    }
    pub fn socket(&self) -> &Path {
        &self.socket
    }
    pub fn ca(&self) -> Option<&Path> {
        self.ca.as_deref()
    }
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }
    /// Kind and version whose data they are.
    pub fn made_by(&self) -> String {
        fs::read_to_string(self.folder().join(MARKER)).unwrap_or_default().trim().to_string()
    }
    pub fn folder(&self) -> &Path {
        self.data.folder()
    }
    pub fn data(&self) -> PathBuf {
        self.folder().join(DATA)
    }
    pub fn description(&self) -> &Description {
        &self.description
    }
    /// As read back from the running process.
    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }
    pub fn start_time(&self) -> Nanos {
        self.start_time
    }
    /// How the server ended, if it does within `patience`: nobody of ours asked it to unless `stop` was called. One
    /// without its socket is most likely on its way, writing its buffer pool back.
    pub fn ended(&mut self, patience: Duration) -> Option<Ended> {
        let ended = self.process.wait(patience);
        let leaves = || !patience.is_zero() && self.has_socket && !self.socket.exists();
        if ended.is_some() || !leaves() {
            return ended;
        }
        waits::during("the server, whose socket is gone, to end", LEAVES, || self.process.wait(LEAVES))
    }
    pub fn complaints(&self) -> Vec<String> {
        error_log::complaints_of(&self.error_log)
    }
    /// The last thing that it complained of since it serves.
    pub fn last_complaint(&self) -> Option<String> {
        self.complaints().into_iter().rfind(|complaint| !self.early_complaints.contains(complaint))
    }
    /// The last lines of the error log.
    pub fn log_tail(&self) -> String {
        error_log::tail(&self.error_log)
    }
    /// Ends the server as a fault would, without a word to it, and starts it again on what then lies on its disk; how
    /// long that took until it served.
    pub fn crash(&mut self, guard: &Guard) -> Result<Duration, Trouble> {
        self.process.kill();
        if self.process.wait(STOP_PATIENCE).is_none() {
            return Err(Trouble::new("the server does not end when it is killed"));
        }
        let begun = Instant::now();
        let owner = self.data.owner();
        let (command, cpus, log) = (&self.description.start, &self.cpus[..], &self.error_log);
        let memory = self.memory.as_deref();
        self.process = Guarded::spawn(guard, &Order { command, cpus, memory, log, input: None, owner: &owner })?;
        let key_listener = self.key_listener.as_ref().map(|(socket, ports)| KeyListener { socket, ports: *ports });
        let (folder, socket) = (self.data.folder(), self.socket.as_path());
        let site = Site { folder, socket, tcp: None, as_root: false, key_listener, member: None };
        wait_until_ready(&AtomicBool::new(false), &mut self.process, self.kind, &site)?;
        Ok(begun.elapsed())
    }
    /// Ends the server cleanly, or by force after `patience`. The data directory stays until the value is dropped.
    pub fn stop(&mut self, patience: Duration) -> Ended {
        if self.kind.ends_by_interrupt() {
            self.process.interrupt();
        } else {
            self.process.terminate();
        }
        let ended = waits::during("the server to end", patience, || self.process.wait(patience));
        ended.unwrap_or_else(|| {
            self.process.kill();
            let killed = || self.process.wait(STOP_PATIENCE);
            waits::during("the server that was killed to be gone", STOP_PATIENCE, killed).unwrap_or(Ended::Signal(9))
        })
    }
}

/// The socket's path fits, and nobody sits behind the socket or the port.
fn check_doors(site: &Site) -> Result<(), Trouble> {
    let length = site.socket.as_os_str().len();
    if length > SOCKET_PATH_LIMIT {
        return Err(Trouble::new(format!(
            "the socket's path {} has {length} bytes and the kernel takes {SOCKET_PATH_LIMIT}",
            site.socket.display()
        ))
        .mend("set XDG_RUNTIME_DIR to a shorter folder"));
    }
    if site.socket.exists() {
        return Err(Trouble::new(format!("the socket {} is taken", site.socket.display())));
    }
    if let Some(port) = site.tcp {
        TcpListener::bind(("127.0.0.1", port)).map_err(|e| {
            Trouble::new(format!("port {port} of 127.0.0.1 is taken")).because(e).mend("choose another port")
        })?;
    }
    Ok(())
}

/// The line of a marker.
fn made_by(build: &Build) -> String {
    format!("{} {}\n", build.installed.kind, build.installed.version)
}

/// Fills an empty folder; passes one that holds data of this version of ours; refuses every other.
fn initialise(wish: &Wish, site: &Site, description: &Description, start: &Order) -> Result<(), Trouble> {
    let (data, marker) = (site.data(), site.folder.join(MARKER));
    let made = made_by(wish.build);
    if data.exists() {
        return match fs::read_to_string(&marker) {
            Ok(found) if found == made => Ok(()),
            Ok(found) => {
                Err(Trouble::new(format!("{} holds data of {}, not of {}", data.display(), found.trim(), made.trim()))
                    .mend(format!("start it with {}, or remove {}", found.trim(), site.folder.display())))
            }
            Err(e) => {
                Err(Trouble::new(format!("{} was not made by assay and is left alone", data.display())).because(e))
            }
        };
    }
    for folder in std::iter::once(&data).chain(&description.folders) {
        fs::create_dir(data.join(folder)).map_err(Trouble::at("making", folder))?;
    }
    for step in &description.initialise {
        let input = site.sql();
        pour(step, &input)?;
        let order = Order { command: &step.command, input: Some(&input), ..*start };
        let mut process = Guarded::spawn(wish.guard, &order)?;
        until("the data directory to be made", wish.stop, &mut process, |ended| match ended {
            Some(Ended::Code(0)) => Some(Ok(())),
            Some(ended) => Some(Err(died("making the data directory", site, ended))),
            None => None,
        })?;
        fs::remove_file(&input).map_err(Trouble::at("removing", &input))?;
    }
    fs::write(&marker, made).map_err(Trouble::at("writing", &marker))
}

/// One file from a step's head, files and tail.
fn pour(step: &Step, into: &Path) -> Result<(), Trouble> {
    let mut out = File::create(into).map_err(Trouble::at("making", into))?;
    io::copy(&mut step.head.as_bytes(), &mut out).map_err(Trouble::at("writing", into))?;
    for path in &step.files {
        let mut file = File::open(path).map_err(Trouble::at("opening", path))?;
        io::copy(&mut file, &mut out).map_err(Trouble::at("writing", into))?;
    }
    io::copy(&mut step.tail.as_bytes(), &mut out).map_err(Trouble::at("writing", into))?;
    Ok(())
}

fn wait_until_ready(stop: &AtomicBool, process: &mut Guarded, kind: &dyn Kind, site: &Site) -> Result<(), Trouble> {
    until("the server to be ready", stop, process, |ended| match ended {
        Some(ended) => Some(Err(died("starting the server", site, ended))),
        None => kind.serves(site).then_some(Ok(())),
    })
}

/// Looks at a process again and again, also when it ends, until there is an answer or nobody waits for one.
fn until(
    what: &str,
    stop: &AtomicBool,
    process: &mut Guarded,
    answer: impl FnMut(Option<Ended>) -> Option<Result<(), Trouble>>,
) -> Result<(), Trouble> {
    waits::during(what, START_PATIENCE, || looked_at(what, stop, process, answer))
}

fn looked_at(
    what: &str,
    stop: &AtomicBool,
    process: &mut Guarded,
    mut answer: impl FnMut(Option<Ended>) -> Option<Result<(), Trouble>>,
) -> Result<(), Trouble> {
    let begun = Instant::now();
    while begun.elapsed() < START_PATIENCE {
        if stop.load(Relaxed) {
            return Err(Trouble::new("given up: the lab was asked to stop"));
        }
        if let Some(answer) = answer(process.wait(LOOK_AGAIN)) {
            return answer;
        }
    }
    let waited = format!("waited {} s for {what}", START_PATIENCE.as_secs());
    Err(Trouble::new(waited).mend("its error log says what it does; a disk or a memory that is slow may be the cause"))
}

fn died(doing: &str, site: &Site, ended: Ended) -> Trouble {
    Trouble::new(format!("{doing} failed ({ended}); the end of its error log:\n{}", error_log::tail(&site.error_log())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_or_overlong_door_is_named() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let site = Site {
            folder: Path::new("/nowhere"),
            socket: Path::new("/nowhere/s"),
            tcp: Some(port),
            as_root: false,
            key_listener: None,
            member: None,
        };
        assert!(check_doors(&site).unwrap_err().to_string().starts_with(&format!("port {port} of 127.0.0.1 is taken")));
        let site = Site { socket: Path::new("/dev/null"), tcp: None, ..site };
        assert_eq!(check_doors(&site).unwrap_err().to_string(), "the socket /dev/null is taken");
        let long = PathBuf::from("/x".repeat(54));
        let site = Site { socket: &long, ..site };
        assert!(check_doors(&site).unwrap_err().to_string().contains("has 108 bytes and the kernel takes 107"));
    }
}
