//! One Lua: the interpreter of one user, with the API of sysbench in it and the script's body run. It is driven from
//! outside: `start` says what to call, and each `resume` goes on until the script asks for something or has ended.
//! Unsafe only where the interpreter is made with the libraries that scripts need (FFI, debug), which Lua cannot make
//! safe.

mod asks;
mod offered;
mod questions;
#[cfg(test)]
mod tests;

pub use asks::{Entry, Step};
pub use questions::Custom;

use crate::Compat;
use crate::draws::Draws;
use crate::exchange::{self, Exchange, Outcome, Reply};
use crate::fiber::{Fiber, Progress};
use crate::ignored::Trouble;
use crate::interrupt::Listed;
use crate::option::{Options, Value as OptionValue};
use crate::script::Script;
use asks::{ASKS, CLOSE, CONNECT, DISCONNECT, DROP, EXECUTE, PREPARE, QUERY, RECONNECT, RESTART, SLEEP, TURN};
use mlua::ffi::{LUA_OK, LUA_REGISTRYINDEX, lua_State, lua_getfield, lua_pcall, lua_settop, lua_tolstring};
use mlua::{Function, LightUserData, Lua, LuaOptions, StdLib, Table, Value};
use offered::{describe, offer_draws, offer_functions};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;
use workload::rows::KeptRows;
use workload::session::{Param, Sql};

/// The drivers by number, as the exchange names them.
pub const DRIVERS: [&str; 2] = ["mysql", "pgsql"];

/// The parts of the API, in the order in which they build on each other.
const PRELUDE: [(&str, &str); 7] = [
    ("=host.lua", include_str!("../prelude/host.lua")),
    ("=sysbench.lua", include_str!("../prelude/sysbench.lua")),
    ("=rand.lua", include_str!("../prelude/rand.lua")),
    // Its errors bear that name.
    ("sysbench.cmdline.lua", include_str!("../prelude/cmdline.lua")),
    ("=sql.lua", include_str!("../prelude/sql.lua")),
    ("=histogram.lua", include_str!("../prelude/histogram.lua")),
    ("=legacy.lua", include_str!("../prelude/legacy.lua")),
];
const MAIN: &str = include_str!("../prelude/main.lua");

/// What the API's functions share with their state.
#[derive(Default)]
struct Shared {
    /// The results of the last answer that the script has not left behind, by connection.
    kept: Vec<KeptRows>,
    trouble: Option<Trouble>,
}

pub struct State {
    /// First: nobody reaches a state that is being dropped.
    listed: Listed,
    fiber: Fiber,
    host: Table,
    /// What was made from it goes before it; what its finalizers may still touch goes after it.
    lua: Lua,
    exchange: Exchange,
    draws: Box<Draws>,
    shared: Rc<RefCell<Shared>>,
    params: Vec<Param<'static>>,
    script: Arc<Script>,
}

/// An error of Lua itself, in words; where in this program's own Lua it was is of no use to anybody.
fn words(error: mlua::Error) -> String {
    let text = match error {
        mlua::Error::RuntimeError(text) | mlua::Error::SyntaxError { message: text, .. } => text,
        other => other.to_string(),
    };
    text.split("\nstack traceback:").next().unwrap_or_default().to_string()
}

/// So many requests of a call that is cut off are still refused.
const LAST_ANSWERS: u32 = 1_000;

/// Under which the state keeps what its fiber runs.
const MAIN_KEY: &str = "assay.main";

/// Calls it. Nothing here is to be freed when the call is cut off.
unsafe fn call_main(lua: *mut lua_State) -> c_int {
    unsafe {
        lua_getfield(lua, LUA_REGISTRYINDEX, c"assay.main".as_ptr());
        lua_pcall(lua, 0, 0, 0)
    }
}

impl State {
    /// The state of user `tid`, before its script's body.
    pub fn new(script: &Arc<Script>, tid: u32) -> Result<Self, String> {
        let lua = unsafe { Lua::unsafe_new_with(StdLib::ALL, LuaOptions::default()) };
        Self::with(lua, script, tid).map_err(words)
    }

