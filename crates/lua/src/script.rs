//! A script as it was called: which text, from where, with which command line. Everything that its states have in
//! common and nothing that one of them may change; states are made from it on any thread.

use crate::Compat;
use crate::bundled::{CPU, IN_C, bundled};
use crate::draws::Unique;
use crate::ignored::Ignored;
use crate::interrupt::Interrupts;
use crate::report::Level;
use model::seed::Seed;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What is known of a call before its script is read.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The whole command line; the first is the program's name.
    pub argv: Vec<String>,
    /// The first word that is no option, as typed; `None` and `-` read the standard input.
    pub script: Option<String>,
    pub command: Option<String>,
    pub compat: Compat,
    /// As `1.0.20`.
    pub version: String,
    /// What `--luajit-cmd` says.
    pub luajit_cmd: Option<String>,
}

/// What a script or its API says to whoever called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// By `print`; without the end of the line.
    Print(&'a str),
    Log(Level, &'a str),
}

pub type Say = Arc<dyn Fn(Said<'_>) + Send + Sync>;

pub struct Script {
    pub invocation: Invocation,
    pub(crate) text: Text,
    pub(crate) say: Say,
    pub(crate) seed: Seed,
    pub(crate) unique: Arc<Unique>,
    pub(crate) path: String,
    pub(crate) cpath: String,
    pub(crate) ignored: Ignored,
    /// `--db-driver`, for a body that asks before it has options.
    pub(crate) driver: Option<String>,
    /// `--mysql-dry-run`: statements are not sent anywhere.
    pub(crate) is_dry: bool,
    /// `--db-ps-mode=disable`: prepared statements are sent as texts.
    pub(crate) emulates: bool,
    pub(crate) interrupts: Interrupts,
    uses_database: AtomicBool,
}

/// Where the script's text comes from.
pub(crate) enum Text {
    File,
    Module,
    Read(String),
}

/// Where distributions put sysbench's scripts.
const DATA: &str = "/usr/share/sysbench";

impl Script {
    /// Finds the script. What keeps it from being found is said as sysbench says it, without its `FATAL: `.
    pub fn find(invocation: Invocation, seed: Seed, say: Say) -> Result<Self, String> {
        let mut path = search_path();
        let text = match invocation.script.as_deref() {
            None | Some("-") => {
                Text::Read(std::io::read_to_string(std::io::stdin()).map_err(|e| format!("cannot read stdin: {e}"))?)
            }
            Some(name) if Path::new(name).is_file() => {
                // What lies beside a script is found too, after everything that sysbench would find.
                if let Some(folder) = Path::new(name).parent().filter(|f| !f.as_os_str().is_empty()) {
                    path = format!("{path};{}/?.lua", folder.display());
                }
                Text::File
            }
            Some(name) if bundled(name).is_some() || is_module(name, &path) => Text::Module,
            Some(name) if IN_C.contains(&name) => {
                return Err(format!(
                    "The test '{name}' measures no database and is not here: of sysbench's built-in tests, assay has '{CPU}'"
                ));
            }
            Some(name) => {
                return Err(format!("Cannot find benchmark '{name}': no such built-in test, file or module"));
            }
        };
        Ok(Self {
            invocation,
            text,
            say,
            seed,
            unique: Arc::new(Unique::new(seed)),
            path,
            cpath: from_environment("LUA_CPATH", c_path()),
            ignored: Ignored::default(),
            driver: None,
            is_dry: false,
            emulates: false,
            interrupts: Interrupts::default(),
            uses_database: AtomicBool::new(false),
        })
    }

    /// Takes from the options what is this program's part of them.
    pub fn tune(&mut self, options: &crate::option::Options) {
        use crate::option::Value;
        if let Some(Value::List(numbers)) = options.get("mysql_ignore_errors") {
            self.ignored = Ignored::of(numbers);
        }
        if let Some(Value::Text(driver)) = options.get("db_driver") {
            self.driver = Some(driver.clone());
        }
        self.is_dry = options.get("mysql_dry_run") == Some(&Value::Bool(true));
        self.emulates = matches!(options.get("db_ps_mode"), Some(Value::Text(mode)) if mode == "disable");
    }

    pub fn say(&self, said: Said<'_>) {
        (self.say)(said);
    }

    pub(crate) fn log(&self, level: Level, text: &str) {
        self.say(Said::Log(level, text));
    }

    /// Ends what its states do by an error, also in a loop that never asks for anything.
    pub fn interrupt(&self) {
        self.interrupts.interrupt();
    }

    /// Whether it is sysbench's benchmark of that name, which has words of its own in the banner and in the report.
    pub fn is_cpu(&self) -> bool {
        matches!(self.text, Text::Module) && self.invocation.script.as_deref() == Some(CPU)
    }

    /// Whether a driver was ever asked for: reports of other scripts have no part about SQL.
    pub fn uses_database(&self) -> bool {
        self.uses_database.load(Relaxed)
    }

    pub(crate) fn touch_database(&self) {
        self.uses_database.store(true, Relaxed);
    }
}

fn is_module(name: &str, path: &str) -> bool {
    let file = name.replace('.', "/");
    path.split(';').any(|template| Path::new(&template.replace('?', &file)).is_file())
}

fn search_path() -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    let rocks = format!("{home}/.luarocks/share/lua");
    from_environment(
        "LUA_PATH",
        format!(
            "./?.lua;./?/init.lua;./src/lua/?.lua;{rocks}/5.1/?.lua;{rocks}/5.1/?/init.lua;{rocks}/?.lua;{rocks}/?/init.lua;\
             /usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;{DATA}/?.lua"
        ),
    )
}

fn c_path() -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    let rocks = format!("{home}/.luarocks/lib/lua");
    format!("./?.so;{rocks}/5.1/?.so;{rocks}/?.so;/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so")
}

/// The variable replaces the default, which two semicolons in it stand for.
fn from_environment(name: &str, default: String) -> String {
    match std::env::var(name) {
        Ok(said) if said.contains(";;") => said.replace(";;", &format!(";{default};")).trim_matches(';').to_string(),
        Ok(said) => said,
        Err(_) => default,
    }
}
