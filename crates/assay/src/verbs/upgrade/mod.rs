//! `assay upgrade`: what changes for the statements of a trace when a build gives way to another. Both load the same
//! data once; the trace is replayed on them in turn; what each then says is compared.

use super::Verb;
use super::servers::start;
use crate::arguments::{many, option, said};
use crate::exit::{self, Exit};
use crate::progress::Terminal;
use crate::{interrupt, out};
use clap::{ArgMatches, Command};
use judge::upgrade::Hearing;
use lab::Progress;
use lab::notebook::reporter::left;
use lab::os::digest::digest;
use lab::os::process::Guard;
use lab::replay::{Comparison, Data, Pace, Script, Servers, Side, data, each_heard, keep};
use model::upgrade::{Observed, Run, Upgrade};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

pub const VERB: Verb = Verb { name: "upgrade", command, run };

/// Pairs of replays where nobody says: as few as an interval of a few percent takes.
const PAIRS: &str = "5";
/// Letters of a digest that name a folder.
const NAME: usize = 8;
/// What was asked, in the folder: another question does not go on there.
const ASKED: &str = "asked.txt";

fn command(command: Command) -> Command {
    command
        .about("Replay a trace on two builds: which statements get slower, answer differently or fail, and why")
        .args([
        option("from", "BUILD", "The build that serves now").required(true),
        option("to", "BUILD", "The build that is to serve").required(true),
        option("trace", "DIR", "What was asked, as `assay capture` wrote it").required(true),
        option(
            "data",
            "PATH",
            "The data that the trace begins with: a dump (.sql, or a folder of them), a copy of a data directory, or statistics",
        )
        .required(true),
        option("pairs", "N", "Replays of each build, in turn [default: 5]")
            .default_value(PAIRS)
            .hide_default_value(true),
        option("pace", "PACE", "captured, fast, or so many times as fast as captured, as 2 [default: captured]")
            .default_value("captured")
            .hide_default_value(true),
        many("set", "KEY=VALUE", "A key of [server] for both, as settings.buffer_pool='1 GiB'"),
        many("from-set", "KEY=VALUE", "The same for the old build alone"),
        many("to-set", "KEY=VALUE", "The same for the new build alone"),
        option("from-sql", "FILE", "What is said to the old build before each of its replays"),
        option("to-sql", "FILE", "The same for the new build: an index to try, a mode to keep"),
        option("out", "DIR", "Where the record goes [default: records/upgrade-HASH]"),
        crate::arguments::flag("json", "The judgement as JSON (docs/upgrade.md)"),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let stop = interrupt::flag();
    let pace = pace(said(matches, "pace"))?;
    let blocks = said(matches, "pairs").parse::<u32>().ok().filter(|pairs| *pairs > 0);
    let blocks = blocks.ok_or_else(|| exit::refused("--pairs takes a number from 1 on; an interval takes 3"))?;
    let (trace, path) = (PathBuf::from(said(matches, "trace")), PathBuf::from(said(matches, "data")));
    let found = Data::at(&path).map_err(exit::refused)?;
    let (from, to) = (side(matches, "from")?, side(matches, "to")?);
    eprintln!("reading {}", trace.display());
    let (progress, begun) = (RefCell::new(Terminal::new()), Instant::now());
    let mut at = |done: u64, of: u64| {
        progress.borrow_mut().at(done, of, "statements of the trace, read twice", left(begun, done, of));
    };
    let script = Script::read(&trace, &stop, &mut at);
    let script = Rc::new(script.map_err(|e| if stop.load(Relaxed) { exit::failed(e) } else { exit::refused(e) })?);
    let folder = folder(matches, &found)?;
    let comparison = Comparison {
        script: Rc::clone(&script),
        data: found,
        from,
        to,
        pace,
        blocks,
        folder: &folder,
        stop: &stop,
        progress: &progress,
    };
    let servers = Servers::new(Guard::this_program()).map_err(exit::failed)?;
    let observed = comparison.carry_out(&servers).map_err(exit::failed)?;
    drop(progress);
    let observed = Observed { trace: trace.display().to_string(), data: path.display().to_string(), ..observed };
    keep(&folder.join("observed.json"), &observed).map_err(exit::failed)?;
    let upgrade = judged(&observed, &script, &folder)?;
    tell_all(&upgrade, &folder, matches.get_flag("json"))?;
    let is_sound = upgrade.struck.is_empty();
    Ok(if is_sound { Exit::Valid } else { Exit::CheckFailed })
}

fn judged(observed: &Observed, script: &Script, folder: &Path) -> Result<Upgrade, Exit> {
    let runs: Vec<Run> = observed.replays.iter().map(|replay| replay.run).collect();
    let mut hearing = Hearing::new(&runs, &observed.digests);
    each_heard(folder, &runs, script.count(), &mut |statement, heard| {
        if let Some(digest) = script.digest_of(statement) {
            hearing.add(digest, script.order.is_racy(statement), heard);
        }
    })
    .map_err(exit::failed)?;
    Ok(judge::upgrade::judge(observed, &hearing))
}

fn tell_all(upgrade: &Upgrade, folder: &Path, json: bool) -> Result<(), Exit> {
    keep(&folder.join("upgrade.json"), upgrade).map_err(exit::failed)?;
    let path = folder.join("report.md");
    fs::write(&path, ::report::upgraded::markdown(upgrade))
        .map_err(|e| exit::failed(format!("{}: {e}", path.display())))?;
    if json {
        out!("{}", serde_json::to_string_pretty(upgrade).expect("a judgement is JSON"));
    } else {
        out!("{}", ::report::upgraded::text(upgrade).trim_end());
        eprintln!("The report: {}", path.display());
    }
    Ok(())
}

fn pace(text: &str) -> Result<Pace, Exit> {
    match (text, text.trim_end_matches(['x', '×']).trim().parse::<f64>()) {
        ("captured", _) => Ok(Pace::Times(1.0)),
        ("fast", _) => Ok(Pace::Fast),
        (_, Ok(times)) if times > 0.0 && times.is_finite() => Ok(Pace::Times(times)),
        (_, Ok(_) | Err(_)) => {
            Err(exit::refused(format!("--pace {text}: write captured, fast, or a number as 2 for twice as fast")))
        }
    }
}

/// One of the two, with what is set and said on its side.
fn side(matches: &ArgMatches, which: &'static str) -> Result<Side, Exit> {
    let (set, sql) = if which == "from" { ("from-set", "from-sql") } else { ("to-set", "to-sql") };
    let sets = ["set", set].map(|name| crate::question::sets_of(matches, name));
    let sets = sets.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let request = start::request(said(matches, which), sets)?;
    let said = matches.get_one::<String>(sql).map(|file| data::statements(Path::new(file))).transpose();
    Side::of(request.server, said.map_err(exit::refused)?.unwrap_or_default()).map_err(exit::refused)
}

/// The folder of this question, new or begun before.
fn folder(matches: &ArgMatches, data: &Data) -> Result<PathBuf, Exit> {
    let mut text = format!("data {}\n", data.fingerprint().map_err(exit::refused)?);
    for name in ["from", "to", "trace", "pace", "from-sql", "to-sql"] {
        text += &format!("{name} {}\n", matches.get_one::<String>(name).map_or("", String::as_str));
    }
    for name in ["set", "from-set", "to-set"] {
        let all: Vec<&String> = matches.get_many::<String>(name).into_iter().flatten().collect();
        text += &format!("{name} {all:?}\n");
    }
    let default = || PathBuf::from("records").join(format!("upgrade-{}", &digest(text.as_bytes())[..NAME]));
    let folder = matches.get_one::<String>("out").map_or_else(default, PathBuf::from);
    let asked = folder.join(ASKED);
    let trouble =
        |e: std::io::Error| exit::refused(format!("{}: {e}; choose another folder with --out", folder.display()));
    match fs::read_to_string(&asked) {
        Ok(there) if there == text => Ok(folder),
        Ok(_) => {
            Err(exit::refused(format!("{} is of another question: choose another folder with --out", folder.display())))
        }
        Err(_) => {
            fs::create_dir_all(&folder).map_err(trouble)?;
            fs::write(&asked, text).map_err(trouble)?;
            Ok(folder)
        }
    }
}
