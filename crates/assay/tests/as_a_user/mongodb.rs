//! LinkBench over MongoDB's protocol against a real server that speaks it: FerretDB 1 with its SQLite back end, where
//! this host has one (`assay servers install ferretdb` builds it). One user, because that server has no transactions.

use crate::desk::{Desk, Said, until};
use crate::skipped;
use lab::servers::catalogue;
use serde_json::Value;
use std::process::{Command, Stdio};

const GRAPH: &str = r#"question = "Are documents counted as links are?"

[server]
build = "ferretdb"

[workload.linkbench.mongodb]
maxid1     = 101
most_links = 8

[load]
users = 1

[[phases]]
name  = "measure"
kind  = "measure"
count = 300

[repeat]
repetitions = 1
aa          = false
"#;

#[test]
fn what_is_loaded_and_changed_over_documents_is_counted_to_the_link() {
    let Ok(build) = catalogue::find("ferretdb") else {
        return skipped::test("FerretDB", "assay servers install ferretdb");
    };
    let desk = Desk::new();
    // A desk has a home of its own, which lacks what is installed in the user's.
    let (version, below) = (build.installed.version, build.installed.binary.trim_start_matches('/'));
    let stanza = format!("kind = \"ferretdb\"\nversion = \"{version}\"\nbasedir = \"/\"\nserver = \"{below}\"\n");
    desk.write("home/servers.toml", &format!("[mine]\n{stanza}"));
    desk.write("graph.toml", GRAPH);
    let said = desk.assay(&["run", "graph.toml", "--out", "record"]);
    said.assert_carried_out();
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done", "{said:?}");
    let audit = &run["audits"][0];
    let fact = |name: &str| audit["facts"][name].as_i64().unwrap_or(0);
    let grown = |name: &str| {
        let all = audit["answers"].as_array().expect("answers").iter();
        let answer = all.clone().find(|a| a["name"] == name).expect("it was asked");
        assert!(answer["unanswered"].is_null(), "{answer}");
        answer["after"].as_i64().expect("a number") - answer["before"].as_i64().expect("a number")
    };
    let (inserted, hidden, again) = (fact("links_inserted"), fact("links_hidden"), fact("links_shown_again"));
    assert!(inserted > 0 && hidden > 0 && fact("nodes_added") > 0, "{audit}");
    assert_eq!(grown("links"), inserted);
    assert_eq!(grown("visible_links"), inserted + again - hidden);
    assert_eq!(grown("counted_links"), inserted + again - hidden);
    assert_eq!(grown("changes_of_counters"), inserted + again + hidden);
    assert_eq!(grown("nodes"), fact("nodes_added") - fact("nodes_deleted"));
    assert_eq!(grown("drifted_counters"), 0);
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).expect("a report is JSON");
    let verdicts = report["cells"][0]["verdicts"].as_array().expect("verdicts");
    let laws = verdicts.iter().find(|v| v["check"] == "data_obeyed_its_laws").expect("it was judged");
    assert_eq!(laws["verdict"], "pass", "{laws}");
    let answers = verdicts.iter().find(|v| v["check"] == "answers_were_expected").expect("it was judged");
    assert_eq!(answers["verdict"], "pass", "{answers}");
}

/// FerretDB logs accounts in only where its own tests want it.
#[test]
fn an_account_is_let_in_by_scram_and_a_wrong_password_is_not() {
    let Ok(build) = catalogue::find("ferretdb") else {
        return skipped::test("FerretDB", "assay servers install ferretdb");
    };
    let desk = Desk::new();
    let (data, socket) = (desk.path("data"), desk.path("s"));
    std::fs::create_dir(&data).expect("a folder of ours");
    let mut server = Command::new(&build.installed.binary)
        .args(["--handler=sqlite", "--listen-addr=", "--debug-addr=-", "--telemetry=disable", "--test-enable-new-auth"])
        .args(["--setup-username=tester", "--setup-password=s3cret", "--setup-database=admin"])
        .arg(format!("--sqlite-url=file:{}/", data.display()))
        .arg(format!("--state-dir={}", data.display()))
        .arg(format!("--listen-unix={}", socket.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    until("the server's socket", || socket.exists().then_some(()));
    let dsn = format!("mongodb://tester@localhost/linkdb?authSource=admin&socket={}", socket.display());
    let bench = |password: &str| {
        let small = ["--set", "maxid1=21", "--set", "most_links=4", "--for", "1s", "--out", "record"];
        let mut command = desk.command(&[&["bench", "linkbench.mongodb", "--on", &dsn][..], &small].concat());
        Said::of(command.env("ASSAY_PASSWORD", password).output().expect("assay starts"))
    };
    let (refused, let_in) = (bench("wrong"), bench("s3cret"));
    server.kill().and_then(|()| server.wait()).expect("it is ours");
    assert!(refused.status == 2 && refused.err.contains("AuthenticationFailed"), "{refused:?}");
    let_in.assert_carried_out();
    assert_eq!(desk.run("c001-1")["session"]["authentication"], "SCRAM-SHA-256");
    assert!(!desk.read("record/plan.json").contains("s3cret"));
}
