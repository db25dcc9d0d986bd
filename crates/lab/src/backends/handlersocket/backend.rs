//! How users come to HandlerSocket, and what their sessions say. It makes a secret of its own at each start of its
//! server and is asked for it when the data lie behind it.

use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Backend, Servers, Witness};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::keyed::answers::{compare, listeners};
use crate::backends::keyed::{self, KeyEndpoint, KeyProtocol};
use crate::backends::mysql::MySql;
use crate::backends::mysql::control::Control;
use crate::backends::mysql::keys::HANDLERSOCKET;
use crate::backends::needs::{DatasetNeed, identity};
use crate::backends::up::{Listener, Up};
use crate::trouble::{Trouble, Unready};
use model::{Cell, Protocol, SessionAnswer, StatementPlan, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::Workloads;
use workload::kv::{COLUMNS, TABLE};
use workload::session::Fault;

pub struct HandlerSocket;

impl Backend for HandlerSocket {
    fn servers(&self) -> Option<&'static dyn Servers> {
        None
    }

    fn open(
        &self,
        up: &mut Up,
        workloads: &Workloads,
        cell: &Cell,
        work: &Work,
        _: &[DatasetNeed],
    ) -> Result<(), Unready> {
        let ([read, write], _) = listeners(up, HANDLERSOCKET, &cell.server.build)?;
        let fail = |trouble: Trouble| Unready::Fail(trouble.to_string());
        let silent = |e: Fault| fail(Trouble::new("HandlerSocket does not say its secret").because(e));
        let [for_reading, for_writing] = secrets(&up.endpoint).map_err(silent)?;
        let both = [Listener { address: read, secret: for_reading }, Listener { address: write, secret: for_writing }];
        up.listeners.insert(Protocol::HandlerSocket, both);
        let endpoint = self.endpoint(up, workloads, work, cell);
        compare(endpoint.as_ref().and_then(|endpoint| endpoint.downcast()).expect("its listener was just opened"), work)
            .map_err(fail)
    }

    fn endpoint(&self, up: &Up, workloads: &Workloads, work: &Work, cell: &Cell) -> Option<Arc<dyn Endpoint>> {
        let engine = &cell.server.engine;
        let schema = up.datasets.get(&identity(workloads, work, engine).0)?.clone().ok()?;
        let writes = workloads.planned(&work.workload).words().writes;
        let Listener { address, secret } = up.listeners.get(&Protocol::HandlerSocket)?[usize::from(writes)].clone();
        let columns = COLUMNS.join(",");
        let protocol = KeyProtocol::HandlerSocket { secret, schema, table: TABLE.into(), columns };
        Some(Arc::new(KeyEndpoint { address, protocol }))
    }

    fn endpoint_told(&self, told: serde_json::Value) -> Option<Arc<dyn Endpoint>> {
        serde_json::from_value::<KeyEndpoint>(told).ok().map(|endpoint| Arc::new(endpoint) as _)
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
