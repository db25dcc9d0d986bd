//! The command line: finds the verb and hands over. Verbs compose the other rooms and decide nothing; each is one file
//! below `verbs/`. Exit status: 0 done and valid, 1 done but a check failed, 2 the request is wrong, 3 the world
//! failed.
#![forbid(unsafe_code)]

mod arguments;
mod exit;
mod interrupt;
mod limit;
mod live;
mod output;
mod progress;
mod question;
mod ranks;
mod verbs;

use clap::Command;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    // Not through clap: sysbench's options are not ours, and all words behind its name are its own.
    if Path::new(&program).file_name().is_some_and(|name| name == verbs::sysbench::NAME) {
        return verbs::sysbench::called(&program, arguments).into();
    }
    match arguments.next() {
        Some(verb) if verb == lab::os::process::GUARD_VERB => return lab::servers::process::guard::main(arguments),
        Some(verb) if verb == verbs::sysbench::NAME => return verbs::sysbench::called(&verb, arguments).into(),
        Some(_) | None => {}
    }
    let matches = command().get_matches();
    let (name, matches) = matches.subcommand().expect("clap requires a verb");
    let verb = verbs::ALL.iter().find(|v| v.name == name).expect("clap knows only our verbs");
    ranks::refuse_several(verb.name).and_then(|()| (verb.run)(matches)).unwrap_or_else(|early| early).into()
}

/// The whole command line as a value, so that help can be tested.
fn command() -> Command {
    Command::new("assay")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A laboratory for databases: the number, the proof that it is valid, and the cause")
        .after_help(concat!(
            "Start here:\n",
            "  assay run experiments/read-only-charsets.toml --scale smoke\n\n",
            "A record is a folder; the same command resumes it. Exit status: 0 done and valid,\n",
            "1 done but a check failed, 2 the request is wrong, 3 the world failed or stopped it: a server\n",
            "would not start or died, a disk was full, Ctrl-C (what was measured is kept).",
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(verbs::ALL.iter().map(|v| (v.command)(Command::new(v.name))))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}
