//! What the prelude finds in a fresh state: where the call's words are, the draws, the log, and the rows of the last
//! results.

use super::{DRIVERS, Shared};
use crate::Compat;
use crate::bundled::bundled;
use crate::draws::{self, Draws};
use crate::report::Level;
use crate::script::{Said, Script, Text};
use mlua::{LightUserData, Lua, MultiValue, Table, Value};
use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;
use workload::rows::{Cell, KeptRows};

pub(super) fn offer_draws(host: &Table, draws: &mut Draws) -> mlua::Result<()> {
    let functions: [(&str, *const ()); 6] = [
        ("draw_between", draws::between as *const ()),
        ("draw_text", draws::text as *const ()),
        ("draw_various", draws::various as *const ()),
        ("draw_unit", draws::unit as *const ()),
        ("draw_bits", draws::bits as *const ()),
        ("draw_unique", draws::unique as *const ()),
    ];
    host.set("draws", LightUserData(draws.address()))?;
    functions.iter().try_for_each(|(name, f)| host.set(*name, LightUserData(f.cast_mut().cast::<c_void>())))
}

/// What the prelude is told of the call.
pub(super) fn describe(lua: &Lua, host: &Table, script: &Script, tid: u32) -> mlua::Result<()> {
    let call = &script.invocation;
    let argv = lua.create_table()?;
    call.argv.iter().enumerate().try_for_each(|(n, word)| argv.set(n, word.as_str()))?;
    host.set("argv", argv)?;
    host.set("command", call.command.as_deref())?;
    host.set("script_path", call.script.as_deref())?;
    host.set("db_driver", script.driver.as_deref())?;
    host.set("tid", tid)?;
    host.set("version", call.version.as_str())?;
    host.set("compat", if call.compat == Compat::V10 { 10 } else { 11 })?;
    host.set("path", script.path.as_str())?;
    host.set("cpath", script.cpath.as_str())?;
    host.set("script_is_file", matches!(script.text, Text::File))?;
    if let Text::Read(text) = &script.text {
        host.set("script_text", text.as_str())?;
        host.set("script_chunk", "=stdin")?;
    }
    Ok(())
}

pub(super) fn offer_functions(
    lua: &Lua,
    host: &Table,
    script: &Arc<Script>,
    shared: &Rc<RefCell<Shared>>,
) -> mlua::Result<()> {
    let its = Arc::clone(script);
    host.set(
        "print",
        lua.create_function(move |_, text: mlua::String| {
            its.say(Said::Print(&text.to_string_lossy()));
            Ok(())
        })?,
    )?;
    let its = Arc::clone(script);
    host.set(
        "log",
        lua.create_function(move |_, (level, text): (u8, mlua::String)| {
            its.log(if level == 0 { Level::Fatal } else { Level::Alert }, &text.to_string_lossy());
            Ok(())
        })?,
    )?;
    host.set("bundled", lua.create_function(|_, name: String| Ok(bundled(&name)))?)?;
    let its = Arc::clone(script);
    host.set(
        "driver",
        lua.create_function(move |_, name: String| {
            its.touch_database();
            Ok(DRIVERS.iter().position(|known| **known == name))
        })?,
    )?;
    host.set("driver_name", lua.create_function(|_, number: usize| Ok(DRIVERS.get(number).copied()))?)?;
    let its = Rc::clone(shared);
    host.set(
        "trouble",
        lua.create_function(move |_, ()| {
            Ok(its.borrow().trouble.as_ref().map_or((None, None), |t| (Some(t.state.clone()), Some(t.message.clone()))))
        })?,
    )?;
    let its = Rc::clone(shared);
    host.set(
        "row",
        lua.create_function(move |lua, (connection, row): (usize, usize)| {
            row_of(lua, its.borrow().kept.get(connection), row)
        })?,
    )?;
    let its = Rc::clone(shared);
    host.set(
        "more",
        lua.create_function(move |_, connection: usize| {
            Ok(its.borrow().kept.get(connection).is_some_and(|kept| kept.results_behind() > 0))
        })?,
    )?;
    let its = Rc::clone(shared);
    // Nothing when there is none, else its rows, its columns and what it changed.
    host.set(
        "next",
        lua.create_function(move |_, connection: usize| {
            let kept = &mut its.borrow_mut().kept;
            let Some(kept) = kept.get_mut(connection) else { return Ok((None, 0, 0.0)) };
            Ok(if kept.advance() {
                (Some(kept.rows()), kept.columns(), kept.affected() as f64)
            } else {
                (None, 0, 0.0)
            })
        })?,
    )
}

/// A row's cells as texts, as scripts get all of them.
fn row_of(lua: &Lua, kept: Option<&KeptRows>, row: usize) -> mlua::Result<MultiValue> {
    let Some(kept) = kept.filter(|kept| row < kept.rows()) else { return Ok(MultiValue::new()) };
    (0..kept.columns())
        .map(|column| {
            Ok(match kept.cell(row, column) {
                Cell::Null => Value::Nil,
                Cell::Bytes(bytes) => Value::String(lua.create_string(bytes)?),
                Cell::Int(n) => Value::String(lua.create_string(n.to_string())?),
                Cell::UInt(n) => Value::String(lua.create_string(n.to_string())?),
                Cell::Real(x) => Value::String(lua.create_string(x.to_string())?),
            })
        })
        .collect()
}
