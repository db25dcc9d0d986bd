//! What is started for a build of the row: what the list says, or what the command makes of its name. A build that the
//! command could not make is passed over, as `git bisect run` does; one that was ended by a signal ends the search, and
//! the same command goes on.

use super::row::{Source, place};
use super::state::State;
use crate::exit::{self, Exit};
use clap::ArgMatches;
use lab::os::ask;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// A server is compiled within this, or something waits for somebody.
const MOST: Duration = Duration::from_secs(6 * 3600);

/// From here on a shell tells that a program was ended by a signal.
const SIGNALS: i32 = 128;

/// The build, or why there is none.
pub fn source(
    state: &mut State,
    matches: &ArgMatches,
    at: usize,
    stop: &AtomicBool,
) -> Result<Result<Source, String>, Exit> {
    if let Some(build) = &state.told.builds[at].build {
        return Ok(Ok(build.clone()));
    }
    let command = matches.get_one::<String>("build-command").expect("what has no build is made by the command");
    let name = state.name(at).to_string();
    let log = state.log(at)?;
    eprintln!("making {name}: {command} {name}, which writes to {}", log.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{command} \"$1\""), "assay-bisect", &name]).stdin(Stdio::null());
    let output = ask::output(&mut shell, &format!("`{command}` to make {name}"), MOST);
    let output = output.map_err(|e| exit::failed(format!("{command} {name}: {e}")))?;
    let told = [&output.stdout[..], &output.stderr[..]].concat();
    std::fs::write(&log, told).map_err(|e| exit::failed(format!("{}: {e}", log.display())))?;
    if stop.load(Relaxed) || output.status.code().is_none_or(|code| code >= SIGNALS) {
        return Err(exit::failed(format!(
            "{command} {name} was ended by a signal; the same command goes on from here"
        )));
    }
    if !output.status.success() {
        return Ok(Err(why(&output)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some(last) = text.lines().map(str::trim).rfind(|line| !line.is_empty()) else {
        return Err(exit::refused(format!(
            "{command} {name} made a build and did not say where: print its folder (the one that has bin/mariadbd) last"
        )));
    };
    let build = place(last).map_err(|why| exit::refused(format!("{command} {name} printed no build: {why}")))?;
    state.told.builds[at].build = Some(build.clone());
    state.write()?;
    Ok(Ok(build))
}

/// Its last words.
fn why(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let status = output.status.code().unwrap_or_default();
    if last.is_empty() {
        format!("its command ended with {status}")
    } else {
        format!("its command ended with {status}: {last}")
    }
}
