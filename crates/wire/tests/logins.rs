//! Real logins replayed: given the server's bytes and the same random seed, the client must say the same again.

mod recorded;

use recorded::{Dice, Exchange, Turn, exchanges};
use wire::mysql::auth::caching_sha2::{FAST_PATH_OK, FULL_PATH};
use wire::mysql::auth::switch::Switch;
use wire::mysql::auth::{self, Plugin};
use wire::mysql::handshake::{Flavour, Greeting};
use wire::mysql::{Account, Capabilities, Login, LoginError, LoginStep, Session, Transport, packet};

const SEED: [u8; 20] = *b"assay fixtures' seed";

fn account(name: &str) -> (Account<'_>, Transport) {
    let (user, password): (&str, &[u8]) = match name {
        "empty_password" => ("root", b""),
        "native_wrong_password" => ("native", b"wrong"),
        "sha2_wrong_password" => ("sha2", b"wrong"),
        "ed25519_wrong_password" => ("ed", b"wrong"),
        ed if ed.starts_with("ed25519") => ("ed", b"assay-test"),
        sha2 if sha2.starts_with("sha2") => ("sha2", b"assay-test"),
        _ => ("native", b"assay-test"),
    };
    let database = match name {
        "native_socket" | "sha2_full_tcp" | "sha2_fast_tcp" => Some("cap"),
        "unknown_database" => Some("nowhere"),
        _ => None,
    };
    let attributes = &[("program_name", "assay")];
    let capabilities = Capabilities::WANTED;
    let transport = match name {
        tcp if tcp.ends_with("tcp") => Transport::Tcp,
        tls if tls.ends_with("tls") => Transport::Tls,
        _ => Transport::UnixSocket,
    };
    (Account { user, password, database, attributes, collation: 45, capabilities }, transport)
}

/// What a login came to: the session, or the server's refusal as text.
fn replay(exchange: &Exchange, mut piece: impl FnMut() -> usize) -> Result<Session, String> {
    let (account, transport) = account(exchange.name);
    let mut login = Login::new(account, transport, SEED);
    let (mut pending, mut said, mut encrypts) = (Vec::new(), Vec::new(), false);
    for turn in &exchange.turns {
        let bytes = match turn {
            Turn::Server(bytes) => bytes,
            Turn::Client(bytes) => {
                assert_eq!(&said, bytes, "{} {}", exchange.file, exchange.name);
                said.clear();
                if std::mem::take(&mut encrypts) {
                    login.encrypted(&mut said);
                }
                continue;
            }
        };
        let mut at = 0;
        while at < bytes.len() {
            let to = bytes.len().min(at + piece().max(1));
            pending.extend_from_slice(&bytes[at..to]);
            at = to;
            match login.feed(&pending, &mut said).expect(exchange.name) {
                LoginStep::Incomplete { consumed, missing } => {
                    assert!(missing > 0);
                    pending.drain(..consumed);
                }
                LoginStep::Encrypt { consumed } => {
                    assert_eq!((consumed, transport), (pending.len(), Transport::Tls));
                    pending.clear();
                    encrypts = true;
                }
                LoginStep::Done { consumed, session } => {
                    assert_eq!(consumed, pending.len());
                    return Ok(session);
                }
                LoginStep::Denied { consumed, error } => {
                    assert_eq!(consumed, pending.len());
                    return Err(error.to_owned().to_string());
                }
            }
        }
    }
    panic!("{} {} does not end", exchange.file, exchange.name);
}

fn logins() -> impl Iterator<Item = Exchange> {
    let files = ["mariadb-10.11.19/login", "mysql-8.0.33/login"];
    files.into_iter().flat_map(exchanges).filter(|exchange| exchange.name != "idle_too_long")
}

