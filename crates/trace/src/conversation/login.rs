//! A login overheard, from the greeting to the OK or the refusal: who comes, to which database, and whether what
//! follows can be read at all. Passwords and their hashes pass by and are not looked at.

use super::packets::Piece;
use wire::mysql::ErrPacket;
use wire::mysql::handshake::{Greeting, Response};

/// Bits of a client's answer.
const COMPRESS: u32 = 1 << 5;
const ZSTD: u32 = 1 << 26;
const SSL: u32 = 1 << 11;
/// A request for TLS is so long and has no user behind it.
const SSL_REQUEST_BYTES: usize = 32;

#[derive(Debug, Default)]
pub struct Login {
    has_greeted: bool,
    has_answered: bool,
    pub is_compressed: bool,
    /// As the greeting names it; taken by whoever needs it.
    pub version: Option<String>,
}

#[derive(Debug, PartialEq)]
pub enum LoginStep {
    Goes,
    /// The client said who it is.
    Asked {
        user: String,
        database: String,
        collation: u16,
    },
    Tls,
    /// This is no login but a command: the conversation was joined in its middle.
    Joined,
    In,
    Refused(u16),
    NotMySql,
}

impl Login {
    pub fn server(&mut self, piece: &Piece<'_>) -> LoginStep {
        let Some(payload) = piece.whole() else { return LoginStep::NotMySql };
        match payload.first() {
            Some(0xFF) => LoginStep::Refused(ErrPacket::parse(payload).map_or(1, |error| error.number)),
            Some(0x00) if self.has_answered => LoginStep::In,
            _ if self.has_answered => LoginStep::Goes,
            _ => match Greeting::parse(payload) {
                Ok(greeting) => {
                    self.has_greeted = true;
                    self.version = Some(greeting.version());
                    LoginStep::Goes
                }
                Err(_) => LoginStep::NotMySql,
            },
        }
    }

    pub fn client(&mut self, piece: &Piece<'_>) -> LoginStep {
        let Some(payload) = piece.whole() else { return LoginStep::NotMySql };
        if self.has_answered {
            return LoginStep::Goes;
        }
        if !self.has_greeted && piece.sequence == 0 {
            return LoginStep::Joined;
        }
        let Some(bits) = payload.first_chunk::<4>().map(|bits| u32::from_le_bytes(*bits)) else {
            return LoginStep::NotMySql;
        };
        if bits & SSL != 0 && payload.len() <= SSL_REQUEST_BYTES {
            return LoginStep::Tls;
        }
        let Ok(response) = Response::parse(payload) else { return LoginStep::NotMySql };
        self.has_answered = true;
        self.is_compressed = bits & (COMPRESS | ZSTD) != 0;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (user, database) = (text(response.user), text(response.database));
        LoginStep::Asked { user, database, collation: u16::from(response.collation) }
    }
}
