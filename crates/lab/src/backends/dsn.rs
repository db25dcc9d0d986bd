//! A server that somebody else runs, as its address in one line: `mysql://user@host:port/schema`, or with
//! `?socket=PATH` over a Unix socket, or with `?tls=required` (`&ca=PATH`) encrypted; a store of documents may say
//! which schema knows its account (`&authSource=NAME`). The password never stands in it, because a DSN goes into the
//! record; it comes from the environment. It is taken apart by `model::dsn`; here is what each protocol makes of its
//! parts.

use super::endpoint::{Address, SqlEndpoint};
use super::mongodb::session::{Account, Store};
use super::tls::{Mode, Tls};
use crate::trouble::Trouble;
use model::Protocol;
use model::dsn::{Dsn, Malformed};
use std::path::PathBuf;
use wire::mongodb::login::ADMIN;

/// Where the password of a DSN's account is looked for.
pub const PASSWORD: &str = "ASSAY_PASSWORD";

const ROOT: &str = "root";
const POSTGRES: &str = "postgres";

/// What a DSN says.
struct Named {
    protocol: Protocol,
    user: Option<String>,
    address: Address,
    schema: Option<String>,
    tls: Option<Tls>,
    source: Option<String>,
}

fn wrong(dsn: &str, why: &str) -> Trouble {
    Trouble::new(format!("{dsn}: {why}"))
        .mend("write mysql://user@host:port/schema, with ?tls=required, or mysql://user@localhost/schema?socket=/PATH")
}

/// The endpoint of tables or keys that a DSN names. Its schema may be absent.
pub fn endpoint(dsn: &str, password: String) -> Result<SqlEndpoint, Trouble> {
    let Named { protocol, user, address, schema, tls, source } = Named::read(dsn)?;
    if protocol == Protocol::Memcached {
        if tls.is_some() || user.is_some() {
            return Err(wrong(dsn, "assay has no accounts and no encryption in the protocol of memcached://"));
        }
        if schema.is_some() {
            return Err(wrong(dsn, "a cache has no schemas: leave out what stands behind the host"));
        }
    }
    if source.is_some() {
        return Err(wrong(dsn, "authSource is said of mongodb:// alone"));
    }
    let usual = if protocol == Protocol::PostgreSql { POSTGRES } else { ROOT };
    Ok(SqlEndpoint { address, user: user.unwrap_or_else(|| usual.into()), password, schema, tls })
}

/// The store of documents that a DSN names, and its schema, which may be absent. As everywhere in MongoDB's world, an
/// account is known to `authSource`, else to the schema, else to `admin`.
pub fn store(dsn: &str, password: String) -> Result<(Store, Option<String>), Trouble> {
    let Named { user, address, schema, tls, source, .. } = Named::read(dsn)?;
    if tls.as_ref().is_some_and(|tls| tls.mode == Mode::Preferred) {
        return Err(wrong(
            dsn,
            "a store of documents cannot be asked whether it encrypts: say tls=required or tls=off",
        ));
    }
    if source.is_some() && user.is_none() {
        return Err(wrong(dsn, "authSource is said, and no account: write mongodb://user@host"));
    }
    let source = source.or_else(|| schema.clone()).unwrap_or_else(|| ADMIN.into());
    let account = user.map(|user| Account { user, password, source });
    Ok((Store { address, account, tls }, schema))
}

impl Named {
    fn read(text: &str) -> Result<Self, Trouble> {
        let wrong = |why: &str| wrong(text, why);
        let dsn = Dsn::parse(text).map_err(|Malformed { what, mend }| Trouble::new(what).mend(mend))?;
        let named = Protocol::of_scheme(&dsn.scheme);
        let Some((protocol, own_port)) = named.and_then(|protocol| Some((protocol, protocol.port()?))) else {
            let schemes = Protocol::ALL.into_iter().filter_map(Protocol::scheme).map(|scheme| format!("{scheme}://"));
            return Err(wrong(&format!("assay speaks only {} so far", schemes.collect::<Vec<_>>().join(", "))));
        };
        let Query { socket, tls, source } = Query::read(&dsn.query, protocol).map_err(|why| wrong(&why))?;
        let address = match socket {
            Some(path) => Address::Unix(path),
            None if dsn.host.is_empty() => return Err(wrong("it names no host and no socket")),
            None => Address::Tcp { host: dsn.host, port: dsn.port.unwrap_or(own_port) },
        };
        let schema = dsn.path.filter(|path| !path.is_empty());
        if schema.iter().flat_map(|s| s.chars()).any(|c| !c.is_ascii_alphanumeric() && c != '_') {
            return Err(wrong("a schema is named by letters, digits and underscores"));
        }
        let tls = tls.map(|(mode, ca)| Tls::new(mode, ca)).transpose()?;
        Ok(Self { protocol, user: dsn.user, address, schema, tls, source })
    }
}

