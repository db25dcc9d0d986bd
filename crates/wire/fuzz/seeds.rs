//! What fuzzing begins with: the recorded conversations of `fixtures/`, whole and payload by payload. Shared by
//! `tests/mutations.rs`, which mutates them on every `cargo test`, and by the example `recordings`, which writes them
//! down as libFuzzer's first corpus. Whoever includes this includes `tests/recorded` beside it.

use crate::recorded::{BY_KEY, FILES, POSTGRES, exchanges};
use wire::mongodb;
use wire::mysql::packet;

/// Recorded streams, and every payload in them alone.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (file, _) in FILES {
        for exchange in exchanges(file) {
            for stream in [exchange.sent(), exchange.received()] {
                let mut rest = stream.as_slice();
                while let Ok((packet, after)) = packet::split(rest) {
                    seeds.push(packet.payload.to_vec());
                    rest = after;
                }
                seeds.push(stream);
            }
        }
    }
    let others = BY_KEY.iter().chain(&POSTGRES).flat_map(|(file, _)| exchanges(file));
    seeds.extend(others.map(|exchange| exchange.received()));
    seeds.extend(documents());
    seeds
}

/// Two replies of MongoDB's kind: the documents of a cursor, and an error.
fn documents() -> [Vec<u8>; 2] {
    let [mut found, mut refused] = [Vec::new(), Vec::new()];
    mongodb::request(&mut found, 7, |reply| {
        let mut cursor = reply.document("cursor");
        let mut batch = cursor.array("firstBatch");
        for place in 0..3 {
            let mut link = batch.document(place);
            link.int64("id1", 1 << 40);
            link.int32("visibility", 1);
            link.bytes("data", b"a payload");
            link.end();
        }
        batch.end();
        cursor.int64("id", 0);
        cursor.text("ns", "linkdb.linktable");
        cursor.end();
        reply.double("ok", 1.0);
    });
    mongodb::request(&mut refused, 8, |reply| {
        reply.double("ok", 0.0);
        reply.int32("code", 112);
        reply.text("errmsg", "write conflict");
        reply.boolean("retry", true);
        reply.null("nothing");
    });
    [found, refused]
}
