//! The documentation as a book: pages that are written from declarations are what these say today, every page stands in
//! the table of contents, and no link between files of the repository is dead. `make book` makes the book itself.

use model::experiment::keys::{Effect, KEYS, Scope};
use model::words::{Kind, Parameter};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const RENEWED_BY: &str = "RENEW_DOCS=1 cargo test -p assay --test book";
const PUT: &str = "writing to a String cannot fail";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A page that is written from declarations: written anew when asked to, and else held against what is committed.
fn holds(name: &str, text: &str) {
    let path = root().join("docs").join(name);
    if std::env::var_os("RENEW_DOCS").is_some() {
        fs::write(&path, text).expect("the documentation is writable");
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == text, "docs/{name} is stale: run `{RENEWED_BY}`");
}

fn in_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Experiment => "all runs together",
        Scope::Cell => "a cell",
        Scope::Group => "a group of users",
        Scope::Phase => "a phase",
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Operation => "the statements of an operation",
        Effect::Rows => "the rows of a statement",
        Effect::Answer => "the bytes of an answer",
        Effect::Plan => "plans",
        Effect::Disk => "the bytes on disk",
        Effect::Way => "the way to the server",
        Effect::Server => "the server",
        Effect::Measuring => "the measuring",
    }
}

fn accepts(kind: Kind) -> String {
    match kind {
        Kind::Flag => "true or false".into(),
        Kind::Count { min, max: i64::MAX } => format!("a whole number, {min} or more"),
        Kind::Count { min, max } => format!("a whole number, {min} to {max}"),
        Kind::Real { min, max } => format!("a number, {min} to {max}"),
        Kind::Size => "a size, as `512 MiB`".into(),
        Kind::Choice(words) => format!("one of `{}`", words.join("`, `")),
        Kind::Text => "a text".into(),
    }
}

/// A row for each parameter.
fn parameters<Text: std::fmt::Display>(text: &mut String, all: &[Parameter<Text>]) {
    text.push_str("\n| word | accepts | unless said | what it changes |\n|---|---|---|---|\n");
    for parameter in all {
        let size = |n: i64| model::Bytes(n.unsigned_abs()).to_string();
        let default = parameter.default.as_ref().map(|default| {
            let value = default.value();
            let shown = value.count().filter(|_| parameter.kind == Kind::Size).map_or(value.written(), size);
            if shown.is_empty() { "empty".into() } else { format!("`{shown}`") }
        });
        let cells =
            [accepts(parameter.kind), default.unwrap_or("–".into()), parameter.why.to_string()].map(|c| in_cell(&c));
        writeln!(text, "| `{}` | {} |", parameter.name, cells.join(" | ")).expect(PUT);
    }
}

#[test]
fn the_page_of_every_key_is_written_from_the_tables_of_keys() {
    let mut text = format!(
        "# Every key\n\nWhat an experiment may say, written from `model::experiment::keys`, `model::settings` and the \
         workloads' and disturbances' own tables by\n`{RENEWED_BY}`. [experiment.md](experiment.md) has examples.\n\n## Fixed keys\n\nA key that changes nothing only presses the server harder or less, or longer.\n\n\
         | key | says | accepts | unless said | axis | said of | another value can change |\n|---|---|---|---|---|---|---|\n"
    );
    for key in KEYS.iter().filter(|key| key.section != "axes") {
        let changes: Vec<&str> = key.changes.iter().map(|change| effect(*change)).collect();
        let default = key.unless_said().map_or("–".into(), |default| format!("`{default}`"));
        let axis = if key.is_axis { "yes" } else { "" };
        let cells = [
            in_cell(key.meaning),
            in_cell(&key.kind().map_or_else(|| key.accepts(), accepts)),
            in_cell(&default),
            axis.into(),
            scope(key.scope).into(),
            changes.join(", "),
        ];
        writeln!(text, "| `{}` | {} |", key.path().trim_start_matches('.'), cells.join(" | ")).expect(PUT);
    }
    text += "\n## Settings of the server\n\nIn `[server] settings`, and as axes `settings.WORD`; each kind and version gets its own variables.\n";
    let settings: Vec<_> = model::settings::words().copied().collect();
    parameters(&mut text, &settings);
    text += "\n## Workloads\n\nIn `[workload.FAMILY]` or `[workload.FAMILY.MEMBER]`, and as axes.\n";
    for words in workload::Workloads::built_in().words() {
        let protocols: Vec<&str> = words.protocols.iter().map(|protocol| protocol.name()).collect();
        let writes = if words.writes { "writes" } else { "reads only" };
        write!(text, "\n### {}\n\n{}; {writes}; {}.\n", words.name, words.why, protocols.join(", ")).expect(PUT);
        if !words.parameters.is_empty() {
            parameters(&mut text, &words.parameters);
        }
    }
    text += "\n## Disturbances\n\nAs `disturb` of a phase: a name, or a table of its name and parameters.\n";
    for words in lab::disturbances::words() {
        write!(text, "\n### {}\n\n{}.\n", words.name, words.why).expect(PUT);
        if !words.parameters.is_empty() {
            parameters(&mut text, words.parameters);
        }
    }
    holds("keys.md", &text);
}

