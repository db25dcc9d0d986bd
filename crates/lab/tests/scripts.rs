//! sysbench's API, by scripts of our own: what each call gives, what errors do, and that a script which never ends is
//! ended. Most need no server (`--mysql-dry-run`); what talks to one talks to the MariaDB that is installed here.

use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::kinds;
use lab::backends::mysql::control::Control;
use lab::backends::own_sessions::ScriptEndpoints;
use lab::campaign::scripts::{Limits, Main, Performed, Ran, Stage, perform, report, run};
use lab::os::process::Guard;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use lua::Compat;
use lua::option::{Options, Value};
use lua::script::{Invocation, Said, Script};
use lua::stat::Stat;
use lua::state::Entry;
use model::plan::Server;
use model::seed::Seed;
use model::units::Nanos;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[path = "private_postgres/mod.rs"]
mod private_postgres;
mod script_results;
mod script_shapes;
#[path = "skipped/mod.rs"]
mod skipped;

static GO: AtomicBool = AtomicBool::new(false);

/// A script on its stage, and what it said.
struct Theatre {
    stage: Stage,
    main: Main,
    said: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    /// Each state reads the script anew.
    _folder: tempfile::TempDir,
}

impl Theatre {
    /// `options` are added to those that every script sees.
    fn open(
        text: &str,
        endpoints: ScriptEndpoints,
        compat: Compat,
        threads: u32,
        options: &[(&str, Value)],
    ) -> Result<Self, String> {
        Self::beside(tempfile::tempdir().unwrap(), text, endpoints, compat, threads, options)
    }

    /// The same in a folder where other files may lie.
    fn beside(
        folder: tempfile::TempDir,
        text: &str,
        endpoints: ScriptEndpoints,
        compat: Compat,
        threads: u32,
        options: &[(&str, Value)],
    ) -> Result<Self, String> {
        let path = folder.path().join("script.lua");
        std::fs::write(&path, text).unwrap();
        let (said, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (heard, stopping) = (Arc::clone(&said), Arc::clone(&stop));
        let say = Arc::new(move |line: Said<'_>| {
            let line = match line {
                Said::Print("stop!") => {
                    stopping.store(true, Relaxed);
                    return;
                }
                Said::Print(text) => text.to_string(),
                Said::Log(level, text) => format!("{level:?}: {text}"),
            };
            heard.lock().unwrap().push(line);
        });
        let script = Some(path.display().to_string());
        let invocation = Invocation { script, compat, version: compat.version().into(), ..Invocation::default() };
        let mut script = Script::find(invocation, Seed(1), say)?;
        let mut all = Options::from([
            ("db_driver".to_string(), Value::Text("mysql".into())),
            ("mysql_dry_run".into(), Value::Bool(endpoints.mysql.is_empty())),
            ("threads".into(), Value::Number(f64::from(threads))),
        ]);
        all.extend(options.iter().map(|(name, value)| (name.to_string(), value.clone())));
        script.tune(&all);
        let script = Arc::new(script);
        let mut main = Main::open(&script, &endpoints, &stop)?;
        let as_globals = compat == Compat::V10 && main.state().declared()?.is_none();
        main.state().export(&all, as_globals)?;
        let stage = Stage::new(script, all, as_globals, endpoints, threads);
        Ok(Self { stage, main, said, stop, _folder: folder })
    }

    fn dry(text: &str) -> Self {
        Self::open(text, ScriptEndpoints::default(), Compat::V10, 1, &[]).unwrap()
    }

    fn perform(&mut self, function: &str) -> Performed {
        perform(&self.stage, &mut self.main, Entry::function(function), false, &self.stop)
    }

    fn run(&mut self, events: u64) -> Ran {
        let limits = Limits { events: Some(events), ..Limits::default() };
        run(&self.stage, &limits, &self.stop, &mut |_| {}).unwrap()
    }

    fn said(&self) -> Vec<String> {
        std::mem::take(&mut *self.said.lock().unwrap())
    }
}