/// The words of PostgreSQL's own clients.
const SSL_MODES: [(&str, Option<Mode>); 5] = [
    ("disable", None),
    ("prefer", Some(Mode::Preferred)),
    ("require", Some(Mode::Required)),
    ("verify-ca", Some(Mode::VerifyCa)),
    ("verify-full", Some(Mode::VerifyIdentity)),
];

/// What stands after the question mark.
#[derive(Default)]
struct Query {
    socket: Option<PathBuf>,
    tls: Option<(Mode, Option<PathBuf>)>,
    source: Option<String>,
}

impl Query {
    fn read(pairs: &[(String, String)], protocol: Protocol) -> Result<Self, String> {
        let is_postgres = protocol == Protocol::PostgreSql;
        let (mut query, mut mode, mut ca) = (Self::default(), None, None);
        for (name, value) in pairs {
            match (name.as_str(), value.as_str()) {
                ("socket", path) if path.starts_with('/') => query.socket = Some(path.into()),
                ("ca", path) if path.starts_with('/') => ca = Some(PathBuf::from(path)),
                ("sslrootcert", path) if is_postgres && path.starts_with('/') => ca = Some(PathBuf::from(path)),
                ("sslmode", word) if is_postgres => {
                    let known = SSL_MODES.iter().find(|(theirs, _)| *theirs == word);
                    let words = || SSL_MODES.map(|(word, _)| word).join(", ");
                    mode = known.ok_or_else(|| format!("sslmode is one of {}", words()))?.1;
                }
                ("authSource", schema) if !schema.is_empty() => query.source = Some(schema.to_string()),
                ("tls", "off") => mode = None,
                ("tls", word) => {
                    mode = Some(Mode::named(word).ok_or_else(|| format!("tls is one of {}", Mode::WORDS))?);
                }
                (_, _) => {
                    return Err(
                        "after the question mark stand socket=/PATH, tls=MODE and ca=/PATH, and & between".into()
                    );
                }
            }
        }
        query.tls = mode.map(|mode| (mode, ca.take()));
        if ca.is_some() {
            return Err("a CA is named, and tls=verify_ca or tls=verify_identity is not said".into());
        }
        if query.socket.is_some() && query.tls.is_some() {
            return Err("bytes on a Unix socket leave no machine and are not encrypted".into());
        }
        Ok(query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dsn_names_address_account_and_schema() {
        let read = |dsn: &str| endpoint(dsn, "s".into()).unwrap();
        let tcp = read("mysql://me@db.example:3307/test");
        assert_eq!(tcp.address, Address::Tcp { host: "db.example".into(), port: 3307 });
        assert_eq!((tcp.user.as_str(), tcp.schema.as_deref()), ("me", Some("test")));
        assert_eq!(read("mysql://127.0.0.1").address, Address::Tcp { host: "127.0.0.1".into(), port: 3306 });
        let unix = read("mysql://root@localhost/sbtest?socket=/run/s");
        assert_eq!((unix.address, unix.schema), (Address::Unix("/run/s".into()), Some("sbtest".into())));
        let cache = |dsn: &str| endpoint(dsn, String::new());
        assert_eq!(cache("memcached://h").unwrap().address, Address::Tcp { host: "h".into(), port: 11211 });
        assert_eq!(cache("memcached://localhost?socket=/run/s").unwrap().address, Address::Unix("/run/s".into()));
        assert!(cache("memcached://h/kv").unwrap_err().to_string().contains("no schemas"));
        assert!(cache("memcached://me@h").unwrap_err().to_string().contains("no accounts"));
        assert!(
            endpoint("mysql://h/s?authSource=admin", String::new()).unwrap_err().to_string().contains("mongodb://")
        );
    }

    #[test]
    fn a_store_of_documents_has_accounts_where_mongodb_looks_for_them() {
        let read = |dsn: &str| store(dsn, "s".into()).unwrap();
        let (open, schema) = read("mongodb://h/linkdb");
        assert_eq!((open.address, open.account), (Address::Tcp { host: "h".into(), port: 27017 }, None));
        assert_eq!(schema.as_deref(), Some("linkdb"));
        let account = |dsn: &str| format!("{:?}", read(dsn).0.account.unwrap());
        assert_eq!(account("mongodb://me@h"), "me of admin");
        assert_eq!(account("mongodb://me@h/linkdb"), "me of linkdb");
        assert_eq!(account("mongodb://me@h/linkdb?authSource=staff&tls=required"), "me of staff");
        let told = |dsn: &str| store(dsn, String::new()).unwrap_err().to_string();
        assert!(told("mongodb://h/linkdb?authSource=staff").contains("mongodb://user@host"));
        assert!(told("mongodb://h?tls=preferred").contains("tls=required or tls=off"));
    }

    #[test]
    fn a_dsn_says_whether_to_encrypt_and_whom_to_trust() {
        let mode = |dsn: &str| endpoint(dsn, String::new()).unwrap().tls.map(|tls| tls.mode);
        assert_eq!(mode("mysql://h/s"), None);
        assert_eq!(mode("mysql://h/s?tls=off"), None);
        assert_eq!(mode("mysql://h/s?tls=preferred"), Some(Mode::Preferred));
        assert_eq!(mode("mysql://h/s?tls=required"), Some(Mode::Required));
        let told = |dsn: &str| endpoint(dsn, String::new()).unwrap_err().to_string();
        assert!(told("mysql://h/s?tls=1").contains("off, preferred, required, verify_ca, verify_identity"));
        assert!(told("mysql://h/s?tls=verify_ca").contains("add ca=/PATH"));
        assert!(told("mysql://h/s?tls=required&ca=/x").contains("tls=verify_ca"));
        assert!(told("mysql://h/s?ca=/x").contains("tls=verify_ca"));
        assert!(told("mysql://h/s?tls=verify_ca&ca=/nowhere.pem").contains("/nowhere.pem"));
        assert!(told("mysql://h/s?socket=/s&tls=required").contains("not encrypted"));
        // As PostgreSQL's own clients say it, and nobody else's.
        assert_eq!(mode("postgres://h/d?sslmode=disable"), None);
        assert_eq!(mode("postgres://h/d?sslmode=require"), Some(Mode::Required));
        assert!(told("postgres://h/d?sslmode=verify-full").contains("add ca=/PATH"));
        assert!(told("postgres://h/d?sslmode=verify-full&sslrootcert=/nowhere.pem").contains("/nowhere.pem"));
        assert!(told("postgres://h/d?sslmode=full").contains("prefer, require, verify-ca, verify-full"));
        assert!(told("mysql://h/s?sslmode=require").contains("after the question mark"));
    }

    #[test]
    fn an_account_a_path_and_an_address_are_decoded_as_a_url_says_them() {
        let read = |dsn: &str| endpoint(dsn, String::new()).unwrap();
        let tcp = read("mysql://a%20b@[::1]:3307/my%5Fdb");
        assert_eq!((tcp.user.as_str(), tcp.schema.as_deref()), ("a b", Some("my_db")));
        assert_eq!(tcp.address, Address::Tcp { host: "::1".into(), port: 3307 });
        assert_eq!(tcp.address.to_string(), "[::1]:3307");
        assert_eq!(read("mysql://localhost?socket=/run/my%20s").address, Address::Unix("/run/my s".into()));
        let (told, _) = store("mongodb://a%40b@h/d", String::new()).unwrap();
        assert_eq!(told.account.unwrap().user, "a@b");
        assert!(endpoint("mysql://a%2@h", String::new()).unwrap_err().to_string().contains("%25"));
    }

    #[test]
    fn what_cannot_be_a_dsn_is_refused_with_the_form() {
        for dsn in ["oracle://x", "mysql://h/s?tls=1", "mysql://h/a`b", "mysql:///s"] {
            assert!(endpoint(dsn, String::new()).unwrap_err().to_string().contains("mysql://user@host"), "{dsn}");
        }
    }
}
