//! Answers of several results, as procedures and texts of several statements give them: a script reads one after the
//! other, from a query and from a prepared statement alike, and each counts when it is asked for.

use super::{Performed, ScriptEndpoints, Theatre};
use lua::Compat;
use lua::option::Value;

const TEXT: &str = r#"
function prepare()
  local con = sysbench.sql.driver():connect()
  con:query("DROP TABLE IF EXISTS met; DROP PROCEDURE IF EXISTS p; DROP PROCEDURE IF EXISTS q")
  con:query("CREATE TABLE met (a INT)")
  con:query([[CREATE PROCEDURE p (word VARCHAR(9)) BEGIN
    SELECT 'begin', word; INSERT INTO met VALUES (1); SELECT a FROM met WHERE a > 1; SELECT COUNT(*) FROM met;
    INSERT INTO met VALUES (2), (3); END]])
  con:query("CREATE PROCEDURE q () BEGIN SELECT 1; SELECT * FROM nowhere; END")
end

local function show(rs)
  if rs == nil then return print("none", con:more_results()) end
  print(rs.nrows, rs.nfields, con:more_results())
  for _ = 1, rs.nrows do print(unpack(rs:fetch_row(), 1, rs.nfields)) end
end
local function show_all(first, from)
  local rs = first
  show(rs)
  while rs ~= nil do
    rs = from:next_result()
    show(rs)
  end
end

function event()
  con = sysbench.sql.driver():connect()
  con:query("DELETE FROM met")
  show_all(con:query("CALL p('text')"), con)
  show(con:next_result())
  local stmt = con:prepare("CALL p(?)")
  local word = stmt:bind_create(sysbench.sql.type.VARCHAR, 9)
  stmt:bind_param(word)
  for _, value in ipairs({"bound", "again"}) do
    con:query("DELETE FROM met")
    word:set(value)
    show_all(stmt:execute(), stmt)
  end
  stmt:execute()
  print("what is not read is left behind", con:query_row("SELECT 5"))
  show(con:next_result())
  show(con:query("INSERT INTO met VALUES (4); SELECT 6; SELECT 7, 8"))
  for _ = 1, 3 do show(con:next_result()) end
  print(pcall(con.query, con, "CALL q()"))
  show(con:next_result())
  con:query("CALL p('left')")
  con:reconnect()
  show(con:next_result())
  con:disconnect()
  print(con:more_results(), (pcall(con.next_result, con)))
end
"#;

pub fn come_one_by_one(endpoints: &ScriptEndpoints) {
    for prepares in ["auto", "disable"] {
        let mode = [("db_ps_mode", Value::Text(prepares.into()))];
        let mut theatre = Theatre::open(TEXT, endpoints.clone(), Compat::V11, 1, &mode).unwrap();
        assert_eq!(theatre.perform("prepare"), Performed::Done, "{:?}", theatre.said());
        let ran = theatre.run(1);
        assert_eq!(ran.failure, None, "{:?}", theatre.said());
        let mut said = theatre.said();
        // It tells where the script stood.
        let refused = said.iter().position(|line| line.starts_with("false\t/")).expect("a refusal");
        let refused = said.remove(refused);
        let words = "SQL error, errno = 1146, state = '42S02': Table 'sbtest.nowhere' doesn't exist";
        assert!(refused.starts_with("false\t") && refused.ends_with(words), "{refused}: {said:#?}");
        let of_p = |word| ["1\t2\ttrue", word, "0\t1\ttrue", "1\t1\ttrue", "1", "none\tfalse"];
        let mut wanted = of_p("begin\ttext").to_vec();
        wanted.push("none\tfalse");
        wanted.extend(of_p("begin\tbound"));
        wanted.extend(of_p("begin\tagain"));
        wanted.extend(["what is not read is left behind\t5", "none\tfalse"]);
        wanted.extend(["none\tfalse", "1\t1\ttrue", "6", "1\t2\tfalse", "7\t8", "none\tfalse"]);
        let fatal =
            "Fatal: mysql_drv_query() returned error 1146 (Table 'sbtest.nowhere' doesn't exist) for query 'CALL q()'";
        wanted.extend([fatal, "none\tfalse", "none\tfalse"]);
        wanted.extend(["Alert: attempt to use an already closed connection"; 2]);
        wanted.push("false\tfalse");
        assert_eq!(said, wanted);
        // Also what was asked for behind the last result is counted, as other.
        let total = ran.total;
        assert_eq!((total.reads, total.writes, total.other, total.errors, total.reconnects), (14, 6, 6, 1, 1));
    }
}
