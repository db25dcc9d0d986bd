//! Where the servers are that the options name: sockets in turn, else every port of every host in turn, and the name
//! `localhost` means the default socket, as it does for MySQL's clients.

use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::own_sessions::ScriptEndpoints;
use lab::backends::tls::{Mode, Tls};
use lua::Compat;
use lua::cmdline::Complaint;
use lua::option::{Options, Value};
use std::path::PathBuf;

/// Where distributions put the socket of their server; the variable of its clients goes before.
const SOCKETS: [&str; 3] = ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];
const SOCKET_VARIABLE: &str = "MYSQL_UNIX_PORT";
/// Where PostgreSQL's socket lies when no host is named.
const PGSQL_FOLDER: &str = "/var/run/postgresql";

pub fn of(compat: Compat, options: &Options) -> Result<ScriptEndpoints, Complaint> {
    Ok(ScriptEndpoints { mysql: mysql(compat, options)?, postgres: vec![pgsql(compat, options)?] })
}

fn text<'o>(options: &'o Options, name: &str) -> &'o str {
    match options.get(name) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

fn list<'o>(options: &'o Options, name: &str) -> &'o [String] {
    match options.get(name) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}

fn fatal(text: impl std::fmt::Display) -> Complaint {
    Complaint::Logged(format!("FATAL: {text}"))
}

fn mysql(compat: Compat, options: &Options) -> Result<Vec<SqlEndpoint>, Complaint> {
    let tls = mysql_tls(compat, options)?;
    let schema = Some(text(options, "mysql_db")).filter(|schema| !schema.is_empty());
    let endpoint = |address| SqlEndpoint {
        address,
        user: text(options, "mysql_user").into(),
        password: text(options, "mysql_password").into(),
        schema: schema.map(str::to_string),
        tls: tls.clone(),
    };
    let sockets = list(options, "mysql_socket");
    if !sockets.is_empty() {
        return Ok(sockets.iter().map(|path| endpoint(Address::Unix(path.into()))).collect());
    }
    let mut endpoints = Vec::new();
    for host in list(options, "mysql_host") {
        for port in list(options, "mysql_port") {
            let port = port.parse().map_err(|_| fatal(format!("Invalid value for --mysql-port: '{port}'")))?;
            endpoints.push(endpoint(match host.as_str() {
                "localhost" => Address::Unix(default_socket()),
                host => Address::Tcp { host: host.into(), port },
            }));
        }
    }
    Ok(endpoints)
}

fn default_socket() -> PathBuf {
    let named = std::env::var_os(SOCKET_VARIABLE).map(PathBuf::from);
    let there = || SOCKETS.iter().map(PathBuf::from).find(|path| path.exists());
    named.or_else(there).unwrap_or_else(|| SOCKETS[0].into())
}

fn mysql_tls(compat: Compat, options: &Options) -> Result<Option<Tls>, Complaint> {
    let mode = match (compat, options.get("mysql_ssl")) {
        (Compat::V10, Some(Value::Bool(true))) => Some(Mode::Required),
        (Compat::V10, _) => None,
        (Compat::V11, _) => match text(options, "mysql_ssl").to_ascii_lowercase().as_str() {
            "" | "disabled" => None,
            word => Some(Mode::named(word).ok_or_else(|| fatal(format!("Invalid value for --mysql-ssl: '{word}'")))?),
        },
    };
    tls(mode, text(options, "mysql_ssl_ca"))
}

fn tls(mode: Option<Mode>, ca: &str) -> Result<Option<Tls>, Complaint> {
    let ca = Some(ca).filter(|ca| !ca.is_empty()).map(PathBuf::from);
    mode.map(|mode| Tls::new(mode, ca.filter(|_| mode.verifies())).map_err(fatal)).transpose()
}

/// A host that is a path is the folder of a socket, as it is for PostgreSQL's clients.
fn pgsql(compat: Compat, options: &Options) -> Result<SqlEndpoint, Complaint> {
    let port = match options.get("pgsql_port") {
        Some(Value::Number(port)) if (1.0..=65535.0).contains(port) => *port as u16,
        other => return Err(fatal(format!("Invalid value for --pgsql-port: {other:?}"))),
    };
    let folder = |folder: &str| Address::Unix(PathBuf::from(folder).join(format!(".s.PGSQL.{port}")));
    let address = match text(options, "pgsql_host") {
        "" => folder(PGSQL_FOLDER),
        path if path.starts_with('/') => folder(path),
        host => Address::Tcp { host: host.into(), port },
    };
    let word = if compat == Compat::V10 { "prefer" } else { text(options, "pgsql_sslmode") };
    let mode = match word {
        "disable" => None,
        // A client that would rather not is one that would: the server decides.
        "allow" | "prefer" => Some(Mode::Preferred),
        "require" => Some(Mode::Required),
        "verify-ca" => Some(Mode::VerifyCa),
        "verify-full" => Some(Mode::VerifyIdentity),
        other => return Err(fatal(format!("Invalid value for --pgsql-sslmode: '{other}'"))),
    };
    let ca = std::env::var("PGSSLROOTCERT").unwrap_or_default();
    let tls = if matches!(address, Address::Unix(_)) { None } else { tls(mode, &ca)? };
    Ok(SqlEndpoint {
        address,
        user: text(options, "pgsql_user").into(),
        password: text(options, "pgsql_password").into(),
        schema: Some(text(options, "pgsql_db").to_string()),
        tls,
    })
}
