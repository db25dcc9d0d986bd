//! A server that somebody else runs, as its address in one line: `mysql://user@host:port/schema`, or with `?socket=PATH` over a
//! Unix socket. The password never stands in it, because a DSN goes into the record; it comes from the environment.
//! Percent signs are not decoded: no account or schema of ours needs them.

use super::address::{Address, Door};
use crate::trouble::Trouble;

/// Where the password of a DSN's account is looked for.
pub const PASSWORD: &str = "ASSAY_PASSWORD";

const MYSQL_PORT: u16 = 3306;

/// The door that a DSN names. Its schema may be absent.
pub fn door(dsn: &str, password: String) -> Result<Door, Trouble> {
    let wrong = |why: &str| {
        Trouble::new(format!("{dsn}: {why}"))
            .mend("write mysql://user@host:port/schema, or mysql://user@localhost/schema?socket=PATH")
    };
    let rest = dsn.strip_prefix("mysql://").ok_or_else(|| wrong("assay speaks only mysql:// so far"))?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, schema) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, server) = authority.rsplit_once('@').unwrap_or(("root", authority));
    let address = match query.split_once('=') {
        Some(("socket", path)) if path.starts_with('/') => Address::Unix(path.into()),
        Some(_) => return Err(wrong("after the question mark stands socket=/PATH and nothing else")),
        None => {
            let (host, port) = server.rsplit_once(':').unwrap_or((server, ""));
            let port = if port.is_empty() { Ok(MYSQL_PORT) } else { port.parse() };
            Address::Tcp { host: host.to_string(), port: port.map_err(|_| wrong("the port is not a number"))? }
        }
    };
    let schema = (!schema.is_empty()).then(|| schema.to_string());
    if schema.iter().flat_map(|s| s.chars()).any(|c| !c.is_ascii_alphanumeric() && c != '_') {
        return Err(wrong("a schema is named by letters, digits and underscores"));
    }
    Ok(Door { address, user: user.to_string(), password, schema })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dsn_names_address_account_and_schema() {
        let read = |dsn: &str| door(dsn, "s".into()).unwrap();
        let tcp = read("mysql://me@db.example:3307/test");
        assert_eq!(tcp.address, Address::Tcp { host: "db.example".into(), port: 3307 });
        assert_eq!((tcp.user.as_str(), tcp.schema.as_deref()), ("me", Some("test")));
        assert_eq!(read("mysql://127.0.0.1").address, Address::Tcp { host: "127.0.0.1".into(), port: 3306 });
        let unix = read("mysql://root@localhost/sbtest?socket=/run/s");
        assert_eq!((unix.address, unix.schema), (Address::Unix("/run/s".into()), Some("sbtest".into())));
    }

    #[test]
    fn what_cannot_be_a_dsn_is_refused_with_the_form() {
        for dsn in ["postgres://x", "mysql://h:port/s", "mysql://h/s?tls=1", "mysql://h/a`b"] {
            assert!(door(dsn, String::new()).unwrap_err().to_string().contains("mysql://user@host"), "{dsn}");
        }
    }
}
