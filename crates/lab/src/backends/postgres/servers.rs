//! Servers of this protocol: those that the lab has just started, and those that were there before; asked what they are
//! in their own words.

use super::data::DataDirectory;
use super::instruments::Looks;
use super::kinds;
use super::kinds::postgresql::{self, HOME};
use super::session::control::Control;
use super::target::Disturbed;
use super::{settling, start, state};
use crate::backends::access::UserGroup;
use crate::backends::contract::{Files, Filling, Instruments, MakeSources, Met, Sampled, Servers, Settling, Started};
use crate::backends::described::{self, blank, is_ready, of_found};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::{Found, behind, build_of, find};
use crate::backends::mysql::plugins::PortEndpoints;
use crate::backends::needs::DatasetNeed;
use crate::backends::samplers::sources_of_postgres;
use crate::backends::schemas;
use crate::backends::up::{Serving, Up, no_sql};
use crate::disturbances::scene::target::Target;
use crate::notebook::reporter::Reporter;
use crate::samplers::{Ask, Refused};
use crate::servers::process::instance::Instance;
use crate::servers::{Build, Kind};
use crate::trouble::{Trouble, Unready};
use model::host::Version;
use model::plan::served::POSTGRESQL;
use model::plan::{Cell, Server};
use model::record::answer::{InstanceRecord, SessionAnswer, TlsAnswer};
use model::record::event::EventKind;
use model::record::start::{Prepared, StartingState};
use model::record::state::State;
use model::units::Users;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use workload::session::Fault;

/// The first with SCRAM, and with the names of its log that are asked for.
const OLDEST: Version = Version(10, 0, 0);

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
/// The processes of other sessions than this one.
const SERVING: &str =
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
const TLS: &str = "SELECT version, cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

pub struct PostgreSql;

impl Servers for PostgreSql {
    fn kinds(&self) -> &'static [&'static dyn Kind] {
        kinds::ALL
    }

    fn check(&self, dsn: &str, users: Users) -> Result<(), Trouble> {
        let (found, outside) = find(dsn)?;
        let refuses = |e: Fault| Trouble::new(format!("{dsn} refuses the lab")).because(e);
        let mut control = Control::connect(&at_home(&found, outside), PATIENCE).map_err(refuses)?;
        let old = Version::parse(control.version()).filter(|version| *version < OLDEST);
        let limit = control.value("SHOW max_connections").ok().flatten().and_then(|limit| limit.parse::<u32>().ok());
        control.quit();
        if let Some(version) = old {
            let what = format!("{dsn} is PostgreSQL {version}, and assay asks what those before {OLDEST} do not say");
            return Err(Trouble::new(what).mend("name a newer server"));
        }
        match limit.filter(|limit| *limit < users.0) {
            Some(limit) => {
                let what = format!("{dsn} takes {limit} sessions at most (max_connections), and the plan has {users}");
                Err(Trouble::new(what).mend("raise max_connections there and start it anew, or ask for fewer users"))
            }
            None => Ok(()),
        }
    }

    fn started(&self, started: Started<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let Started { key, server, build, instance, restored, tcp, .. } = started;
        let endpoint = postgresql::endpoint(instance.socket());
        let endpoints = tcp.map(|port| let_in(&endpoint, port, instance.ca())).transpose()?.unwrap_or_default();
        let told = describe(key, server, &endpoint);
        let told = told.map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let record = of_ours(told, build, &instance);
        is_ready(&record, reporter)?;
        for complaint in &record.complaints {
            reporter.note(EventKind::Note, None, format!("{key} says: {complaint}"))?;
        }
        let prepared = if restored.is_some() { Prepared::Snapshot } else { Prepared::Loaded };
        let up = Up::new(key, Serving::Ours(Arc::new(Mutex::new(instance))), build.clone(), no_sql(), prepared);
        Ok(Up { restored, endpoints, own: Some(Box::new(endpoint)), ..up })
    }

    fn meet(&self, met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let Met { key, server, dsn, known } = *met;
        let (found, outside) = match known {
            Some(endpoint) => behind(endpoint.clone())?,
            None => find(dsn)?,
        };
        let endpoint = at_home(&found, outside);
        let told = describe(key, server, &endpoint);
        let told = told.map_err(|e| Trouble::new(format!("{dsn} does not say what it is")).because(e))?;
        let record = of_found(told, &found);
        reporter.notebook.instance(&record)?;
        reporter.note(EventKind::InstanceReady, None, format!("{dsn} is PostgreSQL {}", record.version_text))?;
        let build = build_of(server, record);
        let own = at_home(&found, endpoint);
        let up = Up::new(key, Serving::Found(found), build, no_sql(), Prepared::Found);
        Ok(Up { own: Some(Box::new(own)), ..up })
    }

    fn files(&self) -> Option<&'static dyn Files> {
        Some(&DataDirectory)
    }

    fn begin_use(&self, up: &Up, needs: &[DatasetNeed], writes: bool) -> Result<(), Fault> {
        schemas::begin_use(&DataDirectory, up, needs, writes)
    }

    fn state(&self, up: &Up, needs: &[DatasetNeed]) -> Option<StartingState> {
        start::state(up, needs)
    }

    fn observe(&self, _: &Up, users: &[&UserGroup], _: &[DatasetNeed]) -> Vec<State> {
        let endpoint = users.iter().find_map(|users| users.access.beside_as());
        endpoint.map(state::read).unwrap_or_default()
    }

    fn serving(&self, _: &Up, users: &[&UserGroup]) -> Vec<u32> {
        let Some(endpoint) = users.iter().find_map(|users| users.access.beside_as()) else {
            return Vec::new();
        };
        let Ok(mut control) = Control::connect(endpoint, PATIENCE) else { return Vec::new() };
        let rows = control.rows(SERVING).unwrap_or_default();
        control.quit();
        rows.into_iter().flatten().filter_map(|pid| pid?.parse().ok()).collect()
    }

    /// They are looked at from a session of the lab's, and nothing is switched: a server of others is asked, too.
    fn instruments(&self, _: &Up, _: &Cell, users: &[&UserGroup]) -> Result<Box<dyn Instruments>, String> {
        Ok(Box::new(Looks::begin(users)?))
    }

    fn settling(&self, up: &Up, needs: &[DatasetNeed], _: &str) -> Result<Box<dyn Settling>, String> {
        settling::begin(up, needs)
    }

    fn target(&self, up: &Up, needs: &[DatasetNeed]) -> Arc<dyn Target> {
        let own = up.own_as::<SqlEndpoint>().cloned().unwrap_or_else(no_sql);
        let database = up.schemas(needs).next();
        Arc::new(Disturbed(database.map_or_else(|| own.clone(), |database| own.within(database))))
    }

    fn sources(&self, _: &Up, sampled: Sampled<'_>) -> MakeSources {
        let Sampled { users, patience, process, workers, needs, .. } = sampled;
        let endpoint = users.access.beside_as::<SqlEndpoint>().cloned();
        Box::new(move || {
            let ask = endpoint.map(|endpoint| asker(&endpoint, patience));
            let ask = ask.unwrap_or_else(|| Box::new(Refused("its users know no PostgreSQL".into())));
            sources_of_postgres(ask, process, &workers, needs.questions)
        })
    }

    /// A script of sysbench brings its own: it needs none.
    fn fill(&self, filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
        schemas::fill(&DataDirectory, filling, needs)
    }
}

