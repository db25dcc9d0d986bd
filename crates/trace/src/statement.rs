//! What a trace holds: one `Statement` for each thing that a client asked, by itself enough to ask it again, and `Lost`
//! where something is missing. Names and texts are shared within a block, so that a clone costs no copy. What a
//! source does not know is `None`; it never reads as zero.

use crate::rows::RowSums;
use crate::value::Bound;
use model::Nanos;
use std::sync::Arc;

/// The bytes of a statement, in the character set of its session.
pub type Text = Arc<[u8]>;

/// One session of one client. Unique within a trace: a server's numbers of connections begin anew when it restarts,
/// these do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

/// What lies in a trace, in its order.
// Nearly all are statements: a box for each would cost more than what the others waste.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Statement(Statement),
    Lost(Lost),
}

/// One request of a client, and what the server made of it. Items lie in the order in which statements *ended*, which
/// of commits is the order of commits; within a session that is also the order in which they were asked. `ByStart`
/// gives them in the order of their starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub session: SessionId,
    /// Its place in its session, from 0; a gap is a loss.
    pub order: u64,
    /// When the server had it, in nanoseconds since 1970 (UTC); a source that has microseconds ends in zeros.
    pub start: Nanos,
    /// From there to the last byte of the answer (proxy, packets), or as the server counted it (slow log).
    pub took: Option<Nanos>,
    pub transaction: Option<Transaction>,
    /// Who asked: the account's name, without host. Empty where it is not known.
    pub user: Arc<str>,
    /// From where, as the source names it. Empty where it is not known.
    pub host: Arc<str>,
    /// The default database when it was asked. Empty: none, or not known.
    pub database: Arc<str>,
    pub ask: Ask,
    pub answer: Answer,
}

/// To which transaction of its session a statement belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Counts the transactions of its session, from 0.
    pub number: u64,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A transaction of this statement only: autocommit, or a statement that commits by itself.
    Alone,
    /// The transaction was open when it had been answered, and not before.
    Begins,
    Inside,
    Commits,
    RollsBack,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The session began: login and greeting are this one statement. User, host and database are the statement's own.
    Connect {
        /// The number of the collation that the client named in its login; 0 is not known.
        collation: u16,
    },
    /// COM_QUERY: one text, or several in one (multi-statements). A slow log has these only, with values written out.
    Query(Text),
    Prepare {
        /// As the server numbered it in this session; 0 where it refused.
        statement: u32,
        text: Text,
    },
    Execute(Execute),
    /// COM_STMT_FETCH: rows of an open cursor.
    Fetch {
        statement: u32,
        rows: u32,
    },
    /// COM_STMT_RESET.
    Reset {
        statement: u32,
    },
    /// COM_STMT_CLOSE, which is never answered.
    Close {
        statement: u32,
    },
    /// COM_CHANGE_USER: user and database of this statement are already the new ones.
    ChangeUser {
        collation: u16,
    },
    /// COM_INIT_DB; the statement's own database is still the one before.
    InitDb(Arc<str>),
    ResetConnection,
    /// COM_SET_OPTION: 0 turns multi-statements on, 1 off.
    SetOption(u16),
    Ping,
    /// The session ended, by COM_QUIT or because the connection was closed.
    Quit,
    /// Something that the source only names, as a slow log's `Prepare` without its text: it cannot be asked again.
    Other(Arc<str>),
}

/// One COM_STMT_EXECUTE, or MariaDB's COM_STMT_BULK_EXECUTE. Long data (COM_STMT_SEND_LONG_DATA) stand among the
/// values.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    pub statement: u32,
    /// What was prepared; `None` where the trace began after that.
    pub text: Option<Text>,
    /// One row of values; of a bulk execute as many as it had.
    pub rows: Vec<Vec<Bound>>,
    pub is_bulk: bool,
    /// It asked for a cursor: its rows come by `Fetch`.
    pub cursor: bool,
}

/// What the server answered, as far as the source knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The server's number of the error; 0: it succeeded.
    pub error: Option<u16>,
    /// Rows sent, of all result sets.
    pub rows: Option<u64>,
    pub result_sets: Option<u32>,
    /// Rows changed, as the server says in its OK, of all results.
    pub affected: Option<u64>,
    /// As the last result has them.
    pub warnings: Option<u32>,
    pub examined: Option<u64>,
    /// Time that the server says it waited for locks.
    pub locked: Option<Nanos>,
    /// What the rows were: compares with the answer to the same statement by the same protocol (text or prepared).
    pub sums: Option<RowSums>,
}

/// Something is missing here, told instead of hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// About when, in nanoseconds since 1970 (UTC); 0 is not known.
    pub at: Nanos,
    /// `None`: it may concern any session.
    pub session: Option<SessionId>,
    /// How many statements, where that is known.
    pub statements: Option<u64>,
    /// Why, as a sentence without a full stop.
    pub why: Arc<str>,
}

impl Statement {
    /// When it was answered; when it started, where that is not known.
    pub fn end(&self) -> Nanos {
        Nanos(self.start.0.saturating_add(self.took.map_or(0, |took| took.0)))
    }

    /// Its SQL, where it has one: a query, what is prepared, what was prepared of an execute.
    pub fn text(&self) -> Option<&Text> {
        match &self.ask {
            Ask::Query(text) | Ask::Prepare { text, .. } => Some(text),
            Ask::Execute(execute) => execute.text.as_ref(),
            Ask::Connect { .. }
            | Ask::Fetch { .. }
            | Ask::Reset { .. }
            | Ask::Close { .. }
            | Ask::ChangeUser { .. }
            | Ask::InitDb(_)
            | Ask::ResetConnection
            | Ask::SetOption(_)
            | Ask::Ping
            | Ask::Quit
            | Ask::Other(_) => None,
        }
    }
}
