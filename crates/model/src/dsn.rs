//! A DSN as a URL (RFC 3986): scheme, account, host, port, path and query, each percent-decoded when read and encoded
//! again when told, so that what a record holds can be pasted back. One parser for all protocols, so that an account
//! named `a b` or an address in brackets is read alike by each; which parts a protocol has a use for is the lab's to
//! say. A password has no place here, because a DSN goes into the record.

use crate::protocol::Protocol;
use std::fmt;

/// What a DSN says, decoded.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Dsn {
    /// Without `://`.
    pub scheme: String,
    pub user: Option<String>,
    /// A name or an address; IPv6 without its brackets.
    pub host: String,
    pub port: Option<u16>,
    /// Behind the slash after the host; `Some("")` where the slash stands alone.
    pub path: Option<String>,
    /// Behind the question mark, in their order.
    pub query: Vec<(String, String)>,
}

/// Why a text is no DSN, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub what: String,
    pub mend: &'static str,
}

/// The form, where nothing more precise can be said.
pub const FORM: &str = "write mysql://user@host:port/schema, mongodb://host:port/database or memcached://host:port";
const NO_SCHEME: &str = FORM;
const ESCAPES: &str =
    "write a percent sign as %25, a space as %20, and every other byte as % with two hexadecimal digits";
const BRACKETS: &str = "write an IPv6 address in brackets, as mysql://user@[::1]:3306/schema";
const PORT: &str = "write a port from 0 to 65535 behind the host, as mysql://user@host:3306/schema";
const SECRET: &str = "leave it out: passwords come from the environment";
const PAIRS: &str = "write NAME=VALUE behind the question mark, and & between two of them";

/// The protocol that a DSN names by its scheme. A text without a known one is taken for MySQL's, whose reader says what
/// is wrong with it.
pub fn protocol(dsn: &str) -> Protocol {
    let scheme = dsn.split_once("://").map_or("", |(scheme, _)| scheme);
    Protocol::of_scheme(scheme).unwrap_or(Protocol::MySql)
}

impl Dsn {
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let wrong = |what: String, mend| Malformed { what, mend };
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(wrong(format!("`{text}` is not a DSN"), NO_SCHEME));
        };
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let (authority, path) = rest.split_once('/').map_or((rest, None), |(rest, path)| (rest, Some(path)));
        let (user, server) =
            authority.rsplit_once('@').map_or((None, authority), |(user, server)| (Some(user), server));
        if user.is_some_and(|user| user.contains(':')) {
            return Err(wrong("a DSN with a password, which would be kept in the record".into(), SECRET));
        }
        let of = |part: &str| decode(part).map_err(|why| wrong(format!("`{text}`: {why}"), ESCAPES));
        let (host, port) = host_and_port(server).map_err(|(why, mend)| wrong(format!("`{text}`: {why}"), mend))?;
        let pairs = query.into_iter().flat_map(|query| query.split('&')).filter(|pair| !pair.is_empty());
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) => Ok((of(name)?, of(value)?)),
            None => Err(wrong(format!("`{text}`: `{pair}` has no value"), PAIRS)),
        };
        Ok(Self {
            scheme: scheme.to_string(),
            user: user.map(of).transpose()?,
            host: of(host)?,
            port,
            path: path.map(of).transpose()?,
            query: pairs.map(pair).collect::<Result<_, _>>()?,
        })
    }

    /// Host and port as they stand in it: what a server is called that has no other name.
    pub fn address(&self) -> String {
        address(&self.host, self.port)
    }
}

/// A host with its port as it stands in a URL, IPv6 in brackets.
pub fn address(host: &str, port: Option<u16>) -> String {
    let host = if host.contains(':') { format!("[{}]", encode(host, ":")) } else { encode(host, "") };
    port.map_or(host.clone(), |port| format!("{host}:{port}"))
}

/// Still encoded; a port that is left out behind its colon is the protocol's own.
fn host_and_port(server: &str) -> Result<(&str, Option<u16>), (String, &'static str)> {
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => {
            let Some((host, behind)) = rest.split_once(']') else {
                return Err(("the bracket before its address is not closed".into(), BRACKETS));
            };
            let digits = host.split('%').next().unwrap_or_default();
            if !digits.contains(':') || !digits.chars().all(|c| c.is_ascii_hexdigit() || ".:".contains(c)) {
                return Err((format!("`{host}` in its brackets is no IPv6 address"), BRACKETS));
            }
            match behind.strip_prefix(':') {
                Some(port) => (host, port),
                None if behind.is_empty() => (host, ""),
                None => return Err((format!("`{behind}` stands behind its bracket"), BRACKETS)),
            }
        }
        None => match server.rsplit_once(':') {
            Some((host, _)) if host.contains(':') => {
                return Err((format!("`{server}` has more than one colon"), BRACKETS));
            }
            Some(pair) => pair,
            None => (server, ""),
        },
    };
    if port.is_empty() {
        return Ok((host, None));
    }
    let is_number = port.bytes().all(|b| b.is_ascii_digit());
    match port.parse() {
        Ok(number) if is_number => Ok((host, Some(number))),
        Ok(_) => Err((format!("the port `{port}` is not a number"), PORT)),
        Err(_) if is_number => Err((format!("there is no port {port}"), PORT)),
        Err(_) => Err((format!("the port `{port}` is not a number"), PORT)),
    }
}

fn decode(text: &str) -> Result<String, String> {
    let digit = |byte: Option<&u8>| byte.and_then(|b| char::from(*b).to_digit(16)).map(|n| n as u8);
    let bytes = text.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        if *byte != b'%' {
            decoded.push(*byte);
            at += 1;
            continue;
        }
        let (Some(high), Some(low)) = (digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) else {
            let shown: String = text[at..].chars().take(3).collect();
            return Err(format!("`{shown}` is no percent-encoded byte"));
        };
        if (high, low) == (0, 0) {
            return Err("`%00` is in no name and no path".into());
        }
        decoded.push(high << 4 | low);
        at += 3;
    }
    String::from_utf8(decoded).map_err(|_| format!("`{text}` is not UTF-8 when it is decoded"))
}

/// Unreserved characters stand for themselves (RFC 3986, 2.3), and so do those that mean nothing else in that part.
fn encode(text: &str, also: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let c = char::from(byte);
        if c.is_ascii_alphanumeric() || "-._~".contains(c) || (c.is_ascii() && also.contains(c)) {
            encoded.push(c);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Encoded again, so that it is read as the same.
impl fmt::Display for Dsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// What needs no escape in a user, in a path, and in a pair of the query.
        const IN: [&str; 3] = ["!$'()*+,;=", "!$'()*+,;=:@/", "!$'()*+,;:@/"];
        write!(f, "{}://", self.scheme)?;
        if let Some(user) = &self.user {
            write!(f, "{}@", encode(user, IN[0]))?;
        }
        f.write_str(&self.address())?;
        if let Some(path) = &self.path {
            write!(f, "/{}", encode(path, IN[1]))?;
        }
        for (number, (name, value)) in self.query.iter().enumerate() {
            let before = if number == 0 { '?' } else { '&' };
            write!(f, "{before}{}={}", encode(name, IN[2]), encode(value, IN[2]))?;
        }
        Ok(())
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.mend)
    }
}