    fn with(lua: Lua, script: &Arc<Script>, tid: u32) -> mlua::Result<Self> {
        let exchange = Exchange::new();
        let seed = script.seed.child("states").nth(u64::from(tid));
        let mut draws = Box::new(Draws::new(seed, Arc::clone(&script.unique)));
        let shared = Rc::new(RefCell::new(Shared::default()));
        let host = lua.create_table()?;
        host.set("exchange", LightUserData(exchange.address()))?;
        host.set("suspend", LightUserData(exchange::ask as *mut c_void))?;
        offer_draws(&host, &mut draws)?;
        describe(&lua, &host, script, tid)?;
        offer_functions(&lua, &host, script, &shared)?;
        ASKS.iter().try_for_each(|(name, number)| host.set(*name, *number))?;
        lua.load(compiler(tid)).set_name("=compiler").call::<()>(())?;
        if let Some(command) = script.invocation.luajit_cmd.as_deref().filter(|c| !c.is_empty()) {
            lua.load(LUAJIT_CMD).set_name("=luajit-cmd").call::<()>(command)?;
        }
        for (name, text) in PRELUDE {
            if name != "=legacy.lua" || script.invocation.compat == Compat::V10 {
                lua.load(text).set_name(name).call::<()>(&host)?;
            }
        }
        let main: Function = lua.load(MAIN).set_name("=main.lua").call(&host)?;
        lua.set_named_registry_value(MAIN_KEY, main)?;
        let address = lua.current_thread().state();
        let fiber = unsafe { Fiber::new(address, exchange.way(), call_main) };
        let script = Arc::clone(script);
        Ok(Self {
            listed: script.interrupts.list(address),
            fiber,
            host,
            lua,
            exchange,
            draws,
            shared,
            params: Vec::new(),
            script,
        })
    }

    pub fn script(&self) -> &Arc<Script> {
        &self.script
    }

    /// Gives the script its options: as `sysbench.opt`, and as globals too where it declares none and is of sysbench
    /// 1.0.
    pub fn export(&mut self, options: &Options, as_globals: bool) -> Result<(), String> {
        self.draws.tune(options);
        let export = || -> mlua::Result<()> {
            let opt = self.lua.create_table()?;
            let globals = self.lua.globals();
            for (name, value) in options {
                let value = match value {
                    OptionValue::Bool(b) => Value::Boolean(*b),
                    OptionValue::Number(n) => Value::Number(*n),
                    OptionValue::Text(text) => Value::String(self.lua.create_string(text)?),
                    OptionValue::List(words) => Value::Table(self.lua.create_sequence_from(words.iter().cloned())?),
                    OptionValue::File => continue,
                };
                let is_free = !matches!(globals.raw_get::<Value>(name.as_str())?, Value::Function(_));
                if as_globals && is_free {
                    globals.raw_set(name.as_str(), &value)?;
                }
                opt.raw_set(name.as_str(), value)?;
            }
            globals.get::<Table>("sysbench")?.raw_set("opt", opt)
        };
        export().map_err(words)
    }

    /// Makes ready to call it: the next `resume` begins.
    pub fn start(&mut self, entry: Entry) -> Result<(), String> {
        let (kind, name, number) = match entry {
            Entry::Body => ("body", None, None),
            Entry::Function(name, number) => ("function", Some(name), number),
            Entry::Command(name) => ("command", Some(name), None),
            Entry::Declared => ("declared", None, None),
            Entry::Options => ("options", None, None),
            Entry::Hook(name) => ("hook", Some(name), None),
        };
        let set = || {
            self.host.raw_set("entry", kind)?;
            self.host.raw_set("name", name)?;
            self.host.raw_set("number", number)
        };
        set().expect("a table of ours takes any value");
        self.fiber.start().map_err(|e| format!("a script cannot be called: {e}"))
    }

