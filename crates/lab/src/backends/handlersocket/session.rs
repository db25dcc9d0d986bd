//! Hot path: requests and answers of a session in HandlerSocket's protocol. The index is opened as key and value.

use crate::backends::faults::protocol;
use crate::backends::keyed::{Notes, Read, Request, refused};
use wire::handlersocket;
use wire::memcached::natural;
use workload::session::Fault;

/// The number under which the index is opened, anew on every connection.
pub(crate) const INDEX: u32 = 0;
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
