//! What a state and its host say to each other: what the host may tell it to call, and what the script may then ask
//! for, under the numbers that the prelude knows them by.

use workload::session::Param;

/// What a state can ask, under the numbers that the prelude uses.
macro_rules! asks {
    ($($name:ident = $number:literal),*) => {
        $(pub(super) const $name: i32 = $number;)*
        pub(super) const ASKS: &[(&str, i32)] = &[$((stringify!($name), $number)),*];
    };
}
asks!(
    TURN = 1,
    RESTART = 2,
    SLEEP = 3,
    CONNECT = 4,
    DISCONNECT = 5,
    RECONNECT = 6,
    QUERY = 7,
    PREPARE = 8,
    EXECUTE = 9,
    CLOSE = 10,
    DROP = 11
);

/// What to call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Body,
    /// A global function; those of a thread get its number.
    Function(String, Option<u32>),
    /// One of `sysbench.cmdline.commands`.
    Command(String),
    Declared,
    /// Prints the script's options.
    Options,
    Hook(String),
}

impl Entry {
    pub fn function(name: &str) -> Self {
        Self::Function(name.to_string(), None)
    }
    pub fn of_thread(name: &str, tid: u32) -> Self {
        Self::Function(name.to_string(), Some(tid))
    }
}

/// What a state wants before it can go on.
pub enum Step<'a> {
    /// What was started is over.
    Ended,
    /// The next event; whether one ended before.
    Turn {
        ended: bool,
    },
    /// The event is begun again after an error.
    Restart,
    Sleep {
        seconds: f64,
    },
    Connect {
        driver: usize,
    },
    Disconnect {
        connection: usize,
    },
    Reconnect {
        connection: usize,
    },
    Query {
        connection: usize,
        sql: &'a [u8],
    },
    Prepare {
        connection: usize,
        sql: &'a [u8],
    },
    Execute {
        connection: usize,
        statement: usize,
        params: &'a [Param<'a>],
    },
    Close {
        connection: usize,
        statement: usize,
    },
}