#[test]
fn the_body_runs_in_every_state_and_functions_get_their_threads_number() {
    let mut theatre = Theatre::open(
        "print('body', sysbench.tid, sysbench.opt)
         function thread_init(n) print('init', n, sysbench.tid) end
         function event(n) return n == 0 end
         function thread_done(n) print('done', n) end",
        ScriptEndpoints::default(),
        Compat::V10,
        2,
        &[],
    )
    .unwrap();
    let ran = theatre.run(5);
    // Thread 0 stops at its first event, which does not count but is one of the five, unless the other had done all of
    // them.
    assert!(matches!(ran.total.events, 4 | 5) && ran.failure.is_none(), "{:?}", ran.total);
    let mut said = theatre.said();
    said.sort();
    let wanted = ["body\t0\tnil", "body\t0\tnil", "body\t1\tnil", "done\t0", "done\t1", "init\t0\t0", "init\t1\t1"];
    assert_eq!(said, wanted);
}

#[test]
fn the_run_ends_when_every_thread_has_said_that_it_is_done() {
    let mut theatre = Theatre::dry("local left = 3; function event() left = left - 1; return left < 0 end");
    let ran = theatre.run(1_000_000_000);
    assert_eq!((ran.total.events, ran.failure), (3, None));
}

#[test]
fn an_error_to_be_ignored_begins_the_event_again_and_any_other_ends_the_run() {
    let mut theatre = Theatre::dry(
        "local tries = 0
         sysbench.hooks.before_restart_event = function(e) print('again', e.why) end
         function event()
            tries = tries + 1
            if tries < 3 then error({errcode = sysbench.error.RESTART_EVENT, why = tries}) end
            if tries == 5 then error('enough') end
         end",
    );
    let ran = theatre.run(100);
    assert_eq!(ran.total.events, 2);
    assert!(ran.failure.is_some_and(|why| why.contains("`thread_run' function failed: ")));
    let said = theatre.said();
    assert_eq!(said[..2], ["again\t1", "again\t2"]);
    assert!(said[2].starts_with("Fatal: `thread_run' function failed: ") && said[2].ends_with("script.lua:6: enough"));
}

#[test]
fn an_error_in_any_phase_is_told_with_the_name_of_its_function() {
    let mut theatre = Theatre::dry("function prepare() error('no') end function event() end");
    assert_eq!(theatre.perform("prepare"), Performed::Failed);
    let said = theatre.said();
    assert!(
        said[0].starts_with("Fatal: `prepare' function failed: ") && said[0].ends_with("script.lua:1: no"),
        "{said:?}"
    );

    let mut theatre = Theatre::dry("function thread_init() error({}) end function event() end");
    let ran = theatre.run(1);
    assert!(!ran.started && ran.failure.is_some());
    assert_eq!(theatre.said(), ["Fatal: `thread_init' function failed: (not a string)"]);

    let Err(why) = Theatre::open("function x( end", ScriptEndpoints::default(), Compat::V10, 1, &[]) else {
        panic!("it is Lua")
    };
    assert!(why.ends_with("script.lua:1: <name> or '...' expected near 'end'"), "{why}");
}

#[test]
fn a_script_that_never_asks_for_anything_is_interrupted() {
    for text in [
        "function init() print('stop!') while true do end end",
        "function init() print('stop!') while true do pcall(function() while true do end end) end end",
        "function init() print('stop!') repeat local s = string.rep('x', 10) until not s end",
    ] {
        let mut theatre = Theatre::dry(text);
        assert_eq!(theatre.perform("init"), Performed::Failed);
        let said = theatre.said();
        assert!(said.iter().all(|line| line.ends_with("interrupted!")) && said.len() == 1, "{said:?}");
    }
    for text in [
        "function event() print('stop!') while true do end end",
        "sysbench.hooks.before_restart_event = function() print('stop!') while true do end end
         function event() error({errcode = sysbench.error.RESTART_EVENT}) end",
    ] {
        assert_eq!(Theatre::dry(text).run(1).total.events, 0);
    }
    let text = "sysbench.hooks.report_cumulative = function() print('stop!') while true do end end";
    let mut theatre = Theatre::dry(text);
    let script = std::sync::Arc::clone(theatre.stage.scripted.script());
    let told = report(&mut theatre.main, &script, "report_cumulative", &Stat::default(), &theatre.stop);
    assert!(told.is_err_and(|why| why.ends_with("interrupted!")));
}

