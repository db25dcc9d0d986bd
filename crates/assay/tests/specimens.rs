//! Recorded runs with a known illness, and healthy ones, judged again: `specimens/matrix.txt` is the worst that every
//! check says of each. A record never changes, so a line of it that changes is a check that did: look at it, and write
//! the table anew with `SPECIMENS=write`. So it is with `specimens/sentences.md`, which has what checks, findings and
//! openings say of them, to be read aloud, and with `specimens/screens.txt`, which has what a terminal shows. How a
//! specimen was made is in `specimens/NAME.toml` and `NAME.sh`;
//! `specimens/make.sh NAME` makes it again.

use model::finding::{Finding, Rung};
use model::verdict::Status;
use model::{Judgement, Record, Verdict};
use report::terminal::{self, Style};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Twins without an illness begin so.
const HEALTHY: &str = "healthy";
/// A cause that was really taken away, beside a placebo that was really given.
const CONFIRMED: (&str, &str) = ("confirmed-cause", "reads_from_disk");
/// The specimen of an illness that a machine like the recording one does not have; its record was edited, which NAME.sh
/// does.
const CONSTRUCTED: &str = "constructed";

/// Checks that no specimen fails, and why not: there is none.
const NEVER_FAILED: &[(&str, &str)] = &[(
    "client_was_not_in_the_way",
    "on the machine that recorded `other-io` the ways were too near to each other for two users",
)];
/// Checks that no healthy specimen passes, and why not: there is none.
const NEVER_PASSED: &[(&str, &str)] = &[
    ("answers_were_fresh", "the healthy gets are of a cache, to which it does not apply; view-per-get passes it"),
    ("network_had_room", "users of all specimens but an edited one came over a socket, to which it does not apply"),
];

/// Sentences of one check with one status: more would tell nobody more.
const SENTENCES: usize = 3;
/// Those of whom the screen is shown whole: what each of the five studies turns on, and a curve, a comparison and a
/// single number.
const SCREENS: &[&str] = &[
    "missing-zero",
    "view-per-get",
    "open-snapshot",
    "refused-orders",
    "outgrown-pool",
    "healthy-law",
    "confirmed-cause",
    "healthy-calm",
    "unlike-parts",
];
const WIDTHS: [usize; 2] = [80, 120];

type Verdicts = BTreeMap<String, Status>;

struct Specimen {
    record: Record,
    judgement: Judgement,
    /// The worst of every check.
    verdicts: Verdicts,
    /// The highest rung of every cause.
    findings: BTreeMap<String, Rung>,
}

static SPECIMENS: LazyLock<BTreeMap<String, Specimen>> = LazyLock::new(|| {
    let entries = std::fs::read_dir(folder()).expect("the repository has specimens");
    let paths = entries.map(|e| e.expect("a readable entry").path());
    let names = paths.filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".tar.xz")?.to_string()));
    names.map(|name| (name.clone(), judged(&name))).collect()
});

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specimens")
}

