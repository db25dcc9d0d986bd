//! What `make test` says in its last line: the sum of cargo's tests and the page's, in which a skipped test has not
//! passed and one that passed when it was asked again has not failed. `scripts/test` is run as it is; cargo and npm are
//! a few lines that print.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the script among these programs.
fn sum(cargo: &str, npm: &str) -> (String, Output) {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [("cargo", cargo), ("npm", npm)] {
        let program = place.path().join(name);
        fs::write(&program, format!("#!/bin/sh\n{text}\n")).expect("a file of ours");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let path = format!("{}:{}", place.path().display(), std::env::var("PATH").expect("a PATH"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/test");
    let output = Command::new(script).env("PATH", path).output().expect("the script starts");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output)
}

fn last(said: &str) -> &str {
    said.lines().last().expect("it says something")
}

const PAGE: &str = "printf '# pass 5\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n'";
const TWO: &str =
    "printf 'test a::b ... ok\\ntest c ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\\n'";

#[test]
fn passed_tests_of_every_program_and_of_the_page_are_summed() {
    let (said, output) = sum(&format!("{TWO}; {TWO}"), PAGE);
    assert_eq!((last(&said), output.status.code()), ("9 passed, 0 failed, 0 skipped", Some(0)), "{said}");
}

#[test]
fn a_skipped_test_has_not_passed_and_is_listed_once_with_its_mend() {
    let skip = "printf 'a::b\\tFerretDB\\tassay servers install ferretdb\\n' >>\"$ASSAY_SKIPS\"";
    let (said, output) = sum(&format!("{skip}; {skip}; {TWO}"), PAGE);
    assert_eq!((last(&said), output.status.code()), ("6 passed, 0 failed, 1 skipped", Some(0)), "{said}");
    let line = "  a::b wants FerretDB; assay servers install ferretdb brings it";
    assert_eq!(said.lines().filter(|l| *l == line).count(), 1, "{said}");
}

const ONE_FAILED: &str = "printf 'test a ... ok\\ntest b ... FAILED\\n\\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\\n    `-p x --test y`\\n'; exit 101";

#[test]
fn a_test_that_passes_when_asked_again_has_passed_and_is_named() {
    let again = "case \"$*\" in *--exact*) echo 'test b ... ok'; exit 0 ;; esac";
    let (said, output) = sum(&format!("{again}\n{ONE_FAILED}"), PAGE);
    assert_eq!((last(&said), output.status.code()), ("7 passed, 0 failed, 0 skipped", Some(0)), "{said}");
    assert!(said.contains("PASSED ONLY WHEN ALONE (these lean on the machine, mend them): b"), "{said}");
}

#[test]
fn what_fails_twice_or_says_no_result_is_a_failure() {
    let (said, output) = sum(ONE_FAILED, "printf 'ℹ pass 4\\nℹ fail 1\\nℹ cancelled 0\\n'; exit 1");
    assert_eq!((last(&said), output.status.code()), ("5 passed, 2 failed, 0 skipped", Some(1)), "{said}");
    let (said, output) = sum("echo 'error: could not compile'; exit 101", PAGE);
    assert_eq!((last(&said), output.status.code()), ("5 passed, 1 failed, 0 skipped", Some(101)), "{said}");
}
