//! `--record DIR`: the run that the command line asks for, as a plan of one run, so that it is noted down, judged and
//! drawn like any other. The text report stays sysbench's; where the page lies is told on stderr. Passwords reach no
//! record.

use super::Call;
use crate::progress::Terminal;
use crate::question;
use crate::verbs::report;
use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::campaign::scripts::{Limits, phases};
use lab::notebook::Notebook;
use lab::os::digest::digest;
use lab::os::process::Guard;
use lua::option::{Options, Value as OptionValue};
use model::dsn::{self, Dsn};
use model::experiment::SHOWN;
use model::functions::Spent;
use model::host::Host;
use model::load::{Arrivals, Load, Process};
use model::plan::{Cell, CellId, Plan, PlannedRun, RunId, Server};
use model::rate::Rate;
use model::seed::Seed;
use model::units::{Nanos, Users};
use model::value::Value;
use model::verdict::Status;
use std::collections::BTreeMap;
use std::path::PathBuf;
use workload::{Workload, Workloads};

/// sysbench has no time-out; a plan must name one, and no answer takes a day.
const DEADLINE: Nanos = Nanos::from_secs(24 * 60 * 60);

/// A record that is being written.
pub struct Notes {
    folder: PathBuf,
    plan: Plan,
    host: Host,
    workloads: Workloads,
    notebook: Notebook,
    terminal: Terminal,
}

/// Begins the record that the command line asks for; `None` where it asks for none.
pub fn begin(call: &mut Call, limits: &Limits) -> Result<Option<Notes>, String> {
    let Some(folder) = call.words.record.clone().map(PathBuf::from) else { return Ok(None) };
    let asked = server(call)?;
    let plan = plan(call, limits, &asked)?;
    if folder.join("plan.json").exists() {
        return Err(format!("--record: {} is a record already; name a new folder", folder.display()));
    }
    let mut workloads = Workloads::built_in();
    workloads.bring(call.stage.scripted.clone());
    let host = question::host().map_err(|_| "this host cannot be surveyed".to_string())?;
    let notebook = Notebook::open_or_create(&folder, &plan, &command_line(call)).map_err(|e| e.to_string())?;
    Ok(Some(Notes { folder, plan, host, workloads, notebook, terminal: Terminal::new() }))
}

impl Notes {
    pub fn noting(&mut self) -> lab::Noting<'_> {
        let Self { plan, host, workloads, notebook, terminal, .. } = self;
        lab::Noting { plan, host, workloads, guard: Guard::this_program(), notebook, progress: terminal }
    }

    /// Draws the page, also of a run that failed or was interrupted, and says where it is.
    pub fn draw(self) {
        let Self { folder, notebook, terminal, .. } = self;
        drop((notebook, terminal));
        match report::write(&folder) {
            Ok((_, judgement)) => {
                let verdicts = judgement.cells.iter().flat_map(|cell| &cell.verdicts);
                for verdict in verdicts.filter(|verdict| verdict.verdict == Status::Fail) {
                    eprintln!("{} {}: {}", verdict.verdict.word(), verdict.check, verdict.sentence);
                }
                eprintln!("{}", folder.join("report.html").display());
            }
            Err(why) => eprintln!("--record: {why}"),
        }
    }
}

/// The server that the run is about.
enum Asked {
    MySql(SqlEndpoint),
    Postgres(SqlEndpoint),
}

fn server(call: &Call) -> Result<Asked, String> {
    let option = |name: &str| call.invoked.options.get(name);
    let endpoints = &call.stage.endpoints;
    let endpoint = if option("db_driver") == Some(&OptionValue::Text("pgsql".into())) {
        endpoints.postgres.first().cloned().map(Asked::Postgres)
    } else if option("mysql_dry_run") == Some(&OptionValue::Bool(true)) {
        return Err("--record: a dry run says nothing to any server, and there is nothing to record".into());
    } else {
        endpoints.mysql.first().cloned().map(Asked::MySql)
    };
    endpoint.ok_or_else(|| "--record: no server is named".to_string())
}

