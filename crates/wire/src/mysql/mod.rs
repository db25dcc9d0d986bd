//! The MySQL client protocol as MySQL 5.5 to 9 and MariaDB 10.1 to 11 speak it.
//!
//! Three conversations: `login` (greeting to OK), `command`/`execute` (what a client says), `reply` (what it hears, row
//! by row, in place). `server` is the other side, as far as a canned server needs it. Not here: TLS itself,
//! compression, cursors, LOAD DATA LOCAL, replication, and the X protocol; `auth` has room for further plugins.
//!
//! A session is a buffer and two parsers; whoever owns the socket goes round like this:
//!
//! ```
//! use wire::mysql::{Asked, Malformed, Reply, Step, Summary, Visitor, command};
//!
//! /// Asks `sql`, with `send` and `receive` standing for the socket; `receive` appends what has arrived.
//! fn ask(
//!     reply: &mut Reply,
//!     sql: &str,
//!     visitor: &mut impl Visitor,
//!     mut send: impl FnMut(&[u8]),
//!     mut receive: impl FnMut(&mut Vec<u8>),
//! ) -> Result<Summary, Malformed> {
//!     let (mut out, mut input) = (Vec::new(), Vec::new());
//!     reply.begin(Asked::Text, command::query(&mut out, sql.as_bytes()));
//!     send(&out);
//!     loop {
//!         receive(&mut input);
//!         let consumed = match reply.feed(&input, visitor)? {
//!             Step::Incomplete { consumed, missing: _ } => consumed,
//!             Step::LocalInfile { consumed, refusal } => {
//!                 send(&refusal);
//!                 consumed
//!             }
//!             Step::Done { summary, .. } => return Ok(summary),
//!             Step::Failed { error, .. } => panic!("{}", error.to_owned()),
//!         };
//!         input.drain(..consumed);
//!     }
//! }
//! ```

pub mod auth;
pub mod capability;
pub mod column;
pub mod command;
pub mod err;
pub mod execute;
pub mod handshake;
pub mod login;
pub mod ok;
pub mod packet;
pub mod prepare;
pub mod reader;
pub mod reply;
pub mod row;
pub mod server;
pub mod writer;

pub use capability::Capabilities;
pub use column::{Column, ColumnType, Definition};
pub use err::{ErrPacket, ServerError};
pub use execute::Param;
pub use login::{Account, Login, LoginError, LoginStep, Session, Transport};
pub use ok::{OkPacket, Status};
pub use prepare::Prepared;
pub use reader::Malformed;
pub use reply::{Asked, Reply, Step, Summary, Visitor};
pub use row::{BinaryRow, Cell, DateTime, Row, TextRow, Time};
