//! A script as a workload among the others: its users are states that open their own sessions, its one operation is the
//! event, and its statements are what the states are found to send. What it counts beside them are sysbench's counters.

use crate::option::Options;
use crate::player::{FACTS, Halt, Player};
use crate::report::Level;
use crate::script::Script;
use crate::shapes::Shapes;
use crate::share::Share;
use crate::state::Entry;
use model::words::Footprint;
use model::{Protocol, WorkloadWords};
use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use workload::life::{Life, Living, Place, ScriptLife};
use workload::session::{Fault, Sessions};
use workload::user::{Memory, Seat};
use workload::{Statement, Workload};

/// A script with the options that its users see.
pub struct Scripted {
    script: Arc<Script>,
    options: Arc<Options>,
    /// sysbench 1.0 gives options as globals too, where a script declares none.
    as_globals: bool,
    shapes: Arc<Shapes>,
    /// How each user fared, as they leave.
    shares: Mutex<Vec<Share>>,
    /// Events whose users were cut off.
    cut_off: Arc<AtomicU64>,
    name: String,
}

pub const NAME: &str = "lua";
pub const OPERATIONS: &[&str] = &["event"];

impl Scripted {
    pub fn new(script: Arc<Script>, options: Arc<Options>, as_globals: bool) -> Self {
        Self::with(script, options, as_globals, Arc::default())
    }

    /// The same, with classes of statements that other runs of the script have met, too.
    pub(crate) fn with(script: Arc<Script>, options: Arc<Options>, as_globals: bool, shapes: Arc<Shapes>) -> Self {
        let path = script.invocation.script.as_deref().unwrap_or(NAME);
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(NAME);
        let name = format!("{NAME}.{stem}");
        Self { script, options, as_globals, shapes, shares: Mutex::default(), cut_off: Arc::default(), name }
    }

    pub fn options(&self) -> (&Arc<Options>, bool) {
        (&self.options, self.as_globals)
    }

    pub fn shapes(&self) -> &Arc<Shapes> {
        &self.shapes
    }

    pub fn script(&self) -> &Arc<Script> {
        &self.script
    }

    /// A state with the script's body run and the options given. Sessions serve a body that asks a database.
    pub async fn player(&self, tid: u32, sessions: &mut (dyn Sessions + '_)) -> Result<Player, Halt> {
        let mut player = Player::new(&self.script, &self.shapes, tid)?.counted(&self.cut_off);
        player.perform(Entry::Body, sessions, None).await?;
        player.state.export(&self.options, self.as_globals)?;
        Ok(player)
    }

    /// How many events were under way when their users were cut off.
    pub fn take_cut_off(&self) -> u64 {
        self.cut_off.swap(0, Relaxed)
    }

    /// How each user fared that has left so far.
    pub fn take_shares(&self) -> Vec<Share> {
        std::mem::take(&mut *self.shares.lock().expect("no panic while held"))
    }

    pub(crate) async fn live(
        &self,
        tid: u32,
        sessions: &mut (dyn Sessions + '_),
        seat: &mut (dyn Seat + '_),
    ) -> Result<(), Fault> {
        let mut player = self.player(tid, sessions).await.map_err(|halt| self.fault(None, halt))?;
        self.call_of_thread(&mut player, "thread_init", tid, sessions, None).await?;
        player.state.tidy().map_err(|text| self.fault(None, Halt::Failed(text)))?;
        seat.ready([Memory::NONE; 2]);
        self.call_of_thread(&mut player, "thread_run", tid, sessions, Some(seat)).await?;
        self.call_of_thread(&mut player, "thread_done", tid, sessions, None).await?;
        player.leave(sessions).await;
        self.shares.lock().expect("no panic while held").push(player.share());
        Ok(())
    }

    /// Calls one of the functions that scripts may have for their users.
    async fn call_of_thread(
        &self,
        player: &mut Player,
        name: &str,
        tid: u32,
        sessions: &mut (dyn Sessions + '_),
        seat: Option<&mut (dyn Seat + '_)>,
    ) -> Result<(), Fault> {
        if !player.state.has(name) {
            return Ok(());
        }
        let done = player.perform(Entry::of_thread(name, tid), sessions, seat).await;
        done.map(|_| ()).map_err(|halt| self.fault(Some(name), halt))
    }

    pub(crate) fn fault(&self, function: Option<&str>, halt: Halt) -> Fault {
        match halt {
            Halt::Stopped => Fault::Stopped,
            Halt::Failed(text) => {
                let text = failed(function, &text);
                self.script.log(Level::Fatal, &text);
                Fault::Script(text)
            }
        }
    }
}

/// As sysbench says that a function of a script failed.
pub fn failed(function: Option<&str>, text: &str) -> String {
    function.map_or_else(|| text.to_string(), |name| format!("`{name}' function failed: {text}"))
}

impl Workload for Scripted {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: self.name.clone().into(),
            why: "a sysbench script",
            writes: true,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Vec::new(),
            operations: OPERATIONS,
            footprint: |_| Footprint::default(),
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Script(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        self.shapes.table().into()
    }
    fn facts(&self) -> &'static [&'static str] {
        &FACTS
    }
    fn interrupt(&self) {
        self.script.interrupt();
    }
}

impl ScriptLife for Scripted {
    fn user<'a>(
        &'a self,
        place: Place<'_>,
        sessions: &'a mut (dyn Sessions + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        Box::pin(self.live(place.number, sessions, seat))
    }
}
