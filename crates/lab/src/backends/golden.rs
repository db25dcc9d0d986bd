//! What the golden tests of all kinds have in common: one build, one place, wishes, and a description as a text.

use super::mysql::facts::Fact;
use crate::servers::member::Member;
use crate::servers::{Build, KeyListener, Kind, Site};
use model::{InstalledBuild, Server, Value, Version, settings};
use std::path::Path;

type Pairs<'a> = &'a [(&'a str, Value)];

pub fn wanting(engine: &str, settings: Pairs, native: Pairs) -> Server {
    let owned = |pairs: Pairs| pairs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    let (engine, profile) = (engine.to_string(), "durable".to_string());
    Server { build: "b".into(), engine, profile, settings: owned(settings), native: owned(native), ..Server::default() }
}

/// The profile `durable` whole.
pub fn durable(engine: &str) -> Server {
    let settings = settings::ALL.iter().filter_map(|p| Some((p.name, p.default?.value())));
    wanting(engine, &settings.collect::<Vec<_>>(), &[])
}

pub fn described(kind: &dyn Kind, version: Version, wanted: &Server) -> String {
    described_as(None, kind, version, wanted)
}

/// The same as a node of a cluster.
pub fn described_as(member: Option<Member>, kind: &dyn Kind, version: Version, wanted: &Server) -> String {
    let build = Build {
        installed: InstalledBuild {
            name: "b".into(),
            kind: kind.name().into(),
            version,
            binary: "/base/bin/server".into(),
            basedir: "/base".into(),
            engines: vec!["innodb".into(), "rocksdb".into()],
        },
        launcher: Vec::new(),
        share: "/base/share".into(),
        plugins: (wanted.engine == "rocksdb").then(|| "/base/plugin".into()),
    };
    let endpoints = wanted.settings.get("doors").and_then(Value::flag) == Some(true);
    let key_listener = endpoints.then_some(KeyListener { socket: Path::new("/run/k"), ports: Some([41, 42]) });
    let (folder, socket) = (Path::new("/home/i1"), Path::new("/run/s"));
    let site = Site { folder, socket, tcp: None, as_root: true, key_listener, member };
    let d = kind.describe(&build, &site, wanted);
    let mut text = format!("{}\n", d.option_file);
    d.folders.iter().for_each(|f| text += &format!("folder: {}\n", f.display()));
    for step in &d.initialise {
        text += &format!("initialise: {}\n{}", step.command.join(" "), step.head);
        step.files.iter().for_each(|f| text += &format!("< {}\n", f.display()));
        text += &step.tail;
    }
    text += &format!("start: {}\n", d.start.join(" "));
    d.not_applicable.iter().for_each(|n| text += &format!("not applicable: {n}\n"));
    text
}

/// Every word of the lab has exactly one row in every version: a line, or why there is none.
pub fn assert_every_word_has_one_row(versions: &[Version], tables: &[&[Fact]]) {
    for version in versions {
        for word in settings::ALL {
            let rows = tables.iter().flat_map(|table| table.iter()).filter(|f| f.word == word.name);
            let holding = rows.filter(|f| f.from <= *version && *version < f.until).count();
            assert_eq!(holding, 1, "{} in {version}", word.name);
        }
    }
}
