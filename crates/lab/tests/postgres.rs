//! Sessions in PostgreSQL's protocol against PostgreSQL itself, on both ways of talking to the kernel: every way in,
//! statements as text and prepared, rows and NULLs, errors that a session survives and those that it does not.

mod private_postgres;
mod skipped;

use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::opening::Opening;
use lab::backends::postgres::session::Session;
use lab::backends::tls::{Mode, Tls};
use lab::executor::Connecting;
use lab::executor::Executor;
use model::load::Io;
use model::units::Nanos;
use private_postgres::Postgres;
use std::rc::Rc;
use workload::rows::KeptRows;
use workload::session::{Class, Fault, Param, Request, Sql, Want};

const DEADLINE: Nanos = Nanos::from_secs(60);
const CLASS: Class = Class(0);
const PASSWORD: &str = "assay-test";

fn endpoint(server: &Postgres, user: &str) -> SqlEndpoint {
    SqlEndpoint {
        address: Address::Unix(server.socket()),
        user: user.into(),
        password: PASSWORD.into(),
        schema: Some("postgres".into()),
        tls: None,
    }
}

/// Runs one user's conversation to its end, and gives what it came to.
fn converse<T: 'static>(
    endpoint: &SqlEndpoint,
    io: Io,
    user: impl AsyncFnOnce(Session<()>) -> T + 'static,
) -> Result<T, Fault> {
    let mut executor = Executor::new(io).expect("an executor");
    let (handle, endpoint) = (executor.handle(), endpoint.clone());
    let (say, said) = std::sync::mpsc::channel();
    executor.handle().spawn(Box::pin(async move {
        let address = endpoint.address.clone();
        let connect = Box::new(move || -> Connecting {
            let (handle, address) = (handle.clone(), address.clone());
            Box::pin(async move { handle.connect(&address, DEADLINE).await })
        });
        let opening = Rc::new(Opening { endpoint, connect, setup: Vec::new(), again: None });
        let outcome = match Session::open(opening, ()).await {
            Ok(session) => Ok(user(session).await),
            Err(fault) => Err(fault),
        };
        say.send(outcome).expect("somebody listens");
    }));
    executor.run(|| false).expect("the conversation ends");
    said.recv().expect("it said how")
}

fn rows(kept: &KeptRows) -> Vec<Vec<Option<String>>> {
    (0..kept.rows()).map(|row| (0..kept.columns()).map(|column| kept.text(row, column)).collect()).collect()
}

fn text(cells: &[&str]) -> Vec<Option<String>> {
    cells.iter().map(|cell| Some(cell.to_string())).collect()
}

fn state(fault: Fault) -> String {
    match fault {
        Fault::Server { code: 0, state, .. } => String::from_utf8_lossy(&state).into_owned(),
        other => panic!("{other}"),
    }
}

/// What a script does with a session, in one breath.
async fn conversation(mut session: Session<()>) {
    let sql = &mut session as &mut dyn Sql;
    sql.query(CLASS, "CREATE TEMPORARY TABLE t (id int primary key, c char(5), pad text)").await.unwrap();
    let insert = sql.prepare(CLASS, "INSERT INTO t VALUES ($1, $2, $3)").await.unwrap();
    for (id, pad) in [(1, Param::Bytes(b"one")), (2, Param::Null), (3, Param::Bytes(b""))] {
        let answer = sql.execute(CLASS, insert, &[Param::Int(id), Param::Bytes(b"c"), pad]).await.unwrap();
        assert_eq!((answer.rows, answer.affected), (0, 1));
        assert_eq!(sql.kept().columns(), 0);
    }
    let answer = sql.read(CLASS, "SELECT id, c, pad FROM t ORDER BY id").await.unwrap();
    assert_eq!((answer.rows, answer.affected), (3, 0));
    let all = rows(sql.kept());
    assert_eq!(all[0], text(&["1", "c    ", "one"]));
    assert_eq!((all[1][2].as_deref(), all[2][2].as_deref()), (None, Some("")));
    let select = sql.prepare(CLASS, "SELECT pad, id FROM t WHERE id BETWEEN $1 AND $2").await.unwrap();
    sql.execute_reading(CLASS, select, &[Param::Int(1), Param::Int(1)]).await.unwrap();
    assert_eq!(rows(sql.kept()), [text(&["one", "1"])]);
    let nothing = sql.execute_reading(CLASS, select, &[Param::Int(7), Param::Int(9)]).await.unwrap();
    assert_eq!((nothing.rows, sql.kept().columns()), (0, 2), "a result without rows is a result");
    let refused = sql.execute(CLASS, insert, &[Param::Int(1), Param::Null, Param::Null]).await.unwrap_err();
    assert_eq!(state(refused), "23505");
    assert_eq!(state(sql.prepare(CLASS, "SELECT nowhere").await.unwrap_err()), "42703");
    let again = sql.prepare(CLASS, "UPDATE t SET pad = 'x' WHERE id > $1").await.unwrap();
    sql.close(CLASS, select).await.unwrap();
    assert_eq!(sql.execute(CLASS, again, &[Param::Int(1)]).await.unwrap().affected, 2);
    let many = sql.read(CLASS, "SELECT repeat('x', 1000) FROM generate_series(1, 2000)").await.unwrap();
    assert_eq!((many.rows, sql.kept().rows()), (2000, 2000), "an answer of many pieces");
    let several = sql.read(CLASS, "SELECT 1; SELECT 2, 3").await.unwrap();
    assert_eq!((several.rows, rows(sql.kept())), (2, vec![text(&["2", "3"])]));
    behind_each_other(sql).await;
    sql.start(CLASS, Request::Text("COPY t FROM STDIN"), Want::Count);
    let refused = std::future::poll_fn(|cx| sql.poll_answer(cx)).await.unwrap_err();
    assert_eq!(state(refused), "57014", "assay sends no files");
    sql.reconnect().await.unwrap();
    let gone = sql.query(CLASS, "SELECT 1 FROM t").await.unwrap_err();
    assert_eq!(state(gone), "42P01", "a temporary table is gone with its session");
    let ended = sql.query(CLASS, "SELECT pg_terminate_backend(pg_backend_pid())").await.unwrap_err();
    assert_eq!(state(ended), "57P01");
    let lost = sql.query(CLASS, "SELECT 1").await.unwrap_err();
    assert!(!lost.session_survives(), "{lost}");
    sql.reconnect().await.unwrap();
    assert_eq!(sql.query(CLASS, "SELECT 1").await.unwrap().rows, 1);
    session.quit().await;
}

