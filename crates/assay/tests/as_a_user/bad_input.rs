//! Requests that cannot be carried out as they are: each is told in full, with the mend, before anything starts, and
//! leaves nothing behind; and where only a part of an experiment cannot be had, the rest is measured.

use crate::desk::{Desk, RUN, TINY};
use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Refused: the status of a wrong request, the words on stderr, no record.
#[track_caller]
fn refused(desk: &Desk, arguments: &[&str]) -> String {
    let said = desk.assay(arguments);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(!desk.path("record").exists(), "a refusal begins no record");
    said.err
}

#[test]
fn every_mistake_of_an_experiment_is_told_at_once_with_its_mend() {
    let desk = Desk::without_server();
    let wrong = TINY
        .replace("question", "quesiton")
        .replace("range_size = [10, 100]", "range_size = [10, \"many\"]\nchraset = [\"latin1\"]")
        .replace("64 MiB", "64 parsecs")
        .replace("rows   = 1_000", "rows   = 0")
        .replace("users   = 2", "users   = 2_000_000")
        .replace("300ms", "300");
    desk.write("wrong.toml", &wrong);
    assert_snapshot!(refused(&desk, &["run", "wrong.toml", "--out", "record"]));
    assert_eq!(desk.assay(&["plan", "wrong.toml"]).status, 2);
}

#[test]
fn what_is_not_there_is_named() {
    let desk = Desk::without_server();
    let told = refused(&desk, &["run", "nosuch.toml"]);
    assert!(told.contains("nosuch.toml") && told.contains("name an experiment file"), "{told}");
    desk.write("scaled.toml", &format!("{TINY}\n[scale.smoke]\n\"load.users\" = 1\n"));
    let told = refused(&desk, &["run", "scaled.toml", "--scale", "smok"]);
    assert!(told.contains("no scale `smok`") && told.contains("smoke"), "{told}");
    let told = refused(&desk, &["run", "tiny.toml", "--set", "load.users"]);
    assert!(told.contains("write --set KEY=VALUE"), "{told}");
    let told = refused(&desk, &["rum", "tiny.toml"]);
    assert!(told.contains("'rum'") && told.contains("'run'"), "{told}");
    let told = refused(&desk, &["judge", "nowhere"]);
    assert!(told.contains("nowhere is not a record") && told.contains("name a folder that assay run made"), "{told}");
}

#[test]
fn a_build_that_is_not_installed_is_refused_with_those_that_are() {
    let told = refused(&Desk::without_server(), &[RUN, &["--on", "no-such-build"]].concat());
    assert!(
        told.contains("no build `no-such-build`")
            && told.contains("known: distribution, ")
            && told.contains(" mariadb-"),
        "{told}"
    );
}

#[test]
fn a_server_that_is_not_where_its_dsn_says_is_refused_before_anything_starts() {
    let desk = Desk::without_server();
    let on = |dsn: &str| refused(&desk, &[RUN, &["--on", dsn]].concat());
    let told = on("mysql://root@localhost/test?socket=/nowhere/s");
    assert!(told.contains("/nowhere/s: No such file or directory"), "{told}");
    // Nobody listens on port 1, the port of tcpmux.
    let told = on("mysql://root@127.0.0.1:1/test");
    assert!(told.contains("mysql://root@127.0.0.1:1/test refuses the lab"), "{told}");
    let told = on("msql://root@localhost");
    assert!(
        told.contains("assay speaks only mysql://") && told.contains("write mysql://user@host:port/schema"),
        "{told}"
    );
}

#[test]
fn where_no_server_can_be_found_the_package_that_brings_one_is_named() {
    let desk = Desk::without_server();
    // The first mariadbd of the PATH is the one that is meant; this one is none.
    fs::create_dir(desk.path("bin")).unwrap();
    desk.write("bin/mariadbd", "#!/bin/sh\nexit 1\n");
    fs::set_permissions(desk.path("bin/mariadbd"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", desk.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let output = desk.command(RUN).env("PATH", &path).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told.contains("no database server is installed") && told.contains("apt-get install mariadb-server"),
        "{told}"
    );
    // Whoever names another build is told of that one.
    let output = desk.command(RUN).args(["--on", "mysql-5.5.34"]).env("PATH", &path).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("`assay servers install mysql-5.5.34` brings it"), "{told}");
}

#[test]
fn a_plan_that_the_disk_cannot_hold_is_refused_before_anything_starts() {
    let desk = Desk::without_server();
    let sets =
        ["--set", "workload.oltp.simple_ranges.rows=2147483647", "--set", "workload.oltp.simple_ranges.tables=10000"];
    let told = refused(&desk, &[RUN, &sets].concat());
    assert!(told.contains("the plan needs about") && told.contains("are free there"), "{told}");
    assert!(told.contains("free some space, set ASSAY_HOME"), "{told}");
}

