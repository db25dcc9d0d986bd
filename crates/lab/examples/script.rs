//! Runs a sysbench script against a server, without the command line: what a statement of a script costs this program.
//! Usage: `script FILE COMMAND SOCKET USERS SECONDS [NAME=VALUE]...`.

use lab::backends::endpoint::SqlEndpoint;
use lab::backends::own_sessions::ScriptEndpoints;
use lab::campaign::scripts::{Limits, Main, Stage, perform, run};
use lua::option::{Kind, Options, Value};
use lua::script::{Invocation, Said, Script};
use lua::state::Entry;
use model::seed::Seed;
use model::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argv: Vec<String> = std::env::args().collect();
    let [_, file, command, socket, users, seconds, sets @ ..] = argv.as_slice() else {
        return Err("see the usage".into());
    };
    let invocation = Invocation {
        argv: argv.clone(),
        script: Some(file.clone()),
        command: Some(command.clone()),
        version: "1.0.20".into(),
        ..Invocation::default()
    };
    let say = Arc::new(|said: Said<'_>| match said {
        Said::Print(text) => println!("{text}"),
        Said::Log(level, text) => println!("{level:?}: {text}"),
    });
    let mut script = Script::find(invocation, Seed(1), say)?;
    let mut options = Options::new();
    options.insert("threads".into(), Value::Number(users.parse()?));
    options.insert("db_driver".into(), Value::Text("mysql".into()));
    options.insert("percentile".into(), Value::Number(95.0));
    script.tune(&options);
    let script = Arc::new(script);
    let mut main = Main::open(&script, &ScriptEndpoints::default(), &AtomicBool::new(false))?;
    for option in main.state().declared()?.unwrap_or_default() {
        let said = sets.iter().find_map(|set| set.strip_prefix(&format!("{}=", option.name))).map(str::to_string);
        let text = said.or(option.default).unwrap_or_default();
        let value = match option.kind {
            Kind::Bool => Value::Bool(text == "on" || text == "true"),
            Kind::Int | Kind::Size | Kind::Double => Value::Number(text.parse()?),
            Kind::List => Value::List(text.split(',').map(str::to_string).collect()),
            Kind::Null | Kind::String | Kind::File => Value::Text(text),
        };
        options.insert(option.name, value);
    }
    main.state().export(&options, false)?;
    let endpoint = SqlEndpoint { schema: Some("sbtest".into()), ..SqlEndpoint::root(socket.into()) };
    let stage = Stage::new(
        script,
        options,
        false,
        ScriptEndpoints { mysql: vec![endpoint], postgres: Vec::new() },
        users.parse()?,
    );
    let stop = AtomicBool::new(false);
    if command != "run" {
        let custom = main.state().command(command);
        let entry = custom.map_or(Entry::function(command), |_| Entry::Command(command.clone()));
        let performed = perform(&stage, &mut main, entry, custom.is_some_and(|c| c.is_parallel), &stop);
        println!("{performed:?}");
        return Ok(());
    }
    let time = Some(Nanos::from_secs(seconds.parse()?));
    let limits = Limits { time, report_interval: Some(Nanos::from_secs(1)), ..Limits::default() };
    let ran = run(&stage, &limits, &stop, &mut |told| drop(told))?;
    let (total, outcome) = (&ran.total, &ran.outcome);
    let statements = total.reads + total.writes + total.other;
    println!(
        "events {} statements {statements} errors {} in {:.3} s; {:.2} us of CPU per statement; {:?}",
        total.events,
        total.errors,
        total.seconds,
        outcome.worker_cpu.0 as f64 / 1e3 / statements as f64,
        ran.failure
    );
    for (name, tally) in &outcome.whole.statements {
        println!("  {:>9} {:>9.1?} us {name}", tally.calls, tally.service.percentile(50.0).map(|p| p.0 as f64 / 1e3));
    }
    Ok(())
}