/// Executions that leave together: a refusal in their middle ends no other, and answers of many pieces keep their order.
async fn behind_each_other(sql: &mut dyn Sql) {
    const TIMES: usize = 40;
    let divide = sql.prepare(CLASS, "SELECT 10 / $1::integer").await.unwrap();
    let repeat = sql.prepare(CLASS, "SELECT repeat('x', $1::integer)").await.unwrap();
    let pipeline = sql.pipeline().expect("PostgreSQL's protocol has one");
    for by in [1, 0, 5] {
        pipeline.add(CLASS, divide, &[Param::Int(by)], Want::Keep);
    }
    (0..TIMES).for_each(|n| pipeline.add(CLASS, repeat, &[Param::Int(20_000 + n as i64)], Want::Keep));
    let mut came = Vec::new();
    for _ in 0..3 + TIMES {
        let answer = std::future::poll_fn(|cx| sql.pipeline().expect("as before").poll_next(cx)).await;
        came.push(answer.map(|_| sql.kept().text(0, 0).expect("a value")).map_err(state));
    }
    let short: Vec<_> = came.iter().take(3).map(|one| one.as_deref().map_err(String::as_str)).collect();
    assert_eq!(short, [Ok("10"), Err("22012"), Ok("2")]);
    let lengths: Vec<usize> = came.iter().skip(3).map(|one| one.as_ref().map_or(0, String::len)).collect();
    assert_eq!(lengths, (20_000..20_000 + TIMES).collect::<Vec<_>>());
    assert_eq!(sql.query(CLASS, "SELECT 1").await.unwrap().rows, 1, "and it goes on one at a time");
}

#[test]
fn a_session_speaks_to_a_real_server() {
    let Some(server) = Postgres::start() else { return };
    let owner = endpoint(&server, "sbtest");
    let accounts = "SET password_encryption = 'md5'; CREATE ROLE md5user LOGIN PASSWORD 'assay-test';
        SET password_encryption = 'scram-sha-256'; CREATE ROLE scramuser LOGIN PASSWORD 'assay-test';
        CREATE ROLE clear LOGIN PASSWORD 'assay-test'";
    for io in [Io::Epoll, Io::Auto] {
        converse(&owner, io, conversation).unwrap();
    }
    converse(&owner, Io::Epoll, async |mut session| (&mut session as &mut dyn Sql).query(CLASS, accounts).await)
        .unwrap()
        .unwrap();
    for (user, method) in
        [("sbtest", "trust"), ("clear", "password"), ("md5user", "md5"), ("scramuser", "scram-sha-256")]
    {
        let by = converse(&endpoint(&server, user), Io::Epoll, async |session| session.method()).unwrap();
        assert_eq!(by, method);
    }
    for user in ["clear", "md5user", "scramuser"] {
        let wrong = SqlEndpoint { password: "wrong".into(), ..endpoint(&server, user) };
        assert_eq!(state(converse(&wrong, Io::Epoll, async |_| ()).unwrap_err()), "28P01");
    }
    let tcp = Address::Tcp { host: "127.0.0.1".into(), port: server.port };
    let over_tcp = SqlEndpoint { address: tcp, ..endpoint(&server, "scramuser") };
    converse(&over_tcp, Io::Epoll, conversation).unwrap();
    // This server has no certificate: who wishes for TLS goes on without it, who insists is told.
    let tls = |mode| SqlEndpoint { tls: Some(Tls::new(mode, None).unwrap()), ..over_tcp.clone() };
    converse(&tls(Mode::Preferred), Io::Epoll, async |session| assert_eq!(session.cipher(), None)).unwrap();
    let refused = converse(&tls(Mode::Required), Io::Epoll, async |_| ()).unwrap_err();
    assert!(matches!(&refused, Fault::Unopened(why) if why.contains("turn ssl on")), "{refused}");
}
