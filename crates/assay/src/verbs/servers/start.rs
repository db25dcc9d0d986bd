//! `assay servers start`: a private server by hand, as an experiment would have it, with fresh data that are thrown
//! away at its end. It runs in the foreground until Ctrl-C, or detached until `assay servers stop`; it is never the
//! system's server.

use super::super::Verb;
use crate::arguments::{flag, many, needed, said};
use crate::exit::{self, Exit};
use crate::{interrupt, out, question};
use clap::{ArgMatches, Command};
use lab::backends::kinds;
use lab::os::process::Guard;
use lab::servers::process::by_hand::{self, Held, Running};
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, STOP_PATIENCE, Wish};
use lab::servers::{Build, catalogue};
use model::plan::Server;
use std::os::unix::process::CommandExt;
use std::process::{Command as Program, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

pub const VERB: Verb = Verb { name: "start", command, run };

const LOOK_AGAIN: Duration = Duration::from_millis(100);

fn command(command: Command) -> Command {
    arguments(command.about("Start a private server by hand; its data are gone when it ends"))
        .arg(flag("detach", "Return when it serves; `assay servers stop BUILD` ends it"))
}

/// Which server is meant; `shell` asks the same.
pub fn arguments(command: Command) -> Command {
    command.args([
        needed("build", "BUILD", "As mysql-8.0.33, or distribution"),
        many(
            "set",
            "KEY=VALUE",
            "A key of [server], as engine=rocksdb, profile=default or settings.buffer_pool='1 GiB'",
        ),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    if matches.get_flag("detach") {
        return detach(matches);
    }
    let wanted = wanted(matches)?;
    let stop = interrupt::flag();
    // Declared first, so let go last: whoever waits for it finds the instance's folder gone.
    let (_held, mut instance) = serve(&wanted, &stop)?;
    tell(&wanted, instance.socket());
    eprintln!("Ctrl-C, or assay servers stop {}, ends it.", wanted.server.build);
    while !stop.load(Relaxed) {
        if let Some(ended) = instance.ended(LOOK_AGAIN) {
            return Err(exit::failed(format!("the server ended by itself ({ended}):\n{}", instance.log_tail())));
        }
    }
    instance.stop(STOP_PATIENCE);
    Ok(Exit::Valid)
}

/// A server that is asked for by hand.
pub struct ServerRequest {
    pub folders: Folders,
    pub build: Build,
    pub server: Server,
}

/// The arguments as the one cell of an experiment, so that a server by hand is what an experiment would get.
pub fn wanted(matches: &ArgMatches) -> Result<ServerRequest, Exit> {
    request(said(matches, "build"), question::sets(matches)?)
}

/// The same of a build by its name, with keys of `[server]`.
pub fn request(name: &str, mut sets: Vec<(String, String)>) -> Result<ServerRequest, Exit> {
    let text = "question = \"What does this server say?\"\n\n[axes]\nworkload = [\"noop\"]\n\n[load]\nusers = 1\n\n\
                [repeat]\naa = false\n";
    for (key, _) in &mut sets {
        *key = format!("server.{key}");
    }
    sets.push(question::server(name));
    let mut question = question::resolve("servers", "assay servers", text, None, sets)?;
    let server = question.plan.cells.swap_remove(0).server;
    let folders = Folders::from_environment().map_err(exit::failed)?;
    let build = catalogue::find(&server.build).map_err(exit::refused)?;
    Ok(ServerRequest { folders, build, server })
}

/// Starts it and takes its name.
pub fn serve(wanted: &ServerRequest, stop: &AtomicBool) -> Result<(Held, Instance), Exit> {
    let held = by_hand::hold(&wanted.folders, &wanted.server.build).map_err(exit::refused)?;
    let guard = Guard::this_program();
    let ServerRequest { folders, build, server } = wanted;
    let wish = Wish { folders, guard: &guard, kind: kinds::of(build), build, server, cpus: &[], tcp: None, stop };
    let instance = Instance::provision(&wish).map_err(exit::failed)?;
    held.ready(instance.socket()).map_err(exit::failed)?;
    Ok((held, instance))
}

fn tell(wanted: &ServerRequest, socket: &std::path::Path) {
    let of = &wanted.build.installed;
    out!("{} ({} {}) serves at {}", wanted.server.build, of.kind, of.version, socket.display());
    match by_hand::client(&wanted.build, socket) {
        Ok(client) => out!("    {}", client.join(" ")),
        Err(why) => out!("    {why}"),
    }
}

/// The same command without `--detach` in a process of its own, until it serves.
fn detach(matches: &ArgMatches) -> Result<Exit, Exit> {
    let wanted = wanted(matches)?;
    let name = &wanted.server.build;
    // Also makes the folder of its log.
    by_hand::hold(&wanted.folders, name).map_err(exit::refused)?;
    let path = by_hand::log(&wanted.folders, name);
    let log = std::fs::File::create(&path).map_err(|e| exit::failed(format!("{}: {e}", path.display())))?;
    let mut holder = Program::new("/proc/self/exe");
    holder.args(["servers", "start", name]);
    holder.args(matches.get_many::<String>("set").into_iter().flatten().flat_map(|s| ["--set", s]));
    // Its own group: Ctrl-C at this terminal is for whoever sits there then.
    holder.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
    let mut holder = holder.spawn().map_err(|e| exit::failed(format!("starting assay in the background: {e}")))?;
    loop {
        if let Some(Running { socket, .. }) = by_hand::running(&wanted.folders, name) {
            tell(&wanted, &socket);
            return Ok(Exit::Valid);
        }
        if let Ok(Some(_)) = holder.try_wait() {
            let said = std::fs::read_to_string(&path).unwrap_or_default();
            return Err(exit::failed(format!("{name} did not start:\n{}", said.trim_end())));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}
