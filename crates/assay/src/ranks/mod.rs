//! This process as one rank of several: found out by what a launcher (mpirun, srun) left in the environment, because a
//! program that asks MPI in vain waits for it. MPI itself stands behind the feature `mpi`; a program without it
//! refuses to be several, which would be several loads that know nothing of each other.

pub mod doctor;
#[cfg(feature = "mpi")]
mod over_mpi;
mod question;
#[cfg(feature = "mpi")]
mod watch;

use crate::exit::{self, Exit};
use crate::interrupt;
use clap::ArgMatches;
use lab::ranks::hello::{self, Hello};
use lab::ranks::peers::Peers;
use lab::ranks::{Port, Ranks};
use model::{Plan, Record};
use std::collections::BTreeMap;
use std::path::Path;
use workload::Workloads;

/// How launchers say of how many ranks this is one: Open MPI's mpirun, MPICH's, and srun, whichever way it hands MPI
/// on.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// What several ranks can do together.
pub const VERBS: [&str; 2] = ["run", "doctor"];

/// The other ranks, where this is one of several.
pub fn connect() -> Result<Option<Box<dyn Ranks>>, Exit> {
    if is_launched() { launched() } else { Ok(None) }
}

/// What one process does, several would each do: a load beside another, into one record.
pub fn refuse_several(verb: &str) -> Result<(), Exit> {
    if VERBS.contains(&verb) || !is_launched() {
        return Ok(());
    }
    Err(exit::refused(format!(
        "assay {verb} is for one process, and a launcher started several\n    several can: {}",
        VERBS.join(", ")
    )))
}

fn is_launched() -> bool {
    // Other launchers by PMIx say how many only to who asks its library.
    size().is_some_and(|size| size > 1) || size().is_none() && std::env::var_os("PMIX_RANK").is_some()
}

fn size() -> Option<u32> {
    SIZES.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

#[cfg(feature = "mpi")]
fn launched() -> Result<Option<Box<dyn Ranks>>, Exit> {
    let ranks = over_mpi::OverMpi::begin().map_err(exit::failed)?;
    // `srun --mpi=none` starts several of which none knows of another.
    if ranks.size() == 1 && size().is_some_and(|size| size > 1) {
        return Err(exit::refused(
            "a launcher started several of these and MPI knows of one only: each would be a load of its own\n    say \
             --mpi=pmix to srun (docs/ranks.md)",
        ));
    }
    // One rank has nobody to agree with.
    Ok((ranks.size() > 1).then(|| Box::new(ranks) as Box<dyn Ranks>))
}

#[cfg(not(feature = "mpi"))]
fn launched() -> Result<Option<Box<dyn Ranks>>, Exit> {
    Err(exit::refused(
        "this process is one rank of several, and this assay was built without MPI: each would be a load of its own\n    \
         build it with it: cargo build --release --features mpi (docs/ranks.md)",
    ))
}

/// Leads the others through what `go` does with them; they end with it.
pub fn lead(
    ranks: Box<dyn Ranks>,
    matches: &ArgMatches,
    go: impl FnOnce(&mut Peers) -> Result<Exit, Exit>,
) -> Result<Exit, Exit> {
    let asked = question::asked(matches).unwrap_or_default();
    let mut peers = Peers::gather(ranks, hello_of(asked)?).map_err(exit::failed)?;
    if let Some(why) = hello::differ(&peers.hellos) {
        peers.refuse(&why);
        return Err(exit::refused(why));
    }
    let outcome = go(&mut peers);
    peers.end();
    if peers.lost.is_some() {
        // Who does not answer cannot be waited for.
        peers.port.abort(outcome.unwrap_or_else(|early| early) as i32);
    }
    outcome
}

/// A record is of one load: fewer processes would be another, and so would more.
pub fn refuse_another_number(folder: &Path, record: &Record, peers: Option<&Peers>) -> Result<(), Exit> {
    // A run that lost a rank tells of the others only.
    let had = record.runs.iter().filter(|run| run.is_done()).map(|run| run.ranks.len()).max();
    let (had, have) = (had.map(|ranks| ranks.max(1)), peers.map_or(1, Peers::size) as usize);
    let processes = |n: usize| if n == 1 { "one process".to_string() } else { format!("{n} ranks") };
    let Some(had) = had.filter(|had| *had != have) else { return Ok(()) };
    let start = if had == 1 { "without a launcher".to_string() } else { format!("with mpirun -n {had}") };
    Err(exit::refused(format!(
        "{}: its load was driven by {}, and {} would be another load\n    give the same command {start}, or name \
         another folder for a record of its own",
        folder.display(),
        processes(had),
        processes(have)
    )))
}

/// What every other rank does.
pub fn follow(ranks: Box<dyn Ranks>, matches: &ArgMatches) -> Result<Exit, Exit> {
    let asked = question::asked(matches);
    let hello = Hello { trouble: asked.as_ref().err().cloned(), ..hello_of(asked.unwrap_or_default())? };
    follow_through(ranks, hello, |plan| question::workloads(matches, plan))
}

fn follow_through(
    ranks: Box<dyn Ranks>,
    hello: Hello,
    workloads: impl FnOnce(&Plan) -> Result<Workloads, String>,
) -> Result<Exit, Exit> {
    let port = Port::new(ranks);
    let followed = lab::follow(&port, hello, workloads, &interrupt::flag());
    followed.map(|()| Exit::Valid).map_err(|why| {
        // A farewell by all would wait for who is gone.
        let exit = exit::failed(why);
        port.abort(exit as i32);
        exit
    })
}

fn hello_of(asked: BTreeMap<String, String>) -> Result<Hello, Exit> {
    Ok(Hello::of_this_process(crate::question::host()?.cpus, asked))
}

/// Who takes part, for whoever started it.
pub fn show(peers: &Peers) {
    for rank in 0..peers.size() {
        let cpus = peers.hellos[rank as usize].cpus.len();
        eprintln!("{}: {cpus} {}", peers.name(rank), if cpus == 1 { "CPU" } else { "CPUs" });
    }
}
