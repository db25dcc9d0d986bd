//! How a conversation begins: a fresh line, the handshake, the login. Runs once per connect, so it favours being plain.

use super::faults::{lost, server_fault};
use super::statement::Statement;
use crate::clock;
use crate::load::executor::Line;
use crate::sessions::address::{Address, Door};
use model::units::Nanos;
use std::pin::Pin;
use wire::mysql::{Account, Capabilities, Login, LoginStep, Reply, Transport};
use workload::session::Fault;

/// utf8mb4_general_ci, which every server knows; what a workload wants is set by its SET NAMES.
const LOGIN_COLLATION: u8 = 45;

/// How to come to a fresh line, who to be on it, and what to say first. Kept by a session so that it can come back.
pub struct Opening {
    pub door: Door,
    pub connect: Box<dyn Fn() -> Connecting>,
    /// Statements that every new conversation begins with, as SET NAMES.
    pub setup: Vec<String>,
}

pub type Connecting = Pin<Box<dyn Future<Output = std::io::Result<Line>>>>;

/// What is new after every connect.
pub(super) struct Conversation {
    pub(super) line: Line,
    pub(super) reply: Reply,
    pub(super) statements: Vec<Option<Statement>>,
    pub(super) version: String,
    /// From the wish to connect until the server let us in.
    pub(super) connect_time: Nanos,
}

/// Connects, logs in and says what every conversation begins with.
pub(super) async fn dial(opening: &Opening) -> Result<Conversation, Fault> {
    let begun = clock::now();
    let mut line = (opening.connect)().await.map_err(|e| lost(&e))?;
    let door = &opening.door;
    let account = Account {
        user: &door.user,
        password: door.password.as_bytes(),
        database: door.schema.as_deref(),
        attributes: &[("program_name", "assay")],
        collation: LOGIN_COLLATION,
        capabilities: Capabilities::WANTED | Capabilities::LOCAL_FILES,
    };
    let transport = match door.address {
        Address::Unix(_) => Transport::UnixSocket,
        Address::Tcp { .. } => Transport::Tcp,
    };
    let mut login = Login::new(account, transport, random()?);
    let mut answer = Vec::new();
    loop {
        answer.clear();
        let step = login.feed(line.incoming(), &mut answer).map_err(|e| Fault::Protocol(e.to_string()))?;
        let (consumed, end) = match step {
            LoginStep::Incomplete { consumed, .. } => (consumed, None),
            LoginStep::Done { consumed, session } => (consumed, Some(session)),
            LoginStep::Denied { error, .. } => return Err(server_fault(&error.to_owned())),
        };
        line.consume(consumed);
        if let Some(session) = end {
            let reply = Reply::new(session.capabilities);
            let connect_time = Nanos(clock::now().0 - begun.0);
            return Ok(Conversation { line, reply, statements: Vec::new(), version: session.version, connect_time });
        }
        let heard = if answer.is_empty() {
            line.receive().await
        } else {
            line.outgoing().extend_from_slice(&answer);
            line.exchange().await
        };
        heard.map_err(|e| lost(&e))?;
    }
}

/// Unpredictable bytes for the seal of a password that travels over TCP.
fn random() -> Result<[u8; 20], Fault> {
    let mut bytes = [0; 20];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if got == Ok(bytes.len()) { Ok(bytes) } else { Err(Fault::Lost("the kernel gives no random bytes".into())) }
}
