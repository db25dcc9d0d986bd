//! `assay completions`: what a shell needs to complete this command line, made of the command line itself, so that it
//! never lags behind. The names that the program knows (workloads, checks, builds, sysbench's scripts) are offered here
//! only: where a verb reads them, it keeps its own, kinder way of refusing a wrong one.

use super::Verb;
use crate::exit::Exit;
use crate::out;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use lab::servers::catalogue::Catalogue;

pub const VERB: Verb = Verb { name: "completions", command, run };

/// The scales of the experiments that come with the program; a file may have others.
const SCALES: [&str; 3] = ["smoke", "laptop", "study"];

fn command(command: Command) -> Command {
    command.about("Print the completions of this command line for a shell").arg(
        Arg::new("shell")
            .required(true)
            .value_name("SHELL")
            .value_parser(value_parser!(Shell))
            .help("As in: source <(assay completions bash)"),
    )
}

fn run(matches: &ArgMatches) -> Exit {
    let shell = *matches.get_one::<Shell>("shell").expect("clap requires it");
    let mut command = with_names(crate::command());
    let mut script = Vec::new();
    let program = command.get_name().to_string();
    clap_complete::generate(shell, &mut command, program, &mut script);
    out!("{}", String::from_utf8(script).expect("names and help are UTF-8").trim_end());
    Exit::Valid
}

fn with_names(command: Command) -> Command {
    // This process prints them and ends, so that they may as well live as long as it.
    let builds: Vec<&str> = Catalogue::shipped().names().into_iter().map(|name| &*name.leak()).collect();
    let workloads: Vec<&str> = workload::words().iter().map(|w| w.name).collect();
    let scripts: Vec<&str> = lua::bundled::ALL.iter().map(|(name, _)| *name).collect();
    let checks = judge::checks::ALL.iter().map(|c| c.id);
    let explained: Vec<&str> = checks.chain(judge::findings::ALL.iter().map(|c| c.id)).collect();
    let places: [(&[&str], &str, &[&str]); 13] = [
        (&["run"], "scale", &SCALES),
        (&["run"], "on", &builds),
        (&["plan"], "scale", &SCALES),
        (&["plan"], "on", &builds),
        (&["explain"], "name", &explained),
        (&["bench"], "workload", &workloads),
        (&["bench"], "on", &builds),
        (&["sysbench"], "words", &scripts),
        (&["servers", "install"], "build", &builds),
        (&["servers", "uninstall"], "build", &builds),
        (&["servers", "start"], "build", &builds),
        (&["servers", "stop"], "build", &builds),
        (&["servers", "shell"], "build", &builds),
    ];
    places.into_iter().fold(command, |command, (path, argument, names)| offered(command, path, argument, names))
}

/// The command with these names offered for one argument of the verb at the end of the path.
fn offered(command: Command, path: &[&str], argument: &str, names: &[&'static str]) -> Command {
    match path {
        [] => command.mut_arg(argument, |arg| arg.value_parser(PossibleValuesParser::new(names))),
        [verb, rest @ ..] => command.mut_subcommand(verb, |command| offered(command, rest, argument, names)),
    }
}

#[cfg(test)]
mod tests {
    /// clap makes an argument of a name that it does not find, which would be a word too many.
    #[test]
    fn names_are_offered_only_for_arguments_that_exist() {
        let count = |command: &clap::Command| {
            let of = |c: &clap::Command| c.get_arguments().count();
            let verbs = command.get_subcommands().flat_map(|verb| verb.get_subcommands().chain([verb]));
            verbs.map(|verb| (verb.get_name().to_string(), of(verb))).collect::<Vec<_>>()
        };
        assert_eq!(count(&super::with_names(crate::command())), count(&crate::command()));
    }
}
