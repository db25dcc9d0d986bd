//! The stack that a state runs on: a call into Lua goes on there until Lua asks for something, which it does by calling
//! a plain C function that switches back to whoever resumed it. So a script can ask wherever it stands, in a comparison
//! of `table.sort` as well, and a whole event with all that it asks can be compiled: to LuaJIT asking is one call of
//! FFI, while a coroutine of Lua's that yields ends what is being compiled. Unsafe, because Lua reaches the host by an
//! address.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use mlua::ffi::lua_State;
use std::ffi::c_int;

/// Several times what sysbench gives a thread (`--thread-stack-size`, 64 KiB). Only what is touched takes memory.
const STACK_BYTES: usize = 256 * 1024;

/// Whoever runs on a fiber, as seen from there: how it gets back.
pub(crate) type Way = Yielder<(), ()>;

/// What a fiber runs; it returns how the call ended.
pub(crate) type Call = unsafe fn(lua: *mut lua_State) -> c_int;

pub(crate) struct Fiber {
    /// `None` until the first call. A call that has ended leaves its stack to the next one.
    running: Option<Coroutine<(), (), c_int, DefaultStack>>,
    lua: *mut lua_State,
    /// Where the way back is told; null while nothing runs.
    way: *mut *const Way,
    call: Call,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Asks,
    /// With what the call returned.
    Ended(c_int),
}

impl Fiber {
    /// # Safety
    /// `lua` and `way` are there for as long as the fiber, and whoever uses the state outside of it does so between two
    /// calls.
    pub(crate) unsafe fn new(lua: *mut lua_State, way: *mut *const Way, call: Call) -> Self {
        Self { running: None, lua, way, call }
    }

    /// Makes ready to call: the next `resume` begins. A state whose last call was cut off is of no use any more.
    pub(crate) fn start(&mut self) -> std::io::Result<()> {
        let stack = match self.running.take() {
            Some(ended) if ended.done() => ended.into_stack(),
            Some(suspended) => {
                self.running = Some(suspended);
                return Err(std::io::Error::other("its last call was cut off"));
            }
            None => DefaultStack::new(STACK_BYTES)?,
        };
        let (lua, way, call) = (self.lua, self.way, self.call);
        self.running = Some(Coroutine::with_stack(stack, move |back: &Way, ()| unsafe {
            *way = back;
            let status = call(lua);
            *way = std::ptr::null();
            status
        }));
        Ok(())
    }

    /// Whether a call waits for its reply.
    pub(crate) fn is_asking(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.started() && !running.done())
    }

    /// Goes on until Lua asks for something.
    #[inline]
    pub(crate) fn resume(&mut self) -> Progress {
        match self.running.as_mut().expect("what is resumed was begun").resume(()) {
            CoroutineResult::Yield(()) => Progress::Asks,
            CoroutineResult::Return(status) => Progress::Ended(status),
        }
    }
}

impl Drop for Fiber {
    /// A call that is cut off is not unwound: on its stack lie frames of Lua, which its state takes back when it is
    /// closed, and of `call`, which owns nothing.
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            unsafe { running.force_reset() };
        }
        unsafe { *self.way = std::ptr::null() };
    }
}
