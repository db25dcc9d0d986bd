//! What each rank knows of the question without planning it: the bytes that it was asked in, so that two files are
//! seen to be two, and the workloads that its files bring.

use crate::arguments::said;
use crate::exit::Exit;
use crate::question::{bring, script_beside, server, sets};
use clap::ArgMatches;
use lab::os::digest::{digest, of_file};
use model::{Experiment, Plan};
use std::collections::BTreeMap;
use workload::Workloads;

struct Asked {
    path: String,
    text: String,
    scale: Option<String>,
    sets: Vec<(String, String)>,
}

fn read(matches: &ArgMatches) -> Result<Asked, String> {
    let path = said(matches, "experiment").to_string();
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    let on = matches.get_one::<String>("on").map(|on| server(on));
    let mistaken = |_: Exit| "its command line is not understood".to_string();
    let sets = sets(matches).map_err(mistaken)?.into_iter().chain(on).collect();
    Ok(Asked { path, text, scale: matches.get_one::<String>("scale").cloned(), sets })
}

/// Digests of what was asked, by what it is. A record that is gone on with lies with rank 0, which reads it.
pub fn asked(matches: &ArgMatches) -> Result<BTreeMap<String, String>, String> {
    if let Some(which) = matches.get_one::<String>("again") {
        let asked = format!("--again {which} {}", said(matches, "experiment"));
        return Ok(BTreeMap::from([("the command line".to_string(), asked)]));
    }
    let Asked { path, text, scale, sets } = read(matches)?;
    let mut asked = BTreeMap::from([
        (format!("the text of {path}"), digest(text.as_bytes())),
        ("the command line".to_string(), format!("{scale:?} {sets:?}")),
    ]);
    if let Some(script) = Experiment::script(&text, scale.as_deref(), &sets) {
        let file = script_beside(&script, &path);
        asked.insert(format!("the script {file}"), of_file(&file).unwrap_or_default());
    }
    Ok(asked)
}

/// The workloads that the plan names, of this rank's files.
pub fn workloads(matches: &ArgMatches, plan: &Plan) -> Result<Workloads, String> {
    let mut workloads = Workloads::built_in();
    let said = |_: Exit| "the files that the experiment names cannot be read here".to_string();
    if matches.contains_id("again") {
        bring(&mut workloads, "", None, plan).map_err(said)?;
        return Ok(workloads);
    }
    let Asked { path, text, scale, sets } = read(matches)?;
    bring(&mut workloads, &path, Experiment::script(&text, scale.as_deref(), &sets), plan).map_err(said)?;
    Ok(workloads)
}
