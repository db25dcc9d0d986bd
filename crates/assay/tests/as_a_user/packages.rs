//! What packages lay beside the binary: completions that complete in a real shell, manual pages, and that `make
//! install` puts them where `make uninstall` finds them.

use crate::desk::Desk;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Completes the last of the words as bash would, by the function that the completions declare.
const COMPLETE: &str = r#"
source completions.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_assay assay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

fn completed(desk: &Desk, words: &[&str]) -> Vec<String> {
    let mut bash = Command::new("bash");
    bash.current_dir(desk.path(".")).args(["--norc", "-c", COMPLETE, "bash", "assay"]).args(words);
    let said = bash.output().expect("bash starts");
    String::from_utf8(said.stdout).expect("words are UTF-8").split_whitespace().map(String::from).collect()
}

fn checkout() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `make` on this checkout, with this binary and a prefix on the desk.
fn make(desk: &Desk, goal: &str) {
    let mut make = Command::new("make");
    make.arg("-C").arg(checkout()).arg(goal).arg(concat!("BINARY=", env!("CARGO_BIN_EXE_assay")));
    // A `make` that runs the tests tells its own of it.
    make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").arg(format!("PREFIX={}", desk.path("prefix").display()));
    let said = make.output().expect("make starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn what_is_installed_works_and_is_taken_away_again() {
    let desk = Desk::without_server();
    make(&desk, "install");
    let share = desk.path("prefix/share");
    for installed in ["bash-completion/completions/assay", "zsh/site-functions/_assay", "man/man1/assay-run.1"] {
        assert!(fs::metadata(share.join(installed)).is_ok_and(|m| m.len() > 0), "{installed}");
    }
    let mut installed = Command::new(desk.path("prefix/bin/assay"));
    let said = installed.args(["plan", "nothing.toml"]).output().expect("the installed program starts");
    let example = "prefix/share/assay/experiments/read-only-charsets.toml";
    assert!(String::from_utf8_lossy(&said.stderr).trim_end().ends_with(example), "{said:?}");
    assert!(desk.path(example).is_file());

    desk.write("prefix/share/man/man1/other.1", "somebody else's");
    make(&desk, "uninstall");
    let left = Command::new("find").arg(desk.path("prefix")).args(["-type", "f", "-printf", "%P"]).output();
    assert_eq!(String::from_utf8_lossy(&left.expect("find starts").stdout), "share/man/man1/other.1");
}

#[test]
fn the_container_asks_what_the_demo_asks() {
    let read = |name: &str| fs::read_to_string(checkout().join(name)).expect("the checkout has it");
    let makefile = read("Makefile");
    let asked = makefile.split_whitespace().find(|word| word.starts_with("experiments/") && word.ends_with(".toml"));
    let installed = format!("/usr/share/assay/{}", asked.expect("make demo names an experiment"));
    assert!(read("Dockerfile").contains(&installed), "the Dockerfile does not ask {installed}");
}

#[test]
fn bash_completes_verbs_and_the_names_that_assay_knows() {
    let desk = Desk::without_server();
    desk.write("completions.bash", &desk.assay(&["completions", "bash"]).out);
    assert_eq!(completed(&desk, &["comp"]), ["compare", "completions"]);
    assert_eq!(completed(&desk, &["explain", "client_had"]), ["client_had_headroom"]);
    assert_eq!(completed(&desk, &["bench", "oltp.point_"]), ["oltp.point_selects"]);
    assert_eq!(completed(&desk, &["run", "tiny.toml", "--scale", "l"]), ["laptop"]);
    assert_eq!(completed(&desk, &["bench", "noop", "--on", "distri"]), ["distribution"]);
    assert_eq!(completed(&desk, &["servers", "inst"]), ["install"]);
    assert_eq!(completed(&desk, &["sysbench", "oltp_read_w"]), ["oltp_read_write"]);
    // Nothing of ours, so that the shell offers its files.
    assert!(completed(&desk, &["run", "ti"]).is_empty());
    assert!(completed(&desk, &["sysbench", "--thr"]).is_empty());
}

#[test]
fn names_that_completions_do_not_know_are_still_heard_by_the_verbs() {
    let desk = Desk::without_server();
    let said = desk.assay(&["explain", "client_headroom"]);
    assert!((said.status, said.err.contains("did you mean client_had_headroom?")) == (2, true), "{said:?}");
    let said = desk.assay(&["sysbench", "--version"]);
    assert!((said.status, said.out.starts_with("sysbench ")) == (0, true), "{said:?}");
}

#[test]
fn every_shell_is_served_and_a_wrong_one_is_told_which_there_are() {
    let desk = Desk::without_server();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = desk.assay(&["completions", shell]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{shell}");
        assert!(said.out.contains("snapshots"), "{shell}");
    }
    let said = desk.assay(&["completions", "tcsh"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{}", said.err);
}

#[test]
fn every_verb_has_a_manual_page() {
    let desk = Desk::without_server();
    let said = desk.assay(&["man", "pages/man1"]);
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""));
    let page = desk.read("pages/man1/assay.1");
    for verb in ["run", "sysbench", "servers", "completions"] {
        assert!(page.contains(&format!("assay\\-{verb}(1)")), "{page}");
        let page = desk.read(&format!("pages/man1/assay-{verb}.1"));
        assert!(page.contains(&format!(".TH assay-{verb} 1 ")) && page.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(desk.read("pages/man1/assay-servers-install.1").contains("assay servers install"));
    // What troff does not know begins like a request and is none.
    let requests = [".TH", ".SH", ".TP", ".PP", ".RS", ".RE", ".IP", ".ie", ".el", ".br", ".sp"];
    for entry in fs::read_dir(desk.path("pages/man1")).expect("the folder was made") {
        let page = fs::read_to_string(entry.expect("a readable entry").path()).expect("a page is text");
        for line in page.lines().filter(|l| l.starts_with('.')) {
            assert!(requests.iter().any(|r| line.split(' ').next() == Some(r)), "{line}");
        }
    }
}

#[test]
fn manual_pages_that_cannot_be_written_say_where() {
    let desk = Desk::without_server();
    let said = desk.assay(&["man", "tiny.toml"]);
    assert_eq!((said.status, said.out.as_str()), (3, ""));
    assert!(said.err.contains("tiny.toml") && said.err.contains("name a folder of yours"), "{}", said.err);
}
