//! `assay completions`: what a shell needs to complete this command line, made of the command line itself, so that it
//! never lags behind. The names that the program knows (workloads, checks, builds, sysbench's scripts) are offered here
//! only: where a verb reads them, it keeps its own, kinder way of refusing a wrong one.

use super::Verb;
use crate::arguments::needed;
use crate::exit::Exit;
use crate::out;
use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Command, value_parser};
use clap_complete::Shell;
use lab::servers::catalogue::Catalogue;
use workload::Workloads;

pub const VERB: Verb = Verb { name: "completions", command, run };

/// The scales of the experiments that come with the program; a file may have others.
const SCALES: [&str; 3] = ["smoke", "laptop", "study"];

/// Arguments for which there are names.
const PLACES: usize = 15;

fn command(command: Command) -> Command {
    command
        .about("Print the completions of this command line for a shell")
        .arg(needed("shell", "SHELL", "As in: source <(assay completions bash)").value_parser(value_parser!(Shell)))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let shell = *matches.get_one::<Shell>("shell").expect("clap requires it");
    let mut command = with_names(crate::command());
    let mut script = Vec::new();
    let program = command.get_name().to_string();
    clap_complete::generate(shell, &mut command, program, &mut script);
    out!("{}", String::from_utf8(script).expect("names and help are UTF-8").trim_end());
    Ok(Exit::Valid)
}

fn with_names(command: Command) -> Command {
    // This process prints them and ends, so that they may as well live as long as it.
    let builds: Vec<&str> = Catalogue::shipped().names().into_iter().map(|name| &*name.leak()).collect();
    let workloads: Vec<&str> =
        Workloads::built_in().words().into_iter().map(|w| &*w.name.into_owned().leak()).collect();
    let scripts: Vec<&str> = lua::bundled::ALL.iter().map(|(name, _)| *name).collect();
    let checks = judge::checks::ALL.iter().map(|c| c.id);
    let explained: Vec<&str> = checks.chain(judge::findings::ALL.iter().map(|c| c.id)).collect();
    let places: [(&[&str], &str, &[&str]); PLACES] = [
        (&["run"], "scale", &SCALES),
        (&["run"], "on", &builds),
        (&["plan"], "scale", &SCALES),
        (&["plan"], "on", &builds),
        (&["explain"], "name", &explained),
        (&["bench"], "workload", &workloads),
        (&["bench"], "on", &builds),
        (&["init"], "workload", &workloads),
        (&["init"], "on", &builds),
        (&["sysbench"], "words", &scripts),
        (&["servers", "install"], "build", &builds),
        (&["servers", "uninstall"], "build", &builds),
        (&["servers", "start"], "build", &builds),
        (&["servers", "stop"], "build", &builds),
        (&["servers", "shell"], "build", &builds),
    ];
    places.into_iter().fold(command, |command, (path, argument, names)| offered(command, path, argument, names))
}

/// The command with these names offered for one argument of the verb at the end of the path. All verbs and arguments
/// are gone through, because clap puts what it is asked to change by name at the end of the list.
fn offered(command: Command, path: &[&str], argument: &str, names: &[&'static str]) -> Command {
    match path {
        [] => command.mut_args(|arg| match arg.get_id() == argument {
            true => arg.value_parser(PossibleValuesParser::new(names)),
            false => arg,
        }),
        [verb, rest @ ..] => command.mut_subcommands(|command| match command.get_name() == *verb {
            true => offered(command, rest, argument, names),
            false => command,
        }),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    /// Every argument of every verb, with whether there are names for it.
    fn arguments(command: &Command) -> Vec<(String, bool)> {
        let verbs = command.get_subcommands().flat_map(|verb| std::iter::once(verb).chain(verb.get_subcommands()));
        let told = |verb: &Command, arg: &Arg| {
            (format!("{} {}", verb.get_name(), arg.get_id()), !arg.get_possible_values().is_empty())
        };
        verbs.flat_map(|verb| verb.get_arguments().map(move |arg| told(verb, arg))).collect()
    }

    /// A verb or an argument that is called otherwise now would be passed over in silence.
    #[test]
    fn names_are_offered_for_arguments_that_exist_and_the_verbs_keep_their_order() {
        let (plain, filled) = (arguments(&crate::command()), arguments(&super::with_names(crate::command())));
        let names = |all: &[(String, bool)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&filled), names(&plain));
        let offered = |all: &[(String, bool)]| all.iter().filter(|(_, offered)| *offered).count();
        assert_eq!(offered(&filled), offered(&plain) + super::PLACES);
    }
}
