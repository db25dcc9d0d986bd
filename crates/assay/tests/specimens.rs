//! Recorded runs with a known illness, and healthy ones, judged again: `specimens/matrix.txt` is the worst that every
//! check says of each. A record never changes, so a line of it that changes is a check that did: look at it, and write
//! the table anew with `SPECIMENS=write`. How a specimen was made is in `specimens/NAME.toml` and `NAME.sh`;
//! `specimens/make.sh NAME` makes it again.

use model::finding::{Finding, Rung};
use model::verdict::Status;
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

/// What no specimen says so far.
const BEFORE: &str =
    "the specimens are from before it was read at both ends of runs what held; as_a_user/held.rs tries it on a server";

/// Checks that no specimen fails, and why not.
const NEVER_FAILED: &[(&str, &str)] = &[("held_throughout", BEFORE), ("runs_alike", BEFORE)];
/// Checks that no healthy specimen passes, and why not.
const NEVER_PASSED: &[(&str, &str)] = &[
    ("held_throughout", BEFORE),
    ("runs_alike", BEFORE),
    ("answers_were_fresh", "the healthy gets are of a cache, to which it does not apply; view-per-get passes it"),
    ("network_had_room", "users of all specimens but an edited one came over a socket, to which it does not apply"),
];

type Verdicts = BTreeMap<String, Status>;

struct Specimen {
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
    for Finding { name, rung, .. } in judgement.findings {
        let highest = findings.entry(name).or_insert(rung);
        *highest = rung.max(*highest);
    }
    Specimen { verdicts, findings }
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

#[test]
fn every_check_says_of_every_specimen_what_the_matrix_says() {
    let (matrix, golden) = (matrix(), folder().join("matrix.txt"));
    if std::env::var_os("SPECIMENS").is_some_and(|how| how == "write") {
        std::fs::write(&golden, &matrix).expect("the matrix can be written");
    }
    let golden = std::fs::read_to_string(golden).unwrap_or_default();
    let changed: Vec<_> = matrix.lines().filter(|line| !golden.lines().any(|l| l == *line)).collect();
    assert_eq!(matrix, golden, "changed:\n{}\nSPECIMENS=write writes it anew", changed.join("\n"));
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
