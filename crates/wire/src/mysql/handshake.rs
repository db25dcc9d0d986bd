//! The opening packets: the server's greeting, the client's response, and the request for TLS that may come between.
//!
//! Both are read and written, because the sham server speaks the other side. A greeting is protocol 10 (MySQL 3.21.0
//! and later, every MariaDB); a response is that of protocol 4.1.

use super::capability::Capabilities;
use super::ok::Status;
use super::reader::{Malformed, Reader};
use super::writer;

/// Bytes of the random challenge that passwords are mixed with.
pub const SCRAMBLE_BYTES: usize = 20;
/// The challenge travels in two parts, the first of this many bytes.
const FIRST_SCRAMBLE_BYTES: usize = 8;
/// MariaDB from 10.0 on puts this before its version, for replicas that knew only one digit.
const REPLICATION_PREFIX: &str = "5.5.5-";
/// The client's own limit on a packet as told to the server: what a packet's header can express.
const CLIENT_MAX_PACKET: u32 = 1 << 24;

/// Whose server it is; the dialects differ in more than capabilities can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    MySql,
    MariaDb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting<'a> {
    /// As sent; `version()` is the readable one.
    pub raw_version: &'a [u8],
    pub connection_id: u32,
    pub scramble: [u8; SCRAMBLE_BYTES],
    pub capabilities: Capabilities,
    /// The server's default collation, cut to its low eight bits.
    pub collation: u8,
    pub status: Status,
    /// The authentication plugin that the scramble is meant for; empty before MySQL 5.5.7.
    pub plugin: &'a [u8],
}

impl<'a> Greeting<'a> {
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        if reader.u8()? != 10 {
            return Err(Malformed("a greeting of another protocol than 10"));
        }
        let raw_version = reader.nul_bytes()?;
        let connection_id = reader.u32()?;
        let mut scramble = [0; SCRAMBLE_BYTES];
        let (first, second) = scramble.split_at_mut(FIRST_SCRAMBLE_BYTES);
        first.copy_from_slice(reader.bytes(FIRST_SCRAMBLE_BYTES)?);
        reader.u8()?;
        let low = reader.u16()?;
        let collation = reader.u8()?;
        let status = Status(reader.u16()?);
        let middle = reader.u16()?;
        let scramble_length = reader.u8()?;
        reader.bytes(6)?;
        let high = reader.u32()?;
        let capabilities = Capabilities::from_halves(u32::from(low) | u32::from(middle) << 16, high);
        // What MariaDB uses is filler to a MySQL server, which says so by this bit.
        let capabilities = if capabilities.has(Capabilities::LONG_PASSWORD) {
            Capabilities::from_halves(capabilities.low(), 0)
        } else {
            capabilities
        };
        if !capabilities.has(Capabilities::PROTOCOL_41 | Capabilities::SECURE_CONNECTION) {
            return Err(Malformed("a server older than protocol 4.1"));
        }
        second.copy_from_slice(reader.bytes(SCRAMBLE_BYTES - FIRST_SCRAMBLE_BYTES)?);
        // Longer challenges than 20 bytes have no plugin; what the length counts beyond is the zero byte.
        reader.bytes(usize::from(scramble_length.max(21)) - 21)?;
        let mut plugin: &[u8] = b"";
        if !reader.is_empty() {
            reader.u8()?;
        }
        if capabilities.has(Capabilities::PLUGIN_AUTH) {
            // Some 5.5 servers forget the zero byte after the name.
            let name = reader.rest();
            plugin = name.split(|byte| *byte == 0).next().unwrap_or(name);
        }
        Ok(Greeting { raw_version, connection_id, scramble, capabilities, collation, status, plugin })
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        let [a, b, c, d] = self.capabilities.low().to_le_bytes();
        let (first, second) = self.scramble.split_at(FIRST_SCRAMBLE_BYTES);
        out.push(10);
        writer::nul_bytes(out, self.raw_version);
        out.extend_from_slice(&self.connection_id.to_le_bytes());
        out.extend_from_slice(first);
        out.extend_from_slice(&[0, a, b, self.collation]);
        out.extend_from_slice(&self.status.0.to_le_bytes());
        out.extend_from_slice(&[c, d, SCRAMBLE_BYTES as u8 + 1]);
        out.extend_from_slice(&[0; 6]);
        out.extend_from_slice(&self.capabilities.high().to_le_bytes());
        out.extend_from_slice(second);
        out.push(0);
        if self.capabilities.has(Capabilities::PLUGIN_AUTH) {
            writer::nul_bytes(out, self.plugin);
        }
    }

    pub fn flavour(&self) -> Flavour {
        let version = String::from_utf8_lossy(self.raw_version);
        let mariadb = version.starts_with(REPLICATION_PREFIX) || version.contains("MariaDB");
        if mariadb { Flavour::MariaDb } else { Flavour::MySql }
    }

    /// The version as a human knows it, for instance `10.11.19-MariaDB`.
    pub fn version(&self) -> String {
        let version = String::from_utf8_lossy(self.raw_version);
        version.strip_prefix(REPLICATION_PREFIX).unwrap_or(&version).to_owned()
    }
}

