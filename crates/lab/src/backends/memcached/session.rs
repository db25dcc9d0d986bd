//! Hot path: requests and answers of a session in memcached's protocol.

use crate::backends::channel::Channel;
use crate::backends::faults::{lost, protocol};
use crate::backends::keyed::batch::{Notes, Read, Request, refused};
use wire::memcached::{Asked, Below, Dialect, Said, natural};
use workload::session::Fault;

#[inline]
pub(crate) fn get(dialect: Dialect, prefix: &[u8], out: &mut Vec<u8>, keys: &[u64]) {
    dialect.get(out, keys.iter().map(|key| Below(prefix, *key)));
}

#[inline]
pub(crate) fn set(dialect: Dialect, prefix: &[u8], out: &mut Vec<u8>, key: u64, value: &[u8]) {
    dialect.set(out, Below(prefix, key), value);
}

pub(crate) fn delete(dialect: Dialect, prefix: &[u8], out: &mut Vec<u8>, key: u64) {
    dialect.delete(out, Below(prefix, key));
}

#[inline]
pub(crate) fn read(
    dialect: Dialect,
    prefix: &[u8],
    bytes: &[u8],
    request: &mut Request,
    notes: &mut Notes,
) -> Result<Read, Fault> {
    let Some(heard) = dialect.hear(bytes).map_err(protocol)? else { return Ok(Read::Incomplete) };
    let asked = if request.keys == 0 { Asked::Write } else { Asked::Keys(request.keys) };
    match heard.said {
        Said::Value { key, value } => {
            request.found += 1;
            if request.kept.is_some() {
                let key = key.strip_prefix(prefix).ok_or_else(|| Fault::Protocol("a key of somebody else's".into()))?;
                notes.keep(request, natural(key).map_err(protocol)?, value)?;
            }
        }
        Said::Done => request.written = 1,
        Said::Refused(words) => return Ok(Read::Refused(heard.consumed, refused(words))),
        Said::Miss | Said::End | Said::NotDone | Said::Stat { .. } | Said::Version(_) => {}
    }
    let closes = dialect.closes(asked, &heard.said).map_err(protocol)?;
    Ok(if closes { Read::End(heard.consumed) } else { Read::Part(heard.consumed) })
}

/// Chooses a container, which answers with the name of a table. One that is not mapped answers every get with a miss,
/// at full speed: so it is looked at once per connect.
pub(crate) async fn select(channel: &mut Channel, dialect: Dialect, container: &str) -> Result<(), Fault> {
    let asked = dialect.select(channel.outgoing(), container);
    let (mut mapped, mut heard_before) = (false, false);
    loop {
        let heard = if heard_before { channel.receive().await } else { channel.exchange().await };
        heard.map_err(|e| lost(&e))?;
        heard_before = true;
        while let Some(heard) = dialect.hear(channel.incoming()).map_err(protocol)? {
            mapped |= matches!(heard.said, Said::Value { .. });
            let closed = dialect.closes(asked, &heard.said).map_err(protocol)?;
            let consumed = heard.consumed;
            channel.consume(consumed);
            if closed {
                let why = format!("the server maps no container {container}: every get of it would be a miss");
                return if mapped { Ok(()) } else { Err(Fault::Unopened(why)) };
            }
        }
    }
}
