//! The option file of one instance: first what keeps it in its private folder, then what its version always needs, then
//! the settings in the words of its version, then the server's own variables as the experiment has them. The order
//! matters where a name occurs twice: the last one holds.

use super::galera;
use crate::backends::mysql::facts::{Always, Fact, translate, written};
use crate::servers::process::certificates;
use crate::servers::{Build, Site};
use crate::trouble::Trouble;
use model::plan::Server;
use std::fmt::Display;

/// What the lab decides itself; an experiment that moved these would leave the private folder.
const OURS: &[&str] = &[
    "basedir",
    "bind-address",
    "datadir",
    "log-error",
    "pid-file",
    "port",
    "socket",
    "tmpdir",
    "user",
    "skip-grant-tables",
];

/// What a kind knows by version.
pub struct Tables<'a> {
    pub always: &'a [Always],
    /// Rows about the server, and about the engine under test.
    pub facts: &'a [&'a [Fact]],
    /// The plugin that brings the engine, where it is not built in.
    pub plugin: Option<&'a str>,
}

/// The text, and the settings that this version has no use for.
pub fn write(build: &Build, site: &Site, wanted: &Server, tables: &Tables) -> (String, Vec<String>) {
    let version = build.installed.version;
    let mut lines = private(build, site);
    lines.extend(tables.plugin.map(|plugin| format!("plugin-load-add={plugin}")));
    let holds = |a: &&Always| a.from <= version && version < a.until;
    lines.extend(tables.always.iter().filter(holds).map(|a| a.line.to_string()));
    let (settings, not_applicable) = translate(tables.facts, version, &wanted.settings);
    let certificates = site.certificates().display().to_string();
    lines.extend(settings.into_iter().map(|line| line.replace(certificates::FOLDER, &certificates)));
    if !wanted.native.is_empty() {
        lines.push("# native: as the experiment has it".into());
    }
    lines.extend(wanted.native.iter().map(|(name, value)| format!("{name}={}", written(value))));
    (lines.join("\n") + "\n", not_applicable)
}

/// What can be refused before anything is made.
pub fn check(build: &Build, wanted: &Server) -> Result<(), Trouble> {
    let build = &build.installed;
    if !build.engines.contains(&wanted.engine) {
        return Err(Trouble::new(format!("{} {} has no engine {}", build.name, build.version, wanted.engine))
            .mend(format!("its engines are {}", build.engines.join(", "))));
    }
    check_native(wanted)
}

/// The experiment's own names leave the server in its folder, and each fits on a line.
pub fn check_native(wanted: &Server) -> Result<(), Trouble> {
    for (name, value) in &wanted.native {
        let dashed = name.replace('_', "-");
        if OURS.contains(&dashed.as_str()) || galera::OURS.contains(&dashed.as_str()) {
            return Err(Trouble::new(format!("native.{name} is the lab's own: a private server stays in its folder")));
        }
        if name.contains(['\n', '=']) || written(value).contains('\n') {
            return Err(Trouble::new(format!("native.{name} does not fit on one line of an option file")));
        }
    }
    Ok(())
}

/// Folders, socket, and nobody from outside.
fn private(build: &Build, site: &Site) -> Vec<String> {
    let mut lines = vec!["[mysqld]".to_string()];
    let mut set = |name: &str, value: &dyn Display| lines.push(format!("{name}={value}"));
    if site.as_root {
        set("user", &"root");
    }
    set("basedir", &build.installed.basedir);
    set("datadir", &site.data().display());
    set("socket", &site.socket.display());
    set("pid-file", &site.folder.join("pid").display());
    set("log-error", &site.error_log().display());
    set("tmpdir", &site.temporary().display());
    // Packagers compile in a folder of their own, and a server without that folder does not start.
    set("secure-file-priv", &site.temporary().display());
    set("lc-messages-dir", &build.share.display());
    set("character-sets-dir", &build.share.join("charsets").display());
    if let Some(plugins) = &build.plugins {
        set("plugin-dir", &plugins.display());
    }
    match site.tcp {
        Some(port) => {
            set("port", &port);
            set("bind-address", &"127.0.0.1");
        }
        None => lines.push("skip-networking".into()),
    }
    lines.push("skip-name-resolve".into());
    lines
}