#[test]
fn every_recorded_login_is_repeated_byte_for_byte() {
    for exchange in logins() {
        let refused = match exchange.name {
            "native_wrong_password" | "sha2_wrong_password" | "ed25519_wrong_password" => {
                Some("error 1045 (28000): Access denied")
            }
            "unknown_database" => Some("error 1049 (42000): Unknown database 'nowhere'"),
            "too_many_connections" => Some("error 1040 (HY000): Too many connections"),
            _ => None,
        };
        match (replay(&exchange, || usize::MAX / 2), refused) {
            (Ok(session), None) => {
                let (flavour, version) = if exchange.file.starts_with("mariadb") {
                    (Flavour::MariaDb, "10.11.19-MariaDB-0+deb12u1")
                } else {
                    (Flavour::MySql, "8.0.33")
                };
                assert_eq!((session.flavour, session.version.as_str()), (flavour, version));
            }
            (Err(error), Some(expected)) => assert!(error.starts_with(expected), "{error}"),
            (outcome, _) => panic!("{} {}: {outcome:?}", exchange.file, exchange.name),
        }
    }
}

#[test]
fn a_login_reads_the_same_in_any_pieces() {
    let mut dice = Dice(2);
    for exchange in logins() {
        let whole = replay(&exchange, || usize::MAX / 2);
        assert_eq!(replay(&exchange, || 1), whole);
        assert_eq!(replay(&exchange, || dice.below(40)), whole);
    }
}

#[test]
fn caching_sha2_uses_the_path_that_the_server_chooses() {
    let turns = |name| recorded::exchange("mysql-8.0.33/login", name).turns;
    let clear = turns("sha2_full_socket")
        .iter()
        .any(|turn| matches!(turn, Turn::Client(sent) if sent.ends_with(b"assay-test\0")));
    assert!(clear, "over a private socket the full path sends the password");
    let sealed = turns("sha2_full_tcp").iter().any(|turn| matches!(turn, Turn::Client(sent) if sent.len() == 4 + 256));
    assert!(sealed, "over TCP the full path sends 256 bytes under a key of 2048 bits");
    for exchange in logins().filter(|exchange| exchange.name.starts_with("sha2_f")) {
        let says = |bytes: &[u8], verdict| matches!(bytes, [2, 0, 0, _, 1, said] if *said == verdict);
        let more_data = |verdict| exchange.received().windows(6).any(|bytes| says(bytes, verdict));
        let fast = exchange.name.starts_with("sha2_fast");
        assert_eq!((more_data(FAST_PATH_OK), more_data(FULL_PATH)), (fast, !fast), "{}", exchange.name);
        assert_eq!(replay(&exchange, || usize::MAX / 2).expect("in").plugin, Plugin::CachingSha2);
        let leaks = exchange.sent().windows(10).any(|window| window == b"assay-test");
        assert_eq!(leaks, ["sha2_full_socket", "sha2_full_tls"].contains(&exchange.name), "{}", exchange.name);
    }
}

#[test]
fn mariadb_offers_its_own_capabilities_and_mysql_has_none() {
    for (file, cached) in [("mariadb-10.11.19/login", true), ("mysql-8.0.33/login", false)] {
        let received = recorded::exchange(file, "native_socket").received();
        let (greeting, _) = packet::split(&received).expect("a greeting");
        let greeting = Greeting::parse(greeting.payload).expect("a greeting");
        assert_eq!(greeting.capabilities.has(Capabilities::CACHE_METADATA), cached, "{file}");
        assert!(greeting.capabilities.has(Capabilities::DEPRECATE_EOF), "{file}");
    }
}

/// What a client does that was greeted by MariaDB and is then told to switch.
fn switched<'b>(switch: &'b [u8], out: &mut Vec<u8>) -> Result<LoginStep<'b>, LoginError> {
    let greeting = recorded::exchange("mariadb-10.11.19/login", "native_socket");
    let Turn::Server(greeting) = &greeting.turns[0] else { panic!("the server speaks first") };
    let (account, transport) = account("native_socket");
    let mut login = Login::new(account, transport, SEED);
    assert!(matches!(login.feed(greeting, &mut Vec::new()), Ok(LoginStep::Incomplete { .. })));
    login.feed(switch, out)
}

#[test]
fn a_plugin_that_assay_does_not_speak_is_named() {
    let mut switch = Vec::new();
    packet::write(&mut switch, 2, |out| out.extend_from_slice(b"\xFEdialog\0"));
    assert_eq!(switched(&switch, &mut Vec::new()), Err(LoginError::UnknownPlugin("dialog".to_owned())));
}