/// What `assay explain` prints, as a section: the name is the head, and lists stay as they are.
fn explained(text: &mut String, name: &str) {
    let page = judge::explain(name).expect("every name has a page");
    let page = page.strip_prefix(name).unwrap_or(&page).trim();
    write!(text, "\n## {name}\n").expect(PUT);
    for block in page.split("\n\n") {
        let rows: Vec<&str> = block.lines().collect();
        // Limits are a list.
        let is_listed = |row: &&str| row.starts_with("  ");
        // What is labelled stands by itself: `Claim: …`.
        let label = |row: &&str| row.split_once(": ").filter(|(label, _)| LABELS.contains(label)).is_some();
        let apart = rows.iter().any(label);
        for (at, row) in rows.iter().enumerate() {
            if at == 0 || apart && label(row) {
                text.push('\n');
            }
            let row = if is_listed(row) { format!("- {}", row.trim()) } else { (*row).to_string() };
            writeln!(text, "{row}").expect(PUT);
        }
    }
}

/// What begins a line of its own on a page of `assay explain`.
const LABELS: [&str; 5] = ["Claim", "Of", "Necessary", "Quantity", "Intervention"];

#[test]
fn the_page_of_every_check_is_written_from_their_declarations() {
    let mut text = format!(
        "# Every check\n\nWhat each check claims, why that matters, its limits with their reasons, and what to do; as \
         `assay explain NAME` prints it. Written by\n`{RENEWED_BY}`. A check says pass, warn, fail, *not evaluable* (what it \
         needs was not measured, which never counts as passed) or *not applicable*. A failure strikes the number.\n"
    );
    judge::checks::ALL.iter().for_each(|check| explained(&mut text, check.id));
    holds("checks.md", &text);
}

#[test]
fn the_page_of_every_finding_is_written_from_their_declarations() {
    let mut text = format!(
        "# Every finding\n\nThe causes that a report may name, each with its symptom, what must be there, the quantity that \
         has to fit, and how to take it away; as `assay explain NAME` prints it. Written by\n`{RENEWED_BY}`. How sure one \
         is, is its rung: unexplained, consistent with, quantitatively sufficient, dose-response, confirmed by \
         intervention.\n"
    );
    judge::findings::ALL.iter().for_each(|cause| explained(&mut text, cause.id));
    holds("findings.md", &text);
}

/// Markdown files below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => pages(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect()
}

/// Targets of links, fenced code left out.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_string()));
    targets.collect()
}

/// The names by which a heading can be linked to, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let heads = text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#').trim());
    let keeps = |c: &char| c.is_alphanumeric() || "-_ ".contains(*c);
    heads
        .map(|head| head.to_lowercase().chars().filter(keeps).map(|c| if c == ' ' { '-' } else { c }).collect())
        .collect()
}

#[test]
fn no_link_between_files_of_the_repository_is_dead() {
    let root = root();
    let own = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name));
    let mut dead = Vec::new();
    for page in pages(&root.join("docs")).into_iter().chain(own) {
        let text = fs::read_to_string(&page).expect("a page is text");
        for link in links(&text).iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (file, anchor) =
                link.split_once('#').map_or((link.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() { page.clone() } else { page.parent().expect("a folder").join(file) };
            let has = |anchor: &str| fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor));
            if !target.exists() || anchor.is_some_and(|anchor| file.ends_with(".md") && !has(anchor)) {
                dead.push(format!("{} → {link}", page.strip_prefix(&root).unwrap_or(&page).display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn every_page_stands_in_the_table_of_contents_once() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("the book has a table of contents");
    let told = links(&summary);
    let once: BTreeSet<&String> = told.iter().collect();
    assert_eq!(once.len(), told.len(), "a page stands twice in docs/SUMMARY.md");
    for page in pages(&docs) {
        let name = page.strip_prefix(&docs).expect("below docs").display().to_string();
        assert!(name == "SUMMARY.md" || once.contains(&name), "docs/SUMMARY.md lacks {name}");
    }
}

#[test]
fn a_link_and_a_heading_are_found_as_they_are_written() {
    assert_eq!(links("[a](b.md#c) ```\n[x](y)\n``` and [d](e)"), ["b.md#c", "e"]);
    assert!(
        anchors("## Tables to paste\n# `a.b`: c\n").is_superset(&["tables-to-paste", "ab-c"].map(String::from).into())
    );
}