#[test]
fn options_are_declared_by_the_script_and_seen_by_it() {
    let mut theatre = Theatre::dry(
        "sysbench.cmdline.options = {
            ['table-size'] = {'Rows', 10000}, flag = {'On or off', true}, name = {'A name'},
            list = {'Some', {'a', 'b'}}, whole = {'A number', 3, sysbench.cmdline.ARG_INT},
         }
         function event() end",
    );
    let declared = theatre.main.state().declared().unwrap().unwrap();
    let told: Vec<_> = declared.iter().map(|o| format!("{} {:?} {:?}", o.name, o.kind, o.default)).collect();
    let wanted = [
        "flag Bool Some(\"on\")",
        "list List Some(\"a,b\")",
        "name String None",
        "table_size Double Some(\"10000\")",
        "whole Int Some(\"3\")",
    ];
    assert_eq!(told, wanted);
    assert_eq!(Theatre::dry("function event() end").main.state().declared().unwrap(), None);
    for (text, wanted) in [
        ("sysbench.cmdline.options = {x = 1}", "wrong table structure in sysbench.cmdline.options"),
        ("sysbench.cmdline.options = {x = {}}", "nil description for option x"),
    ] {
        let why = Theatre::open(text, ScriptEndpoints::default(), Compat::V10, 1, &[]).err();
        assert!(why.as_ref().is_some_and(|why| why.ends_with(wanted)), "{why:?}");
    }
}

#[test]
fn the_api_has_the_names_that_scripts_look_for_and_no_others() {
    for (compat, rand) in [
        (Compat::V10, "default gaussian pareto special string uniform uniform_double uniform_uint64 unique"),
        (Compat::V11, "default gaussian pareto string uniform uniform_double uniform_uint64 unique varstring zipfian"),
    ] {
        let text = "local function keys(t) local k = {} for n in pairs(t) do k[#k + 1] = n end table.sort(k) \
                    return table.concat(k, ' ') end \
                    function prepare() print(keys(sysbench.rand)) print(keys(sysbench.sql.error)) \
                    print(ffi.C.SB_CNT_ERROR == 4, require('ffi') == ffi, bit.bor(1, 2), arg, jit.version:sub(1, 10)) \
                    print(type(sb_rand), string.format('%d', 3.7)) end";
        let mut theatre = Theatre::open(text, ScriptEndpoints::default(), compat, 1, &[]).unwrap();
        assert_eq!(theatre.perform("prepare"), Performed::Done);
        let legacy = if compat == Compat::V10 { "function" } else { "nil" };
        let wanted = [
            rand.to_string(),
            "FATAL IGNORABLE NONE".into(),
            "true\ttrue\t3\tnil\tLuaJIT 2.1".into(),
            format!("{legacy}\t3"),
        ];
        assert_eq!(theatre.said(), wanted);
    }
}

#[test]
fn sleeping_suspends_the_user_and_not_its_neighbours() {
    // All users sit on one worker, and none is done before all have begun: sleepers that blocked would wait for ever.
    let text = "ffi.cdef('int usleep(unsigned int);')
                function event()
                    local seen = io.open(path, 'a') seen:write('x') seen:close()
                    repeat
                        ffi.C.usleep(1000)
                        local file = io.open(path) local all = #file:read('*a') file:close()
                    until all >= 4
                    return true
                end";
    let place = tempfile::NamedTempFile::new().unwrap();
    let text = format!("path = '{}' {text}", place.path().display());
    let mut theatre = Theatre::open(&text, ScriptEndpoints::default(), Compat::V10, 4, &[]).unwrap();
    theatre.stage.workers = 1;
    assert_eq!(theatre.run(1_000).failure, None);
    assert_eq!(std::fs::read_to_string(place.path()).unwrap(), "xxxx");
}

