//! HandlerSocket, a plugin of MariaDB that reads rows by key. It makes a secret of its own at each start of its server
//! and is asked for it when the data lie behind it.

pub mod session;

use super::endpoint::{Endpoint, SqlEndpoint};
use super::keyed::answers::{compare, listeners};
use super::keyed::{self, KeyEndpoint, KeyProtocol};
use super::mysql::MySql;
use super::mysql::control::Control;
use super::mysql::keys::HANDLERSOCKET;
use super::needs::{DatasetNeed, identity};
use super::up::{Listener, Up};
use super::{Backend, Servers, Witness};
use crate::load::UserGroup;
use crate::trouble::{Trouble, Unready};
use model::load::Work;
use model::plan::Cell;
use model::protocol::Protocol;
use model::record::answer::{SessionAnswer, StatementPlan};
use std::collections::BTreeMap;
use std::time::Duration;
use workload::kv::{COLUMNS, TABLE};
use workload::session::Fault;

pub struct HandlerSocket;

impl Backend for HandlerSocket {
    fn servers(&self) -> Option<&'static dyn Servers> {
        None
    }

    fn open(&self, up: &mut Up, cell: &Cell, work: &Work, _: &[DatasetNeed]) -> Result<(), Unready> {
        let ([read, write], _) = listeners(up, HANDLERSOCKET, &cell.server.build)?;
        let fail = |trouble: Trouble| Unready::Fail(trouble.to_string());
        let silent = |e: Fault| fail(Trouble::new("HandlerSocket does not say its secret").because(e));
        let [for_reading, for_writing] = secrets(&up.endpoint).map_err(silent)?;
        let both = [Listener { address: read, secret: for_reading }, Listener { address: write, secret: for_writing }];
        up.listeners.insert(Protocol::HandlerSocket, both);
        let endpoint = self.endpoint(up, work, &cell.server.engine);
        compare(endpoint.as_ref().and_then(Endpoint::keys).expect("its listener was just opened"), work).map_err(fail)
    }

    fn endpoint(&self, up: &Up, work: &Work, engine: &str) -> Option<Endpoint> {
        let schema = up.datasets.get(&identity(work, engine).0)?.clone().ok()?;
        let writes = workload::by_name(&work.workload)?.words().writes;
        let Listener { address, secret } = up.listeners.get(&Protocol::HandlerSocket)?[usize::from(writes)].clone();
        let columns = COLUMNS.join(",");
        let protocol = KeyProtocol::HandlerSocket { secret, schema, table: TABLE.into(), columns };
        Some(Endpoint::Keys(KeyEndpoint { address, protocol }))
    }

    fn ask(&self, users: &UserGroup, _: Duration) -> Result<SessionAnswer, Fault> {
        keyed::answers::ask(users)
    }

    fn ask_again(&self, _: &UserGroup, _: &[StatementPlan]) -> Option<BTreeMap<String, String>> {
        None
    }

    fn witness(&self, users: &UserGroup, setup: &[String]) -> Result<Box<dyn Witness>, String> {
        MySql.witness(users, setup)
    }
}

/// For reading and for writing, as the server drew them at its start; they stay in this process.
fn secrets(endpoint: &SqlEndpoint) -> Result<[String; 2], Fault> {
    let mut control = Control::connect(endpoint)?;
    let mut secret = |name: &str| -> Result<String, Fault> {
        let sql = format!("SELECT @@GLOBAL.{name}");
        Ok(control.value(&sql)?.unwrap_or_default())
    };
    let both = [secret("handlersocket_plain_secret")?, secret("handlersocket_plain_secret_wr")?];
    control.quit();
    Ok(both)
}
