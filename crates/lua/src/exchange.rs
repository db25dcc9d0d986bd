//! The exchange between a state and its host: one structure that Lua writes by FFI when it asks and reads when it is
//! resumed, so that a statement costs a handful of stores, one call and no conversion. Unsafe, because the host reads
//! through pointers that Lua left there: they hold from the moment at which the state suspends itself to the one at
//! which it is resumed, which the borrows of this module say. The layouts are those that `prelude/host.lua` declares.

use crate::fiber::Way;
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void};
use workload::session::Param;
use workload::user::Memory;

pub const COUNTERS: usize = 16;

#[repr(C)]
struct Layout {
    ask: i32,
    outcome: i32,
    target: *const c_void,
    text: *const u8,
    length: u64,
    number: f64,
    rows: u32,
    columns: u32,
    count: i32,
    code: i32,
    ended: i32,
    dropped: i32,
    /// Where compiled code lies, and how much; zero when it was taken.
    code_at: u64,
    code_bytes: u64,
    counters: [f64; COUNTERS],
    /// The host's alone: how Lua gets back to it. Null while no call is under way.
    way: *const Way,
}

#[repr(C)]
struct Connection {
    error: c_int,
    sql_errno: c_int,
    sql_state: *const c_char,
    sql_errmsg: *const c_char,
    number: i32,
}

#[repr(C)]
struct Statement {
    connection: *const Connection,
    number: i32,
    count: i32,
    binds: *const *const Bind,
}

#[repr(C)]
struct Bind {
    kind: i32,
    is_null: i32,
    max_len: u64,
    data_len: u64,
    buffer: *const u8,
    int: i64,
    real: f64,
}

const BIGINT: i32 = 4;
const DOUBLE: i32 = 6;

/// What a reply says beside its outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply {
    pub outcome: Outcome,
    pub rows: u32,
    pub columns: u32,
    /// A number just given, of a connection or statement, or of an error.
    pub count: i32,
    /// How an error counts: `sysbench.sql.error`.
    pub code: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Also: no.
    #[default]
    Plain = 0,
    /// There is a result set. Also: yes.
    Rows = 1,
    Failed = 2,
    /// Yes, and the state is to tell where its compiled code lies.
    Tell = 3,
}

/// Gives a request to the host and comes back with what its reply amounts to. Where no call is under way, in a
/// finalizer of a state that is being closed, there is nobody to ask.
///
/// # Safety
/// Lua calls it, with the address that `Exchange::address` gave its state.
pub(crate) unsafe extern "C" fn ask(exchange: *mut c_void, kind: i32, target: *const c_void) -> i32 {
    let layout: *mut Layout = exchange.cast();
    unsafe {
        ((*layout).ask, (*layout).target) = (kind, target);
        match (*layout).way.as_ref() {
            Some(way) => way.suspend(()),
            None => (*layout).outcome = Outcome::Failed as i32,
        }
        (*layout).outcome
    }
}

pub struct Exchange(Box<UnsafeCell<Layout>>);

impl Exchange {
    pub fn new() -> Self {
        Self(Box::new(UnsafeCell::new(Layout {
            ask: 0,
            outcome: 0,
            target: std::ptr::null(),
            text: std::ptr::null(),
            length: 0,
            number: 0.0,
            rows: 0,
            columns: 0,
            count: 0,
            code: 0,
            ended: 0,
            dropped: 0,
            code_at: 0,
            code_bytes: 0,
            counters: [0.0; COUNTERS],
            way: std::ptr::null(),
        })))
    }

    pub fn address(&self) -> *mut c_void {
        self.0.get().cast()
    }

    /// Where a fiber is to tell its way back.
    pub fn way(&self) -> *mut *const Way {
        unsafe { &raw mut (*self.0.get()).way }
    }

    /// The state is suspended whenever the host runs, and both are on one thread: nobody else has this memory now.
    fn layout(&self) -> &Layout {
        unsafe { &*self.0.get() }
    }

    fn layout_mut(&mut self) -> &mut Layout {
        self.0.get_mut()
    }

    pub fn ask(&self) -> i32 {
        self.layout().ask
    }

    pub fn number(&self) -> f64 {
        self.layout().number
    }

    pub fn code(&self) -> i32 {
        self.layout().code
    }

    /// The statement's text. It is a Lua string in a frame of the suspended state, which keeps it.
    pub fn text(&self) -> &[u8] {
        let layout = self.layout();
        if layout.text.is_null() {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(layout.text, layout.length as usize) }
    }

    /// The number of the connection that is asked. The structure is kept by the state for as long as it lives.
    pub fn connection(&self) -> usize {
        let connection: *const Connection = self.layout().target.cast();
        if connection.is_null() { 0 } else { unsafe { (*connection).number as usize } }
    }

    /// The numbers of the connection and the statement that are asked.
    pub fn statement(&self) -> (usize, usize) {
        let statement = self.target();
        let connection = if statement.connection.is_null() { 0 } else { unsafe { (*statement.connection).number } };
        (connection as usize, statement.number as usize)
    }

    fn target(&self) -> &Statement {
        let statement: *const Statement = self.layout().target.cast();
        assert!(!statement.is_null(), "a statement is executed through its structure");
        unsafe { &*statement }
    }

    /// The values of the statement's parameters, read anew; they borrow what the state keeps while it is suspended.
    pub fn params<'a>(&'a self, into: &'a mut Vec<Param<'static>>) -> &'a [Param<'a>] {
        into.clear();
        let statement = self.target();
        for n in 0..statement.count.max(0) as usize {
            let bind = unsafe { &**statement.binds.add(n) };
            into.push(match bind {
                Bind { is_null: 1, .. } => Param::Null,
                Bind { kind: BIGINT, int, .. } => Param::Int(*int),
                Bind { kind: DOUBLE, real, .. } => Param::Real(*real),
                Bind { buffer, data_len, .. } => {
                    Param::Bytes(unsafe { std::slice::from_raw_parts(*buffer, *data_len as usize) })
                }
            });
        }
        into
    }

    pub fn reply(&mut self, reply: Reply) {
        let layout = self.layout_mut();
        layout.outcome = reply.outcome as i32;
        (layout.rows, layout.columns) = (reply.rows, reply.columns);
        (layout.count, layout.code) = (reply.count, reply.code);
    }

    /// Whether an event ended since it was last asked.
    pub fn take_ended(&mut self) -> bool {
        std::mem::take(&mut self.layout_mut().ended) != 0
    }

    /// Where the state's compiled code lies, when it has just told.
    #[inline]
    pub fn take_code(&mut self) -> Option<Memory> {
        let layout = self.layout_mut();
        let told = std::mem::take(&mut layout.code_at);
        (told != 0).then_some(Memory { at: told as usize, bytes: layout.code_bytes as usize })
    }

    /// Where it lies itself.
    pub fn memory(&self) -> Memory {
        Memory::of(self.layout())
    }

    pub fn count(&mut self, counter: usize) {
        self.layout_mut().counters[counter] += 1.0;
    }

    pub fn counters(&self) -> [f64; COUNTERS] {
        self.layout().counters
    }
}
