//! Bisecting builds: what is refused before anything is made, and a row whose ends a command makes, with a build
//! between them that it cannot make. The builds are this machine's server behind scripts, one of which it slows.

use crate::desk::{Desk, TINY, until};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const ENDS: &[&str] = &["bisect", "tiny.toml", "--good", "a", "--bad", "c"];

/// What is loaded into a slow server: it spins when it has heard something.
const SLOW: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>
ssize_t recv(int fd, void *buf, size_t n, int flags) {
    ssize_t (*real)(int, void *, size_t, int) = dlsym(RTLD_NEXT, "recv");
    ssize_t got = real(fd, buf, n, flags);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do clock_gettime(CLOCK_MONOTONIC, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec < 300000);
    return got;
}
"#;

/// Makes `a` as it is and `c` slowly, prints where they lie, and cannot make `b`.
fn maker(desk: &Desk) {
    let server = lab::servers::catalogue::find("distribution").expect("the tests have a server").installed;
    desk.write("slow.c", SLOW);
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o", "slow.so", "slow.c"])
        .current_dir(desk.path(""))
        .status();
    assert!(made.expect("cc links what cargo builds").success());
    let text = format!(
        "#!/bin/sh\nset -e\n[ $1 != b ] || {{ echo 'b does not compile' >&2; exit 125; }}\nmkdir -p made/$1/bin\n\
         ln -sfn {base}/share made/$1/share; ln -sfn {base}/lib made/$1/lib\n[ $1 = a ] || slow=\"LD_PRELOAD=$PWD/slow.so\"\n\
         printf '#!/bin/sh\\nexec env %s {binary} \"$@\"\\n' \"$slow\" > made/$1/bin/mariadbd\n\
         chmod +x made/$1/bin/mariadbd\necho compiled\necho made/$1\n",
        base = server.basedir,
        binary = server.binary,
    );
    desk.write("make.sh", &text);
    fs::set_permissions(desk.path("make.sh"), fs::Permissions::from_mode(0o755)).expect("a file of ours");
}

#[test]
fn the_first_bad_build_is_found_and_one_that_could_not_be_made_is_passed_over() {
    let desk = Desk::new();
    maker(&desk);
    desk.write("tiny.toml", &TINY.replace("[10, 100]", "[10]"));
    desk.write("row", "0\na # good\nb\nc # slow\n");
    let more = ["--builds", "row", "--build-command", "./make.sh", "--out", "found", "--fail-if", "qps<-10%", "--json"];
    let said = desk.assay(&[ENDS, &more].concat());
    desk.assert_nothing_is_left();
    assert_eq!(said.status, 0, "{said:#?}");
    let told: Value = serde_json::from_str(&said.out).expect("JSON");
    let found = &told["answer"]["found"];
    assert_eq!((&found["first_bad"], &found["or"]), (&"c".into(), &Value::from(vec!["b"])), "{told:#}");
    let builds = told["builds"].as_array().expect("a list");
    assert_eq!(builds.len(), 3, "what stands before the good end is left out");
    assert_eq!(builds[1]["skipped"], "its command ended with 125: b does not compile");
    assert!(builds[0]["version"].as_str().is_some_and(|version| version.contains('.')));
    assert!(builds[2]["build"].as_str().is_some_and(|build| build.ends_with("made/c")));
    // All is known: the same command measures nothing.
    let again = desk.assay(&[ENDS, &more].concat());
    assert_eq!((again.status, again.out), (0, said.out));
    let other = desk.assay(&[ENDS, &["--builds", "row", "--build-command", "./make.sh", "--out", "found"]].concat());
    assert!(other.status == 2 && other.err.contains("is a bisect of *:qps<-10%"), "{other:#?}");
}

#[test]
fn a_bisect_that_was_killed_goes_on_within_the_record_that_was_under_way() {
    let desk = Desk::new();
    maker(&desk);
    desk.write("tiny.toml", &TINY.replace("[10, 100]", "[10]"));
    desk.write("row", "a\nb\nc\n");
    let more = ["--builds", "row", "--build-command", "./make.sh", "--out", "found", "--fail-if", "qps<-10%", "--json"];
    let command = [ENDS, &more].concat();
    let record = "found/002-c/1";
    // By the name of its folder, what each run that is over came to.
    let over = || -> BTreeMap<String, String> {
        let folders = fs::read_dir(desk.path(record).join("runs")).into_iter().flatten().flatten();
        let text = |run: &Path| Some((run.display().to_string(), fs::read_to_string(run.join("run.json")).ok()?));
        folders.filter_map(|folder| text(&folder.path())).collect()
    };
    let mut killed = desk.start(&command);
    for word in ["lab_started", "instance_ready", "run_started", "run_done"] {
        let notes = || fs::read_to_string(desk.path(record).join("notes.jsonl")).unwrap_or_default();
        until(word, || notes().contains(word).then_some(()));
    }
    killed.kill().expect("a child of ours");
    killed.wait().expect("it is dead");
    until("the death of the server with its lab", || desk.processes().is_empty().then_some(()));
    let before = over();
    assert!(before.len() < 10, "it was killed at work");

    let said = desk.assay(&command);
    desk.assert_nothing_is_left();
    assert_eq!(said.status, 0, "{said:#?}");
    let told: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(told["answer"]["found"]["first_bad"], "c", "{told:#}");
    let after = over();
    assert!(before.iter().all(|(run, text)| after.get(run) == Some(text)), "a run that was over was touched");
    assert_eq!(desk.read(&format!("{record}/notes.jsonl")).matches("\"lab_started\"").count(), 2);
    assert!(!said.err.contains("making a:") && !said.err.contains("making c:"), "a build was made twice: {}", said.err);
}

#[test]
fn a_row_that_makes_no_sense_is_refused_before_anything_is_made() {
    let desk = Desk::without_server();
    desk.write("row", "c\nb\na\n");
    for (arguments, told) in [
        (&["--builds", "row", "--build-command", "true"][..], "oldest first"),
        (&["--builds", "nowhere"], "name a file with a build per line"),
        (&["--build-command", "true"], "give --builds"),
        (&["--builds", "row", "--build-command", "true", "--fail-if", "oltp.*:qps<-3%"], "leave it out"),
    ] {
        let said = desk.assay(&[ENDS, arguments].concat());
        assert!(said.status == 2 && said.err.contains(told), "{said:#?}");
    }
}
