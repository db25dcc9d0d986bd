//! DSNs as URLs: every part survives being told and read again, and what is no DSN is refused in one sentence with its
//! mend.

use model::dsn::Dsn;
use proptest::prelude::*;

/// Any text that a name or a path can have.
fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[^\0]{0,12}").expect("a regular expression")
}

fn host() -> impl Strategy<Value = String> {
    let name = proptest::string::string_regex("[^\0:]{0,12}").expect("a regular expression");
    let address = proptest::string::string_regex("[0-9a-f]{0,4}::[0-9a-f]{1,4}(%[a-z0-9 ]{1,5})?");
    prop_oneof![name, address.expect("a regular expression")]
}

fn dsn() -> impl Strategy<Value = Dsn> {
    let scheme = prop_oneof![Just("mysql"), Just("mongodb"), Just("memcached"), Just("postgres")];
    let some = |strategy| proptest::option::of(strategy);
    let query = proptest::collection::vec((text(), text()), 0..3);
    let all = (scheme, some(text()), host(), proptest::option::of(any::<u16>()), some(text()), query);
    all.prop_map(|(scheme, user, host, port, path, query)| Dsn { scheme: scheme.into(), user, host, port, path, query })
}

proptest! {
    #[test]
    fn what_a_dsn_says_is_read_back_from_how_it_is_told(dsn in dsn()) {
        let told = dsn.to_string();
        prop_assert!(told.is_ascii() && !told.contains(' '), "{}", told);
        prop_assert_eq!(Dsn::parse(&told).map_err(|e| format!("{told}: {e}")), Ok(dsn));
    }

    #[test]
    fn no_text_is_read_and_told_as_something_else(text in "(mysql://)?[a-z0-9:@/?=&%\\[\\] ]{0,30}") {
        if let Ok(dsn) = Dsn::parse(&text) {
            prop_assert_eq!(Dsn::parse(&dsn.to_string()), Ok(dsn));
        }
    }
}

#[test]
fn users_paths_and_addresses_are_decoded() {
    let read = |text: &str| Dsn::parse(text).unwrap();
    let dsn = read("mysql://a%20b@[::1]:3307/my%5fdb?socket=/run/my%20sql/s%26t");
    assert_eq!((dsn.user.as_deref(), dsn.host.as_str(), dsn.port), (Some("a b"), "::1", Some(3307)));
    assert_eq!(dsn.path.as_deref(), Some("my_db"));
    assert_eq!(dsn.query, [("socket".to_string(), "/run/my sql/s&t".to_string())]);
    assert_eq!(dsn.to_string(), "mysql://a%20b@[::1]:3307/my_db?socket=/run/my%20sql/s%26t");
    assert_eq!(read("mysql://u@[fe80::1%25eth0]").host, "fe80::1%eth0");
    assert_eq!(read("mysql://a%3Ab@h").user.as_deref(), Some("a:b"), "an escaped colon begins no password");
}

#[test]
fn what_is_usually_written_is_told_as_it_was() {
    for text in [
        "mysql://root@localhost/?socket=/run/mysqld/mysqld.sock",
        "mysql://tester@127.0.0.1:3306/sbtest?tls=verify_ca&ca=/etc/ca.pem",
        "mongodb://h/linkdb?authSource=staff",
        "memcached://localhost?socket=/run/s",
        "postgres://me@db.example:5433/",
    ] {
        assert_eq!(Dsn::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn what_is_no_dsn_is_told_in_a_sentence_with_its_mend() {
    let told = [
        "localhost:3306",
        "mysql://me:secret@h",
        "mysql://a%2@h",
        "mysql://a%zz@h/s",
        "mysql://h/%00",
        "mysql://%ff@h",
        "mysql://u@[::1:3306/db",
        "mysql://u@[localhost]/db",
        "mysql://u@[::1]3306/db",
        "mysql://u@::1/db",
        "mysql://h:port/s",
        "mysql://h:70000/s",
        "mysql://h:+80/s",
        "mysql://h/s?socket",
    ]
    .map(|text| Dsn::parse(text).unwrap_err().to_string());
    insta::assert_snapshot!(told.join("\n"));
}
