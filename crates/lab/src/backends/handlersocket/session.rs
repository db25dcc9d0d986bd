//! Hot path: requests and answers of a session in HandlerSocket's protocol. The index is opened as key and value.

use crate::backends::channel::Channel;
use crate::backends::faults::{lost, protocol};
use crate::backends::keyed::batch::{Notes, Read, Request, refused};
use wire::handlersocket;
use wire::memcached::natural;
use workload::session::Fault;

/// The number under which the index is opened, anew on every connection.
const INDEX: u32 = 0;
/// Key and value.
const COLUMNS: usize = 2;

#[inline]
pub(crate) fn get(out: &mut Vec<u8>, keys: &[u64]) {
    handlersocket::find(out, INDEX, keys);
}

/// A row is given all its columns anew, its key too.
#[inline]
pub(crate) fn set(out: &mut Vec<u8>, key: u64, value: &[u8], room: &mut Vec<u8>) {
    room.clear();
    wire::memcached::Key::write(&key, room);
    handlersocket::update(out, INDEX, key, &[room, value]);
}

#[inline]
pub(crate) fn read(bytes: &[u8], request: &mut Request, notes: &mut Notes) -> Result<Read, Fault> {
    let Some(line) = handlersocket::hear(bytes).map_err(protocol)? else { return Ok(Read::Incomplete) };
    if let Some(words) = line.refusal() {
        return Ok(Read::Refused(line.consumed, refused(words)));
    }
    let mut fields = line.fields();
    if request.keys == 0 {
        request.written = u64::from(fields.next() == Some(b"1"));
        return Ok(Read::End(line.consumed));
    }
    if line.columns != COLUMNS {
        return Err(Fault::Protocol(format!("a row of {} columns, where {COLUMNS} were opened", line.columns)));
    }
    while let Some(key) = fields.next() {
        let value = fields.next().ok_or_else(|| Fault::Protocol("a row without its value".into()))?;
        request.found += 1;
        if request.kept.is_some() {
            let key = natural(key).map_err(protocol)?;
            // Borrowed apart from the rest of the notes while the value lies in it.
            let mut room = std::mem::take(&mut notes.room);
            let value = handlersocket::unescaped(value, &mut room).map_err(protocol)?;
            let kept = match value {
                Some(value) => notes.keep(request, key, value),
                None => Err(Fault::Protocol("NULL where a value must be".into())),
            };
            notes.room = room;
            kept?;
        }
    }
    Ok(Read::End(line.consumed))
}

/// Logs in where the server wants a secret, and opens the index of that schema and table. Without its secret it answers
/// every find with a refusal, at full speed: so both are looked at once per connect.
pub(crate) async fn begin(
    channel: &mut Channel,
    secret: &str,
    (schema, table): (&str, &str),
    columns: &str,
) -> Result<(), Fault> {
    if !secret.is_empty() {
        handlersocket::authenticate(channel.outgoing(), secret);
        agreed(channel, "its secret").await?;
    }
    handlersocket::open_index(channel.outgoing(), INDEX, schema, table, "PRIMARY", columns);
    agreed(channel, &format!("the index of {schema}.{table}")).await
}

/// The answer to what was just said must be that it was done.
async fn agreed(channel: &mut Channel, what: &str) -> Result<(), Fault> {
    channel.exchange().await.map_err(|e| lost(&e))?;
    loop {
        if let Some(line) = handlersocket::hear(channel.incoming()).map_err(protocol)? {
            let refusal = line.refusal().map(|words| String::from_utf8_lossy(words).into_owned());
            let consumed = line.consumed;
            channel.consume(consumed);
            let Some(words) = refusal else { return Ok(()) };
            return Err(Fault::Unopened(format!("HandlerSocket refuses {what}: {words}")));
        }
        channel.receive().await.map_err(|e| lost(&e))?;
    }
}
