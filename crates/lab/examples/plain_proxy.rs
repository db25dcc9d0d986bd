//! A proxy that only moves bytes, built as the capturing one is: a thread for each client, which waits for both sides
//! at once. What capturing costs is measured against it (bench/capture.sh).
//!     plain_proxy 127.0.0.1:3308 /path/of/the/server.sock

use rustix::event::{PollFd, PollFlags, poll};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;

/// Moved at once, as by the capturing proxy.
const CHUNK: usize = 64 << 10;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, listen, socket] = &arguments[..] else { panic!("plain_proxy LISTEN SOCKET") };
    let listener = TcpListener::bind(listen).expect("a free port");
    for client in listener.incoming() {
        let (client, server) = (client.expect("a client"), UnixStream::connect(socket).expect("the server"));
        std::thread::Builder::new().stack_size(256 << 10).spawn(move || serve(client, server)).expect("a thread");
    }
}

fn serve(mut client: TcpStream, mut server: UnixStream) {
    client.set_nodelay(true).expect("a socket");
    let mut chunk = vec![0; CHUNK];
    loop {
        let mut fds = [PollFd::new(&client, PollFlags::IN), PollFd::new(&server, PollFlags::IN)];
        poll(&mut fds, None).expect("poll");
        let [from_client, from_server] = [fds[0].revents(), fds[1].revents()].map(|events| !events.is_empty());
        if from_client {
            match client.read(&mut chunk) {
                Ok(0) | Err(_) => return,
                Ok(read) => server.write_all(&chunk[..read]).expect("the server takes it"),
            }
        }
        if from_server {
            match server.read(&mut chunk) {
                Ok(0) | Err(_) => return,
                Ok(read) => client.write_all(&chunk[..read]).expect("the client takes it"),
            }
        }
    }
}