    /// Goes on until the script asks for something.
    #[inline]
    pub fn resume(&mut self) -> Result<Step<'_>, String> {
        match self.fiber.resume() {
            Progress::Asks => {}
            Progress::Ended(LUA_OK) => return Ok(Step::Ended),
            Progress::Ended(_) => return Err(self.last_words()),
        }
        let exchange = &mut self.exchange;
        Ok(match exchange.ask() {
            TURN => Step::Turn { ended: exchange.take_ended() },
            RESTART => Step::Restart,
            SLEEP => Step::Sleep { seconds: exchange.number() },
            CONNECT => Step::Connect { driver: exchange.code() as usize },
            DISCONNECT => Step::Disconnect { connection: exchange.connection() },
            DROP => Step::Disconnect { connection: exchange.code() as usize },
            RECONNECT => Step::Reconnect { connection: exchange.connection() },
            QUERY => Step::Query { connection: exchange.connection(), sql: exchange.text() },
            PREPARE => Step::Prepare { connection: exchange.connection(), sql: exchange.text() },
            EXECUTE => {
                let (connection, statement) = exchange.statement();
                Step::Execute { connection, statement, params: exchange.params(&mut self.params) }
            }
            CLOSE => {
                let (connection, statement) = exchange.statement();
                Step::Close { connection, statement }
            }
            other => unreachable!("the prelude asks by the numbers above, and asked {other}"),
        })
    }

    /// What ended a call outside of the script's own function: an interruption that met what calls it, or want of
    /// memory.
    #[cold]
    fn last_words(&mut self) -> String {
        let said = self.lua.exec_raw_lua(|lua| {
            let (lua, mut length) = (lua.state(), 0);
            // SAFETY: the call has left its error on top of the stack, and nothing else is there.
            unsafe {
                let text = lua_tolstring(lua, -1, &mut length);
                let said = (!text.is_null()).then(|| std::slice::from_raw_parts(text.cast::<u8>(), length).to_vec());
                lua_settop(lua, -2);
                said
            }
        });
        said.map_or_else(|| "(not a string)".into(), |text| String::from_utf8_lossy(&text).into_owned())
    }

    /// What was started has ended: its value, or the error that it raised.
    pub fn outcome(&self) -> Result<Value, String> {
        match self.host.raw_get::<Option<mlua::String>>("failure") {
            Ok(Some(failure)) => Err(failure.to_string_lossy()),
            Ok(None) => self.host.raw_get("result").map_err(words),
            Err(e) => Err(words(e)),
        }
    }

    /// Calls what has nobody to ask: every request of it fails.
    pub fn call(&mut self, entry: Entry) -> Result<Value, String> {
        self.start(entry)?;
        let mut has_asked = false;
        while !matches!(self.resume()?, Step::Ended) {
            has_asked = true;
            self.fail(None, false);
        }
        if has_asked { Err("a database was asked where none can answer".into()) } else { self.outcome() }
    }

    /// Gives back what making it left over: a thousand states are to be small.
    pub fn tidy(&mut self) -> Result<(), String> {
        self.lua.gc_collect().map_err(words)
    }

    pub fn reply(&mut self, reply: Reply) {
        self.exchange.reply(reply);
    }

    /// The last request failed so: 1 is ignorable, 2 fatal. Without a `trouble` there are no words for it.
    pub fn fail(&mut self, trouble: Option<Trouble>, is_ignorable: bool) {
        let number = trouble.as_ref().map_or(0, |t| t.number);
        self.shared.borrow_mut().trouble = trouble;
        let code = if is_ignorable { 1 } else { 2 };
        self.reply(Reply { outcome: Outcome::Failed, count: number, code, ..Reply::default() });
    }

    /// Keeps an answer for the script to read; gives how many rows and columns its first result has.
    pub fn keep(&mut self, connection: usize, session: &mut (dyn Sql + '_)) -> (u32, u32) {
        let kept = &mut self.shared.borrow_mut().kept;
        if kept.len() <= connection {
            kept.resize_with(connection + 1, KeptRows::default);
        }
        let rows = &mut kept[connection];
        session.take_kept(rows);
        (rows.rows() as u32, rows.columns() as u32)
    }

    /// No result is behind the one that the script has.
    #[cold]
    pub fn forget(&mut self, connection: usize) {
        if let Some(kept) = self.shared.borrow_mut().kept.get_mut(connection) {
            kept.leave_others();
        }
    }

    /// Whether its last request was a statement as text.
    pub fn asks_text(&self) -> bool {
        self.exchange.ask() == QUERY
    }

    pub fn exchange(&mut self) -> &mut Exchange {
        &mut self.exchange
    }
}

impl Drop for State {
    /// A call that was cut off is ended first, by errors wherever it goes: a collector that finds a compiled call under
    /// way waits for its end, for ever where there is none. A call that goes on asking all the same leaves its Lua to
    /// the end of the process.
    fn drop(&mut self) {
        for _ in 0..LAST_ANSWERS {
            if !self.fiber.is_asking() {
                return;
            }
            self.listed.interrupt();
            self.fail(None, false);
            self.fiber.resume();
        }
        if self.fiber.is_asking() {
            std::mem::forget(std::mem::replace(&mut self.lua, Lua::new()));
        }
    }
}

/// How LuaJIT compiles. An event of many statements, of which each draws by a tail call and some lie in loops of one
/// turn, is to be compiled as a whole (loopunroll). Areas of code begin at multiples of 64 KiB and are filled from
/// their ends: of areas of one size the code of a thousand states would want the same few places of a cache (sizemcode,
/// in KiB).
fn compiler(tid: u32) -> String {
    let area = 16 + 4 * (tid % 12);
    format!(r#"require("jit.opt").start("loopunroll=100", "sizemcode={area}")"#)
}

const LUAJIT_CMD: &str = r#"
local name, rest = (...):match("^([^=]*)=?(.*)$")
if name == "on" or name == "off" or name == "flush" then return jit[name]() end
local words = {}
for word in rest:gmatch("[^,]+") do words[#words + 1] = word end
local found, module = pcall(require, "jit." .. name)
if not found then error("unknown luaJIT command: " .. name, 0) end
module.start(unpack(words))
"#;