#[test]
fn a_charset_that_the_build_lacks_is_skipped_in_the_servers_words_and_the_rest_is_measured() {
    let desk = Desk::new();
    let charsets = ["--set", "axes.charset=[\"latin1\", \"utf8mb4-0900\"]", "--set", "axes.range_size=[10]"];
    let said = desk.assay(&[RUN, &charsets].concat());
    said.assert_carried_out();
    desk.assert_nothing_is_left();
    for repetition in [1, 2] {
        assert_eq!(desk.run(&format!("c001-{repetition}"))["ending"], "done");
        let skipped = &desk.run(&format!("c002-{repetition}"))["ending"]["skipped"]["reason"];
        assert!(skipped.as_str().unwrap().contains("Unknown collation: 'utf8mb4_0900_ai_ci'"), "{skipped}");
    }
    let report = desk.read("record/report.md");
    assert!(report.contains("utf8mb4-0900") && report.contains("Unknown collation: 'utf8mb4_0900_ai_ci'"), "{report}");

    // Another question is not written into this record, nor drawn over its report.
    let told = desk.assay(RUN);
    assert_eq!(told.status, 2);
    assert!(told.err.contains("record is the record of another plan"), "{}", told.err);
    assert!(told.err.contains("choose another folder with --out"), "{}", told.err);
    assert_eq!(desk.read("record/report.md"), report);
}

#[test]
fn a_build_that_is_not_here_is_named_before_the_others_are_measured_and_in_the_answer() {
    let desk = Desk::new();
    let builds = "axes.build=[\"distribution\", \"mysql-5.5.34\"]";
    let one = ["--set", builds, "--set", "axes.range_size=[10]", "--set", "axes.charset=[\"latin1\"]"];
    let said = desk.assay(&[RUN, &one].concat());
    said.assert_carried_out();
    let mend = "`assay servers install mysql-5.5.34` brings it";
    let begun = said.err.find("runs; the record is").expect("a run says how many runs it is");
    let told = said.err.find("not here: build = mysql-5.5.34: ").expect("what is not here is told");
    assert!(told < begun && said.err[told..begun].contains(mend), "{}", said.err);
    let answer = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(answer.starts_with("Nothing was compared over build: of its values only distribution"), "{}", said.out);
    assert!(answer.contains(mend), "{}", said.out);
}

#[test]
fn a_server_that_refuses_an_option_fails_its_runs_in_its_own_words() {
    let desk = Desk::new();
    desk.write("tiny.toml", &TINY.replace("[workload", "[server.native]\nfrobnicate = 1\n\n[workload"));
    let said = desk.assay(RUN);
    assert_eq!(said.status, 3, "{said:?}");
    assert_eq!(said.err.matches("unknown variable 'frobnicate=1'").count(), 1, "{}", said.err);
    assert_eq!(said.err.matches("failed: for the same reason").count(), 3, "{}", said.err);
    assert!(said.err.contains("4 of 4 runs failed; the record is kept in record"), "{}", said.err);
    desk.assert_nothing_is_left();
    assert_eq!(desk.count("instance_starting"), 1, "a server that would not start is not tried for each run");
    for id in desk.runs().keys() {
        let reason = desk.run(id)["ending"]["failed"]["reason"].clone();
        assert!(reason.as_str().unwrap().contains("unknown variable 'frobnicate=1'"), "{id}: {reason}");
    }
}

#[test]
fn memory_of_nodes_that_are_not_here_and_cpus_that_are_none_are_refused_with_the_mend() {
    let desk = Desk::without_server();
    let told = |key: &str| refused(&desk, &[RUN, &["--set", key]].concat());
    let memory = told("server.memory=\"node 999\"");
    assert!(memory.contains("cannot take a server's memory by \"node 999\": "), "{memory}");
    let word = told("server.memory=\"near\"");
    assert!(word.contains("`near` is not a policy of memory") && word.contains("\"interleave\""), "{word}");
    for key in ["server.memory=\"local\"", "server.cpus=\"0\""] {
        let found = refused(&desk, &[RUN, &["--on", "mysql://nobody@localhost/x", "--set", key]].concat());
        assert!(found.contains("a server that assay did not start is what it is"), "{found}");
    }
    let list = told("server.load_cpus=[\"0\", \"every\"]");
    assert!(list.contains("`every` is not a set of CPUs"), "{list}");
    assert!(told("server.load_cpus=[]").contains("a list without sets of CPUs"));
    assert!(told("server.cpus=[\"0\"]").contains("a list, where a set of CPUs is wanted"));
}
