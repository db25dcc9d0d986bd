//! The opening conversation, from the first message to the first ReadyForQuery, as a machine that is fed bytes and
//! writes bytes. It runs once per session, so it favours being plain over being fast. Where the session is to be
//! encrypted, the machine says when, and goes on with what comes out of TLS, which is the caller's.

use super::auth::{self, Method};
use super::error::{Refusal, ServerError};
use super::message::{self, Front, text, write};
use crate::reader::{Malformed, Reader};
use crate::scram::{NONCE_BYTES, Scram, ScramError};
use std::fmt;

/// Version 3.0.
const PROTOCOL: u32 = 3 << 16;
/// Stands where a version would and asks for TLS.
const SSL_REQUEST: u32 = 80_877_103;
/// A password, and every step of SASL.
const PASSWORD: u8 = b'p';

/// Who wants in. It cannot be printed: it holds the password.
#[derive(Clone, Copy)]
pub struct Account<'a> {
    pub user: &'a str,
    /// As it is: characters beyond ASCII are not normalised.
    pub password: &'a [u8],
    /// `None` is the database of the user's name.
    pub database: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Plain,
    /// The login fails where the server does not offer TLS.
    Tls,
    /// Goes on in the clear where the server does not offer it.
    TlsIfOffered,
}

/// What a session knows of its server once it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub version: String,
    pub process: i32,
    /// How the server let us in.
    pub method: Method,
}

/// What one call of `feed` came to. The caller first sends whatever was appended to `out`, then drops `consumed` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginStep {
    /// The server has to say more.
    Incomplete {
        consumed: usize,
    },
    /// The server is ready for TLS: the caller goes through its handshake and then calls `encrypted`.
    Encrypt {
        consumed: usize,
    },
    Done {
        consumed: usize,
        session: Session,
    },
    /// The server refuses: wrong password, no such database, too many connections.
    Denied {
        consumed: usize,
        error: ServerError,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginError {
    Malformed(Malformed),
    /// The account authenticates in a way that assay does not speak.
    UnknownMethod(String),
    /// The server did not prove that it knows the password.
    Impostor,
    /// The server does not offer TLS, and the login wanted it.
    NotEncrypted,
}

impl From<Malformed> for LoginError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl From<ScramError> for LoginError {
    fn from(error: ScramError) -> Self {
        match error {
            ScramError::Malformed(malformed) => Self::Malformed(malformed),
            ScramError::Impostor => Self::Impostor,
        }
    }
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(malformed) => malformed.fmt(f),
            Self::UnknownMethod(name) => {
                write!(
                    f,
                    "the account authenticates by {name}; assay speaks trust, password, md5, {}",
                    auth::SCRAM.mechanism()
                )
            }
            Self::Impostor => f.write_str("the server does not know the password that it asked for"),
            Self::NotEncrypted => f.write_str("the server offers no encrypted connections"),
        }
    }
}

impl std::error::Error for LoginError {}

pub struct Login<'a> {
    account: Account<'a>,
    nonce: [u8; NONCE_BYTES],
    /// Whether the server has still to say if it speaks TLS, and whether it must.
    asks_for_tls: Option<Transport>,
    scram: Option<Scram>,
    session: Session,
}

impl<'a> Login<'a> {
    /// Appends the first message. `nonce` must be fresh random bytes.
    pub fn new(account: Account<'a>, transport: Transport, nonce: [u8; NONCE_BYTES], out: &mut Vec<u8>) -> Self {
        let asks_for_tls = (transport != Transport::Plain).then_some(transport);
        let login = Self { account, nonce, asks_for_tls, scram: None, session: Session::default() };
        match asks_for_tls {
            Some(_) => message::counted(out, |out| out.extend_from_slice(&SSL_REQUEST.to_be_bytes())),
            None => login.start_up(out),
        }
        login
    }

    /// TLS has begun: appends what travels first under it.
    pub fn encrypted(&mut self, out: &mut Vec<u8>) {
        self.start_up(out);
    }

    fn start_up(&self, out: &mut Vec<u8>) {
        message::counted(out, |out| {
            out.extend_from_slice(&PROTOCOL.to_be_bytes());
            let database = self.account.database.unwrap_or(self.account.user);
            for (name, value) in [("user", self.account.user), ("database", database), ("application_name", "assay")] {
                text(out, name.as_bytes());
                text(out, value.as_bytes());
            }
            out.push(0);
        });
    }