/// The client's answer to a greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    pub capabilities: Capabilities,
    /// Collation ids above 255 do not fit; they are set by SET NAMES afterwards.
    pub collation: u8,
    pub user: &'a [u8],
    pub auth: &'a [u8],
    pub database: &'a [u8],
    pub plugin: &'a [u8],
    pub attributes: &'a [(&'a str, &'a str)],
}

impl<'a> Response<'a> {
    /// Fields that `capabilities` do not announce are not written.
    pub fn write(&self, out: &mut Vec<u8>) {
        start(out, self.capabilities, self.collation);
        writer::nul_bytes(out, self.user);
        if self.capabilities.has(Capabilities::PLUGIN_AUTH_LENENC) {
            writer::lenenc_bytes(out, self.auth);
        } else {
            out.push(u8::try_from(self.auth.len()).expect("no plugin's first answer exceeds 255 bytes"));
            out.extend_from_slice(self.auth);
        }
        if self.capabilities.has(Capabilities::CONNECT_WITH_DB) {
            writer::nul_bytes(out, self.database);
        }
        if self.capabilities.has(Capabilities::PLUGIN_AUTH) {
            writer::nul_bytes(out, self.plugin);
        }
        if self.capabilities.has(Capabilities::CONNECT_ATTRS) {
            let mut pairs = Vec::new();
            for (name, value) in self.attributes {
                writer::lenenc_bytes(&mut pairs, name.as_bytes());
                writer::lenenc_bytes(&mut pairs, value.as_bytes());
            }
            writer::lenenc_bytes(out, &pairs);
        }
    }

    /// Reads all but the attributes, which no canned server needs.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let low = reader.u32()?;
        reader.u32()?;
        let collation = reader.u8()?;
        reader.bytes(19)?;
        let high = reader.u32()?;
        let capabilities = Capabilities::from_halves(low, high);
        if !capabilities.has(Capabilities::PROTOCOL_41 | Capabilities::SECURE_CONNECTION) {
            return Err(Malformed("a client older than protocol 4.1"));
        }
        let user = reader.nul_bytes()?;
        let auth = if capabilities.has(Capabilities::PLUGIN_AUTH_LENENC) {
            reader.lenenc_bytes()?
        } else {
            let length = reader.u8()?;
            reader.bytes(usize::from(length))?
        };
        let with_db = capabilities.has(Capabilities::CONNECT_WITH_DB);
        let with_plugin = capabilities.has(Capabilities::PLUGIN_AUTH);
        let database = if with_db { reader.nul_bytes()? } else { b"" };
        let plugin = if with_plugin { reader.nul_bytes()? } else { b"" };
        Ok(Response { capabilities, collation, user, auth, database, plugin, attributes: &[] })
    }
}

/// The packet that a client sends instead of its response, in the clear, to go on under TLS.
pub fn write_ssl_request(out: &mut Vec<u8>, capabilities: Capabilities, collation: u8) {
    start(out, capabilities | Capabilities::SSL, collation);
}

fn start(out: &mut Vec<u8>, capabilities: Capabilities, collation: u8) {
    out.extend_from_slice(&capabilities.low().to_le_bytes());
    out.extend_from_slice(&CLIENT_MAX_PACKET.to_le_bytes());
    out.push(collation);
    out.extend_from_slice(&[0; 19]);
    out.extend_from_slice(&capabilities.high().to_le_bytes());
}
