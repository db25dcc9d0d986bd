//! The forms of other tools, read by the tools themselves where this machine has them: HdrHistogram's crate always, the
//! parsers of PyPI where `scripts/install test` could bring them. What has no parser to install is held against the
//! schema that its makers publish.

#[path = "../../examples/sample/judgement.rs"]
mod judgement;
mod logged;
#[path = "../../examples/sample/record.rs"]
mod record;
mod shapes;
#[path = "../../../lab/tests/skipped/mod.rs"]
mod skipped;
mod tools;

use model::{Judgement, Record, Status, Verdict};
use record::{Shown, Size};
use report::formats::{self, Handed};
use std::collections::BTreeMap;

/// A judged record, and what its user says of it.
struct Judged {
    record: Record,
    details: Shown,
    judgement: Judgement,
    attributes: BTreeMap<String, String>,
}

impl Judged {
    fn sample() -> Self {
        let (record, details) = record::of(Size::Golden);
        let judgement = judgement::of(&record);
        let attributes = [("git_repo", "https://example.org/db"), ("branch", "main"), ("git_commit", "4f1c2d3")];
        let attributes = attributes.map(|(key, value)| (key.to_string(), value.to_string())).into();
        Self { record, details, judgement, attributes }
    }
    /// Whose every cell stands.
    fn clean() -> Self {
        let mut judged = Self::sample();
        for cell in &mut judged.judgement.cells {
            cell.verdicts.clear();
            cell.status = Status::Pass;
        }
        judged
    }
    fn strike(&mut self, cell: usize) {
        let cell = &mut self.judgement.cells[cell];
        cell.status = Status::Fail;
        cell.verdicts.push(Verdict {
            check: "machine_was_quiet".into(),
            verdict: Status::Fail,
            sentence: "Others used 40 % of the CPUs.".into(),
            measured: "40 %".into(),
            limit: "5 %".into(),
            advice: "stop them".into(),
            evidence: Vec::new(),
            quarantined: false,
            phases: Vec::new(),
            open_in: Vec::new(),
        });
    }
    fn told(&self, format: &str) -> Result<String, String> {
        self.told_of(format, None)
    }
    fn told_of(&self, format: &str, cell: Option<&str>) -> Result<String, String> {
        let Self { record, details, judgement, attributes } = self;
        formats::of(format, &Handed { record, judgement, details, attributes, cell })
    }
    fn text(&self, format: &str) -> String {
        self.told(format).unwrap_or_else(|why| panic!("{format}: {why}"))
    }
}

#[test]
fn each_format_of_the_sample_reads_like_this() {
    let judged = Judged::clean();
    for format in formats::ALL {
        let text = judged.text(format.name);
        let begin: Vec<String> = text.lines().take(24).map(|line| line.chars().take(160).collect()).collect();
        insta::assert_snapshot!(format.name, begin.join("\n"));
    }
}

#[test]
fn a_struck_cell_has_a_number_in_no_format() {
    let mut judged = Judged::clean();
    let cell = judged.judgement.cells[1].clone();
    let number = cell.metrics["qps"].value.to_string();
    let log = format!("Tag={}:", cell.id);
    let mark = |format: &str| if format == "hdrhistogram" { &log } else { &number };
    let is_told = |judged: &Judged, format: &str| judged.text(format).contains(mark(format));
    // Otava is given whole rows or none, and rates are none of what is better when it shrinks.
    let has_rates = |name: &&str| !["github-action-smaller", "otava"].contains(name);
    let names: Vec<&str> = formats::ALL.iter().map(|f| f.name).filter(has_rates).collect();
    for name in &names {
        assert!(is_told(&judged, name), "{name} tells {number} while it stands");
    }
    judged.strike(1);
    for name in &names {
        assert!(!is_told(&judged, name), "{name} hands on {number}, which is struck");
    }
    let told = judged.text("openmetrics");
    assert!(told.contains("assay_struck{") && told.contains("check=\"machine_was_quiet\""), "{told}");
    assert!(judged.text("hdrhistogram").contains(&format!("#[Left out: {}, struck by machine_was_quiet]", cell.id)));
}

#[test]
fn where_no_number_stands_one_sentence_says_what_to_do() {
    let mut judged = Judged::clean();
    (0..judged.judgement.cells.len()).for_each(|cell| judged.strike(cell));
    for format in formats::ALL {
        let why = judged.told(format.name).expect_err("nothing stands");
        assert!(why.contains("`assay explain machine_was_quiet` says what to do"), "{why}");
    }
    judged.judgement.cells.iter_mut().for_each(|cell| cell.metrics.clear());
    let why = judged.told("bencher").expect_err("nothing was measured");
    assert!(why.contains("has no number") && why.contains("give its `assay run` again"), "{why}");
}

#[test]
fn an_unknown_format_is_told_with_those_there_are() {
    let why = Judged::sample().told("bmf").expect_err("it is called bencher");
    assert!(why.contains("no format called \"bmf\"; write one of bencher, otava, nyrkio"), "{why}");
}

#[test]
fn one_cell_is_handed_on_alone_and_a_cell_that_is_not_there_is_told() {
    let mut judged = Judged::clean();
    for format in formats::ALL {
        let one = judged.told_of(format.name, Some("c002")).unwrap_or_else(|why| panic!("{}: {why}", format.name));
        assert!(one.len() < judged.text(format.name).len(), "{} of one cell", format.name);
        let why = judged.told_of(format.name, Some("c999")).expect_err("there is no such cell");
        assert!(why.contains("no cell \"c999\"; its cells are c001 to c"), "{why}");
    }
    judged.strike(1);
    let why = judged.told_of("bencher", Some("c002")).expect_err("it is struck");
    assert!(why.starts_with("no number of cell c002 stands"), "{why}");
}
