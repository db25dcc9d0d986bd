//! `assay explain`: the own page of a check (what it claims, why that matters, its limits, what to do when it fails) or
//! of a finding (its symptom, the evidence that each rung takes, how to take the cause away).

use super::Verb;
use crate::arguments::positional;
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgMatches, Command};
use model::problem::nearest;

pub const VERB: Verb = Verb { name: "explain", command, run };

fn command(command: Command) -> Command {
    command.about("Say what a check or a finding means, why it matters, and what to do").arg(positional(
        "name",
        "NAME",
        "A check's or finding's name, as client_had_headroom; none lists all",
    ))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let Some(name) = matches.get_one::<String>("name") else {
        for check in judge::checks::ALL {
            out!("{:32} {}", check.id, (check.claim)());
        }
        for cause in judge::findings::ALL {
            out!("{:32} {}", cause.id, (cause.symptom)());
        }
        return Ok(Exit::Valid);
    };
    let page = judge::explain(name).ok_or_else(|| {
        let checks = judge::checks::ALL.iter().map(|c| c.id);
        let known = checks.chain(judge::findings::ALL.iter().map(|c| c.id));
        let near = nearest(name, known).map_or(String::new(), |n| format!("; did you mean {n}?"));
        exit::refused(format!("no check or finding is called {name}{near} (`assay explain` lists them)"))
    })?;
    out!("{page}");
    Ok(Exit::Valid)
}
