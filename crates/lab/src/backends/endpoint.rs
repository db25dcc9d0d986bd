//! At which address a server is spoken to, and who we are to it. The password is kept out of `Debug` and of everything
//! that is recorded.

use super::tls::Tls;
pub use crate::os::address::Address;
use model::{Protocol, Work};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use workload::Workloads;

/// Where SQL is spoken to one server: address and account. It is written as data for other ranks' ears only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlEndpoint {
    pub address: Address,
    pub user: String,
    pub password: String,
    /// Schema to begin in.
    pub schema: Option<String>,
    /// `None` talks in the clear.
    pub tls: Option<Tls>,
}

impl SqlEndpoint {
    pub fn root(socket: PathBuf) -> Self {
        Self { address: Address::Unix(socket), user: "root".into(), password: String::new(), schema: None, tls: None }
    }
    #[must_use]
    pub fn within(&self, schema: &str) -> Self {
        Self { schema: Some(schema.to_string()), ..self.clone() }
    }
}

impl fmt::Debug for SqlEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.user, self.address)
    }
}

/// The protocol in which users ask who do this work. Scripts that the command line names are no workloads of a plan:
/// they speak SQL.
pub(crate) fn protocol_of(workloads: &Workloads, work: &Work) -> Protocol {
    workloads.by_name(&work.workload).map_or(Protocol::MySql, |workload| workload.words().protocol())
}
