//! Every experiment that is delivered is a question that this assay understands, at every scale, on a machine with one
//! socket and on one with two, every catalogued build installed. In process, because a plan needs no server.

use lab::os::digest::digest;
use lab::servers::catalogue::Catalogue;
use lua::guest::Guest;
use model::experiment::Experiment;
use model::host::{Host, InstalledBuild, Version};
use model::plan::Plan;
use model::plan::served::{CACHE, HEAP, POSTGRESQL};
use model::units::Bytes;
use model::words::Words;
use std::path::Path;
use std::sync::Arc;
use workload::Workload;

fn host(sockets: u32) -> Host {
    const CPUS: u32 = 16;
    let build = |name: &str, kind: &str, version: Version| InstalledBuild {
        name: name.into(),
        kind: kind.into(),
        version,
        binary: "/usr/sbin/mariadbd".into(),
        basedir: "/usr".into(),
        engines: if kind == POSTGRESQL { vec![HEAP.into()] } else { vec!["innodb".into(), "rocksdb".into()] },
    };
    let others = [(CACHE, Version(1, 6, 18)), (POSTGRESQL, Version(15, 18, 0))];
    let others = others.map(|(kind, version)| build(kind, kind, version));
    let newest = ["distribution", "mariadb-10.11"].map(|name| build(name, "mariadb", Version(10, 11, 19)));
    let catalogued = Catalogue::shipped();
    let catalogued = catalogued.entries.iter().map(|e| build(&e.name, &e.kind, e.version));
    Host {
        cpus: (0..CPUS * sockets).collect(),
        sockets: (0..sockets).map(|s| (s, (s * CPUS..(s + 1) * CPUS).collect())).collect(),
        memory: Bytes(256 << 30),
        disk_free: Bytes(8 << 40),
        builds: newest.into_iter().chain(catalogued).chain(others).collect(),
        ..Host::default()
    }
}

fn words(host: &Host) -> Words {
    let builds = host.builds.iter().map(|b| b.name.clone()).collect();
    let disturbances = lab::disturbances::words();
    let limits = judge::checks::limits().map(|l| (l.name, l.most())).collect();
    Words { workloads: workload::Workloads::built_in().words(), disturbances, builds, limits }
}

/// What the author of the seed found out in the tenth iteration.
#[test]
fn a_plan_says_in_which_iteration_history_outgrows_the_cache() {
    let study = ("system-versioning", include_str!("../../../../experiments/system-versioning.toml"));
    let history = ("system-versioning-history", include_str!("../../../../experiments/system-versioning-history.toml"));
    let small = [("server.settings.buffer_pool".to_string(), "\"32 MiB\"".to_string())];
    let (host, mut told) = (host(1), String::new());
    type Sets<'a> = &'a [(String, String)];
    let cases: [((&str, &str), Option<&str>, Sets); 4] = [
        (study, None, &[]),
        (study, Some("laptop"), &[]),
        (study, Some("smoke"), &[]),
        // Nobody asks for a pool that is too small there, so that the mend is told.
        (history, Some("smoke"), &small),
    ];
    for ((name, text), scale, sets) in cases {
        let words = words(&host);
        let plan = Experiment::parse(name, text, scale, sets, &words)
            .and_then(|experiment| Plan::of(&experiment, &host, &words))
            .unwrap_or_else(|problems| panic!("{name} {scale:?}: {problems:#?}"));
        told += &format!("--- {name}, {}\n", scale.unwrap_or("as it stands"));
        plan.warnings.iter().for_each(|warning| told += &format!("{warning}\n"));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn every_experiment_is_understood_and_planned_at_every_scale() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut planned = 0;
    let files = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    for path in files.filter(|path| path.extension().is_some_and(|e| e == "toml")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let table: toml::Table = text.parse().unwrap();
        let scales = table.get("scale").and_then(|s| s.as_table()).into_iter().flat_map(|s| s.keys());
        for scale in scales.map(|s| Some(s.as_str())).chain([None]) {
            for sockets in [1, 2] {
                let host = host(sockets);
                let mut words = words(&host);
                if let Some(script) = Experiment::script(&text, scale, &[]) {
                    let path = folder.join(&script.name).display().to_string();
                    words.workloads.push(Guest::meet(&script, &path, Arc::new(|_| {}), digest).unwrap().words());
                }
                let plan = Experiment::parse(name, &text, scale, &[], &words)
                    .and_then(|experiment| Plan::of(&experiment, &host, &words))
                    .unwrap_or_else(|problems| panic!("{name} {scale:?} on {sockets} sockets: {problems:#?}"));
                assert!(!plan.runs.is_empty());
                let mut warnings = plan.warnings.clone();
                // What is asked there.
                warnings.retain(|w| !(w.contains("leave the cache") && w.contains("settings.buffer_pool")));
                assert_eq!(warnings, [] as [&str; 0], "{name} {scale:?}");
                assert!(sockets == 1 || plan.skipped.is_empty(), "{name} {scale:?}: {:?}", plan.skipped);
                planned += 1;
            }
        }
    }
    assert!(planned > 0, "no experiment in {}", folder.display());
}
