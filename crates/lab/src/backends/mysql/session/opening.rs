//! How a conversation begins: a fresh line, the greeting, TLS where it is wanted, the login. Runs once per connect, so
//! it favours being plain.

use super::faults::{server_fault, unopened};
use super::statement::Statement;
use crate::backends::channel::Channel;
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::faults::lost;
use crate::backends::opening::Opening;
use crate::backends::random::random;
use crate::backends::tls::{self, Mode, Tls};
use crate::os::clock;
use model::units::Nanos;
use wire::mysql::auth::Plugin;
use wire::mysql::{Account, Capabilities, Login, LoginStep, Reply, Transport};
use workload::session::Fault;

/// utf8mb4_general_ci, which every server knows; what a workload wants is set by its SET NAMES.
const LOGIN_COLLATION: u8 = 45;

/// What the certificate of a server behind a Unix socket is for.
const LOCALHOST: &str = "localhost";

/// What is new after every connect.
pub struct Conversation {
    pub(crate) channel: Channel,
    pub(crate) reply: Reply,
    pub(crate) statements: Vec<Option<Statement>>,
    pub(crate) version: String,
    /// From the wish to connect until the server let us in.
    pub(crate) connect_time: Nanos,
    plugin: Plugin,
    offered: Capabilities,
    /// What the next statement may load; any other request for a file is refused.
    pub(crate) file: Option<Vec<u8>>,
}

/// What client and server agreed on at the opening, for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carriage {
    /// TLS version and cipher.
    pub tls: Option<(String, String)>,
    /// The authentication plugin by which the server let us in.
    pub plugin: &'static str,
    /// Whether the server offered compression, which is never used.
    pub compression_offered: bool,
}

impl Conversation {
    pub(crate) fn carriage(&self) -> Carriage {
        Carriage {
            tls: self.channel.cipher(),
            plugin: self.plugin.name(),
            compression_offered: self.offered.has(Capabilities::COMPRESS),
        }
    }
}

/// Connects, logs in and says what every conversation begins with.
pub(crate) async fn dial(opening: &Opening) -> Result<Conversation, Fault> {
    let begun = clock::now();
    let mut channel = Channel::plain((opening.connect)().await.map_err(|e| lost(&e))?);
    let endpoint = &opening.endpoint;
    let account = Account {
        user: &endpoint.user,
        password: endpoint.password.as_bytes(),
        database: endpoint.schema.as_deref(),
        attributes: &[("program_name", "assay")],
        collation: LOGIN_COLLATION,
        capabilities: Capabilities::WANTED | Capabilities::LOCAL_FILES | Capabilities::MULTI_STATEMENTS,
    };
    let mut login = Login::new(account, transport(endpoint), random()?);
    let mut answer = Vec::new();
    loop {
        answer.clear();
        let step = login.feed(channel.incoming(), &mut answer).map_err(|e| unopened(&e))?;
        let (consumed, session, encrypts) = match step {
            LoginStep::Incomplete { consumed, .. } => (consumed, None, false),
            LoginStep::Encrypt { consumed } => (consumed, None, true),
            LoginStep::Done { consumed, session } => (consumed, Some(session), false),
            LoginStep::Denied { error, .. } => return Err(server_fault(&error.to_owned())),
        };
        channel.consume(consumed);
        if let Some(session) = session {
            return Ok(Conversation {
                channel,
                reply: Reply::new(session.capabilities),
                statements: Vec::new(),
                version: session.version,
                plugin: session.plugin,
                offered: session.offered,
                connect_time: Nanos(clock::now().0 - begun.0),
                file: None,
            });
        }
        channel.outgoing().extend_from_slice(&answer);
        if encrypts {
            encrypt(&mut channel, endpoint).await?;
            login.encrypted(channel.outgoing());
        }
        let heard = if channel.outgoing().is_empty() { channel.receive().await } else { channel.exchange().await };
        heard.map_err(|e| lost(&e))?;
    }
}

fn transport(endpoint: &SqlEndpoint) -> Transport {
    match (&endpoint.address, endpoint.tls.as_ref().map(|tls| tls.mode)) {
        (Address::Unix(_), None) => Transport::UnixSocket,
        (Address::Tcp { .. }, None) => Transport::Tcp,
        (_, Some(Mode::Preferred)) => Transport::TlsIfOffered,
        (_, Some(Mode::Required | Mode::VerifyCa | Mode::VerifyIdentity)) => Transport::Tls,
    }
}

async fn encrypt(channel: &mut Channel, endpoint: &SqlEndpoint) -> Result<(), Fault> {
    let tls: &Tls = endpoint.tls.as_ref().expect("only a login that was told to encrypts");
    let host = match &endpoint.address {
        Address::Tcp { host, .. } => host,
        Address::Unix(_) => LOCALHOST,
    };
    channel.encrypt(tls, host).await.map_err(|e| tls::fault(&e, tls, host))
}
