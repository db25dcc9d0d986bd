//! How a conversation in MongoDB's protocol begins: a fresh line, TLS where it is wanted, and a `hello`, behind which
//! an account logs in. Runs once per connect, so it favours being plain.

use super::reading::refusal;
use crate::backends::channel::Channel;
use crate::backends::faults::{lost, protocol};
use crate::backends::random::random;
use crate::backends::tls::{self, Tls};
use crate::executor::Connecting;
use crate::os::address::Address;
use crate::os::clock;
use model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::fmt;
use wire::mongodb::login::{self, Login, LoginError, LoginStep};
use workload::session::Fault;
use workload::session::documents::Offers;

/// Where documents are kept and how one comes in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    pub address: Address,
    /// `None` where it lets everybody in.
    pub account: Option<Account>,
    /// `None` talks in the clear.
    pub tls: Option<Tls>,
}

impl Store {
    /// One that lets everybody in, in the clear.
    pub fn open(address: Address) -> Self {
        Self { address, account: None, tls: None }
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub user: String,
    pub password: String,
    /// The schema (a database there) that knows it.
    pub source: String,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.user, self.source)
    }
}

/// `Offers` as data: what users know of servers has no serde.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Offers")]
struct OffersSaid {
    transactions: bool,
    parts_of_changed: bool,
}

/// A store, one of its schemas, and what the server was found to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentEndpoint {
    pub store: Store,
    pub schema: String,
    #[serde(with = "OffersSaid")]
    pub offers: Offers,
}

pub struct Opening {
    pub endpoint: DocumentEndpoint,
    pub connect: Box<dyn Fn() -> Connecting>,
}

/// What is new after every connect.
pub(crate) struct Conversation {
    pub channel: Channel,
    /// By which the account was let in.
    pub mechanism: Option<&'static str>,
    /// From the wish to connect until the server let us in.
    pub connect_time: Nanos,
}

/// Connects, greets and logs in.
pub(crate) async fn dial(opening: &Opening) -> Result<Conversation, Fault> {
    let begun = clock::now();
    let mut channel = Channel::plain((opening.connect)().await.map_err(|e| lost(&e))?);
    let Store { address, account, tls } = &opening.endpoint.store;
    if let (Some(tls), Address::Tcp { host, .. }) = (tls, address) {
        channel.encrypt(tls, host).await.map_err(|e| tls::fault(&e, tls, host))?;
    }
    let account = account.as_ref().map(|Account { user, password, source }| login::Account { user, password, source });
    let mut login = Login::new(account, random()?, channel.outgoing());
    let mut answer = Vec::new();
    loop {
        let heard = if channel.outgoing().is_empty() { channel.receive().await } else { channel.exchange().await };
        heard.map_err(|e| lost(&e))?;
        let Some(heard) = wire::mongodb::hear(channel.incoming()).map_err(protocol)? else { continue };
        let step = login.feed(heard.body, &mut answer).map_err(|e| unopened(&e))?;
        if step == LoginStep::Denied {
            return Err(refusal(heard.body).map_err(protocol)?);
        }
        let consumed = heard.consumed;
        channel.consume(consumed);
        channel.outgoing().append(&mut answer);
        if let LoginStep::Done(hash) = step {
            let mechanism = hash.map(wire::scram::Hash::mechanism);
            return Ok(Conversation { channel, mechanism, connect_time: Nanos(clock::now().0 - begun.0) });
        }
    }
}

#[cold]
fn unopened(error: &LoginError) -> Fault {
    match error {
        LoginError::Malformed(malformed) => protocol(*malformed),
        LoginError::TooOld | LoginError::UnknownMechanisms(_) | LoginError::Impostor => {
            Fault::Unopened(error.to_string())
        }
    }
}
