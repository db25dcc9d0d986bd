//! Scripts of our own in the shapes that people write them in, on whatever server stands behind the endpoints: as
//! sysbench-tpcc (globals, ffi, files beside the script, transactions by name, several connections, hooks), and as
//! those of sysbench 0.5 were.

use super::{Performed, ScriptEndpoints, Theatre};
use lua::Compat;
use lua::option::Value;

const OF_TPCC: &str = r#"
require("ffi")
ffi.cdef[[
typedef uint32_t useconds_t;
int usleep(useconds_t useconds);
void sb_counter_inc(int thread_id, sb_counter_type type);
]]
local beside = sysbench.cmdline.script_path:match("(.*/)")
dofile(beside .. "common.lua")

sysbench.cmdline.commands = {
  prepare = { function()
    local con = sysbench.sql.driver():connect()
    create(con, sysbench.tid + 1)
  end, sysbench.cmdline.PARALLEL_COMMAND },
}

function thread_init()
  drv = sysbench.sql.driver()
  con = drv:connect()
  other = drv:connect()
end

function new_order()
  local id = sysbench.rand.uniform(1, 10)
  con:query("BEGIN")
  local next_id, name = con:query_row(("SELECT next_id, name FROM warehouse%d WHERE id = %d FOR UPDATE"):format(1, id))
  con:query(string.format("UPDATE warehouse1 SET next_id = %d WHERE id = %d", next_id + 1, id))
  if sysbench.rand.uniform(1, 100) == 1 then
    ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_ERROR)
    con:query("ROLLBACK")
    return
  end
  con:query("COMMIT")
end

function stock_level()
  local rs = other:query("SELECT id, next_id, name FROM warehouse2 WHERE id < 4 ORDER BY id")
  for n = 1, rs.nrows do
    local id, next_id, name = unpack(rs:fetch_row(), 1, rs.nfields)
    assert(id % 4 == n and next_id + 0 >= 1 and name == nil)
  end
  rs:free()
  ffi.C.usleep(10)
end

function event()
  _G[sysbench.rand.uniform(1, 2) == 1 and "new_order" or "stock_level"]()
end

function sysbench.hooks.before_restart_event(err) con:query("ROLLBACK") end
function sysbench.hooks.report_intermediate(stat) sysbench.report_csv(stat) end

function thread_done()
  other:disconnect()
  con:disconnect()
end
"#;

const COMMON: &str = r#"
function create(con, number)
  con:query(("CREATE TABLE warehouse%d (id INTEGER PRIMARY KEY, next_id INTEGER, name VARCHAR(10))"):format(number))
  con:bulk_insert_init(("INSERT INTO warehouse%d (id, next_id, name) VALUES"):format(number))
  for id = 1, 10 do con:bulk_insert_next(("(%d, 1, NULL)"):format(id)) end
  con:bulk_insert_done()
end
"#;

const OF_0_5: &str = r####"
pathtest = string.match(test, "(.*/)")
dofile(pathtest .. "common.lua")

function prepare()
  set_vars()
  db_connect()
  db_query("CREATE TABLE old (id INTEGER PRIMARY KEY, c CHAR(20))")
  db_bulk_insert_init("INSERT INTO old VALUES")
  for n = 1, oltp_table_size do db_bulk_insert_next("(" .. n .. ",'" .. sb_rand_str("###") .. "')") end
  db_bulk_insert_done()
  db_disconnect()
end

function thread_init(thread_id)
  set_vars()
  stmt = db_prepare("SELECT c FROM old WHERE id = ?")
  params = { 1 }
  db_bind_param(stmt, params)
end

function event(thread_id)
  local rs = db_query("SELECT c FROM old WHERE id = " .. sb_rand_uniform(1, oltp_table_size))
  assert(rs == nil)
  params[1] = sb_rand(1, oltp_table_size)
  rs = db_execute(stmt)
  db_store_results(rs)
  assert(rs.nrows == 1)
  db_free_results(rs)
  db_query("UPDATE old SET c = '" .. sb_rand_uniq(0, 4294967295) % 1000 .. "' WHERE id = " .. thread_id + 1)
end

function thread_done() db_close(stmt) end
function cleanup() db_query("DROP TABLE old") end
"####;

const COMMON_0_5: &str = r#"
function set_vars()
  oltp_table_size = tonumber(oltp_table_size) or 10000
  assert(num_threads == nil or type(num_threads) == "number")
end
"#;

/// Connections that nobody holds any more are closed, so that a script which opens one per event does not use up the
/// server.
const ONE_PER_EVENT: &str = r#"
function event()
  local con = sysbench.sql.driver():connect()
  assert(con:query_row("SELECT 1") == "1")
  con = nil
  collectgarbage()
end
"#;

fn beside(text: &str, common: &str, endpoints: &ScriptEndpoints, driver: &str, options: &[(&str, Value)]) -> Theatre {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("common.lua"), common).unwrap();
    let driver = [("db_driver", Value::Text(driver.into())), ("mysql_dry_run", Value::Bool(false))];
    Theatre::beside(folder, text, endpoints.clone(), Compat::V10, 2, &[&driver, options].concat()).unwrap()
}

pub fn all(endpoints: &ScriptEndpoints, driver: &str) {
    let mut tpcc = beside(OF_TPCC, COMMON, endpoints, driver, &[]);
    let prepare = lua::state::Entry::Command("prepare".into());
    let done = super::perform(&tpcc.stage, &mut tpcc.main, prepare, true, &tpcc.stop);
    assert_eq!(done, Performed::Done, "{:?}", tpcc.said());
    let ran = tpcc.run(500);
    assert_eq!((ran.total.events, ran.failure), (500, None), "{:?}", tpcc.said());
    assert!(ran.total.reads > 400 && ran.total.writes > 100 && ran.total.errors < 100, "{:?}", ran.total);

    let size = [("oltp_table_size", Value::Text("50".into()))];
    let mut old = beside(OF_0_5, COMMON_0_5, endpoints, driver, &size);
    assert_eq!(old.perform("prepare"), Performed::Done, "{:?}", old.said());
    let ran = old.run(100);
    assert_eq!((ran.total.events, ran.total.reads, ran.failure), (100, 200, None), "{:?}", old.said());
    assert_eq!(old.perform("cleanup"), Performed::Done, "{:?}", old.said());

    let mut many = beside(ONE_PER_EVENT, "", endpoints, driver, &[]);
    let ran = many.run(400);
    assert_eq!((ran.total.events, ran.failure), (400, None), "{:?}", many.said());
}
