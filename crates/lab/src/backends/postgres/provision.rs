//! A PostgreSQL that somebody else runs and a script asks: looked at from outside and asked what it is in its own
//! words. The lab starts none and puts no data into it; what it asks MySQL's family beyond that (plans, handlers,
//! tables) is not asked here.

use super::session::control::Control;
use crate::backends::access::UserGroup;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mongodb::provision::no_sql;
use crate::backends::mysql::found::{Found, behind, build_of};
use crate::campaign::Lab;
use crate::os::process::cpus_of;
use crate::provision::instance::{Serving, Up, fingerprint};
use crate::samplers::{Ask, Refused};
use crate::trouble::Trouble;
use model::dsn;
use model::host::Version;
use model::plan::Server;
use model::plan::served::POSTGRESQL;
use model::protocol::Protocol;
use model::record::answer::{InstanceRecord, SessionAnswer, TlsAnswer};
use model::record::event::EventKind;
use model::record::start::Prepared;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::time::Duration;
use workload::session::Fault;

/// Who is silent so long is no server.
const PATIENCE: Duration = Duration::from_secs(60);

/// All but those that may hold passwords.
const SETTINGS: &str = "SELECT name, setting FROM pg_settings WHERE name NOT IN \
     ('primary_conninfo', 'archive_command', 'restore_command', 'ssl_passphrase_command')";
/// Settings of a session that change what a statement does or costs.
const OF_SESSION: &str = "SELECT name, setting FROM pg_settings WHERE name IN ('client_encoding', 'server_encoding', \
     'default_transaction_isolation', 'synchronous_commit', 'work_mem', 'search_path', 'TimeZone', 'DateStyle', 'jit', \
     'plan_cache_mode', 'random_page_cost', 'effective_cache_size', 'max_parallel_workers_per_gather', \
     'standard_conforming_strings', 'statement_timeout', 'lock_timeout')";
const ENGINES: &str = "SELECT amname, NULL FROM pg_am WHERE amtype = 't'";
const TLS: &str = "SELECT version, cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

/// Whether this server is such a one.
pub(crate) fn is_named(server: &Server) -> bool {
    server.on.as_deref().map(dsn::protocol) == Some(Protocol::PostgreSql)
}

/// Where the users of a run come in, where they come to a PostgreSQL.
pub(crate) fn endpoint(server: &Server, user_group: &UserGroup) -> Option<SqlEndpoint> {
    user_group.access.postgres.clone().filter(|_| is_named(server))
}

fn pairs(control: &mut Control, sql: &str) -> Result<BTreeMap<String, String>, Fault> {
    let pair = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter();
        Some((cells.next()??, cells.next().flatten().unwrap_or_default()))
    };
    Ok(control.rows(sql)?.into_iter().filter_map(pair).collect())
}

fn describe(key: &str, wanted: &Server, endpoint: &SqlEndpoint) -> Result<InstanceRecord, Fault> {
    let mut control = Control::connect(endpoint, PATIENCE)?;
    let version_text = control.version().to_string();
    let record = InstanceRecord {
        key: key.to_string(),
        wanted: wanted.clone(),
        kind: POSTGRESQL.to_string(),
        version: Version::parse(&version_text).unwrap_or(Version(0, 0, 0)),
        version_comment: String::new(),
        version_text,
        binary_sha256: None,
        option_file: String::new(),
        variables: pairs(&mut control, SETTINGS)?,
        engines: pairs(&mut control, ENGINES)?.into_keys().collect(),
        cpus: Vec::new(),
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos(0),
    };
    control.quit();
    Ok(record)
}

/// What a session is.
pub(crate) fn ask(endpoint: &SqlEndpoint) -> Result<SessionAnswer, Fault> {
    let mut control = Control::connect(endpoint, PATIENCE)?;
    let tls = match control.cipher() {
        Some((version, cipher)) => {
            let (server_version, server_cipher) = pairs(&mut control, TLS)?.pop_first().unwrap_or_default();
            Some(TlsAnswer { version, cipher, server_version, server_cipher })
        }
        None => None,
    };
    let answer = SessionAnswer {
        variables: pairs(&mut control, OF_SESSION)?,
        transport: endpoint.address.transport(tls.is_some()),
        tls,
        authentication: control.method().to_string(),
        compression: "off, not offered".to_string(),
        ..SessionAnswer::default()
    };
    control.quit();
    Ok(answer)
}

/// For the samplers alone.
pub(crate) fn asker(endpoint: &SqlEndpoint, patience: Duration) -> Box<dyn Ask> {
    match Control::connect(endpoint, patience) {
        Ok(control) => Box::new(control),
        Err(fault) => Box::new(Refused(fault.to_string())),
    }
}

impl Ask for Control {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        Control::rows(self, sql).map_err(|e| e.to_string())
    }
}

impl Lab<'_> {
    /// The one that a visit comes to.
    pub(crate) fn meet_postgres(&self, key: &str, server: &Server, name: &str) -> Result<Up, Trouble> {
        let user_group = self.visit.as_ref().map(|visit| &visit.load_plan.user_groups[0]);
        let endpoint = user_group
            .and_then(|user_group| user_group.access.postgres.clone())
            .expect("no plan names a PostgreSQL but that of a visit");
        let (found, _) = behind(endpoint.clone())?;
        let told = describe(key, server, &endpoint);
        let mut record = told.map_err(|e| Trouble::new(format!("{name} does not say what it is")).because(e))?;
        record.place = Some(found.place);
        if let Some(pid) = found.pid {
            record.cpus = cpus_of(pid).unwrap_or_default();
            record.binary_sha256 = fingerprint(&format!("/proc/{pid}/exe"));
        }
        self.notebook.instance(&record)?;
        self.notebook.note(EventKind::InstanceReady, None, format!("{name} is PostgreSQL {}", record.version_text))?;
        let build = build_of(server, record);
        Ok(Up::new(key, Serving::Found(Found { schema: endpoint.schema, ..found }), build, no_sql(), Prepared::Found))
    }
}