#[test]
fn a_script_asks_wherever_it_stands() {
    let mut theatre = Theatre::dry(
        "function event()
             local con = sysbench.sql.driver():connect()
             local function ask() con:query('SELECT 1') ffi.C.usleep(1) return true end
             table.sort({3, 1, 2}, function(a, b) return ask() and a < b end)
             string.gsub('x', 'x', function() ask() end)
             local co = coroutine.wrap(function() ask() coroutine.yield('between') ask() end)
             print(co()) co()
             assert(loadstring('return ...'))(ask())
             local found = setmetatable({}, { __index = ask }).found
         end",
    );
    let ran = theatre.run(2);
    assert_eq!((ran.failure, ran.total.events), (None, 2));
    assert_eq!(theatre.said(), ["between", "between"]);
}

#[test]
fn events_that_ask_nobody_end_in_time_and_take_time() {
    let mut theatre = Theatre::dry("function event() for n = 1, 10000 do math.sqrt(n) end end");
    (theatre.stage.threads, theatre.stage.workers) = (2, 1);
    let limits = Limits { time: Some(Nanos::from_millis(50)), ..Limits::default() };
    let ran = run(&theatre.stage, &limits, &theatre.stop, &mut |_| {}).unwrap();
    assert!(ran.shares.len() == 2 && ran.shares.iter().all(|user| user.events > 0 && user.busy > Nanos(0)), "{ran:?}");
}

#[test]
fn a_dry_run_counts_everything_as_other() {
    let mut theatre = Theatre::dry(
        "function thread_init() con = sysbench.sql.driver():connect() stmt = con:prepare('SELECT ?')
            p = stmt:bind_create(sysbench.sql.type.INT) stmt:bind_param(p) end
         function event() con:query('SELECT 1') p:set(1) stmt:execute() end
         function thread_done() con:disconnect() con:disconnect() end",
    );
    let ran = theatre.run(10);
    assert_eq!((ran.total.events, ran.total.reads, ran.total.writes, ran.total.other), (10, 0, 0, 20));
    assert_eq!(theatre.said(), ["Alert: attempt to close an already closed connection"]);
}

/// A MariaDB of our own with an empty schema.
fn with_a_server(play: impl FnOnce(ScriptEndpoints)) {
    let place = tempfile::tempdir().unwrap();
    let folders = Folders { home: place.path().join("home"), runtime: place.path().to_path_buf() };
    let server = Server { build: "distribution".into(), engine: "innodb".into(), ..Server::default() };
    let (build, guard) = (catalogue::find("distribution").unwrap(), Guard::program(env!("CARGO_BIN_EXE_lab-guard")));
    let wish = Wish {
        folders: &folders,
        guard: &guard,
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: None,
        stop: &GO,
    };
    let instance = Instance::provision(&wish).unwrap();
    let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
    let mut control = Control::connect(&endpoint).unwrap();
    control.execute("CREATE DATABASE sbtest").unwrap();
    play(ScriptEndpoints { mysql: vec![endpoint.within("sbtest")], postgres: Vec::new() });
    control.quit();
}

#[test]
fn statements_give_what_sysbench_says_that_they_give() {
    with_a_server(|endpoints| {
        results_are_texts_and_null_is_nil(&endpoints);
        errors_are_told_raised_and_counted(&endpoints);
        script_shapes::all(&endpoints, "mysql");
        bulk_inserts_arrive_whole(&endpoints);
        script_results::come_one_by_one(&endpoints);
        a_deadlock_is_met_by_trying_again(&endpoints);
    });
}

#[test]
fn scripts_of_every_shape_run_on_postgresql() {
    let Some(server) = private_postgres::Postgres::start() else { return };
    let address = Address::Unix(server.socket());
    let schema = Some("postgres".into());
    let endpoint = SqlEndpoint { address, user: "sbtest".into(), password: String::new(), schema, tls: None };
    script_shapes::all(&ScriptEndpoints { mysql: Vec::new(), postgres: vec![endpoint] }, "pgsql");
}

