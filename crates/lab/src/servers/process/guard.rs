//! The process between a lab and a server: it starts the server, holds the reading end of a pipe whose other end lives
//! only in the lab, and kills the server's whole group when that pipe closes, by whatever death. Should the guard
//! itself be killed, the kernel kills the server for it (PDEATHSIG; the guard has one thread, so the signal cannot
//! come early). Why so: docs/decisions/0003-servers-die-with-their-lab.md.

use crate::os::process::{Ended, INTERRUPT, KILL, TERMINATE, memory_nodes, parse_cpu_list};
use model::{Host, MemoryPolicy};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::FlockOperation;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

/// The whole life of a guard. `arguments` are those after the program's name (and its hidden verb).
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let result = Job::read(arguments.into_iter()).and_then(|job| job.carry_out());
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            say(&what);
            ExitCode::FAILURE
        }
    }
}

#[derive(Default)]
struct Job {
    owner: PathBuf,
    log: PathBuf,
    input: Option<PathBuf>,
    cpus: Vec<u32>,
    memory: Option<MemoryPolicy>,
    command: Vec<OsString>,
}

impl Job {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut job = Self::default();
        while let Some(name) = arguments.next() {
            if name == "--" {
                job.command = arguments.collect();
                break;
            }
            let value = arguments.next().ok_or("a guard is started by its lab, not by hand")?;
            match name.to_str() {
                Some("--owner") => job.owner = value.into(),
                Some("--log") => job.log = value.into(),
                Some("--input") => job.input = Some(value.into()),
                Some("--cpus") => {
                    job.cpus = value.to_str().and_then(parse_cpu_list).ok_or("a list of CPUs is like 0,1")?
                }
                Some("--memory") => {
                    let policy = value.to_str().and_then(MemoryPolicy::parse);
                    job.memory = Some(policy.ok_or("a policy of memory is like local")?);
                }
                _ => return Err("a guard is started by its lab, not by hand".into()),
            }
        }
        if job.command.is_empty() { Err("a guard is started by its lab, not by hand".into()) } else { Ok(job) }
    }

    fn carry_out(&self) -> Result<(), String> {
        let owner = File::open(&self.owner).map_err(|e| format!("opening {}: {e}", self.owner.display()))?;
        rustix::fs::flock(&owner, FlockOperation::LockShared).map_err(|e| format!("locking the owner file: {e}"))?;
        if !self.cpus.is_empty() {
            // The server inherits it; the guard itself sleeps.
            let mut set = rustix::thread::CpuSet::new();
            self.cpus.iter().for_each(|c| set.set(*c as usize));
            rustix::thread::sched_setaffinity(None, &set)
                .map_err(|e| format!("using the CPUs {:?}: {e}", self.cpus))?;
        }
        if let Some(policy) = &self.memory {
            take_memory(policy).map_err(|why| format!("taking the server's memory as asked: {why}"))?;
        }
        let mut server = self.start().map_err(|e| format!("starting {}: {e}", self.command[0].display()))?;
        say(&format!("started {}", server.id()));
        let ended = watch(&mut server).map_err(|e| format!("watching the server: {e}"))?;
        match ended {
            Ended::Code(code) => say(&format!("ended code {code}")),
            Ended::Signal(signal) => say(&format!("ended signal {signal}")),
        }
        Ok(())
    }

    fn start(&self) -> io::Result<Child> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdout(log.try_clone()?).stderr(log).process_group(0);
        command.stdin(match &self.input {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
        let guard = rustix::process::getpid();
        // SAFETY: between fork and exec only two system calls are made; neither allocates nor takes a lock.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                // A guard that died before the line above sends no signal any more.
                if rustix::process::getppid() == Some(guard) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
            });
        }
        command.spawn()
    }
}

/// Tells the kernel where this process's memory is to come from; what it starts inherits it.
fn take_memory(policy: &MemoryPolicy) -> Result<(), String> {
    let nodes = policy.on(&Host { nodes: memory_nodes(), ..Host::default() })?;
    let (mode, nodes) = match policy {
        // The kernel takes no nodes for it.
        MemoryPolicy::Local => (libc::MPOL_LOCAL, Vec::new()),
        MemoryPolicy::Interleave => (libc::MPOL_INTERLEAVE, nodes),
        MemoryPolicy::Bind(_) => (libc::MPOL_BIND, nodes),
    };
    const BITS: u32 = libc::c_ulong::BITS;
    let mut mask: Vec<libc::c_ulong> = vec![0; nodes.last().map_or(0, |last| last / BITS + 1) as usize];
    nodes.iter().for_each(|node| mask[(node / BITS) as usize] |= 1 << (node % BITS));
    let pointer = if mask.is_empty() { std::ptr::null() } else { mask.as_ptr() };
    // The kernel reads one bit less than it is told.
    let bits = mask.len() as libc::c_ulong * libc::c_ulong::from(BITS) + 1;
    // SAFETY: the mask lives until the call has returned and has as many bits as it is said to have.
    match unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, pointer, bits) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error().to_string()),
    }
}

/// News for the lab. A lab that is gone hears nothing, and that is no reason to stop guarding.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Carries out orders until the server has ended and is reaped. An end of orders is an order to kill.
fn watch(server: &mut Child) -> io::Result<Ended> {
    let group = Pid::from_child(server);
    let handle = rustix::process::pidfd_open(group, PidfdFlags::empty())?;
    // Not std's buffered handle: a byte in its buffer would never wake the poll.
    let mut orders = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut deaf = false;
    loop {
        let mut events = [PollFd::new(&handle, PollFlags::IN), PollFd::new(&orders, PollFlags::IN)];
        let listened = if deaf { &mut events[..1] } else { &mut events[..] };
        match poll(listened, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
        let (over, order) = (!events[0].revents().is_empty(), !deaf && !events[1].revents().is_empty());
        if over {
            // Whatever the server left running in its group must not outlive it; not yet reaped, its number is its own.
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
            let status = server.wait()?;
            return Ok(status.signal().map_or_else(|| Ended::Code(status.code().unwrap_or(-1)), Ended::Signal));
        }
        if order {
            let mut word = [0];
            let signal = match orders.read(&mut word) {
                Ok(1) if word[0] == TERMINATE => Some(Signal::TERM),
                Ok(1) if word[0] == KILL => Some(Signal::KILL),
                Ok(1) if word[0] == INTERRUPT => {
                    let _ = rustix::process::kill_process(group, Signal::INT);
                    None
                }
                Ok(1) => None,
                Ok(_) | Err(_) => {
                    deaf = true;
                    Some(Signal::KILL)
                }
            };
            if let Some(signal) = signal {
                let _ = rustix::process::kill_process_group(group, signal);
            }
        }
    }
}
