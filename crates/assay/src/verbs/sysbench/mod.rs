//! `assay sysbench`, and this program called by the name `sysbench`: its command line, its output, its exit statuses,
//! for whoever has scripts and programs that know no other. Here the parts are put together in sysbench's order; what a
//! script is lies in `lua`, how it is carried out in `lab`.

mod endpoints;
mod numbers;
mod printer;
mod recorded;
mod running;

use super::Verb;
use crate::exit::Exit;
use clap::{Arg, ArgMatches, Command, value_parser};
use lab::campaign::scripts::{Main, Performed, Stage, perform};
use lua::bundled::CPU;
use lua::cmdline::{self, Complaint, Invoked, Words};
use lua::report;
use lua::report::Level;
use lua::script::{Invocation, Script};
use lua::scripted::failed;
use lua::state::Entry;
use model::seed::Seed;
use printer::Printer;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub const VERB: Verb = Verb { name: NAME, command, run };

/// The verb, and the name under which this program is sysbench.
pub const NAME: &str = "sysbench";

/// The function by which sysbench reads the options of scripts; its errors bear that name.
const READ_OPTIONS: &str = "sysbench.cmdline.read_cmdline_options";

/// How sysbench ends: none of assay's statuses is meant.
const DONE: Exit = Exit::Valid;
pub(super) const FAILED: Exit = Exit::CheckFailed;
pub(super) const FORCED: Exit = Exit::WrongRequest;

/// What a script is called with.
pub(super) struct Call {
    pub words: Words,
    pub invoked: Invoked,
    pub printer: Printer,
    pub script: Arc<Script>,
    pub main: Main,
    pub stage: Stage,
    /// The script declares options.
    pub declares: bool,
    pub as_globals: bool,
    pub stop: Arc<AtomicBool>,
}

fn command(command: Command) -> Command {
    command.about("Run a sysbench script: sysbench's own command line and output").disable_help_flag(true).arg(
        Arg::new("words")
            .num_args(0..)
            .value_parser(value_parser!(OsString))
            .trailing_var_arg(true)
            .allow_hyphen_values(true),
    )
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    Ok(called(OsStr::new(NAME), matches.get_many::<OsString>("words").into_iter().flatten().cloned()))
}

/// The whole of sysbench, from its words to its status.
pub fn called(program: &OsStr, words: impl Iterator<Item = OsString>) -> Exit {
    let words = words.map(|word| word.to_string_lossy().into_owned()).collect();
    match carried_out(&program.to_string_lossy(), words) {
        Ok(exit) => exit,
        Err(Complaint::Early(text) | Complaint::Late(text)) => {
            eprintln!("{text}");
            FAILED
        }
        Err(Complaint::Logged(text)) => {
            printer::print(&format!("{text}\n"));
            FAILED
        }
    }
}

fn carried_out(program: &str, words: Vec<String>) -> Result<Exit, Complaint> {
    let read = cmdline::split(&words)?;
    if read.help {
        printer::print(&cmdline::help(read.compat));
        return Ok(DONE);
    }
    if read.version {
        printer::print(&format!("sysbench {}\n", read.compat.version()));
        return Ok(DONE);
    }
    let mut given = from_file(&read)?;
    given.extend(read.given.iter().cloned());
    let mut invoked = cmdline::invoke(read.compat, given)?;
    read.warnings.iter().for_each(|warning| eprintln!("{warning}"));
    warn(&mut invoked);
    let printer = Printer::new(invoked.settings.verbosity);
    printer.report(&report::version_line(read.compat.version(), "LuaJIT 2.1"));
    let argv = std::iter::once(program.to_string()).chain(read.theirs.iter().cloned()).collect();
    dispatch(&mut open(argv, read, invoked, &printer)?)
}

/// What was read otherwise than it was written, and old names.
fn warn(invoked: &mut Invoked) {
    invoked.warnings.drain(..).for_each(|warning| printer::print(&format!("{warning}\n")));
}