    /// Reads as many whole messages as `bytes` holds and appends the answers to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<LoginStep, LoginError> {
        let mut rest = bytes;
        if let (Some(transport), Some((answer, after))) = (self.asks_for_tls, bytes.split_first()) {
            self.asks_for_tls = None;
            match (answer, transport) {
                // Whatever lies behind the answer could have been put there by a stranger.
                (b'S', _) if after.is_empty() => return Ok(LoginStep::Encrypt { consumed: 1 }),
                (b'S', _) => return Err(Malformed("the server speaks on before TLS has begun").into()),
                (b'N', Transport::Tls) => return Err(LoginError::NotEncrypted),
                (b'N', Transport::TlsIfOffered | Transport::Plain) => self.start_up(out),
                // A server that cannot even be asked says so as an error.
                (_, _) => return Err(Malformed("the wish for TLS is answered by an unknown byte").into()),
            }
            rest = after;
        }
        loop {
            let consumed = bytes.len() - rest.len();
            let Front::Whole { message, rest: after } = message::split(rest)? else {
                return Ok(LoginStep::Incomplete { consumed });
            };
            rest = after;
            let consumed = bytes.len() - rest.len();
            match message.kind {
                b'R' => self.challenged(message.body, out)?,
                b'S' => self.told(message.body)?,
                b'K' => self.session.process = Reader::new(message.body).big_i32()?,
                b'N' | b'v' => {}
                b'E' => {
                    let error = Refusal::parse(message.body)?.to_owned();
                    return Ok(LoginStep::Denied { consumed, error });
                }
                b'Z' => return Ok(LoginStep::Done { consumed, session: self.session.clone() }),
                _ => return Err(Malformed("login is answered by an unknown message").into()),
            }
        }
    }

    fn told(&mut self, body: &[u8]) -> Result<(), Malformed> {
        let mut fields = Reader::new(body);
        let (name, value) = (fields.nul_bytes()?, fields.nul_bytes()?);
        if name == b"server_version" {
            self.session.version = String::from_utf8_lossy(value).into_owned();
        }
        Ok(())
    }

    fn challenged(&mut self, body: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        let mut fields = Reader::new(body);
        let Account { user, password, .. } = self.account;
        match fields.big_i32()? {
            auth::OK if self.scram.as_ref().is_some_and(|scram| !scram.is_proven()) => {
                return Err(LoginError::Impostor);
            }
            auth::OK => {}
            auth::CLEAR => {
                self.session.method = Method::Clear;
                write(out, PASSWORD, |out| text(out, password));
            }
            auth::MD5 => {
                self.session.method = Method::Md5;
                let proof = auth::md5(user.as_bytes(), password, fields.bytes(auth::SALT_BYTES)?);
                write(out, PASSWORD, |out| text(out, proof.as_bytes()));
            }
            auth::SASL => {
                let offered: Vec<&[u8]> = fields.rest().split(|byte| *byte == 0).collect();
                if !offered.contains(&auth::SCRAM.mechanism().as_bytes()) {
                    let names = String::from_utf8_lossy(&offered.join(&b' ')).trim().to_string();
                    return Err(LoginError::UnknownMethod(names));
                }
                self.session.method = Method::Scram;
                // The server has the user's name from the start-up message.
                let scram = Scram::new(auth::SCRAM, "", self.nonce);
                let first = scram.first();
                write(out, PASSWORD, |out| {
                    text(out, auth::SCRAM.mechanism().as_bytes());
                    out.extend_from_slice(&(first.len() as u32).to_be_bytes());
                    out.extend_from_slice(first.as_bytes());
                });
                self.scram = Some(scram);
            }
            auth::SASL_CONTINUE => {
                let scram = self.scram.as_mut().ok_or(Malformed("SASL goes on before it has begun"))?;
                let answer = scram.answer(password, fields.rest())?;
                write(out, PASSWORD, |out| out.extend_from_slice(answer.as_bytes()));
            }
            auth::SASL_FINAL => {
                let scram = self.scram.as_mut().ok_or(Malformed("SASL ends before it has begun"))?;
                scram.prove(fields.rest())?;
            }
            other => return Err(LoginError::UnknownMethod(auth::name_of(other))),
        }
        Ok(())
    }
}
