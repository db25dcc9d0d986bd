//! `assay servers list`: every build that an experiment may name, what it offers, and whether it is here.

use super::super::Verb;
use crate::arguments::flag;
use crate::exit::Exit;
use crate::out;
use clap::{ArgMatches, Command};
use lab::servers::catalogue::entry::{Entry, features};
use lab::servers::catalogue::probe::served;
use lab::servers::catalogue::{Catalogue, DISTRIBUTION, PACKAGE, distribution, own_builds};
use lab::servers::process::folders::Folders;
use lab::servers::{Build, catalogue};
use model::{Bytes, Protocol};
use serde_json::{Value, json};

pub const VERB: Verb = Verb { name: "list", command, run };

fn command(command: Command) -> Command {
    arguments(command.about("Show the builds that an experiment may name"))
}

/// Also those of `assay servers` without a word.
pub fn arguments(command: Command) -> Command {
    command.arg(flag("json", "Print each build as one line of JSON"))
}

/// One build as it is shown.
struct Row {
    name: String,
    kind: String,
    version: String,
    engines: Vec<String>,
    /// Protocols past SQL, then what its version brings.
    offers: Vec<String>,
    installed: bool,
    /// On disk, when it is installed; zero for what is used where it is.
    disk: Bytes,
    /// To download; zero for what is not fetched.
    download: Bytes,
    source: String,
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let (folders, catalogue) = super::catalogue()?;
    let rows = rows(&folders, &catalogue);
    if matches.get_flag("json") {
        rows.iter().for_each(|row| out!("{}", json(row)));
    } else {
        out!("{}", table(&rows).trim_end());
        if distribution::find().is_none() {
            out!("\n{DISTRIBUTION}: none is installed (apt-get install {PACKAGE})");
        }
        out!(
            "\nassay servers install BUILD fetches one. A series, as mysql-8.0, is its newest build that is installed."
        );
    }
    Ok(Exit::Valid)
}

fn rows(folders: &Folders, catalogue: &Catalogue) -> Vec<Row> {
    let distribution =
        distribution::find().map(|b| here(&b, Bytes(0), Bytes(0), format!("found at {}", b.installed.binary)));
    let kept = own_builds::all(folders);
    let known = |entry: &Entry| match kept.iter().find(|k| k.build.installed.name == entry.name) {
        Some(kept) => here(&kept.build, kept.size, entry.download, entry.source.describe()),
        None => match catalogue::based(entry) {
            Some(build) => here(&build, Bytes(0), entry.download, entry.source.describe()),
            None => elsewhere(entry),
        },
    };
    let mut rows: Vec<_> = distribution.into_iter().chain(catalogue.entries.iter().map(known)).collect();
    // Installed from a stanza that is gone from the catalogue since.
    let orphans = kept.iter().filter(|k| catalogue.entries.iter().all(|e| e.name != k.build.installed.name));
    rows.extend(orphans.map(|k| here(&k.build, k.size, Bytes(0), k.manifest.source.clone())));
    rows
}

fn here(build: &Build, disk: Bytes, download: Bytes, source: String) -> Row {
    let of = &build.installed;
    let served = served(build).into_iter().map(Protocol::name);
    Row {
        name: of.name.clone(),
        kind: of.kind.clone(),
        version: of.version.to_string(),
        engines: of.engines.clone(),
        offers: served.chain(features(&of.kind, of.version)).map(String::from).collect(),
        installed: true,
        disk,
        download,
        source,
    }
}

fn elsewhere(entry: &Entry) -> Row {
    let served = entry.endpoints.iter().map(|protocol| protocol.name());
    Row {
        name: entry.name.clone(),
        kind: entry.kind.clone(),
        version: entry.version.to_string(),
        engines: entry.engines.clone(),
        offers: served.chain(features(&entry.kind, entry.version)).map(String::from).collect(),
        installed: false,
        disk: Bytes(0),
        download: entry.download,
        source: entry.source.describe(),
    }
}

fn json(row: &Row) -> Value {
    json!({
        "name": row.name,
        "kind": row.kind,
        "version": row.version,
        "engines": row.engines,
        "offers": row.offers,
        "installed": row.installed,
        "disk_bytes": row.disk.0,
        "download_bytes": row.download.0,
        "source": row.source,
    })
}

fn table(rows: &[Row]) -> String {
    let heads = ["BUILD", "KIND", "VERSION", "INSTALLED", "SIZE", "ENGINES", "ALSO"].map(String::from);
    let lines = std::iter::once(heads).chain(rows.iter().map(|row| {
        // What is not here costs its download, what is here its disk.
        let size = match if row.installed { row.disk } else { row.download } {
            Bytes(0) => "–".to_string(),
            size => size.to_string(),
        };
        let installed = if row.installed { "yes" } else { "no" }.to_string();
        let engines = row.engines.join(" ");
        [row.name.clone(), row.kind.clone(), row.version.clone(), installed, size, engines, row.offers.join(", ")]
    }));
    let lines: Vec<_> = lines.collect();
    let width = |i: usize| lines.iter().map(|l| l[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..7).map(width).collect();
    let shown = lines.iter().map(|line| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    });
    shown.collect::<Vec<_>>().join("\n")
}
