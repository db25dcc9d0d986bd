//! A folder of records as one page: twelve nights of one recorded specimen, of which the later half is of another commit
//! that needs more CPU, and a night of a later schema. No server is needed.

use crate::desk::Desk;
use crate::formats::unpack;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SPECIMEN: &str = "healthy-calm";
const NIGHTS: u64 = 12;
/// The first of the new level.
const CHANGED: u64 = 6;
const DAY_MS: u64 = 86_400_000;
const COMMIT: &str = "c0ffee0123456789c0ffee0123456789c0ffee01";

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).expect("a file of the record")).expect("JSON");
    change(&mut value);
    fs::write(path, value.to_string()).expect("a file of ours");
}

/// Files of that name in the folders of `part`, or all files of it.
fn files(night: &Path, part: &str, name: Option<&str>) -> Vec<PathBuf> {
    let entries = fs::read_dir(night.join(part)).expect("a part of the record");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| name.map_or(path.clone(), |name| path.join(name))).filter(|path| path.is_file()).collect()
}

/// One of them: so many days later, with what differs then. Nights differ a little in any case.
fn night(desk: &Desk, number: u64) {
    let place = desk.path(&format!("farm/{}/night-{number:02}", if number < CHANGED { "june" } else { "july" }));
    fs::create_dir_all(place.parent().expect("a folder")).expect("room");
    let copied = Command::new("cp").arg("-r").arg(desk.path(SPECIMEN)).arg(&place).status();
    assert!(copied.expect("cp starts").success());
    let is_later = number >= CHANGED;
    let factor = (if is_later { 1.3 } else { 1.0 }) * (1.0 + (number * 7 % 5) as f64 * 0.002);
    for path in files(&place, "runs", Some("run.json")) {
        edit(&path, |run| {
            for moment in ["started_unix_ms", "ended_unix_ms"] {
                run[moment] = (run[moment].as_u64().expect("a moment") + number * DAY_MS).into();
            }
            for phase in run["phases"].as_array_mut().expect("phases") {
                for counter in ["server.cpu.user", "server.cpu.system"] {
                    let Some(ends) = phase.get_mut("counters").and_then(|all| all.get_mut(counter)) else { continue };
                    let [begin, end] = [0, 1].map(|at| ends[at].as_f64().expect("a number"));
                    ends[1] = (begin + (end - begin) * factor).into();
                }
            }
        });
    }
    // What it was asked when it had started, and what held at both ends of runs.
    for (part, variables) in [("instances", "variables"), ("states", "facts")] {
        for path in files(&place, part, None).into_iter().filter(|_| is_later) {
            edit(&path, |of| {
                if of[variables].get("sort_buffer_size").is_some() {
                    of[variables]["version_source_revision"] = COMMIT.into();
                    of[variables]["sort_buffer_size"] = "4194304".into();
                }
            });
        }
    }
}

#[test]
fn a_change_of_level_is_told_with_its_day_its_commit_and_what_else_changed() {
    let desk = Desk::without_server();
    unpack(&desk, SPECIMEN);
    (0..NIGHTS).for_each(|number| night(&desk, number));
    let newer = desk.path("farm/july/newer");
    fs::create_dir(&newer).expect("room");
    for name in ["plan.json", "experiment.toml"] {
        fs::copy(desk.path(SPECIMEN).join(name), newer.join(name)).expect("room");
    }
    edit(&newer.join("plan.json"), |plan| plan["schema"] = 99.into());

    let said = desk.assay(&["farm", "farm", "--metric", "server_cpu_us_per_statement", "--json"]);
    assert_eq!(said.status, 0, "{said:#?}");
    assert!(said.err.contains("left out") && said.err.contains("99"), "a later schema is told: {}", said.err);
    let history: Value = serde_json::from_str(&said.out).expect("JSON");
    let (records, lines) =
        (history["records"].as_array().expect("records"), history["lines"].as_array().expect("lines"));
    assert_eq!(records.len() as u64, NIGHTS);
    let line = lines.iter().find(|line| line["metric"] == "server_cpu_us_per_statement").expect("a line");
    let [change] = &line["changes"].as_array().expect("changes")[..] else { panic!("one change: {line:#}") };
    let sentence = change["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("between june/night-05 and july/night-06"), "{sentence}");
    let ratio = change["ratio"]["value"].as_f64().expect("a ratio");
    assert!((1.25..1.35).contains(&ratio) && change["better"] == false, "{change:#}");
    let beside = change["beside"].to_string();
    assert!(beside.contains("sort_buffer_size") && beside.contains("4194304"), "{beside}");
    assert!(records[6]["servers"].to_string().contains(&COMMIT[..12]), "{:#}", records[6]);

    let page = desk.read("farm/farm.html");
    assert!(page.contains(sentence) && page.contains("sort_buffer_size") && page.contains(&COMMIT[..12]));
    assert!(!page.contains("src=") && !page.contains("href=\"http"), "it opens offline");
}

#[test]
fn a_folder_that_holds_no_number_is_refused_with_the_mend() {
    let desk = Desk::without_server();
    unpack(&desk, SPECIMEN);
    for (arguments, told) in [
        (&["farm", "nowhere"][..], "name a folder that holds records"),
        (&["farm", SPECIMEN], "holds no record with a number of these metrics"),
        (&["farm", ".", "--metric", "nopm"], "holds no record with a number of these metrics"),
    ] {
        let said = desk.assay(arguments);
        assert!(said.status == 2 && said.err.contains(told), "{said:#?}");
    }
}
