//! The opening conversation, from greeting to OK, as a machine that is fed bytes and writes bytes.
//!
//! It runs once per session, so it favours being plain over being fast. Where the session is to be encrypted, the
//! machine says when (`LoginStep::Encrypt`) and goes on with what comes out of TLS, which is the caller's. Not here:
//! what a session sets after login (SET NAMES and the like).

use std::fmt;

use super::auth::caching_sha2::{self, SEED_BYTES};
use super::auth::switch::Switch;
use super::auth::{self, Plugin};
use super::capability::Capabilities;
use super::err::ErrPacket;
use super::handshake::{Flavour, Greeting, Response, write_ssl_request};
use super::ok::{OkPacket, Status};
use super::packet;
use super::reader::Malformed;

/// Who wants in. It cannot be printed: it holds the password. No name may hold a zero byte; check it where it is
/// parsed.
#[derive(Clone, Copy)]
pub struct Account<'a> {
    pub user: &'a str,
    pub password: &'a [u8],
    pub database: Option<&'a str>,
    /// Shown by the server in performance_schema.session_connect_attrs.
    pub attributes: &'a [(&'a str, &'a str)],
    /// Collation id; 45 is utf8mb4_general_ci, which every server knows.
    pub collation: u8,
    /// Usually `Capabilities::WANTED`.
    pub capabilities: Capabilities,
}

/// Whether strangers could listen, which decides how caching_sha2_password sends the password on its full path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    UnixSocket,
    Tcp,
    /// The session goes on under TLS; the login fails where the server does not offer it.
    Tls,
    /// The same where the server offers it, and plain TCP where it does not.
    TlsIfOffered,
}

impl Transport {
    /// What it is, once it is known what the server offers.
    fn agreed(self, offered: Capabilities) -> Result<Self, LoginError> {
        match self {
            Self::UnixSocket | Self::Tcp => Ok(self),
            Self::Tls | Self::TlsIfOffered if offered.has(Capabilities::SSL) => Ok(Self::Tls),
            Self::Tls => Err(LoginError::NotEncrypted),
            Self::TlsIfOffered => Ok(Self::Tcp),
        }
    }
}

/// What a session knows of its server once it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub flavour: Flavour,
    pub version: String,
    pub connection_id: u32,
    /// What both sides can do; `Reply::new` needs it.
    pub capabilities: Capabilities,
    /// What the server can do.
    pub offered: Capabilities,
    /// The plugin by which the server accepted.
    pub plugin: Plugin,
    pub status: Status,
}

/// What one call of `feed` came to. The caller first sends whatever was appended to `out`, then drops `consumed` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginStep<'b> {
    /// The server has to say more.
    Incomplete {
        consumed: usize,
        missing: usize,
    },
    /// What was appended to `out` is the last word in the clear. The caller sends it, goes through the TLS handshake,
    /// and then calls `encrypted`.
    Encrypt {
        consumed: usize,
    },
    Done {
        consumed: usize,
        session: Session,
    },
    /// The server refuses: wrong password, too many connections, host blocked.
    Denied {
        consumed: usize,
        error: ErrPacket<'b>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginError {
    Malformed(Malformed),
    /// The account uses an authentication plugin that assay does not speak.
    UnknownPlugin(String),
    BadPublicKey,
    /// The server does not offer TLS, and the login wanted it.
    NotEncrypted,
}

impl From<Malformed> for LoginError {
    fn from(malformed: Malformed) -> Self {
        LoginError::Malformed(malformed)
    }
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoginError::Malformed(malformed) => malformed.fmt(f),
            LoginError::UnknownPlugin(name) => write!(
                f,
                "the account authenticates by {name}; assay speaks {}",
                Plugin::ALL.map(Plugin::name).join(", ")
            ),
            LoginError::NotEncrypted => write!(f, "the server offers no encrypted connections"),
            LoginError::BadPublicKey => write!(f, "the server's RSA public key cannot be used"),
        }
    }
}

impl std::error::Error for LoginError {}

pub struct Login<'a> {
    account: Account<'a>,
    transport: Transport,
    seed: [u8; SEED_BYTES],
    sequence: u8,
    challenge: Vec<u8>,
    plugin: Plugin,
    /// The response that waits for TLS.
    response: Vec<u8>,
    /// Set by the greeting.
    session: Option<Session>,
}

impl<'a> Login<'a> {
    /// `seed` must be fresh random bytes; they are used only on the full path over TCP.
    pub fn new(account: Account<'a>, transport: Transport, seed: [u8; SEED_BYTES]) -> Self {
        let (challenge, response, plugin) = (Vec::new(), Vec::new(), Plugin::Native);
        Login { account, transport, seed, sequence: 0, challenge, plugin, response, session: None }
    }

