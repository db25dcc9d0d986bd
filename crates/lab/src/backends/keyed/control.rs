//! The session by which the lab itself talks to a key endpoint, over a blocking socket: loading, looking, and reading
//! what the daemon counted. Never for load. Every answer has a time limit: a plugin that is unloaded leaves its sockets
//! open and silent.

use super::{KeyEndpoint, KeyProtocol, Opening, Session};
use crate::backends::faults::{lost, protocol};
use crate::backends::opening::{OPENING_PATIENCE, connecting, opened};
use crate::executor::block_on;
use std::rc::Rc;
use std::time::Duration;
use wire::memcached::{Dialect, Said};
use workload::rows::Cell;
use workload::session::key_value::KeyValue;
use workload::session::{Class, Fault, Want};

pub struct Control {
    session: Session<()>,
}

impl Control {
    pub fn connect(endpoint: &KeyEndpoint, patience: Duration) -> Result<Self, Fault> {
        let opening = Rc::new(Opening { endpoint: endpoint.clone(), connect: connecting(&endpoint.address, patience) });
        let session = opened(&endpoint.address, patience, || block_on(Session::open(opening, ())))?;
        session.channel.waits_at_most(patience);
        Ok(Self { session })
    }

    /// The values of these keys, for those that are there.
    pub fn get(&mut self, keys: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, Fault> {
        self.session.get(Class(0), keys, Want::Keep);
        block_on((&mut self.session as &mut dyn KeyValue).answers())?;
        let kept = self.session.kept();
        let row = |n| match (kept.cell(n, 0), kept.cell(n, 1)) {
            (Cell::UInt(key), Cell::Bytes(value)) => (key, value.to_vec()),
            _ => unreachable!("a session past SQL keeps keys and values"),
        };
        Ok((0..kept.rows()).map(row).collect())
    }

    /// Adds a write to the batch that `write` sends.
    pub fn set(&mut self, key: u64, value: &[u8]) {
        self.session.set(Class(0), key, value);
    }

    /// Sends what was set; how many of those writes were done.
    pub fn write(&mut self) -> Result<u64, Fault> {
        Ok(block_on((&mut self.session as &mut dyn KeyValue).answers())?.affected)
    }

    /// Takes keys away, as many as were there. Only of memcached.
    pub fn delete(&mut self, keys: &[u64]) -> Result<u64, Fault> {
        for key in keys {
            self.session.delete(Class(0), *key);
        }
        self.write()
    }

    /// The first question to a daemon: memcached's protocol has no greeting, and one that is silent here speaks
    /// another.
    pub fn version(&mut self) -> Result<String, Fault> {
        let mut version = String::new();
        let address = self.session.opening.endpoint.address.clone();
        opened(&address, OPENING_PATIENCE, || {
            self.ask(
                |dialect, out| dialect.version(out),
                |said| {
                    if let Said::Version(text) = said {
                        version = String::from_utf8_lossy(text).into_owned();
                    }
                },
            )
        })?;
        Ok(version)
    }

    /// What the daemon counted since it began.
    pub fn stats(&mut self) -> Result<Vec<(String, String)>, Fault> {
        let mut all = Vec::new();
        self.ask(
            |dialect, out| dialect.stats(out),
            |said| {
                if let Said::Stat { name, value } = said {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    all.push((text(name), text(value)));
                }
            },
        )?;
        Ok(all)
    }

    fn ask(
        &mut self,
        request: impl FnOnce(Dialect, &mut Vec<u8>) -> wire::memcached::Asked,
        mut hear: impl FnMut(&Said<'_>),
    ) -> Result<(), Fault> {
        let KeyProtocol::Memcached { dialect, .. } = self.session.opening.endpoint.protocol else {
            unreachable!("only memcached has statistics")
        };
        let channel = &mut self.session.channel;
        let asked = request(dialect, channel.outgoing());
        block_on(channel.exchange()).map_err(|e| lost(&e))?;
        loop {
            while let Some(heard) = dialect.hear(channel.incoming()).map_err(protocol)? {
                hear(&heard.said);
                let closed = dialect.closes(asked, &heard.said).map_err(protocol)?;
                let consumed = heard.consumed;
                channel.consume(consumed);
                if closed {
                    return Ok(());
                }
            }
            block_on(channel.receive()).map_err(|e| lost(&e))?;
        }
    }
}
