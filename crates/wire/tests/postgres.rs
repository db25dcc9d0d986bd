//! PostgreSQL's protocol against what a real server said to a client that is not ours: we must say the same bytes, and
//! understand the answers the same in one piece and byte by byte.

mod recorded;

use recorded::{Exchange, Turn, exchange, exchanges};
use wire::mysql::Malformed;
use wire::postgres::ask::{self, Param};
use wire::postgres::auth::Method;
use wire::postgres::{Account, Login, LoginError, LoginStep, Reply, Row, Session, Step, Summary, Transport, Visitor};

const NONCE: [u8; 18] = *b"assay fixture seed";
const WHOLE: usize = usize::MAX / 2;

fn account(name: &str) -> Account<'_> {
    let user = match name {
        "clear" => "clear",
        md5 if md5.starts_with("md5") => "md5user",
        scram if scram.starts_with("scram") => "scramuser",
        "unknown_user" => "nobody",
        "too_many_connections" => "few",
        _ => "sbtest",
    };
    let password: &[u8] = if name.ends_with("wrong_password") { b"wrong" } else { b"assay-test" };
    let database = if name == "unknown_database" { "nowhere" } else { "postgres" };
    Account { user, password, database: Some(database) }
}

/// Goes through a login, fed in pieces of `piece` bytes; what we say is compared with what was said.
fn replay(exchange: &Exchange, piece: usize) -> Result<Session, String> {
    let mut said = Vec::new();
    let mut login = Login::new(account(exchange.name), Transport::Plain, NONCE, &mut said);
    let mut pending = Vec::new();
    for turn in &exchange.turns {
        let bytes = match turn {
            Turn::Client(bytes) => {
                assert_eq!(said.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{}", exchange.name);
                said.clear();
                continue;
            }
            Turn::Server(bytes) => bytes,
        };
        for piece in bytes.chunks(piece) {
            pending.extend_from_slice(piece);
            match login.feed(&pending, &mut said).expect(exchange.name) {
                LoginStep::Incomplete { consumed } => drop(pending.drain(..consumed)),
                LoginStep::Encrypt { .. } => panic!("nobody wanted TLS"),
                LoginStep::Denied { error, .. } => return Err(error.to_string()),
                LoginStep::Done { consumed, session } => {
                    assert_eq!(consumed, pending.len());
                    return Ok(session);
                }
            }
        }
    }
    panic!("{} does not end", exchange.name);
}

#[test]
fn every_recorded_login_is_repeated_byte_for_byte() {
    for exchange in exchanges("postgresql-15/login") {
        let outcome = replay(&exchange, WHOLE);
        assert_eq!(replay(&exchange, 1), outcome, "{}", exchange.name);
        let refused = |code: &str, text: &str| {
            let said = outcome.as_ref().expect_err(exchange.name);
            assert!(said.starts_with(&format!("error {code}: FATAL:  {text}")), "{said}");
        };
        let by = |method| {
            let session = outcome.as_ref().expect(exchange.name);
            assert_eq!((session.method, session.version.as_str()), (method, "15.18 (Debian 15.18-0+deb12u1)"));
        };
        match exchange.name {
            "trust" => by(Method::Trust),
            "clear" => by(Method::Clear),
            "md5" => by(Method::Md5),
            "scram" => by(Method::Scram),
            "md5_wrong_password" | "scram_wrong_password" => {
                refused("28P01", "password authentication failed for user")
            }
            "unknown_database" => refused("3D000", "database \"nowhere\" does not exist"),
            "unknown_user" => refused("28000", "role \"nobody\" does not exist"),
            "too_many_connections" => refused("53300", "too many connections for role \"few\""),
            other => panic!("what is to be expected of {other}?"),
        }
    }
}

#[test]
fn a_server_that_does_not_know_the_password_is_not_believed() {
    let scram = exchange("postgresql-15/login", "scram");
    let mut login = Login::new(account("scram"), Transport::Plain, NONCE, &mut Vec::new());
    let server: Vec<&Vec<u8>> =
        scram.turns.iter().filter_map(|turn| if let Turn::Server(bytes) = turn { Some(bytes) } else { None }).collect();
    for bytes in &server[..2] {
        login.feed(bytes, &mut Vec::new()).unwrap();
    }
    // Straight to "you are in", without the proof.
    let in_at_once = [b'R', 0, 0, 0, 8, 0, 0, 0, 0];
    assert_eq!(login.feed(&in_at_once, &mut Vec::new()), Err(LoginError::Impostor));
    let mut forged = server[2].clone();
    forged[11] ^= 1;
    assert_eq!(login.feed(&forged, &mut Vec::new()), Err(LoginError::Impostor));
}

#[test]
fn tls_is_begun_where_it_is_offered_and_nothing_may_lie_before_it() {
    let login = |transport| {
        let mut out = Vec::new();
        (Login::new(account("trust"), transport, NONCE, &mut out), out)
    };
    let (mut wanted, out) = login(Transport::Tls);
    assert_eq!(out, [0, 0, 0, 8, 4, 210, 22, 47]);
    let mut out = Vec::new();
    assert_eq!(wanted.feed(b"S", &mut out), Ok(LoginStep::Encrypt { consumed: 1 }));
    wanted.encrypted(&mut out);
    assert_eq!(Turn::Client(out), exchange("postgresql-15/login", "trust").turns[0]);
    assert_eq!(login(Transport::Tls).0.feed(b"N", &mut Vec::new()), Err(LoginError::NotEncrypted));
    assert!(matches!(login(Transport::Tls).0.feed(b"SR", &mut Vec::new()), Err(LoginError::Malformed(_))));
    let mut out = Vec::new();
    assert_eq!(login(Transport::TlsIfOffered).0.feed(b"N", &mut out), Ok(LoginStep::Incomplete { consumed: 1 }));
    assert_eq!(Turn::Client(out), exchange("postgresql-15/login", "trust").turns[0]);
}

#[derive(Default)]
struct Transcript(Vec<String>);

impl Visitor for Transcript {
    fn result_set(&mut self, columns: usize) {
        self.0.push(format!("{columns} columns"));
    }

    fn row(&mut self, row: Row<'_>) {
        let cell = |cell: Result<Option<&[u8]>, Malformed>| match cell.expect("a sound cell") {
            Some(text) => text.escape_ascii().to_string(),
            None => "NULL".into(),
        };
        self.0.push(row.cells().map(cell).collect::<Vec<_>>().join("|"));
    }
}

/// What a reply held, and what it came to.
fn told(exchange: &Exchange, piece: usize) -> (Vec<String>, Result<Summary, String>) {
    let (mut reply, mut transcript, mut pending) = (Reply::default(), Transcript::default(), Vec::new());
    reply.begin();
    for piece in exchange.received().chunks(piece) {
        pending.extend_from_slice(piece);
        loop {
            match reply.feed(&pending, &mut transcript).expect(exchange.name) {
                Step::Incomplete { consumed, missing } => {
                    assert!(missing > 0);
                    pending.drain(..consumed);
                    break;
                }
                Step::CopyIn { consumed } => drop(pending.drain(..consumed)),
                Step::Done { consumed, summary } => {
                    assert_eq!((consumed, summary.bytes), (pending.len(), exchange.received().len() as u64));
                    return (transcript.0, Ok(summary));
                }
                Step::Failed { consumed, error, .. } => {
                    assert_eq!(consumed, pending.len());
                    return (transcript.0, Err(error.to_string()));
                }
            }
        }
    }
    panic!("{} does not end", exchange.name);
}

fn says(name: &str) -> (Vec<String>, Result<Summary, String>) {
    told(&exchange("postgresql-15/talk", name), WHOLE)
}

#[test]
fn an_answer_is_understood_the_same_byte_by_byte() {
    for exchange in exchanges("postgresql-15/talk") {
        assert_eq!(told(&exchange, 1), told(&exchange, WHOLE), "{}", exchange.name);
        assert_eq!(told(&exchange, 7), told(&exchange, WHOLE), "{}", exchange.name);
    }
}

#[test]
fn counts_of_rows_that_no_server_can_have_are_malformed_and_do_not_overflow() {
    // Found by fuzzing: two results of one answer whose counts together are more than 64 bits hold.
    let tag = b"INSERT 0 11846169964079011173\0";
    let mut complete = vec![b'C', 0, 0, 0, 4 + tag.len() as u8];
    complete.extend_from_slice(tag);
    let mut reply = Reply::default();
    reply.begin();
    assert!(reply.feed(&complete.repeat(2), &mut Transcript::default()).is_err());
}

#[test]
fn rows_are_text_and_null_is_not_the_empty_one() {
    let (rows, summary) = says("select");
    assert_eq!(
        rows,
        ["4 columns", "1|10|one                 |a", "2|20|two                 |NULL", "3|30|three               |"]
    );
    let summary = summary.unwrap();
    assert_eq!((summary.rows, summary.affected, summary.results, summary.columns), (3, 0, 1, 4));
    assert_eq!(says("select_nothing").0, ["1 columns"]);
    assert_eq!(says("select_many").1.unwrap().rows, 300);
    assert_eq!(says("execute_select").0, ["one                 |a"]);
    assert_eq!(says("execute_select_null").0, ["two                 |NULL"]);
}

#[test]
fn what_was_written_is_counted_and_an_open_transaction_is_known() {
    let affected = |name: &str| says(name).1.unwrap().affected;
    assert_eq!((affected("insert"), affected("update"), affected("update_nothing")), (3, 2, 0));
    assert_eq!((affected("execute_update"), affected("execute_update_one")), (0, 1));
    let within = |name: &str| says(name).1.unwrap().within;
    assert_eq!((within("begin"), within("commit"), within("execute_begin")), (true, false, true));
    let several = says("several");
    assert_eq!(several.0, ["1 columns", "1", "2 columns", "2|b"]);
    let summary = several.1.unwrap();
    assert_eq!((summary.results, summary.rows, summary.affected), (3, 2, 1));
    assert_eq!((says("notice").1.unwrap().notices, says("empty").1.unwrap().results), (1, 1));
    let prepared = says("prepare_select").1.unwrap();
    assert_eq!((prepared.parameters, prepared.columns), (1, 2));
    assert_eq!(says("prepare_update").1.unwrap().columns, 0);
}

#[test]
fn an_error_is_told_with_its_state_when_the_server_is_ready_again() {
    let refused = |name: &str| says(name).1.unwrap_err();
    assert_eq!(refused("syntax_error"), "error 42601: ERROR:  syntax error at or near \"selec\" at character 1");
    let duplicate = "error 23505: ERROR:  duplicate key value violates unique constraint \"sbtest1_pkey\"\n\
                     DETAIL:  Key (id)=(1) already exists.";
    assert_eq!(refused("duplicate"), duplicate);
    assert!(refused("failed_transaction").starts_with("error 25P02: "));
    assert!(refused("prepare_wrong").starts_with("error 42703: "));
    assert!(refused("execute_closed").starts_with("error 26000: "), "a closed statement is gone");
    assert!(refused("execute_bad_value").starts_with("error 22P02: "));
    assert!(refused("end_myself").starts_with("error 57P01: FATAL:  "));
    assert!(refused("copy_in").contains("assay sends no files"));
    assert_eq!(says("several_fail").0, ["1 columns", "1"]);
}

#[test]
fn what_we_ask_is_what_the_other_client_asked() {
    let wrote = |name: &str, write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        assert_eq!(
            out.escape_ascii().to_string(),
            exchange("postgresql-15/talk", name).sent().escape_ascii().to_string()
        );
    };
    wrote("begin", &|out| ask::query(out, b"BEGIN"));
    wrote("prepare_select", &|out| ask::prepare(out, 0, b"SELECT c, pad FROM sbtest1 WHERE id=$1"));
    wrote("execute_select", &|out| ask::execute(out, 0, [Param::Int(1)].into_iter()));
    wrote("execute_update", &|out| {
        ask::execute(out, 1, [Param::Bytes(b"neu"), Param::Null, Param::Int(-3)].into_iter());
    });
    wrote("execute_begin", &|out| ask::execute(out, 2, [].into_iter()));
    wrote("execute_behind_a_close", &|out| {
        ask::close(out, 1);
        ask::execute(out, 0, [Param::Int(3)].into_iter());
    });
    wrote("copy_in", &|out| {
        ask::query(out, b"copy sbtest1 from stdin\0and what lies behind a zero byte");
        ask::refuse_copy(out);
    });
}
