//! The numbers of a recorded specimen in the forms of other tools, as their user asks for them: printed or in a file,
//! and one sentence where nothing can be handed on.

use crate::desk::{Desk, Said};
use std::path::Path;
use std::process::Command;

/// A desk with a record on it that nobody has to measure.
fn with_specimen(name: &str) -> Desk {
    let desk = Desk::without_server();
    unpack(&desk, name);
    desk
}

pub fn unpack(desk: &Desk, name: &str) {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../specimens/{name}.tar.xz"));
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--xz").arg("--file").arg(archive).arg("--directory").arg(desk.path(""));
    assert!(unpack.status().expect("tar starts").success(), "{name} is an archive (is xz installed?)");
}

/// Refused, in one sentence.
fn refusal(said: &Said) -> &str {
    assert_eq!((said.status, said.out.as_str(), said.err.lines().count()), (2, "", 1), "{said:?}");
    &said.err
}

#[test]
fn a_record_is_handed_to_another_tool_printed_or_as_a_file() {
    let desk = with_specimen("healthy-calm");
    let printed = desk.assay(&["report", "healthy-calm", "--as", "bencher"]);
    assert!(printed.status < 2, "{printed:?}");
    let told: serde_json::Value = serde_json::from_str(&printed.out).unwrap_or_else(|e| panic!("{e}: {printed:?}"));
    assert!(told.as_object().is_some_and(|benchmarks| !benchmarks.is_empty()), "{printed:?}");
    let filed = desk.assay(&["report", "healthy-calm", "--as", "hdrhistogram", "--out", "logs/calm.hlog"]);
    assert!(filed.status < 2 && filed.out.is_empty(), "{filed:?}");
    let log = desk.read("logs/calm.hlog");
    assert!(log.contains("#[Histogram log format version 1.3]") && log.contains("\nTag=c001:"), "{log}");
}

#[test]
fn tables_of_a_record_are_printed_to_be_pasted() {
    let desk = with_specimen("healthy-calm");
    let markdown = desk.assay(&["report", "healthy-calm", "--table", "qps"]);
    assert!(markdown.status < 2 && markdown.out.contains("| test | qps (statements/s) |\n|---|--:|\n"), "{markdown:?}");
    let tsv = desk.assay(&["report", "healthy-calm", "--table", "cost", "--as", "tsv"]);
    assert!(tsv.status < 2 && tsv.out.starts_with("group\ttest\t"), "{tsv:?}");
    assert!(tsv.out.lines().next().is_some_and(|heads| heads.contains("\tswitches/op\t")), "{tsv:?}");
    let refused = desk.assay(&["report", "healthy-calm", "--table", "qps", "--as", "bencher"]);
    assert!(refusal(&refused).contains("write --as markdown or --as tsv"), "{refused:?}");
    let refused = desk.assay(&["report", "healthy-calm", "--table", "tps"]);
    assert!(refusal(&refused).contains("write one of qps, cost"), "{refused:?}");
}

#[test]
fn what_cannot_be_handed_on_is_told_in_a_sentence_with_the_mend() {
    let desk = with_specimen("healthy-calm");
    let ask = |arguments: &[&str]| desk.assay(&[&["report", "healthy-calm"], arguments].concat());
    assert!(refusal(&ask(&["--as", "bmf"])).contains("no format called \"bmf\"; write one of bencher, otava"));
    assert!(refusal(&ask(&["--out", "x.json"])).contains("add --as FORMAT"));
    assert!(refusal(&ask(&["--as", "nyrkio"])).contains("add --attribute git_repo=… --attribute branch=…"));
    assert!(refusal(&ask(&["--as", "nyrkio", "--attribute", "branch"])).contains("write --attribute KEY=VALUE"));
    assert!(refusal(&ask(&["--as", "bencher", "--cell", "c99"])).contains("no cell \"c99\"; its cells are c001 to"));
    let plan = desk.read("healthy-calm/plan.json");
    let newer = plan.replacen("\"schema\": 1", "\"schema\": 99", 1);
    assert_ne!(plan, newer, "a plan says its schema");
    desk.write("healthy-calm/plan.json", &newer);
    let said = ask(&["--as", "bencher"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("has schema 99; this assay reads up to 1\n    read it with the assay that"), "{said:?}");
    desk.write("healthy-calm/plan.json", &plan);
    std::fs::remove_dir_all(desk.path("healthy-calm/runs")).expect("a record has runs");
    assert!(refusal(&ask(&["--as", "openmetrics"])).contains("has no number, because none of its runs was done"));
}

#[test]
fn a_record_of_a_newer_schema_is_refused_by_whoever_reads_it() {
    let desk = with_specimen("healthy-calm");
    std::fs::rename(desk.path("healthy-calm"), desk.path("older")).expect("a folder of ours");
    unpack(&desk, "healthy-calm");
    let newer = desk.read("healthy-calm/plan.json").replacen("\"schema\": 1", "\"schema\": 99", 1);
    desk.write("healthy-calm/plan.json", &newer);
    let told = "assay: healthy-calm has schema 99; this assay reads up to 1\n    read it with the assay that wrote it, or a \
                later one\n";
    for verb in [&["judge", "healthy-calm"][..], &["report", "healthy-calm"], &["compare", "older", "healthy-calm"]] {
        let said = desk.assay(verb);
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (2, "", told), "{verb:?}");
    }
}

#[test]
fn a_record_without_numbers_says_so_in_a_sentence() {
    let desk = with_specimen("healthy-calm");
    std::fs::remove_dir_all(desk.path("healthy-calm/runs")).expect("a record has runs");
    let said = desk.assay(&["judge", "healthy-calm"]);
    assert!(said.out.starts_with("There is no answer yet. No number was measured.\n"), "{said:?}");
    let compared = desk.assay(&["compare", "healthy-calm", "healthy-calm"]);
    assert!(compared.status == 2 && compared.out.is_empty(), "{compared:?}");
    assert!(compared.err.contains("no cell of it has a counterpart with a number"), "{compared:?}");
}
