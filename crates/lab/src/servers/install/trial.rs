//! Whether a build serves here: a small data directory is made, the server greets, and it ends as it was asked to. A
//! binary that only says its version proves little: what a server lacks it says when it starts.

use crate::os::process::{Ended, Guard};
use crate::servers::process::folders::Folders;
use crate::servers::process::instance::{Instance, STOP_PATIENCE, Wish};
use crate::servers::{Build, Kind};
use crate::trouble::Trouble;
use model::{Bytes, Server, Value};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Small enough to be made in seconds, large enough for every version.
const MEMORY: Bytes = Bytes(64 * Bytes::MIB);

pub fn serve(
    kind: &'static dyn Kind,
    build: &Build,
    folders: &Folders,
    guard: &Guard,
    stop: &AtomicBool,
) -> Result<(), Trouble> {
    let small = Value::Count(MEMORY.0 as i64);
    let server = Server {
        build: build.installed.name.clone(),
        on: None,
        topology: Default::default(),
        engine: "innodb".into(),
        profile: "default".into(),
        // A key for TLS takes some versions a quarter of a minute.
        settings: BTreeMap::from([
            ("buffer_pool".to_string(), small.clone()),
            ("redo".to_string(), small),
            ("tls".to_string(), Value::Flag(false)),
        ]),
        native: BTreeMap::new(),
        tcp: false,
        cpus: None,
        load_cpus: None,
        memory: None,
    };
    let wish = Wish { folders, guard, kind, build, server: &server, cpus: &[], tcp: None, stop };
    let name = &build.installed.name;
    let mut instance =
        Instance::provision(&wish).map_err(|e| Trouble::new(format!("{name} does not serve")).because(e))?;
    match instance.stop(STOP_PATIENCE) {
        Ended::Code(0) => Ok(()),
        ended => {
            Err(Trouble::new(format!("{name} serves but does not stop cleanly ({ended}):\n{}", instance.log_tail())))
        }
    }
}