fn results_are_texts_and_null_is_nil(endpoints: &ScriptEndpoints) {
    let text = "function prepare()
        local con = sysbench.sql.driver():connect()
        print(sysbench.sql.driver(), sysbench.sql.driver():name(), con)
        local none = con:query('CREATE TABLE t (a INT, b VARCHAR(10), c DOUBLE)')
        print(none, none == nil, none and 'true')
        print(con:query_row('SELECT 1, NULL, \"x\"'))
        local rs = con:query('SELECT 1 UNION SELECT NULL')
        print(rs, rs.nrows, rs.nfields, type(rs:fetch_row()[1]), rs:fetch_row()[1], rs:fetch_row(), rs:free())
        print(pcall(rs.free, rs))
        local stmt = con:prepare('INSERT INTO t VALUES (?, ?, ?)')
        local a, b = stmt:bind_create(sysbench.sql.type.INT), stmt:bind_create(sysbench.sql.type.VARCHAR, 3)
        local c = stmt:bind_create(sysbench.sql.type.DOUBLE)
        print(stmt, a, stmt:bind_param(), stmt:bind_param(a, b, c), stmt:bind_param(a))
        a:set(-7) b:set('truncated') c:set(2.5) print(stmt:execute())
        a:set(nil) b:set_rand_str('###') stmt:execute()
        print(con:query_row('SELECT a, b, c FROM t WHERE a < 0'))
        print(con:query_row('SELECT COUNT(*) FROM t WHERE a IS NULL AND b BETWEEN \"000\" AND \"999\"'))
        local read = con:prepare('SELECT a, b, c, NOW() > 0 FROM t WHERE a = ?')
        local p = read:bind_create(sysbench.sql.type.BIGINT) read:bind_param(p) p:set(-7)
        print(unpack(read:execute():fetch_row(), 1, 4))
        print(pcall(stmt.bind_create, stmt, sysbench.sql.type.DATE))
        print(con:disconnect(), pcall(con.query, con, 'SELECT 1'))
     end";
    for emulated in ["auto", "disable"] {
        let mode = [("db_ps_mode", Value::Text(emulated.into()))];
        let mut theatre = Theatre::open(text, endpoints.clone(), Compat::V10, 1, &mode).unwrap();
        assert_eq!(theatre.perform("prepare"), Performed::Done, "{:?}", theatre.said());
        let said = theatre.said();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let wanted = [
            "<sql_driver>\tmysql\t<sql_connection>",
            "<sql_result>\ttrue\ttrue",
            "1\tnil\tx",
            "<sql_result>\t2\t1\tstring\tnil\tnil\ttrue",
            "Alert: attempt to free an invalid result set",
            "false\tdb_free_results() failed",
            "Alert: wrong number of parameters to bind: 1",
            "<sql_statement>\t<sql_param>\tnil\t0\t1",
            "<sql_result>",
            "-7\ttru\t2.5",
            "1",
            "-7\ttru\t2.5\t1",
            "false\tUnsupported argument type: 8",
            "Alert: attempt to use an already closed connection",
            "SQL API error",
        ];
        // The last one tells where the script stood.
        let [others @ .., last] = &said[..] else { panic!("nothing was said") };
        let [wanted @ .., end] = &wanted;
        assert_eq!(others, wanted);
        assert!(last.starts_with("true\tfalse\t") && last.ends_with(end), "{last}");
        let mut clean = Theatre::open(
            "function prepare() sysbench.sql.driver():connect():query('DROP TABLE t') end",
            endpoints.clone(),
            Compat::V10,
            1,
            &[],
        )
        .unwrap();
        assert_eq!(clean.perform("prepare"), Performed::Done);
    }
}

