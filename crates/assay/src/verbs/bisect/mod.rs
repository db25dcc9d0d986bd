//! `assay bisect`: the first bad build of a row, for a metric and a limit. Each build that is asked is measured beside
//! the good end in records of its own; how many pairs it takes, which build is next and when it is over follow from
//! those records alone (`judge::compare::bisect`), so that the same command goes on where an earlier one ended. The
//! ends come first: where they do not differ, no other build is made.

mod made;
mod row;
mod state;

use super::{Verb, report, run};
use crate::arguments::{flag, needed, option, said};
use crate::exit::{self, Exit};
use crate::limit::Limit;
use crate::question::{self, Question};
use crate::{interrupt, out};
use clap::{ArgMatches, Command};
use judge::compare::bisect::{self, Paired, Step, Unpaired};
use lab::servers::catalogue;
use model::bisection::{Answer, Bisected};
use model::{InstanceRecord, Record};
use row::Source;
use state::State;
use std::path::Path;

pub const VERB: Verb = Verb { name: "bisect", command, run: find };

/// What is compared where nobody says.
const METRIC: &str = "qps";

fn command(command: Command) -> Command {
    command
        .about(
            "Find the first bad build of a row: log2(n) builds, each beside the good end, as often as noise asks for",
        )
        .args([
            needed("experiment", "EXPERIMENT.toml", "The question, of one cell; its builds are those of the row"),
            option("scale", "NAME", "Apply the file's [scale.NAME]: smoke, laptop, study"),
            crate::arguments::many("set", "KEY=VALUE", "Override one key of the file, as --set load.users=8"),
            option("good", "BUILD", "A build that is good").required(true),
            option("bad", "BUILD", "A later one that is bad").required(true),
            option("builds", "FILE", "The row, oldest first: a line each, NAME or NAME BUILD|PATH")
                .required_unless_present("build-command"),
            option(
                "build-command",
                "CMD",
                "Makes the build that it is given, and prints its folder last; 125 skips it. Without --builds the row \
                 is git's, from good to bad",
            ),
            option("metric", "NAME", "What is bad about it; half of the ends' difference is the line [default: qps]")
                .conflicts_with("fail-if"),
            option("fail-if", "LIMIT", "METRIC<-3% or METRIC>5%: beyond it, against the good end, a build is bad"),
            option("out", "DIR", "Where the records go [default: records/bisect-HASH]"),
            flag("json", "What was found, and every build that was asked, as JSON (docs/bisect.md)"),
        ])
}

fn find(matches: &ArgMatches) -> Result<Exit, Exit> {
    let limit = matches.get_one::<String>("fail-if").map(|text| Limit::parse(text)).transpose();
    let limit = limit.map_err(|problem| exit::wrong("--fail-if", &[problem]))?;
    let change = limit.as_ref().map(|limit| {
        limit
            .change()
            .ok_or_else(|| exit::refused(format!("--fail-if {limit}: a bisect has one workload; leave it out")))
    });
    let change = change.transpose()?;
    let named = matches.get_one::<String>("metric").map_or(METRIC, String::as_str);
    let metric = limit.as_ref().map_or(named, |limit| &limit.metric).to_string();
    let row = row::of(matches)?;
    let mut state = State::open(matches, row, &metric, limit.as_ref())?;
    loop {
        let step = bisect::next(&mut state.told.builds, &metric, change);
        state.write()?;
        match step {
            Step::Measure { build, pairs } => measure(&mut state, matches, build, pairs)?,
            Step::Over(answer) => return tell(state, answer, matches),
        }
    }
}

fn tell(mut state: State, answer: Answer, matches: &ArgMatches) -> Result<Exit, Exit> {
    let is_found = matches!(answer, Answer::Found { .. });
    state.told.answer = Some(answer);
    state.write()?;
    if matches.get_flag("json") {
        out!("{}", serde_json::to_string_pretty(&state.told).expect("a bisection is JSON"));
    } else {
        out!("{}", ::report::bisected::text(&state.told).trim_end());
        eprintln!("The records: {}", state.folder.display());
    }
    Ok(if is_found { Exit::Valid } else { Exit::CheckFailed })
}

