//! A script of its author as the workload of an experiment: prepared once for each set of options, run with as many
//! users as any workload, its statements told apart; and what is wrong with the script is told where the file names it.

use crate::desk::Desk;
use insta::assert_snapshot;

/// Everything that a script may have: options, a prepare in parallel, `init` and `done`, hooks, text and prepared
/// statements.
const SCRIPT: &str = r#"
sysbench.cmdline.options = {
  rows = { "rows of each table", 100, sysbench.cmdline.ARG_INT },
  label = { "what is written", "none" },
  loud = { "whether it prints", false },
}
sysbench.cmdline.commands = { prepare = { function()
  local con = sysbench.sql.driver():connect()
  con:query("CREATE TABLE t" .. sysbench.tid .. " (id INT PRIMARY KEY, label CHAR(20))")
  con:bulk_insert_init("INSERT INTO t" .. sysbench.tid .. " VALUES")
  for n = 1, sysbench.opt.rows do con:bulk_insert_next("(" .. n .. ",'" .. sysbench.opt.label .. "')") end
  con:bulk_insert_done()
end, sysbench.cmdline.PARALLEL_COMMAND } }

function init()
  own = sysbench.sql.driver():connect()
  own:query("CREATE TABLE begun (users INT)")
  own:query("INSERT INTO begun VALUES (" .. sysbench.opt.threads .. ")")
end
function thread_init()
  con = sysbench.sql.driver():connect()
  -- What init made is there, in the schema that the options name.
  assert(con:query_row("SELECT users FROM " .. sysbench.opt.mysql_db .. ".begun") == tostring(sysbench.opt.threads))
  stmt = con:prepare("SELECT label FROM t0 WHERE id = ?")
  id = stmt:bind_create(sysbench.sql.type.INT)
  stmt:bind_param(id)
end
function event(tid)
  id:set(sysbench.rand.uniform(1, sysbench.opt.rows))
  assert(stmt:execute():fetch_row()[1] == sysbench.opt.label)
  con:query("UPDATE t1 SET label = 'x" .. tid .. "' WHERE id = 1")
end
function done()
  assert(own:query_row("SELECT COUNT(*) FROM t1 WHERE label LIKE 'x%'") == "1")
  if sysbench.opt.loud then print("done by " .. sysbench.tid) end
end
"#;

const FILE: &str = r#"question = "What does a script do here?"

[axes]
rows = [50, 200]

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload]
lua     = "mine.lua"
options = { label = "hello", loud = true }

[load]
users   = 3
warm_up = "100ms"
measure = "300ms"

[repeat]
repetitions = 2
seed        = 7
aa          = false
"#;

/// The load of the file.
const USERS: u64 = 3;

fn desk(desk: Desk) -> Desk {
    std::fs::create_dir(desk.path("questions")).unwrap();
    desk.write("questions/mine.lua", SCRIPT);
    desk.write("questions/script.toml", FILE);
    desk
}

#[test]
fn a_script_is_prepared_once_for_its_options_and_run_and_judged_like_any_workload() {
    let desk = desk(Desk::new());
    let said = desk.assay(&["run", "questions/script.toml", "--out", "record"]);
    said.assert_carried_out();
    assert_eq!(said.err.matches("done by 0").count(), 4, "{said:?}");
    assert_eq!(
        (desk.count("dataset_loading"), desk.count("snapshot_kept"), desk.count("snapshot_restored")),
        (2, 2, 4)
    );
    for id in ["c001-1", "c002-2"] {
        let run = desk.run(id);
        assert_eq!(run["ending"], "done");
        let tally = &run["phases"][1]["groups"]["users"]["tally"];
        let events = tally["operations"]["event"]["done"].as_u64().unwrap();
        let calls = |name: &str| tally["statements"][name]["calls"].as_u64().unwrap();
        // An event that was under way when the phase began had said a part of its statements before.
        let whole = events - USERS.min(events);
        assert!(events > 0 && calls("SELECT label FROM t? WHERE id = ?") >= whole, "{tally}");
        assert!(calls("UPDATE t? SET label = ? WHERE id = ?") >= whole, "{tally}");
        assert!(tally["facts"]["reads"].as_u64().unwrap() >= whole, "{tally}");
    }
    // Four pieces of 50 or 200 rows.
    let datasets = desk.run("c001-1")["dataset"].as_str().unwrap().to_string();
    let dataset: serde_json::Value =
        serde_json::from_str(&desk.read(&format!("record/datasets/{datasets}.json"))).unwrap();
    assert!(dataset["rows"] == 200 || dataset["rows"] == 800, "{dataset}");
    assert_eq!(dataset["tables"].as_array().unwrap().len(), 4);
    assert_eq!(dataset["parameters"]["script"], "mine.lua");
    assert_eq!(dataset["parameters"]["script_sha256"].as_str().unwrap().len(), 64);
    let report = desk.read("record/report.json");
    assert!(report.contains("lua.mine") && report.contains("UPDATE t? SET label = ?"));

    // Another text is another plan: its record is not gone on with.
    desk.write("questions/mine.lua", &SCRIPT.replace("'x\"", "'xx\""));
    let said = desk.assay(&["run", "questions/script.toml", "--out", "record"]);
    assert_eq!(said.status, 2, "{said:?}");
}

#[test]
fn what_is_wrong_with_a_script_or_its_options_is_told_where_the_file_says_it() {
    let desk = desk(Desk::without_server());
    let refused = |text: &str| {
        desk.write("questions/wrong.toml", text);
        let said = desk.assay(&["plan", "questions/wrong.toml"]);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
        said.err
    };
    let mut told = refused(&FILE.replace("mine.lua", "nobodys.lua"));
    for (name, script) in [
        ("syntax", "function event( end"),
        ("raises", "error('not today')"),
        ("empty", "x = 1"),
        ("table", "sysbench.cmdline.options = { rows = 1 } function event() end"),
    ] {
        desk.write(&format!("questions/{name}.lua"), script);
        told += &refused(&FILE.replace("mine.lua", &format!("{name}.lua")));
    }
    told += &refused(
        &FILE
            .replace(
                "label = \"hello\", loud = true",
                "lable = \"hello\", loud = \"yes\", threads = 4, mysql_db = \"x\"",
            )
            .replace("rows = [50, 200]", "rows = [50, \"many\"]"),
    );
    told += &refused(&FILE.replace("lua     = \"mine.lua\"\n", ""));
    // What the load does for other users.
    let own = "users   = 3\nreconnect_every = 10\nerrors = { retry = { deadlock = 3 }, stop = [1146] }";
    told += &refused(&FILE.replace("users   = 3", own));
    assert_snapshot!(told);
}