fn errors_are_told_raised_and_counted(endpoints: &ScriptEndpoints) {
    let text = "local ignore
        function thread_init() con = sysbench.sql.driver():connect() end
        sysbench.hooks.sql_error_ignorable = function(e)
            print(e.connection == con, e.query, e.sql_errno, e.sql_state, e.sql_errmsg)
            return ignore
        end
        local tries = 0
        function event()
            tries = tries + 1
            if tries == 1 then ignore = true con:query('SELECT * FROM nowhere') end
            if tries == 2 then con:query('DO 0') end
            if tries == 3 then ignore = false con:query('SELECT * FROM nowhere') end
        end";
    let mut theatre = Theatre::open(text, endpoints.clone(), Compat::V10, 1, &[]).unwrap();
    let ran = theatre.run(10);
    assert_eq!((ran.total.events, ran.total.errors, ran.total.other), (1, 2, 1));
    let said = theatre.said();
    let message = "Table 'sbtest.nowhere' doesn't exist";
    let fatal = format!("Fatal: mysql_drv_query() returned error 1146 ({message}) for query 'SELECT * FROM nowhere'");
    let described = format!("true\tSELECT * FROM nowhere\t1146\t42S02\t{message}");
    assert_eq!(said[..4], [fatal.clone(), described.clone(), fatal, described]);
    let raised = format!("SQL error, errno = 1146, state = '42S02': {message}");
    assert!(said[4].starts_with("Fatal: `thread_run' function failed: ") && said[4].ends_with(&raised), "{said:?}");
}

fn bulk_inserts_arrive_whole(endpoints: &ScriptEndpoints) {
    let text = "function prepare()
        local con = sysbench.sql.driver():connect()
        con:query('CREATE TABLE bulk (a INT PRIMARY KEY, b CHAR(100))')
        print(pcall(con.bulk_insert_next, con, '(1)'))
        con:bulk_insert_init('INSERT INTO bulk VALUES')
        for n = 1, 20000 do con:bulk_insert_next('(' .. n .. \",'\" .. sysbench.rand.string('@@@@@@@@@@') .. \"')\") end
        con:bulk_insert_done()
        print(con:query_row('SELECT COUNT(*), MIN(a), MAX(a) FROM bulk'))
     end";
    let mut theatre = Theatre::open(text, endpoints.clone(), Compat::V10, 1, &[]).unwrap();
    assert_eq!(theatre.perform("prepare"), Performed::Done, "{:?}", theatre.said());
    let wanted = [
        "Alert: attempt to call bulk_insert_next() before bulk_insert_init()",
        "false\tdb_bulk_insert_next() failed",
        "20000\t1\t20000",
    ];
    assert_eq!(theatre.said(), wanted);
}

/// Two threads update the same two rows in opposite orders until a deadlock was met.
fn a_deadlock_is_met_by_trying_again(endpoints: &ScriptEndpoints) {
    let text = "function prepare()
            local con = sysbench.sql.driver():connect()
            con:query('CREATE TABLE pair (a INT PRIMARY KEY, n INT)')
            con:query('INSERT INTO pair VALUES (0, 0), (1, 0)')
        end
        sysbench.hooks.before_restart_event = function(e) met = e.sql_errno end
        function thread_init() con = sysbench.sql.driver():connect() end
        function event(tid)
            con:query('BEGIN')
            con:query('UPDATE pair SET n = n + 1 WHERE a = ' .. tid)
            con:query('UPDATE pair SET n = n + 1 WHERE a = ' .. 1 - tid)
            con:query('COMMIT')
            if met then print(met) met = nil end
        end";
    let mut theatre = Theatre::open(text, endpoints.clone(), Compat::V10, 2, &[]).unwrap();
    assert_eq!(theatre.perform("prepare"), Performed::Done);
    let ran = theatre.run(2_000);
    assert_eq!((ran.total.events, ran.failure), (2_000, None));
    // However many there were, each was met by beginning again: no update is missing, and none came twice.
    assert!(theatre.said().iter().all(|number| number == "1213" || number == "1205"));
    let mut control = Control::connect(&endpoints.mysql[0]).unwrap();
    assert_eq!(control.value("SELECT SUM(n) FROM pair").unwrap().as_deref(), Some("4000"));
    control.quit();
}
