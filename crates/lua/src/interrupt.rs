//! The end of a script that never ends: its states are told, from another thread, to raise an error at their next
//! instruction. LuaJIT lets a hook be set while Lua runs (its own front end does it in a signal handler), and it is
//! built so that compiled loops look whether there is one (`.cargo/config.toml`). Unsafe, because a state is reached by
//! its address: the list holds only states that live, and its lock is taken by whoever uses or ends one. A last resort,
//! after everybody was asked.

use mlua::ffi::{LUA_MASKCALL, LUA_MASKCOUNT, LUA_MASKRET, lua_Debug, lua_State, lua_sethook, luaL_error};
use std::sync::{Arc, Mutex};

/// The states of a script that live.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<Mutex<Vec<Address>>>);

#[derive(PartialEq, Eq)]
struct Address(*mut lua_State);

// An address is only followed by `interrupt`, which holds the lock that its state is dropped under.
unsafe impl Send for Address {}

/// One state's place in the list; dropped before the state is.
pub(crate) struct Listed {
    list: Interrupts,
    address: Address,
}

impl Interrupts {
    pub(crate) fn list(&self, state: *mut lua_State) -> Listed {
        self.0.lock().expect("no panic while held").push(Address(state));
        Listed { list: self.clone(), address: Address(state) }
    }

    pub(crate) fn interrupt(&self) {
        for state in self.0.lock().expect("no panic while held").iter() {
            unsafe { state.interrupt() };
        }
    }
}

impl Address {
    /// # Safety
    /// The state lives.
    unsafe fn interrupt(&self) {
        unsafe { lua_sethook(self.0, Some(stop), LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1) };
    }
}

impl Listed {
    /// Interrupts this state alone.
    pub(crate) fn interrupt(&self) {
        unsafe { self.address.interrupt() };
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.0.lock().expect("no panic while held").retain(|listed| *listed != self.address);
    }
}

/// Raises an error wherever Lua is, again and again for scripts that catch it.
unsafe extern "C-unwind" fn stop(state: *mut lua_State, _: *mut lua_Debug) {
    unsafe { luaL_error(state, c"interrupted!".as_ptr()) };
}