fn judged(name: &str) -> Specimen {
    let place = tempfile::tempdir().expect("a temporary folder");
    let archive = folder().join(format!("{name}.tar.xz"));
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--xz").arg("--file").arg(archive).arg("--directory").arg(place.path());
    assert!(unpack.status().expect("tar starts").success(), "{name} is an archive (is xz installed?)");
    let (record, details) = lab::notebook::read(&place.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let judgement = judge::judge(&record, &details);
    let mut verdicts = Verdicts::new();
    for verdict in judgement.verdicts.iter().chain(judgement.cells.iter().flat_map(|c| &c.verdicts)) {
        let status = verdicts.entry(verdict.check.clone()).or_insert(verdict.verdict);
        *status = (*status).max(verdict.verdict);
    }
    let mut findings = BTreeMap::new();
    for Finding { name, rung, .. } in &judgement.findings {
        let highest = findings.entry(name.clone()).or_insert(*rung);
        *highest = (*rung).max(*highest);
    }
    Specimen { record, judgement, verdicts, findings }
}

fn letter(status: Option<&Status>) -> char {
    match status {
        Some(Status::NotApplicable) => '/',
        Some(Status::Pass) => '.',
        Some(Status::NotEvaluable) => '-',
        Some(Status::Warn) => 'w',
        Some(Status::Fail) => 'F',
        None => ' ',
    }
}

fn matrix() -> String {
    let mut text = String::from(
        "What each check says of each specimen, the worst over its cells:\n\
         . passed   w warned   F failed   - not evaluable   / not applicable\n\n",
    );
    for (at, name) in SPECIMENS.keys().enumerate() {
        let question = std::fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap_or_default();
        let question = question.lines().find_map(|l| l.strip_prefix("question = ")).unwrap_or_default();
        text.push_str(&format!("{:>3}  {name:18} {}\n", at + 1, question.trim_matches('"')));
    }
    text.push_str(&format!("\n{:28}", ""));
    (1..=SPECIMENS.len()).for_each(|at| text.push_str(&format!("{at:>3}")));
    for check in judge::checks::ALL {
        text.push_str(&format!("\n{:28}", check.id));
        SPECIMENS.values().for_each(|of| text.push_str(&format!("  {}", letter(of.verdicts.get(check.id)))));
    }
    text.push('\n');
    for (what, of) in [("Never passed by a healthy one", NEVER_PASSED), ("Never failed", NEVER_FAILED)] {
        of.iter().for_each(|(check, why)| text.push_str(&format!("\n{what}: {check}: {why}.\n")));
    }
    text.push_str("\nWhat explains them, and on which rung:\n\n");
    for (at, (name, specimen)) in SPECIMENS.iter().enumerate().filter(|(_, (_, s))| !s.findings.is_empty()) {
        let told = specimen.findings.iter().map(|(cause, rung)| format!("{cause} ({})", rung.words()));
        text.push_str(&format!("{:>3}  {name:18} {}\n", at + 1, told.collect::<Vec<_>>().join(", ")));
    }
    text
}

/// Holds a golden file to what is said today; `SPECIMENS=write` writes it anew.
fn assert_golden(name: &str, said: &str) {
    let golden = folder().join(name);
    if std::env::var_os("SPECIMENS").is_some_and(|how| how == "write") {
        std::fs::write(&golden, said).expect("a golden file can be written");
    }
    let golden = std::fs::read_to_string(golden).unwrap_or_default();
    let changed: Vec<_> = said.lines().filter(|line| !golden.lines().any(|l| l == *line)).collect();
    assert!(said == golden, "{name} changed:\n{}\nSPECIMENS=write writes it anew", changed.join("\n"));
}

#[test]
fn every_check_says_of_every_specimen_what_the_matrix_says() {
    assert_golden("matrix.txt", &matrix());
}

/// `(specimen, verdict)` of one check, each sentence once.
fn said_by<'a>(check: &str) -> Vec<(&'a str, &'a Verdict)> {
    let mut all: Vec<(&str, &Verdict)> = Vec::new();
    for (name, specimen) in SPECIMENS.iter() {
        let of_cells = specimen.judgement.cells.iter().flat_map(|c| &c.verdicts);
        for verdict in specimen.judgement.verdicts.iter().chain(of_cells).filter(|v| v.check == check) {
            if all.iter().all(|(_, told)| told.sentence != verdict.sentence) {
                all.push((name, verdict));
            }
        }
    }
    all
}

fn sentences() -> String {
    let mut text = String::from(
        "# What is said\n\nEvery check, finding and opening in the sentences that arise from the specimens. Written by \
         `SPECIMENS=write cargo test -p assay --test specimens`.\n\n# Checks\n",
    );
    let mut checks: Vec<_> = judge::checks::ALL.iter().collect();
    checks.sort_by_key(|check| check.id);
    for check in checks {
        text.push_str(&format!("\n## {}\n\nHolds when {}.\n\n", check.id, (check.claim)()));
        let said = said_by(check.id);
        for status in [Status::Pass, Status::Warn, Status::Fail, Status::NotEvaluable, Status::NotApplicable] {
            let most = if status >= Status::Warn { SENTENCES } else { 1 };
            for (name, verdict) in said.iter().filter(|(_, v)| v.verdict == status).take(most) {
                text.push_str(&format!("- {} ({name}): {}\n", status.word(), verdict.sentence));
            }
        }
        text.push_str(&format!("\nWhat to do: {}.\n", check.advice));
    }
    text.push_str("\n# Findings\n");
    for (name, specimen) in SPECIMENS.iter() {
        for finding in &specimen.judgement.findings {
            text.push_str(&format!("\n- {} ({}, {name}): {}\n", finding.name, finding.rung.words(), finding.sentence));
            finding.rival.iter().for_each(|rival| text.push_str(&format!("  {}\n", rival.sentence)));
        }
    }
    text.push_str("\n# Openings\n");
    for (name, specimen) in SPECIMENS.iter() {
        text.push_str(&format!("\n## {name}\n\n"));
        for claim in &specimen.judgement.claims {
            let what = if claim.is_answer { "answer" } else { claim.status.word() };
            text.push_str(&format!("- {what}: {}\n", claim.sentence));
        }
    }
    text
}

#[test]
fn what_is_said_reads_like_a_document() {
    assert_golden("sentences.md", &sentences());
}

