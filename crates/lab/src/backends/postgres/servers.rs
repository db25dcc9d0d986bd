//! A PostgreSQL that somebody else runs and a script asks: looked at from outside and asked what it is in its own
//! words.

use super::session::control::Control;
use super::state;
use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Filling, MakeSources, Met, Sampled, Servers, Started};
use crate::backends::described::{blank, of_found};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::{Found, behind, build_of, find};
use crate::backends::needs::DatasetNeed;
use crate::backends::samplers::sources_of_postgres;
use crate::backends::up::{Serving, Up, no_sql};
use crate::notebook::reporter::Reporter;
use crate::samplers::{Ask, Refused};
use crate::servers::Kind;
use crate::trouble::{Trouble, Unready};
use model::plan::Server;
use model::plan::served::POSTGRESQL;
use model::record::answer::{InstanceRecord, SessionAnswer, TlsAnswer};
use model::record::event::EventKind;
use model::record::start::Prepared;
use model::record::state::State;
use model::units::Users;
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

pub struct PostgreSql;

impl Servers for PostgreSql {
    fn kinds(&self) -> &'static [&'static dyn Kind] {
        &[]
    }

    fn check(&self, dsn: &str, _: Users) -> Result<(), Trouble> {
        let (_, endpoint) = find(dsn)?;
        let refuses = |e: Fault| Trouble::new(format!("{dsn} refuses the lab")).because(e);
        Control::connect(&endpoint, PATIENCE).map(Control::quit).map_err(refuses)
    }

    fn started(&self, _: Started<'_>, _: &mut Reporter<'_>) -> Result<Up, Trouble> {
        Err(Trouble::new("assay starts no PostgreSQL so far").mend("name one that is there by its DSN"))
    }

    fn meet(&self, met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let Met { key, server, dsn, known } = *met;
        let (found, outside) = match known {
            Some(endpoint) => behind(endpoint.clone())?,
            None => find(dsn)?,
        };
        let endpoint = SqlEndpoint { schema: found.schema.clone(), ..outside };
        let told = describe(key, server, &endpoint);
        let told = told.map_err(|e| Trouble::new(format!("{dsn} does not say what it is")).because(e))?;
        let record = of_found(told, &found);
        reporter.notebook.instance(&record)?;
        reporter.note(EventKind::InstanceReady, None, format!("{dsn} is PostgreSQL {}", record.version_text))?;
        let build = build_of(server, record);
        let found = Found { schema: endpoint.schema, ..found };
        Ok(Up::new(key, Serving::Found(found), build, no_sql(), Prepared::Found))
    }

    fn observe(&self, _: &Up, users: &[&UserGroup], _: &[DatasetNeed]) -> Vec<State> {
        let endpoint = users.iter().find_map(|users| users.access.beside.as_ref()?.postgres());
        endpoint.map(state::read).unwrap_or_default()
    }

    fn sources(&self, _: &Up, sampled: Sampled<'_>) -> MakeSources {
        let Sampled { users, patience, process, workers, .. } = sampled;
        let endpoint = users.access.beside.as_ref().and_then(Endpoint::postgres).cloned();
        Box::new(move || {
            let ask = endpoint.map(|endpoint| asker(&endpoint, patience));
            let ask = ask.unwrap_or_else(|| Box::new(Refused("its users know no PostgreSQL".into())));
            sources_of_postgres(ask, process, &workers)
        })
    }

    /// A script brings its own.
    fn fill(&self, _: &mut Filling<'_, '_>, _: &[DatasetNeed]) -> Result<(), Unready> {
        Ok(())
    }
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
        variables: pairs(&mut control, SETTINGS)?,
        engines: pairs(&mut control, ENGINES)?.into_keys().collect(),
        ..blank(key, wanted, POSTGRESQL, &version_text)
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
fn asker(endpoint: &SqlEndpoint, patience: Duration) -> Box<dyn Ask> {
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