/// Outside of datasets: in the database that the DSN names, or in that which every server has.
fn at_home(found: &Found, outside: SqlEndpoint) -> SqlEndpoint {
    outside.within(found.schema.as_deref().unwrap_or(HOME))
}

/// The same with what is known of it because the lab started it. Its folders are new at every start.
fn of_ours(told: InstanceRecord, build: &Build, instance: &Instance) -> InstanceRecord {
    let room = instance.socket().parent().expect("a socket lies in a folder");
    let (data, run) = (instance.folder().to_string_lossy(), room.to_string_lossy());
    let hidden = |text: &str| text.replace(&*data, "{data}").replace(&*run, "{run}");
    InstanceRecord {
        option_file: hidden(&instance.description().option_file),
        variables: told.variables.iter().map(|(name, value)| (name.clone(), hidden(value))).collect(),
        ..described::of_ours(told, &build.installed, instance)
    }
}

/// An account for whoever comes over the port, whose password is drawn anew at each start, once nobody comes so without
/// one: data may have been made by hand.
fn let_in(home: &SqlEndpoint, port: u16, ca: Option<&Path>) -> Result<PortEndpoints, Trouble> {
    const OPEN: &str =
        "SELECT count(*) FROM pg_hba_file_rules WHERE type LIKE 'host%' AND auth_method <> 'scram-sha-256'";
    let (account, password) = PortEndpoints::drawn()?;
    let refuses = |e: Fault| Trouble::new("the new server takes no account for its port").because(e);
    let mut control = Control::connect(home, PATIENCE).map_err(refuses)?;
    if control.value(OPEN).map_err(refuses)?.as_deref() != Some("0") {
        let what = "the new server lets in whoever reaches its port on loopback";
        return Err(Trouble::new(what).mend("take away what is kept in $ASSAY_HOME/snapshots: it is loaded anew"));
    }
    for sql in [
        "SET password_encryption = 'scram-sha-256'".to_string(),
        format!("DROP ROLE IF EXISTS {account}"),
        format!("CREATE ROLE {account} SUPERUSER LOGIN PASSWORD '{password}'"),
    ] {
        control.execute(&sql).map_err(refuses)?;
    }
    control.quit();
    PortEndpoints::of_account(port, ca, password)
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
