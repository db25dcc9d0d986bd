//! Hot path: one side of a proxied session: a socket, in the clear or under TLS, that takes what it can at once and
//! keeps the rest until it can.

use crate::backends::tls::Tls;
use crate::trouble::Trouble;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConnection, Connection, ServerConfig, ServerConnection};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

pub struct Side {
    socket: Socket,
    tls: Option<Box<Connection>>,
    /// What the socket has not taken yet; nothing is added while there is any.
    waiting: Vec<u8>,
    written: usize,
}

/// What TLS is offered with.
pub enum Certificate {
    /// Made for this capture, and signed by nobody.
    Own,
    /// PEM files of a certificate, with those that signed it, and of its key.
    Files { certificate: PathBuf, key: PathBuf },
}

/// A certificate, ready for clients.
#[derive(Clone)]
pub struct Offered(Arc<ServerConfig>);

impl Offered {
    pub fn new(certificate: &Certificate) -> Result<Self, Trouble> {
        let (chain, key) = match certificate {
            Certificate::Own => {
                let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]);
                let made = made.map_err(|e| Trouble::new("making a certificate").because(e))?;
                let key = PrivateKeyDer::try_from(made.signing_key.serialize_der());
                (vec![made.cert.der().clone()], key.expect("what was made is a key"))
            }
            Certificate::Files { certificate, key } => {
                let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
                let chain: Vec<_> = chain.map_err(Trouble::at("reading the certificate", certificate))?;
                (chain, PrivateKeyDer::from_pem_file(key).map_err(Trouble::at("reading the key", key))?)
            }
        };
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has the ciphers of both versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|e| Trouble::new("the certificate and its key do not go together").because(e))?;
        Ok(Self(Arc::new(config)))
    }
}

impl Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => socket.read(into),
            Self::Unix(socket) => socket.read(into),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => socket.write(bytes),
            Self::Unix(socket) => socket.write(bytes),
        }
    }

    fn prepared(&self) -> io::Result<()> {
        match self {
            Self::Tcp(socket) => socket.set_nonblocking(true).and_then(|()| socket.set_nodelay(true)),
            Self::Unix(socket) => socket.set_nonblocking(true),
        }
    }
}

/// As rustls wants it.
impl Read for Socket {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Socket::read(self, into)
    }
}
impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Socket::write(self, bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a reading came to.
pub enum Arrived {
    Bytes(usize),
    Nothing,
    Closed,
}

impl Side {
    pub fn new(socket: Socket) -> io::Result<Self> {
        socket.prepared()?;
        Ok(Self { socket, tls: None, waiting: Vec::new(), written: 0 })
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Tcp(socket) => socket.as_fd(),
            Socket::Unix(socket) => socket.as_fd(),
        }
    }

    /// From here on under TLS, as the server of it. The handshake goes on as bytes arrive.
    pub fn offer(&mut self, offered: &Offered) -> io::Result<()> {
        let connection = ServerConnection::new(Arc::clone(&offered.0)).map_err(io::Error::other)?;
        self.tls = Some(Box::new(Connection::Server(connection)));
        Ok(())
    }

    /// The same as its client.
    pub fn encrypt(&mut self, tls: &Tls, host: &str) -> io::Result<()> {
        let connection: ClientConnection = tls.connection(host).map_err(io::Error::other)?;
        self.tls = Some(Box::new(Connection::Client(connection)));
        self.flush()
    }

    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Whether it has bytes that the socket has not taken.
    #[inline]
    pub fn is_behind(&self) -> bool {
        self.written < self.waiting.len() || self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }

    /// Reads what is there.
    #[inline]
    pub fn read(&mut self, into: &mut [u8]) -> io::Result<Arrived> {
        let Some(tls) = &mut self.tls else {
            return arrived(self.socket.read(into));
        };
        loop {
            match tls.reader().read(into) {
                Ok(0) => return Ok(Arrived::Closed),
                Ok(read) => return Ok(Arrived::Bytes(read)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // Closed without TLS's goodbye, as database clients do.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Arrived::Closed),
                Err(error) => return Err(error),
            }
            match tls.read_tls(&mut self.socket) {
                Ok(0) => return Ok(Arrived::Closed),
                Ok(_) => {
                    tls.process_new_packets().map_err(io::Error::other)?;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Arrived::Nothing),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends what the socket takes, and keeps the rest.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(tls) = &mut self.tls {
            tls.writer().write_all(bytes)?;
            return self.flush();
        }
        let sent = if self.is_behind() { 0 } else { taken(self.socket.write(bytes))? };
        self.waiting.extend_from_slice(&bytes[sent..]);
        Ok(())
    }

    /// Sends more of what is kept.
    pub fn flush(&mut self) -> io::Result<()> {
        if let Some(tls) = &mut self.tls {
            while tls.wants_write() {
                match tls.write_tls(&mut self.socket) {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
            return Ok(());
        }
        self.written += taken(self.socket.write(&self.waiting[self.written..]))?;
        if self.written == self.waiting.len() {
            self.waiting.clear();
            self.written = 0;
        }
        Ok(())
    }
}

fn arrived(read: io::Result<usize>) -> io::Result<Arrived> {
    match read {
        Ok(0) => Ok(Arrived::Closed),
        Ok(read) => Ok(Arrived::Bytes(read)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(Arrived::Nothing),
        Err(error) => Err(error),
    }
}

fn taken(written: io::Result<usize>) -> io::Result<usize> {
    match written {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
        other => other,
    }
}
