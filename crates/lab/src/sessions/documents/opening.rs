//! How a conversation in MongoDB's protocol begins: a fresh line and a `hello`, whose answer must know OP_MSG. Accounts are not here
//! yet: a server that wants one refuses the first command in its own words.

use crate::clock;
use crate::load::executor::Line;
use crate::sessions::address::Address;
use crate::sessions::channel::Channel;
use crate::sessions::mysql::Connecting;
use crate::sessions::mysql::faults::{lost, protocol};
use model::units::Nanos;
use wire::mongodb::Value;
use workload::session::Fault;
use workload::session::documents::Offers;

/// OP_MSG came with MongoDB 3.6.
const OLDEST_WIRE: i64 = 6;

/// Where documents are kept, in which schema (a database there), and what the server was found to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentDoor {
    pub address: Address,
    pub schema: String,
    pub offers: Offers,
}

pub struct Opening {
    pub door: DocumentDoor,
    pub connect: Box<dyn Fn() -> Connecting>,
}

/// Connects and greets; with the time that took.
pub(super) async fn dial(opening: &Opening) -> Result<(Channel, Nanos), Fault> {
    let begun = clock::now();
    let line: Line = (opening.connect)().await.map_err(|e| lost(&e))?;
    let mut channel = Channel::plain(line);
    wire::mongodb::request(channel.outgoing(), 0, |out| {
        out.int32("hello", 1);
        out.text("$db", "admin");
    });
    channel.exchange().await.map_err(|e| lost(&e))?;
    loop {
        if let Some(heard) = wire::mongodb::hear(channel.incoming()).map_err(protocol)? {
            let newest = heard.body.get("maxWireVersion").map_err(protocol)?.and_then(Value::whole);
            let consumed = heard.consumed;
            channel.consume(consumed);
            if newest.is_none_or(|version| version < OLDEST_WIRE) {
                return Err(Fault::Unopened("the server knows no OP_MSG: it must be as MongoDB 3.6 or later".into()));
            }
            return Ok((channel, Nanos(clock::now().0 - begun.0)));
        }
        channel.receive().await.map_err(|e| lost(&e))?;
    }
}
