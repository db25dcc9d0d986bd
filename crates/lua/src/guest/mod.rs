//! A script that an experiment names, as one workload among the others: its options are parameters, what its `prepare`
//! makes is a dataset, and each run has states of its own, drawn from the run's seed. What sysbench does once per run,
//! `init` and `done`, the first user does for all: before anybody begins, and when everybody else has left.

mod data;
mod play;
mod vocabulary;

use crate::Compat;
use crate::cmdline::{self, Complaint, Given};
use crate::option::{Declared, Options};
use crate::script::{Invocation, Say, Script};
use crate::scripted::{OPERATIONS, Scripted};
use crate::shapes::Shapes;
use crate::state::{Entry, State};
use model::experiment::{self, SHOWN};
use model::{Seed, Value, WorkloadWords};
use play::Play;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, Weak};
use workload::dataset::Dataset;
use workload::life::{Life, Living, Place, ScriptLife};
use workload::session::{Fault, Sessions};
use workload::user::Seat;
use workload::{Parameters, Statement, Workload};

/// Clones are the same guest.
#[derive(Clone)]
pub struct Guest(Arc<Inner>);

struct Inner {
    words: WorkloadWords,
    /// A file's path from here, or the name of a module.
    path: String,
    compat: Compat,
    say: Say,
    /// `None` where it declares no options at all.
    declared: Option<Vec<Declared>>,
    prepares: Option<Prepares>,
    /// It has `init` or `done`.
    has_frame: bool,
    shapes: Arc<Shapes>,
    /// Runs whose users live.
    plays: Mutex<Vec<(Seed, Parameters, Weak<Play>)>>,
}

/// How a script makes its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prepares {
    ByFunction,
    ByCommand { is_parallel: bool },
}

/// What a file that was read is called, and what it holds.
pub type Source = (String, Vec<u8>);

impl Guest {
    /// Runs the script's body once and reads what it declares. `path` is where the script lies as seen from here;
    /// `digest` tells texts apart. What is wrong with it is said as the interpreter says it.
    pub fn meet(
        wanted: &experiment::Script,
        path: &str,
        say: Say,
        digest: fn(&[u8]) -> String,
    ) -> Result<Self, String> {
        let compat = if wanted.compat.as_deref() == Some("1.1") { Compat::V11 } else { Compat::V10 };
        let script = Arc::new(Script::find(invocation(path, compat, "run"), Seed(0), Arc::clone(&say))?);
        let mut state = State::new(&script, 0)?;
        state.call(Entry::Body)?;
        let declared = state.declared().map_err(|text| misdeclared(&text))?;
        if !state.has("event") {
            return Err("it has no function event(), which is what its users do".into());
        }
        let prepares = match state.command("prepare") {
            Some(custom) => Some(Prepares::ByCommand { is_parallel: custom.is_parallel }),
            None => state.has("prepare").then_some(Prepares::ByFunction),
        };
        let has_frame = state.has("init") || state.has("done");
        let read: Vec<Source> = state.sources()?;
        let text: Vec<u8> = read.into_iter().flat_map(|(name, text)| [name.into_bytes(), text].concat()).collect();
        let words = vocabulary::words(wanted, compat, declared.as_deref(), &digest(&text));
        let (shapes, plays) = Default::default();
        let path = path.to_string();
        Ok(Self(Arc::new(Inner { words, path, compat, say, declared, prepares, has_frame, shapes, plays })))
    }

    /// A script for states of that seed, with the options that they see.
    fn scripted(
        &self,
        command: &str,
        parameters: &Parameters,
        schema: Option<&str>,
        threads: u32,
        seed: Seed,
    ) -> Result<Scripted, String> {
        let Inner { path, compat, say, shapes, .. } = &*self.0;
        let (options, as_globals) = self.options(parameters, schema, threads)?;
        let mut script = Script::find(invocation(path, *compat, command), seed, Arc::clone(say))?;
        script.tune(&options);
        Ok(Scripted::with(Arc::new(script), Arc::new(options), as_globals, Arc::clone(shapes)))
    }