/// One record of the good end and this build.
fn measure(state: &mut State, matches: &ArgMatches, at: usize, pairs: usize) -> Result<(), Exit> {
    let stop = interrupt::flag();
    let mut sources = Vec::new();
    for place in [0, at] {
        match made::source(state, matches, place, &stop)? {
            Ok(build) => sources.push(build),
            Err(why) if place == 0 => {
                return Err(exit::refused(format!("the good end {} could not be made: {why}", state.name(0))));
            }
            Err(why) => return skip(state, at, why),
        }
    }
    if sources[0] == sources[1] {
        return Err(exit::refused(format!(
            "{} and {} are both {}: keep each build in a folder of its own",
            state.name(0),
            state.name(at),
            sources[0]
        )));
    }
    for (place, build) in [0, at].into_iter().zip(&sources) {
        match catalogue::find(build) {
            Ok(_) => {}
            Err(why) if place == 0 => return Err(exit::refused(why)),
            Err(why) => return skip(state, at, why.to_string()),
        }
    }
    let question = ask(matches, &sources, pairs)?;
    if let Some(skipped) = question.plan.skipped.first() {
        return skip(state, at, skipped.reason.clone());
    }
    let cells = question.plan.cells.len();
    if cells != sources.len() {
        let per_build = cells / sources.len();
        return Err(exit::refused(format!(
            "this experiment has {per_build} cells of each build, and a bisect follows one number: choose one, as with \
             --set axes.users='[8]'"
        )));
    }
    let folder = state.next_record(at);
    eprintln!("{}: {pairs} pairs beside {}, in {}", state.name(at), state.name(0), folder.display());
    run::measure(&question, &folder)?;
    took(state, at, &folder)
}

/// What a record that is whole says of its build.
fn took(state: &mut State, at: usize, folder: &Path) -> Result<(), Exit> {
    report::write(folder).map_err(exit::failed)?;
    let (record, details) = lab::notebook::read(folder).map_err(exit::failed)?;
    let judgement = judge::judge(&record, &details);
    let paired = bisect::of_record(&record, &details, &judgement, &state.told.metric);
    for place in [0, at] {
        know(&mut state.told.builds[place], &record);
    }
    let build = &mut state.told.builds[at];
    build.records.push(folder.display().to_string());
    match paired {
        Ok(Paired { ratios, .. }) if ratios.is_empty() => {
            skip(state, at, "no pair of its runs did anything to compare".into())
        }
        Ok(Paired { ratios, doubts }) => {
            build.ratios.extend(ratios);
            build.doubts.extend(doubts.into_iter().filter(|check| !build.doubts.contains(check)).collect::<Vec<_>>());
            Ok(())
        }
        Err(Unpaired::Candidate(why)) => skip(state, at, why),
        Err(Unpaired::Good(why)) => Err(exit::failed(format!("the good end {}: {why}", state.name(0)))),
        Err(Unpaired::Metric) => Err(exit::refused(format!(
            "no run has a {}; `qps`, `latency_us_p99` and `server_cpu_us_per_op` are some that most have",
            state.told.metric
        ))),
    }
}

fn skip(state: &mut State, at: usize, why: String) -> Result<(), Exit> {
    let why = why.lines().next().unwrap_or_default().to_string();
    eprintln!("{} is passed over: {why}", state.name(at));
    state.told.builds[at].skipped = Some(why);
    Ok(())
}

/// What its server says of itself.
fn know(build: &mut Bisected, record: &Record) {
    let is_its = |instance: &&InstanceRecord| Some(&instance.wanted.build) == build.build.as_ref();
    if let Some(instance) = record.instances.iter().find(is_its) {
        build.version = Some(instance.version_text.clone());
        build.revision = instance.commit().map(str::to_string);
        build.build_id.clone_from(&instance.build_id);
        build.binary_sha256.clone_from(&instance.binary_sha256);
    }
}

/// The experiment with both builds, and as many repetitions.
fn ask(matches: &ArgMatches, builds: &[Source], pairs: usize) -> Result<Question, Exit> {
    let path = said(matches, "experiment");
    let text = std::fs::read_to_string(path)
        .map_err(|e| exit::refused(format!("{path}: {e}; name an experiment file, as `assay init` makes one")))?;
    let name = Path::new(path).file_stem().and_then(|s| s.to_str()).unwrap_or("experiment");
    let scale = matches.get_one::<String>("scale").map(String::as_str);
    let mut sets = question::sets(matches)?;
    for (key, value) in [
        ("axes.build", format!("[{:?}, {:?}]", builds[0], builds[1])),
        ("repeat.repetitions", pairs.to_string()),
        ("repeat.aa", "false".into()),
    ] {
        sets.push((key.into(), value));
    }
    question::resolve(name, path, &text, scale, sets)
}