#[test]
fn a_sentence_has_no_code_and_no_number_of_more_digits_than_it_is_worth() {
    for (name, specimen) in SPECIMENS.iter() {
        let of_cells = specimen.judgement.cells.iter().flat_map(|c| &c.verdicts);
        for verdict in specimen.judgement.verdicts.iter().chain(of_cells) {
            let sentence = &verdict.sentence;
            assert!(!sentence.contains("INVALID"), "{name}: {sentence}");
            let codes = ["V1", "V6", "V7", "V8", "V9", "C1", "E1"];
            let words = || sentence.split(|c: char| !c.is_alphanumeric());
            assert!(words().all(|word| !codes.contains(&word)), "{name}: {sentence}");
            assert!(!sentence.contains("Nor that"), "{name}: {sentence}");
        }
    }
}

fn screen(name: &str, width: usize) -> String {
    let specimen = &SPECIMENS[name];
    let style = Style { width, colour: false, all: false };
    terminal::screen(&specimen.record, &specimen.judgement, Some("record/report.html"), style)
}

#[test]
fn a_record_is_told_on_one_screen() {
    for (name, width) in SPECIMENS.keys().flat_map(|name| WIDTHS.map(|width| (name, width))) {
        let screen = screen(name, width);
        assert!(screen.lines().count() <= terminal::LINES, "{name} takes {} lines:\n{screen}", screen.lines().count());
        let longest = screen.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        // A word that is longer than a line stays whole.
        assert!(longest.chars().count() <= width || !longest.trim().contains(' '), "{name}: {longest}");
        assert!(screen.contains(&SPECIMENS[name].judgement.health.sentence[..19]), "{name}:\n{screen}");
        assert!(screen.ends_with("record/report.html\n"), "{name}:\n{screen}");
    }
    let shown = |name: &&str| {
        WIDTHS.map(|width| format!("{name}, {width} columns\n{}\n{}\n", "-".repeat(width), screen(name, width)))
    };
    assert_golden("screens.txt", &SCREENS.iter().flat_map(shown).collect::<String>());
}

#[test]
fn colours_change_nothing_but_how_it_looks() {
    for specimen in SPECIMENS.values() {
        let told = |colour| {
            let style = Style { width: 80, colour, all: true };
            let screen = terminal::screen(&specimen.record, &specimen.judgement, None, style);
            screen + &terminal::rest(&specimen.record, &specimen.judgement, style)
        };
        let mut plain = String::new();
        for (at, part) in told(true).split("\x1b[").enumerate() {
            plain.push_str(if at == 0 { part } else { part.split_once('m').expect("a code has its end").1 });
        }
        assert_eq!(plain, told(false));
    }
}

#[test]
fn every_check_finds_an_illness_and_passes_a_healthy_twin() {
    let of = |healthy: bool, check: &str, wanted: &[Status]| {
        SPECIMENS
            .iter()
            .filter(|(name, _)| name.starts_with(HEALTHY) == healthy)
            .any(|(_, specimen)| specimen.verdicts.get(check).is_some_and(|v| wanted.contains(v)))
    };
    for (names, healthy, wanted) in
        [(NEVER_FAILED, false, &[Status::Fail, Status::Warn][..]), (NEVER_PASSED, true, &[Status::Pass][..])]
    {
        let not: Vec<_> = judge::checks::ALL.iter().map(|c| c.id).filter(|id| !of(healthy, id, wanted)).collect();
        let told: Vec<_> = names.iter().map(|(id, _)| *id).collect();
        assert_eq!(not, told, "of {wanted:?}, healthy {healthy}");
    }
}

#[test]
fn a_cause_that_was_taken_away_on_a_real_server_stands_on_the_highest_rung() {
    let (specimen, cause) = CONFIRMED;
    assert_eq!(SPECIMENS[specimen].findings.get(cause), Some(&Rung::ConfirmedByIntervention));
    let others = SPECIMENS.iter().filter(|(name, _)| *name != specimen).flat_map(|(_, s)| s.findings.values());
    assert!(others.into_iter().all(|rung| *rung < Rung::ConfirmedByIntervention), "where nothing was taken away");
}

#[test]
fn every_specimen_says_what_it_is_and_which_of_them_were_edited() {
    for name in SPECIMENS.keys() {
        assert!(folder().join(format!("{name}.toml")).exists(), "{name} has its question beside it");
        let script = std::fs::read_to_string(folder().join(format!("{name}.sh"))).unwrap_or_default();
        let edited = script.contains("edit ");
        assert_eq!(edited, name.starts_with(CONSTRUCTED), "{name} is named after how it was made");
    }
    assert!(!SPECIMENS.is_empty());
}