fn from_file(words: &Words) -> Result<Vec<cmdline::Given>, Complaint> {
    let Some(path) = &words.config else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(path).map_err(|e| Complaint::Early(format!("{path}: {e}")))?;
    cmdline::read_config(&text, path)
}

/// Finds the script, runs its body, and reads its options.
fn open(argv: Vec<String>, words: Words, invoked: Invoked, printer: &Printer) -> Result<Call, Complaint> {
    let fatal = |text: String| Complaint::Logged(format!("FATAL: {text}"));
    let invocation = Invocation {
        argv,
        script: words.script.clone(),
        command: words.command.clone(),
        compat: words.compat,
        version: words.compat.version().to_string(),
        luajit_cmd: invoked.settings.luajit.clone(),
    };
    let mut script = Script::find(invocation, seed(invoked.settings.seed), printer.say()).map_err(fatal)?;
    script.tune(&invoked.options);
    let script = Arc::new(script);
    let endpoints = endpoints::of(words.compat, &invoked.options)?;
    let stop = crate::interrupt::flag();
    let mut main = Main::open(&script, &endpoints, &stop).map_err(fatal)?;
    let declared = main.state().declared().map_err(|text| fatal(failed(Some(READ_OPTIONS), &text)))?;
    // What is asked of a script without options is not looked at either.
    let (mut invoked, as_globals) = match words.reads_a_file() {
        true => cmdline::with_script(words.compat, invoked, declared.as_deref())?,
        false => (invoked, false),
    };
    warn(&mut invoked);
    main.state().export(&invoked.options, as_globals).map_err(fatal)?;
    let stage =
        Stage::new(Arc::clone(&script), invoked.options.clone(), as_globals, endpoints, invoked.settings.threads);
    let (printer, declares) = (printer.clone(), declared.is_some());
    Ok(Call { words, invoked, printer, script, main, stage, declares, as_globals, stop })
}

/// Without one from the user, of the clock: two runs are not to draw the same.
fn seed(given: u64) -> Seed {
    let clock = || lab::os::clock::unix_at_boot().0.wrapping_add(lab::os::clock::now().0);
    Seed(if given == 0 { clock() } else { given })
}

/// Commands that the script declares come first, then those that all scripts have.
fn dispatch(call: &mut Call) -> Result<Exit, Complaint> {
    let Some(command) = call.words.command.clone().filter(|_| call.words.reads_a_file()) else {
        return if call.script.is_cpu() { Err(without_command(CPU)) } else { Ok(DONE) };
    };
    if let Some(custom) = call.main.state().command(&command) {
        if custom.is_parallel && call.stage.threads > 1 {
            call.printer.report("Initializing worker threads...\n\n");
        }
        return Ok(performed(call, Entry::Command(command), custom.is_parallel));
    }
    let name = call.words.name();
    match command.as_str() {
        "prepare" | "cleanup" | "help" if call.main.state().has(&command) => {
            Ok(performed(call, Entry::function(&command), false))
        }
        "help" if call.declares => {
            call.printer.report(&format!("{name} options:\n"));
            Ok(performed(call, Entry::Options, false))
        }
        "prepare" | "cleanup" | "help" => Err(without(&name, &command)),
        "run" => Ok(running::run(call)),
        other => Err(Complaint::Late(format!("Unknown command: {other}"))),
    }
}

fn without_command(test: &str) -> Complaint {
    Complaint::Late(format!("The '{test}' test requires a command argument. See 'sysbench {test} help'"))
}

fn without(script: &str, command: &str) -> Complaint {
    Complaint::Late(format!("'{script}' test does not implement the '{command}' command."))
}

pub(super) fn performed(call: &mut Call, entry: Entry, in_parallel: bool) -> Exit {
    match perform(&call.stage, &mut call.main, entry, in_parallel, &call.stop) {
        Performed::Done => DONE,
        Performed::Failed => FAILED,
        Performed::Stopped => {
            call.printer.log(Level::Fatal, "interrupted");
            FAILED
        }
    }
}
