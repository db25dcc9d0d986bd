//! `assay servers snapshots`: loaded data that are kept cold, least recently used first, and their removal by hand.
//! What a running lab uses stays.

use super::super::Verb;
use crate::arguments::positional;
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgAction, ArgMatches, Command};
use lab::provision::snapshots::limit::LIMIT;
use lab::provision::snapshots::{Listed, Store};
use lab::servers::process::folders::Folders;
use lab::trouble::Trouble;
use model::units::{Bytes, Nanos};
use std::time::SystemTime;

pub const VERB: Verb = Verb { name: "snapshots", command, run };

fn command(command: Command) -> Command {
    let keys = positional("key", "KEY", "Which; all without one").action(ArgAction::Append);
    command
        .about("Show the loaded data that are kept, or clear them")
        .subcommand(Command::new("clear").about("Remove snapshots that no running lab uses").arg(keys))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let outcome = Folders::from_environment().and_then(|folders| {
        let store = Store::of(&folders)?;
        match matches.subcommand() {
            Some(("clear", matches)) => {
                clear(&store, &matches.get_many::<String>("key").into_iter().flatten().cloned().collect::<Vec<_>>())
            }
            Some(_) | None => show(&store),
        }
    });
    outcome.map_err(exit::failed)
}

fn show(store: &Store) -> Result<Exit, Trouble> {
    let mut all = store.list();
    all.sort_by_key(|l| l.last_used);
    let taken = Bytes(all.iter().map(|l| l.manifest.bytes.0).sum());
    all.iter().for_each(|listed| out!("{}", line(listed)));
    out!("{} snapshots take {taken} of at most {} ({LIMIT})", all.len(), store.limit()?);
    Ok(Exit::Valid)
}

/// `ee91ed50b487f7a5 13.4 MiB mariadb 10.11.19 innodb, oltp: charset latin1, rows 10000; loaded in 1.2 s, used 3 min
/// ago`.
fn line(listed: &Listed) -> String {
    let m = &listed.manifest;
    let datasets = m.datasets.values().map(|d| {
        let parameters = d.parameters.iter().map(|(n, v)| format!("{n} {v}")).collect::<Vec<_>>().join(", ");
        format!("{}: {parameters}", d.family)
    });
    let used = match SystemTime::now().duration_since(listed.last_used) {
        _ if listed.in_use => "in use".to_string(),
        Ok(ago) => format!("used {} ago", Nanos::from_secs(ago.as_secs())),
        Err(_) => "just used".to_string(),
    };
    let datasets = datasets.collect::<Vec<_>>().join("; ");
    format!(
        "{}  {:>9}  {} {}, {datasets}; loaded in {}, {used}",
        m.key,
        m.bytes.to_string(),
        m.made_by,
        m.server.engine,
        m.load_time
    )
}

fn clear(store: &Store, keys: &[String]) -> Result<Exit, Trouble> {
    let all = store.list();
    if let Some(unknown) = keys.iter().find(|k| all.iter().all(|l| l.manifest.key != **k)) {
        return Err(Trouble::new(format!("there is no snapshot {unknown}")).mend("assay servers snapshots shows them"));
    }
    let mut freed = Bytes(0);
    for listed in all.iter().filter(|l| keys.is_empty() || keys.contains(&l.manifest.key)) {
        if store.remove(&listed.manifest.key) {
            freed.0 += listed.manifest.bytes.0;
        } else {
            out!("{} is in use and stays", listed.manifest.key);
        }
    }
    out!("{freed} freed");
    Ok(Exit::Valid)
}