    /// Every option that the script sees: sysbench's own with what of them is known here, and the script's.
    fn options(&self, parameters: &Parameters, schema: Option<&str>, threads: u32) -> Result<(Options, bool), String> {
        let Inner { compat, declared, .. } = &*self.0;
        let given = |name: &str, text: &str| Given::new(name, Some(text), &format!("--{name}={text}"));
        let mut all = vec![given("threads", &threads.to_string())];
        all.extend(schema.map(|schema| given("mysql_db", schema)));
        let said = parameters.iter().filter(|(name, _)| !SHOWN.contains(&name.as_str()));
        all.extend(said.map(|(name, value)| given(name, &written(value))));
        let invoked = cmdline::invoke(*compat, all)
            .and_then(|invoked| cmdline::with_script(*compat, invoked, declared.as_deref()));
        let (invoked, as_globals) = invoked.map_err(|complaint| match complaint {
            Complaint::Early(text) | Complaint::Late(text) | Complaint::Logged(text) => text,
        })?;
        Ok((invoked.options, as_globals))
    }

    /// The run that users of that seed belong to; the first of them makes it.
    fn play(&self, parameters: &Parameters, schema: Option<&str>, seed: Seed, users: u32) -> Result<Arc<Play>, String> {
        let mut plays = self.0.plays.lock().expect("no panic while held");
        plays.retain(|(_, _, play)| play.strong_count() > 0);
        let same = plays.iter().find(|(s, p, _)| *s == seed && p == parameters).and_then(|(.., play)| play.upgrade());
        if let Some(play) = same {
            return Ok(play);
        }
        let scripted = self.scripted("run", parameters, schema, users, seed)?;
        let play = Arc::new(Play::new(scripted, users, self.0.has_frame));
        plays.push((seed, parameters.clone(), Arc::downgrade(&play)));
        Ok(play)
    }
}

/// Without the place in the API that said so, which is none of the script's.
fn misdeclared(text: &str) -> String {
    let what = text.split_once("\"]:").and_then(|(_, place)| Some(place.split_once(": ")?.1)).unwrap_or(text);
    format!("{what}; an option is NAME = {{ \"what it is\", DEFAULT }}")
}

fn invocation(path: &str, compat: Compat, command: &str) -> Invocation {
    Invocation {
        argv: ["sysbench", path, command].map(String::from).into(),
        script: Some(path.to_string()),
        command: Some(command.to_string()),
        compat,
        version: compat.version().to_string(),
        luajit_cmd: None,
    }
}

/// A parameter as sysbench's command line would have it.
fn written(value: &Value) -> String {
    value.to_string()
}

impl Workload for Guest {
    fn words(&self) -> WorkloadWords {
        self.0.words.clone()
    }
    fn operations(&self) -> &'static [&'static str] {
        OPERATIONS
    }
    fn life(&self) -> Life<'_> {
        Life::Script(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        self.0.shapes.table().into()
    }
    fn facts(&self) -> &'static [&'static str] {
        &crate::player::FACTS
    }
    fn disclosures(&self, _: &Parameters) -> Vec<String> {
        vec!["An operation is an event of the script, whatever it does; errors that it begins anew after count as facts, not as failed operations.".into()]
    }
    fn dataset(&self, parameters: &Parameters, _: &str, seed: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(data::Data::new(self.clone(), parameters.clone(), seed)))
    }
    fn interrupt(&self) {
        let plays = self.0.plays.lock().expect("no panic while held");
        plays.iter().filter_map(|(.., play)| play.upgrade()).for_each(|play| play.interrupt());
    }
}

impl ScriptLife for Guest {
    fn user<'a>(
        &'a self,
        place: Place<'_>,
        sessions: &'a mut (dyn Sessions + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        let Place { parameters, seed, number, users } = place;
        let play = self.play(parameters, sessions.schema(crate::state::DRIVERS[0]), seed, users);
        Box::pin(async move { play.map_err(Fault::Script)?.live(number, sessions, seat).await })
    }
}
