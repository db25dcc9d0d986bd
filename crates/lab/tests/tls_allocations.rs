//! What TLS allocates: nothing in a session's own code once its buffers have grown, and in the cipher's library so much
//! per record as is written here. Counted by an allocator that stands in for the system's in this test alone, on the
//! worker's thread; the other end is the same library on a thread that is not counted.

mod counting;

use counting::COUNT;
use lab::backends::channel::Channel;
use lab::backends::endpoint::Address;
use lab::backends::tls::{Mode, Tls};
use lab::executor::{Executor, Handle};
use lab::servers::process::certificates;
use model::load::Io;
use model::units::Nanos;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::cell::Cell;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// About as long as a point select and its answer: a record each way.
const REQUEST: usize = 20;
const ANSWER: usize = 150;
const WARM: u64 = 100;
const EXCHANGES: u64 = 1_000;
/// The allocations of each exchange, by the library.
const EACH: u64 = 2;

fn certified(folder: &Path) -> Arc<ServerConfig> {
    certificates::make(folder).unwrap();
    let certificate = CertificateDer::from_pem_file(folder.join("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("server-key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    Arc::new(config.with_single_cert(vec![certificate], key).unwrap())
}

fn serve(listener: &UnixListener, config: &Arc<ServerConfig>) {
    for line in listener.incoming() {
        let machine = ServerConnection::new(Arc::clone(config)).unwrap();
        let mut conversation = StreamOwned::new(machine, line.unwrap());
        let mut request = [0; REQUEST];
        while conversation.read_exact(&mut request).is_ok() && conversation.write_all(&[9; ANSWER]).is_ok() {}
    }
}

#[test]
fn an_encrypted_exchange_allocates_once_per_record_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let config = certified(&folder.path().join("certificates"));
    let socket = folder.path().join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || serve(&listener, &config));
    for io in [Io::Auto, Io::Epoll, Io::Blocking] {
        let mut executor = Executor::new(io).unwrap();
        let handle = executor.handle();
        let counted = Rc::new(Cell::new(0));
        handle.spawn(Box::pin(user(handle.clone(), Address::Unix(socket.clone()), Rc::clone(&counted))));
        executor.run(|| false).unwrap();
        assert_eq!(counted.get(), EXCHANGES * EACH, "{:?}", handle.io());
    }
}

async fn user(handle: Handle, endpoint: Address, counted: Rc<Cell<u64>>) {
    let line = handle.connect(&endpoint, Nanos::from_secs(60)).await.unwrap();
    let mut channel = Channel::plain(line);
    channel.encrypt(&Tls::new(Mode::Required, None).unwrap(), "localhost").await.unwrap();
    let mut before = 0;
    for n in 0..WARM + EXCHANGES {
        if n == WARM {
            before = COUNT.get();
        }
        channel.outgoing().extend_from_slice(&[7; REQUEST]);
        channel.exchange().await.unwrap();
        while channel.incoming().len() < ANSWER {
            channel.receive().await.unwrap();
        }
        channel.consume(ANSWER);
    }
    counted.set(COUNT.get() - before);
}