    /// Reads as many whole packets as `bytes` holds and appends the answers to `out`.
    pub fn feed<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>) -> Result<LoginStep<'b>, LoginError> {
        let mut rest = bytes;
        loop {
            let consumed = bytes.len() - rest.len();
            let (packet, after) = match packet::split(rest) {
                Ok(found) => found,
                Err(missing) => return Ok(LoginStep::Incomplete { consumed, missing }),
            };
            rest = after;
            let consumed = bytes.len() - rest.len();
            let first = *packet.payload.first().ok_or(Malformed("an empty packet during login"))?;
            if first == 0xFF {
                let error = ErrPacket::parse(packet.payload)?;
                return Ok(LoginStep::Denied { consumed, error });
            }
            if packet.sequence != self.sequence {
                return Err(Malformed("a packet is out of sequence").into());
            }
            self.sequence = packet.sequence.wrapping_add(1);
            match (&mut self.session, first) {
                (None, _) => {
                    self.greeted(packet.payload, out)?;
                    if self.response.is_empty() {
                        continue;
                    }
                    // Whatever lies behind the greeting could have been put there by a stranger.
                    let alone = rest.is_empty();
                    let step = alone.then_some(LoginStep::Encrypt { consumed });
                    return step.ok_or(Malformed("the server speaks on before TLS has begun").into());
                }
                (Some(session), 0x00) => {
                    session.status = OkPacket::parse(packet.payload)?.status;
                    session.plugin = self.plugin;
                    return Ok(LoginStep::Done { consumed, session: session.clone() });
                }
                (Some(_), 0xFE) => self.switched(packet.payload, out)?,
                (Some(_), 0x01) => self.more_data(&packet.payload[1..], out)?,
                (Some(_), _) => {
                    return Err(Malformed("login is answered by an unknown byte").into());
                }
            }
        }
    }

    fn greeted(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        let greeting = Greeting::parse(payload)?;
        let mut wanted = self.account.capabilities;
        if self.account.database.is_some() {
            wanted = wanted | Capabilities::CONNECT_WITH_DB;
        }
        self.transport = self.transport.agreed(greeting.capabilities)?;
        if self.transport == Transport::Tls {
            wanted = wanted | Capabilities::SSL;
        }
        let capabilities = wanted & greeting.capabilities;
        // A default plugin that is unknown here need not be the account's: answer by native, and the server will
        // switch.
        self.plugin = Plugin::named(greeting.plugin).unwrap_or(Plugin::Native);
        self.challenge = greeting.scramble.to_vec();
        let response = Response {
            capabilities,
            collation: self.account.collation,
            user: self.account.user.as_bytes(),
            auth: &self.plugin.proof(self.account.password, &self.challenge),
            database: self.account.database.unwrap_or("").as_bytes(),
            plugin: self.plugin.name().as_bytes(),
            attributes: self.account.attributes,
        };
        if self.transport == Transport::Tls {
            let collation = self.account.collation;
            self.sequence = packet::write(out, self.sequence, |out| write_ssl_request(out, capabilities, collation));
            response.write(&mut self.response);
        } else {
            self.sequence = packet::write(out, self.sequence, |out| response.write(out));
        }
        self.session = Some(Session {
            flavour: greeting.flavour(),
            version: greeting.version(),
            connection_id: greeting.connection_id,
            capabilities,
            offered: greeting.capabilities,
            plugin: self.plugin,
            status: greeting.status,
        });
        Ok(())
    }

    /// TLS has begun: appends the response, which travels under it.
    pub fn encrypted(&mut self, out: &mut Vec<u8>) {
        let response = std::mem::take(&mut self.response);
        assert!(!response.is_empty(), "only a login that asked for TLS goes on under it");
        self.say(out, &response);
    }

    fn switched(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        let switch = Switch::parse(payload)?;
        self.plugin = Plugin::named(switch.plugin)
            .ok_or_else(|| LoginError::UnknownPlugin(String::from_utf8_lossy(switch.plugin).into_owned()))?;
        self.challenge = switch.challenge.to_vec();
        let proof = self.plugin.proof(self.account.password, &self.challenge);
        self.say(out, &proof);
        Ok(())
    }

    /// Only caching_sha2_password says more: its verdict on the proof, or its public key.
    fn more_data(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        if self.plugin != Plugin::CachingSha2 {
            return Err(Malformed("more data for a plugin that takes none").into());
        }
        match (data, self.transport) {
            ([caching_sha2::FAST_PATH_OK], _) => {}
            ([caching_sha2::FULL_PATH], Transport::UnixSocket | Transport::Tls) => {
                let clear = caching_sha2::clear(self.account.password);
                self.say(out, &clear);
            }
            ([caching_sha2::FULL_PATH], Transport::Tcp | Transport::TlsIfOffered) => {
                self.say(out, &[caching_sha2::ASK_PUBLIC_KEY])
            }
            (key, Transport::Tcp | Transport::TlsIfOffered) => {
                let scramble = auth::scramble(&self.challenge);
                let sealed = caching_sha2::seal(self.account.password, &scramble, key, self.seed)
                    .map_err(|_| LoginError::BadPublicKey)?;
                self.say(out, &sealed);
            }
            (_, Transport::UnixSocket | Transport::Tls) => {
                return Err(Malformed("more data that was not asked for").into());
            }
        }
        Ok(())
    }

    fn say(&mut self, out: &mut Vec<u8>, payload: &[u8]) {
        self.sequence = packet::write(out, self.sequence, |out| out.extend_from_slice(payload));
    }
}
