//! What a script does outside of its events: its body, and its commands. The main state lives from the first to the
//! last of these; a parallel command has states of its own, as many as there are threads.

use super::Stage;
use crate::backends::alone::{Work, alone};
use crate::backends::interrupting::{DEADLINE, watched};
use crate::backends::own_sessions::ScriptEndpoints;
use lua::option::Options;
use lua::player::{Halt, Player};
use lua::report::Level;
use lua::script::Script;
use lua::scripted::{Scripted, failed};
use lua::stat::Stat;
use lua::state::{Entry, State};
use model::load::Io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Performed {
    Done,
    /// It said so, or raised an error, which was told.
    Failed,
    Stopped,
}

/// The function by which sysbench calls commands that scripts declare; its errors bear that name.
const CALL_COMMAND: &str = "sysbench.cmdline.call_command";

/// The main state of a call.
pub struct Main(Option<Player>);

impl Main {
    /// Runs the script's body, which may ask a database. An error's text is as sysbench says it, without its `FATAL: `.
    pub fn open(script: &Arc<Script>, endpoints: &ScriptEndpoints, stop: &AtomicBool) -> Result<Self, String> {
        let scripted = Scripted::new(Arc::clone(script), Arc::new(Options::new()), false);
        let mut main = Self(Some(Player::new(script, scripted.shapes(), 0)?));
        match main.play(endpoints, Io::Auto, stop, Entry::Body) {
            Ok(_) => Ok(main),
            Err(Halt::Failed(text)) => Err(text),
            Err(Halt::Stopped) => Err("the script's body was interrupted".into()),
        }
    }

    pub fn state(&mut self) -> &mut State {
        &mut self.0.as_mut().expect("the state is here between performances").state
    }

    /// The state goes into the task and comes back from it, unless a stop cut it off.
    fn play(&mut self, endpoints: &ScriptEndpoints, io: Io, stop: &AtomicBool, entry: Entry) -> Result<bool, Halt> {
        let mut player = self.0.take().ok_or(Halt::Stopped)?;
        let work: Work<(Player, Result<bool, Halt>)> = Box::new(move |sessions| {
            Box::pin(async move {
                let done = player.perform(entry, sessions, None).await;
                player.leave(sessions).await;
                (player, done)
            })
        });
        let played = alone(endpoints, DEADLINE, io, stop, vec![work]);
        let (player, done) = played
            .map_err(|e| Halt::Failed(format!("the sessions cannot be driven: {e}")))?
            .pop()
            .flatten()
            .ok_or(Halt::Stopped)?;
        self.0 = Some(player);
        done
    }
}

/// Calls a function or a declared command in the main state or, where it is to run in parallel, in as many fresh states
/// as there are threads. Errors are told by the script's voice.
pub fn perform(stage: &Stage, main: &mut Main, entry: Entry, in_parallel: bool, stop: &AtomicBool) -> Performed {
    let name = match &entry {
        Entry::Command(_) => CALL_COMMAND.to_string(),
        Entry::Function(name, _) => name.clone(),
        Entry::Body | Entry::Declared | Entry::Options | Entry::Hook(_) => "script".into(),
    };
    let script = stage.scripted.script();
    let ends = watched(&|| script.interrupt(), &|| stop.load(Relaxed), || {
        if in_parallel && stage.threads > 1 {
            side_by_side(stage, &entry, stop)
        } else {
            vec![main.play(&stage.endpoints, stage.io, stop, entry)]
        }
    });
    let mut performed = Performed::Done;
    for end in ends {
        match end {
            Ok(true) => {}
            Ok(false) if performed == Performed::Done => performed = Performed::Failed,
            Ok(false) => {}
            Err(Halt::Stopped) => performed = Performed::Stopped,
            Err(Halt::Failed(text)) => {
                tell(stage.scripted.script(), &failed(Some(&name), &text));
                performed = Performed::Failed;
            }
        }
    }
    performed
}

/// Gives a report's numbers to a hook. Also that may never end.
pub fn report(main: &mut Main, script: &Script, hook: &str, stat: &Stat, stop: &AtomicBool) -> Result<(), String> {
    watched(&|| script.interrupt(), &|| stop.load(Relaxed), || main.state().report(hook, stat))
}

fn tell(script: &Script, text: &str) {
    script.say(lua::script::Said::Log(Level::Fatal, text));
}

fn side_by_side(stage: &Stage, entry: &Entry, stop: &AtomicBool) -> Vec<Result<bool, Halt>> {
    let workers = stage.workers.clamp(1, stage.threads);
    let share = |worker: u32| {
        let works =
            (worker..stage.threads).step_by(workers as usize).map(|tid| part(stage, tid, entry.clone())).collect();
        match alone(&stage.endpoints, DEADLINE, stage.io, stop, works) {
            Ok(ends) => ends.into_iter().map(|end| end.unwrap_or(Err(Halt::Stopped))).collect(),
            Err(e) => vec![Err(Halt::Failed(format!("the sessions cannot be driven: {e}")))],
        }
    };
    std::thread::scope(|scope| {
        let share = &share;
        let running: Vec<_> = (0..workers).map(|worker| scope.spawn(move || share(worker))).collect();
        running.into_iter().flat_map(|thread| -> Vec<_> { thread.join().expect("a worker does not panic") }).collect()
    })
}

/// One state's part of a parallel command.
fn part(stage: &Stage, tid: u32, entry: Entry) -> Work<Result<bool, Halt>> {
    let scripted = Arc::clone(&stage.scripted);
    Box::new(move |sessions| {
        Box::pin(async move {
            let mut player = scripted.player(tid, sessions).await?;
            let done = player.perform(entry, sessions, None).await;
            player.leave(sessions).await;
            done
        })
    })
}
