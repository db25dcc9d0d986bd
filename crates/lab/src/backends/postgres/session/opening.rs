//! How a conversation begins: a fresh line, TLS where it is wanted, the login. Runs once per connect, so it favours
//! being plain.

use super::faults::{server_fault, unopened};
use crate::backends::channel::Channel;
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::faults::lost;
use crate::backends::opening::Opening;
use crate::backends::random::random;
use crate::backends::tls::{self, Mode};
use crate::os::clock;
use model::units::Nanos;
use std::collections::VecDeque;
use wire::postgres::auth::Method;
use wire::postgres::{Account, Login, LoginStep, Reply, Transport};
use workload::session::{Class, Fault, Want};

/// What is new after every connect.
pub struct Conversation {
    pub(crate) channel: Channel,
    pub(crate) reply: Reply,
    /// Columns of each statement; `None` when it was closed.
    pub(crate) statements: Vec<Option<u16>>,
    /// Columns of the statement that is being prepared.
    pub(crate) describing: u16,
    pub(crate) behind: Behind,
    /// What the next COPY is answered with.
    pub(crate) file: Option<Vec<u8>>,
    pub(crate) version: String,
    pub(crate) method: Method,
    /// From the wish to connect until the server let us in.
    pub(crate) connect_time: Nanos,
}

/// Executions that are not answered yet.
#[derive(Default)]
pub(crate) struct Behind {
    pub(crate) waiting: VecDeque<Waiting>,
    /// The answer of the first is being read.
    pub(crate) is_read: bool,
}

pub(crate) struct Waiting {
    pub(crate) class: Class,
    pub(crate) want: Want,
    pub(crate) columns: u16,
}

pub(crate) async fn dial(opening: &Opening) -> Result<Conversation, Fault> {
    let begun = clock::now();
    let mut channel = Channel::plain((opening.connect)().await.map_err(|e| lost(&e))?);
    let endpoint = &opening.endpoint;
    let account =
        Account { user: &endpoint.user, password: endpoint.password.as_bytes(), database: endpoint.schema.as_deref() };
    let mut login = Login::new(account, transport(endpoint), random()?, channel.outgoing());
    let mut answer = Vec::new();
    loop {
        let heard = if channel.outgoing().is_empty() { channel.receive().await } else { channel.exchange().await };
        heard.map_err(|e| lost(&e))?;
        answer.clear();
        let step = login.feed(channel.incoming(), &mut answer).map_err(|e| unopened(&e))?;
        let consumed = match step {
            LoginStep::Incomplete { consumed } => consumed,
            LoginStep::Encrypt { consumed } => {
                channel.consume(consumed);
                encrypt(&mut channel, endpoint).await?;
                login.encrypted(&mut answer);
                0
            }
            LoginStep::Denied { error, .. } => return Err(server_fault(error)),
            LoginStep::Done { consumed, session } => {
                channel.consume(consumed);
                return Ok(Conversation {
                    channel,
                    reply: Reply::default(),
                    statements: Vec::new(),
                    describing: 0,
                    behind: Behind::default(),
                    file: None,
                    version: session.version,
                    method: session.method,
                    connect_time: Nanos(clock::now().0 - begun.0),
                });
            }
        };
        channel.consume(consumed);
        channel.outgoing().extend_from_slice(&answer);
    }
}

/// On a Unix socket bytes leave no machine and are never encrypted.
fn transport(endpoint: &SqlEndpoint) -> Transport {
    match (&endpoint.address, endpoint.tls.as_ref().map(|tls| tls.mode)) {
        (Address::Unix(_), _) | (Address::Tcp { .. }, None) => Transport::Plain,
        (Address::Tcp { .. }, Some(Mode::Preferred)) => Transport::TlsIfOffered,
        (Address::Tcp { .. }, Some(Mode::Required | Mode::VerifyCa | Mode::VerifyIdentity)) => Transport::Tls,
    }
}

async fn encrypt(channel: &mut Channel, endpoint: &SqlEndpoint) -> Result<(), Fault> {
    let (Some(tls), Address::Tcp { host, .. }) = (&endpoint.tls, &endpoint.address) else {
        unreachable!("only a login over TCP that was told to encrypts")
    };
    channel.encrypt(tls, host).await.map_err(|e| tls::fault(&e, tls, host))
}
