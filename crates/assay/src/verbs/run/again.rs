//! `assay run --again struck RECORD`: the runs of a record that a neighbour spoilt, once more, within the same record.
//! Which those are the judge says, by its checks of the machine alone: a run is never chosen by what it came to. Each
//! is set aside with the reason and made again under its name and seed, and looked at again; one that is spoilt every
//! time stays as it is after a few.

use super::{ending, measure_again, print_cells};
use crate::exit::{self, Exit};
use crate::live::Listeners;
use crate::verbs::{judge as screen, report};
use crate::{question, ranks};
use clap::ArgMatches;
use judge::{MOST_AGAIN, Spoilt};
use lab::ranks::peers::Peers;
use model::{Experiment, Record};
use std::path::Path;

/// What can be asked for.
const STRUCK: &str = "struck";

/// Options that say what to measure, which a record says itself.
const OF_QUESTIONS: [&str; 4] = ["scale", "set", "on", "out"];

pub fn run(which: &str, matches: &ArgMatches, listeners: Listeners, peers: Option<&mut Peers>) -> Result<Exit, Exit> {
    if which != STRUCK {
        return Err(exit::refused(format!(
            "--again {which}: what can be carried out again is what a check of the machine struck; write --again {STRUCK} RECORD"
        )));
    }
    if let Some(lone) = OF_QUESTIONS.into_iter().find(|option| matches.contains_id(option)) {
        return Err(exit::refused(format!(
            "--{lone} would ask another question than the record did; leave it out, or make a new record"
        )));
    }
    let name = crate::arguments::said(matches, "experiment");
    let folder = Path::new(name);
    let (record, _) = lab::notebook::read(folder).map_err(exit::refused)?;
    let question = question::of_record(name, &record)?;
    ranks::refuse_another_number(folder, &record, peers.as_deref())?;
    if peers.is_some() {
        refuse_scripts(name, &record)?;
    }
    if question.plan.hash() != record.plan.hash() {
        return Err(exit::refused(format!(
            "{name}: its experiment is planned otherwise today (another build of a server or of assay, or another \
             machine), and what is made now would be no repetition of it\n    measure it anew, as a record of its own"
        )));
    }
    drop(record);
    let live = listeners.serve(folder, true);
    let outcome = repeat(&question, folder, peers).and_then(|()| tell(folder, matches));
    if let Some(live) = live {
        live.farewell(&folder.join(screen::PAGE));
    }
    outcome
}

/// What a script says all ranks would have to read.
fn refuse_scripts(name: &str, record: &Record) -> Result<(), Exit> {
    let sets: Vec<_> = record.plan.sets.iter().filter_map(|set| set.split_once('=')).collect();
    let sets: Vec<_> = sets.into_iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    if Experiment::script(&record.experiment, record.plan.scale.as_deref(), &sets).is_some() {
        return Err(exit::refused(format!(
            "{name}: its users do what a script says, and a record names no file that all ranks can read\n    measure it \
             anew, as a record of its own"
        )));
    }
    Ok(())
}

fn tell(folder: &Path, matches: &ArgMatches) -> Result<Exit, Exit> {
    let (record, judgement) = report::write(folder).map_err(exit::failed)?;
    if matches.get_flag("json") {
        print_cells(&judgement);
    } else {
        screen::show(&record, &judgement, folder, matches.get_flag("all"));
    }
    ending(&record, &judgement, folder)
}

/// Until none is spoilt, or each that is was repeated as often as may be. What an earlier command left open is made
/// with the first of them.
fn repeat(question: &question::Question, folder: &Path, mut peers: Option<&mut Peers>) -> Result<(), Exit> {
    let mut is_first = true;
    loop {
        let (record, details) = lab::notebook::read(folder).map_err(exit::refused)?;
        let (again, hopeless): (Vec<Spoilt>, Vec<Spoilt>) =
            judge::spoilt(&record, &details).into_iter().partition(Spoilt::may_be_repeated);
        for spoilt in &again {
            eprintln!("{}", spoilt.why());
        }
        if again.is_empty() {
            for Spoilt { run, sentence, .. } in &hopeless {
                eprintln!("{run} was carried out again {MOST_AGAIN} times and stays as it is: {sentence}");
            }
            if hopeless.is_empty() {
                eprintln!("no check of the machine strikes a run of {}", folder.display());
            }
        }
        if !again.is_empty() || is_first {
            measure_again(question, folder, &again, peers.as_deref_mut())?;
        }
        if again.is_empty() {
            return Ok(());
        }
        is_first = false;
    }
}