fn plan(call: &mut Call, limits: &Limits, asked: &Asked) -> Result<Plan, String> {
    let seed = Seed(call.invoked.settings.seed);
    let users = Users(call.stage.threads);
    let rate = limits.rate.map(|rate| Rate::steady(f64::from(rate)));
    let workload = call.stage.scripted.words().name.to_string();
    let (id, run) = (CellId("c001".into()), RunId("c001-1".into()));
    let cell = Cell {
        id: id.clone(),
        axes: BTreeMap::new(),
        repeats: None,
        server: Server {
            build: address(&asked.endpoint().address),
            on: Some(asked.dsn()),
            engine: asked.engine().into(),
            profile: "default".into(),
            ..Server::default()
        },
        workload: workload.clone(),
        protocols: [dsn::protocol(&asked.dsn())].into(),
        parameters: parameters(call)?,
        load: Load {
            arrivals: rate.map(|rate| Arrivals { rate, process: Process::Poisson }),
            ..Load::closed(users, DEADLINE)
        },
        search: None,
        groups: Vec::new(),
        phases: phases(limits),
    };
    Ok(Plan {
        question: format!("What does `{}` give?", command_line(call).trim_end()),
        runs: vec![PlannedRun {
            id: run,
            cell: id,
            repetition: 1,
            block: 1,
            seed,
            explain: false,
            profile: None,
            spent: Spent::OnCpu,
        }],
        cells: vec![cell],
        ..Plan::blank(&workload, seed)
    })
}

/// What the script does: its own options and sysbench's of random numbers, and what it is.
fn parameters(call: &mut Call) -> Result<BTreeMap<String, Value>, String> {
    let state = call.main.state();
    let declared = state.declared()?.unwrap_or_default();
    let text: Vec<u8> =
        state.sources()?.into_iter().flat_map(|(name, text)| [name.into_bytes(), text].concat()).collect();
    let is_its = |name: &str| declared.iter().any(|option| option.name == name);
    let is_told = |name: &str| is_its(name) || name.starts_with("rand_") || name == "db_ps_mode";
    let options: &Options = &call.invoked.options;
    let told = options.iter().filter(|(name, _)| is_told(name));
    let mut all: BTreeMap<_, _> = told.filter_map(|(name, value)| Some((name.clone(), shown(value)?))).collect();
    let script = call.words.script.clone().unwrap_or_default();
    let version = if call.words.compat == lua::Compat::V10 { "1.0" } else { "1.1" };
    all.extend(SHOWN.map(String::from).into_iter().zip([script, digest(&text), version.into()].map(Value::Text)));
    Ok(all)
}

fn shown(value: &OptionValue) -> Option<Value> {
    Some(match value {
        OptionValue::Bool(flag) => Value::Flag(*flag),
        OptionValue::Number(n) if n.fract() == 0.0 => Value::Count(*n as i64),
        OptionValue::Number(n) => Value::Real(*n),
        OptionValue::Text(text) => Value::Text(text.clone()),
        OptionValue::List(words) => Value::Text(words.join(",")),
        OptionValue::File => return None,
    })
}

/// As it was typed, without what is secret.
fn command_line(call: &Call) -> String {
    let word = |word: &String| match word.split_once('=') {
        Some((name, _)) if name.ends_with("password") => format!("{name}=…"),
        Some(_) | None => word.clone(),
    };
    let words: Vec<String> = call.words.theirs.iter().map(word).collect();
    format!("sysbench {}\n", words.join(" "))
}

fn address(address: &Address) -> String {
    match address {
        Address::Unix(_) => "localhost".into(),
        Address::Tcp { host, port } => dsn::address(host, Some(*port)),
    }
}

impl Asked {
    fn endpoint(&self) -> &SqlEndpoint {
        match self {
            Self::MySql(endpoint) | Self::Postgres(endpoint) => endpoint,
        }
    }

    /// Where tables are made that a script says nothing else of.
    fn engine(&self) -> &'static str {
        match self {
            Self::MySql(_) => "innodb",
            Self::Postgres(_) => "heap",
        }
    }

    /// Without its password.
    fn dsn(&self) -> String {
        let scheme = match self {
            Self::MySql(_) => "mysql",
            Self::Postgres(_) => "postgres",
        };
        let endpoint = self.endpoint();
        let (host, port, query) = match &endpoint.address {
            Address::Unix(path) => ("localhost", None, vec![("socket".to_string(), path.display().to_string())]),
            Address::Tcp { host, port } => (host.as_str(), Some(*port), Vec::new()),
        };
        let path = Some(endpoint.schema.clone().unwrap_or_default());
        let user = Some(endpoint.user.clone());
        Dsn { scheme: scheme.into(), user, host: host.into(), port, path, query }.to_string()
    }
}
