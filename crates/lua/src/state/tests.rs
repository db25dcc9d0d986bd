//! A user that is cut off in the middle of an event leaves at once, though its event is compiled: LuaJIT's collector
//! would wait for the end of a compiled call for ever.

use super::{Entry, State, Step};
use crate::Compat;
use crate::exchange::Reply;
use crate::script::{Invocation, Script};
use model::seed::Seed;
use std::sync::Arc;

/// Goes on asking, whatever becomes of it.
const SCRIPT: &str = "\
function event() for n = 1, 1e9 do ffi.C.usleep(1) end end
function stubborn() while true do pcall(event) end end";

/// So often a loop goes round that it is compiled long before.
const OFTEN: u32 = 1_000;

fn cut_off_in(function: &str) {
    let path = std::env::temp_dir().join(format!("assay-cut-off-{function}-{}.lua", std::process::id()));
    std::fs::write(&path, SCRIPT).unwrap();
    let name = path.to_string_lossy().into_owned();
    let invocation = Invocation {
        argv: vec!["sysbench".into(), name.clone(), "run".into()],
        script: Some(name),
        command: Some("run".into()),
        compat: Compat::V10,
        version: Compat::V10.version().into(),
        luajit_cmd: None,
    };
    let script = Arc::new(Script::find(invocation, Seed(1), Arc::new(|_| {})).unwrap());
    let mut state = State::new(&script, 0).unwrap();
    state.call(Entry::Body).unwrap();
    state.start(Entry::function(function)).unwrap();
    for _ in 0..OFTEN {
        assert!(matches!(state.resume().unwrap(), Step::Sleep { .. }));
        state.reply(Reply::default());
    }
    assert!(matches!(state.resume().unwrap(), Step::Sleep { .. }));
    drop(state);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_compiled_event_that_is_cut_off_ends() {
    cut_off_in("event");
}

#[test]
fn so_does_one_that_catches_every_error() {
    cut_off_in("stubborn");
}
