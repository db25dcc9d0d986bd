//! How users come to a private server that also listens on loopback: an account for 127.0.0.1 whose password is drawn
//! anew at each start and stays in this process. The socket lies in a folder that only we can enter and needs no
//! password; a port is open to everybody on this machine, so accounts without one that could be reached there are
//! dropped first.

use super::control::Control;
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::tls::{Mode, Tls};
use crate::os::ports::LOOPBACK;
use crate::trouble::Trouble;
use model::load::Transport;
use std::path::Path;
use workload::session::Fault;

const ACCOUNT: &str = "assay";
/// As many as nobody guesses.
const PASSWORD_BYTES: usize = 16;
/// The server's word for an account that is there already.
const CANNOT_USER: u16 = 1396;

/// The endpoints of one private server beside its socket; a server without a port, or that was found, has none.
#[derive(Clone, Debug, Default)]
pub struct PortEndpoints {
    tcp: Option<SqlEndpoint>,
    tls: Option<SqlEndpoint>,
}

impl PortEndpoints {
    /// Makes the account that comes over the port, and the endpoints with it.
    pub fn open(port: u16, ca: Option<&Path>, root: &mut Control) -> Result<Self, Trouble> {
        let password = password()?;
        account(root, &password)
            .map_err(|e| Trouble::new("the new server takes no account for 127.0.0.1").because(e))?;
        Self::of_account(port, ca, password)
    }

    /// A password that nobody knows yet, for the account.
    pub fn drawn() -> Result<(&'static str, String), Trouble> {
        Ok((ACCOUNT, password()?))
    }

    /// The endpoints of that account behind a port.
    pub fn of_account(port: u16, ca: Option<&Path>, password: String) -> Result<Self, Trouble> {
        let address = Address::Tcp { host: LOOPBACK.into(), port };
        let tcp = SqlEndpoint { address, user: ACCOUNT.into(), password, schema: None, tls: None };
        let tls = ca.map(|ca| Tls::new(Mode::VerifyIdentity, Some(ca.into()))).transpose()?;
        let tls = tls.map(|tls| SqlEndpoint { tls: Some(tls), ..tcp.clone() });
        Ok(Self { tcp: Some(tcp), tls })
    }

    /// The endpoint that users take; `own` is the lab's, which is that of a found server too.
    pub fn of<'a>(&'a self, transport: Option<Transport>, own: &'a SqlEndpoint) -> &'a SqlEndpoint {
        let endpoint = match transport {
            None | Some(Transport::Unix) => Some(own),
            Some(Transport::Tcp) => self.tcp.as_ref(),
            Some(Transport::Tls) => self.tls.as_ref(),
        };
        endpoint.expect("a plan gives a server every endpoint that its users take")
    }
}

fn account(root: &mut Control, password: &str) -> Result<(), Fault> {
    // Only what the bootstrap left is there: root and anonymous users of every name of this host.
    let reachable = "SELECT CONCAT(QUOTE(user), '@', QUOTE(host)) FROM mysql.user WHERE user IN ('', 'root') AND host <> 'localhost'";
    for account in root.rows(reachable)?.into_iter().flatten().flatten() {
        root.execute(&format!("DROP USER {account}"))?;
    }
    let account = format!("'{ACCOUNT}'@'{LOOPBACK}'");
    let create = format!("CREATE USER {account} IDENTIFIED BY '{password}'");
    match root.execute(&create) {
        // In a copy of a data directory that had a port before.
        Err(Fault::Server { code: CANNOT_USER, .. }) => {
            root.execute(&format!("DROP USER {account}"))?;
            root.execute(&create)?;
        }
        made => drop(made?),
    }
    root.execute(&format!("GRANT ALL ON *.* TO {account}")).map(drop)
}

fn password() -> Result<String, Trouble> {
    let mut bytes = [0; PASSWORD_BYTES];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(PASSWORD_BYTES) => Ok(bytes.iter().map(|b| format!("{b:02x}")).collect()),
        Ok(_) | Err(_) => Err(Trouble::new("the kernel gives no random bytes")),
    }
}