#[test]
fn a_switch_is_answered_by_its_own_challenge() {
    let scramble = *b"another challenge !!";
    for plugin in Plugin::ALL {
        let (mut switch, mut out, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        packet::write(&mut switch, 2, |out| {
            Switch { plugin: plugin.name().as_bytes(), challenge: &scramble }.write(out)
        });
        assert!(matches!(switched(&switch, &mut out), Ok(LoginStep::Incomplete { .. })));
        packet::write(&mut expected, 3, |out| out.extend_from_slice(&plugin.proof(b"assay-test", &scramble)));
        assert_eq!(out, expected);
    }
}

#[test]
fn what_is_asked_for_under_tls_says_nothing_before_it() {
    for exchange in logins().filter(|exchange| exchange.name.ends_with("tls")) {
        let Turn::Client(request) = &exchange.turns[1] else { panic!("the client speaks second") };
        assert_eq!(request.len(), 4 + 32, "flags and no name");
        let session = replay(&exchange, || usize::MAX / 2).expect("in");
        assert!(session.capabilities.has(Capabilities::SSL) && session.offered.has(Capabilities::COMPRESS));
        assert!(!session.capabilities.has(Capabilities::COMPRESS));
    }
}

/// The first step of a login over a transport, from a recorded greeting and what follows it at once.
fn first_step(name: &str, transport: Transport, injected: &[u8]) -> (Result<usize, LoginError>, Vec<u8>) {
    let exchange = recorded::exchange("mariadb-10.11.19/login", name);
    let Turn::Server(greeting) = &exchange.turns[0] else { panic!("the server speaks first") };
    let (bytes, mut out) = ([greeting, injected].concat(), Vec::new());
    let mut login = Login::new(account(name).0, transport, SEED);
    let step = login.feed(&bytes, &mut out).map(|step| match step {
        LoginStep::Encrypt { consumed } | LoginStep::Incomplete { consumed, .. } => consumed,
        LoginStep::Done { .. } | LoginStep::Denied { .. } => panic!("a greeting is not the end"),
    });
    (step, out)
}

#[test]
fn tls_is_refused_taken_or_left_as_the_server_offers_and_the_client_wants() {
    let ssl_request = 4 + 32;
    // The first server has no certificate, the second has.
    assert_eq!(first_step("native_tcp", Transport::Tls, b""), (Err(LoginError::NotEncrypted), Vec::new()));
    assert!(first_step("native_tcp", Transport::TlsIfOffered, b"").1.len() > ssl_request);
    assert_eq!(first_step("native_tls", Transport::TlsIfOffered, b"").1.len(), ssl_request);
    assert!(first_step("native_tls", Transport::Tcp, b"").1.len() > ssl_request);
}

#[test]
fn bytes_smuggled_in_before_tls_end_the_login() {
    let (step, _) = first_step("native_tls", Transport::Tls, &[7, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]);
    assert!(matches!(step, Err(LoginError::Malformed(_))), "{step:?}");
}

#[test]
fn ed25519_signs_as_rfc_8032_does_and_as_mariadb_checks() {
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex")).collect()
    };
    // RFC 8032, 7.1, test 2: there the seed has 32 bytes, here it is a password of 32 bytes.
    let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    let signature = hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
         085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    assert_eq!(auth::ed25519::proof(&seed, &[0x72]).to_vec(), signature);
    let session = replay(&recorded::exchange("mariadb-10.11.19/login", "ed25519_socket"), || 1).expect("in");
    assert_eq!(session.plugin, Plugin::Ed25519);
}

#[test]
fn every_prefix_of_a_greeting_is_incomplete() {
    for exchange in logins() {
        let Turn::Server(first) = &exchange.turns[0] else { panic!("the server speaks first") };
        for cut in 0..first.len() {
            let (account, transport) = account(exchange.name);
            let mut out = Vec::new();
            let mut login = Login::new(account, transport, SEED);
            let step = login.feed(&first[..cut], &mut out);
            assert!(matches!(step, Ok(LoginStep::Incomplete { consumed: 0, missing }) if cut + missing <= first.len()));
            assert_eq!(out, b"");
        }
    }
}
