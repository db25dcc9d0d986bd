//! `servers.toml`, strictly: every mistake of the file at once, each with its line and its mend, because a build that
//! was described wrongly would be found out an hour of downloads later. One stanza is one build; its keys are those
//! below.

use super::distribution::kinds;
use super::entry::{Entry, Inside, PLUGINS_PAST_SQL, Sha256, Source};
use model::host::Version;
use model::problem::{Problem, nearest};
use model::protocol::Protocol;
use model::units::Bytes;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::de::{DeTable, DeValue};

/// What a stanza may hold; the first six say where the build comes from, and exactly one of them stands.
const KEYS: &[&str] = &[
    "maven",
    "npm",
    "go",
    "debian",
    "archive",
    "basedir",
    "kind",
    "version",
    "server",
    "sha256",
    "packages",
    "package",
    "sum",
    "version_file",
    "within",
    "root",
    "keep",
    "omit",
    "library_path",
    "libraries",
    "engines",
    "doors",
    "download",
    "unpacked",
];
const SOURCES: &[&str] = &["maven", "npm", "go", "debian", "archive", "basedir"];

/// The builds of one file, in its order.
pub fn read(text: &str) -> Result<Vec<Entry>, Vec<Problem>> {
    let line = |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count();
    let table = DeTable::parse(text).map_err(|e| {
        vec![Problem {
            line: e.span().map(|s| line(s.start)),
            path: "servers.toml".into(),
            what: e.message().to_string(),
            mend: "see https://toml.io for how values are written".into(),
        }]
    })?;
    let mut problems = Vec::new();
    let mut stanzas: Vec<_> = table.get_ref().iter().collect();
    stanzas.sort_by_key(|(name, _)| name.span().start);
    let mut entries = Vec::new();
    for (name, value) in stanzas {
        let at = line(name.span().start);
        let name = name.get_ref().to_string();
        let mut stanza = Stanza { name: &name, at, values: BTreeMap::new(), problems: &mut problems };
        match value.get_ref() {
            DeValue::Table(table) => {
                let keys = table.iter().map(|(key, value)| (key.get_ref(), line(key.span().start), value.get_ref()));
                entries.extend(stanza.read(keys));
            }
            _ => stanza.problem(None, "a build is a table", format!("write [\"{name}\"] and its keys below")),
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(problems) }
}

/// One build while it is read. Keys are taken out as they are understood.
struct Stanza<'a> {
    name: &'a str,
    at: usize,
    values: BTreeMap<&'a str, (usize, &'a DeValue<'a>)>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Stanza<'a> {
    fn problem(&mut self, key: Option<(&str, usize)>, what: impl Into<String>, mend: impl Into<String>) {
        let path = key.map_or(self.name.to_string(), |(key, _)| format!("{}.{key}", self.name));
        let line = Some(key.map_or(self.at, |(_, line)| line));
        self.problems.push(Problem { line, path, what: what.into(), mend: mend.into() });
    }

    fn read(
        &mut self,
        keys: impl Iterator<Item = (&'a std::borrow::Cow<'a, str>, usize, &'a DeValue<'a>)>,
    ) -> Option<Entry> {
        for (key, line, value) in keys {
            if KEYS.contains(&key.as_ref()) {
                self.values.insert(key, (line, value));
            } else {
                let near = nearest(key, KEYS.iter().copied());
                let mend = near.map_or(format!("known are {}", KEYS.join(", ")), |n| format!("write {n}"));
                self.problem(Some((key, line)), "no such key", mend);
            }
        }
        let before = self.problems.len();
        self.check_name();
        let kind = self.kind();
        let version = self.version();
        let server = self.needed("server", "the binary below its base directory, as \"bin/mysqld\"");
        let source = self.source();
        let entry = Entry {
            name: self.name.to_string(),
            kind: kind.unwrap_or_default(),
            version: version.unwrap_or(Version(0, 0, 0)),
            source: source.unwrap_or(Source::Basedir { path: PathBuf::new() }),
            download: self.size("download"),
            unpacked: self.size("unpacked"),
            server: server.unwrap_or_default(),
            library_path: self.list("library_path"),
            libraries: self.map("libraries"),
            engines: self.list("engines"),
            endpoints: self.endpoints(),
        };
        // Which keys mean something depends on the source.
        let known = SOURCES.iter().all(|s| !self.values.contains_key(s));
        let unused: Vec<_> = self.values.iter().map(|(key, (line, _))| (*key, *line)).collect();
        for (key, line) in unused.into_iter().filter(|_| known) {
            self.problem(Some((key, line)), "means nothing for this source", "leave it out");
        }
        (self.problems.len() == before).then_some(entry)
    }

    /// A name is a folder's name, a word of experiments, and not that of a series.
    fn check_name(&mut self) {
        let fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(fit) {
            self.problem(None, "not a name for a build", "write lower-case letters, digits, points and dashes");
        }
        let numbers = self.name.split_once('-').filter(|(kind, _)| kinds().contains(kind)).map(|(_, rest)| rest);
        if numbers.is_some_and(|n| n.chars().all(|c| c.is_ascii_digit() || c == '.') && n.split('.').count() < 3) {
            self.problem(None, "this is the name of a series", "name one release, as mariadb-10.11.5");
        }
        if self.name == crate::servers::catalogue::DISTRIBUTION {
            self.problem(None, "this is the name of what the distribution installed", "choose another name");
        }
    }

    fn kind(&mut self) -> Option<String> {
        let line = self.line("kind");
        let kinds = kinds();
        let known = kinds.join(" or ");
        let kind = self.needed("kind", &known)?;
        if !kinds.contains(&kind.as_str()) {
            self.problem(Some(("kind", line)), format!("`{kind}` is no kind of server"), format!("write {known}"));
        }
        Some(kind)
    }

    fn version(&mut self) -> Option<Version> {
        let line = self.line("version");
        let text = self.needed("version", "the exact release, as \"10.11.5\"")?;
        let version = Version::parse(&text).filter(|v| v.to_string() == text);
        if version.is_none() {
            self.problem(Some(("version", line)), format!("`{text}` is no release"), "write it as \"10.11.5\"");
        }
        version
    }

    fn source(&mut self) -> Option<Source> {
        let said: Vec<_> = SOURCES.iter().copied().filter(|s| self.values.contains_key(s)).collect();
        let [source] = said[..] else {
            let what = if said.is_empty() {
                "says not where it comes from".into()
            } else {
                format!("says it comes from {}", said.join(" and from "))
            };
            self.problem(None, what, format!("write exactly one of {}", SOURCES.join(", ")));
            return None;
        };
        Some(match source {
            "maven" => Source::Maven {
                coordinates: self.needed("maven", "coordinates, as \"group:artifact:version\"")?,
                sha256: self.sha256()?,
                inside: self.inside(),
            },
            "npm" => Source::Npm {
                package: self.needed("npm", "a package and its version, as \"name@1.2.3\"")?,
                sha256: self.sha256()?,
                inside: self.inside(),
            },
            "go" => Source::Go {
                module: self.needed("go", "a module and its version, as \"example.com/name@v1.2.3\"")?,
                package: self.needed("package", "the program below the module's root, as \"cmd/name\"")?,
                sum: self.needed("sum", "the module's hash, as go.sum has it: \"h1:…\"")?,
                version_file: self.text("version_file"),
            },
            "debian" => Source::Debian { suites: self.list("debian"), packages: self.packages() },
            "archive" => {
                let path = self.needed("archive", "a path, or \"\" to say it when it is installed")?;
                let sha256 = if self.values.contains_key("sha256") { Some(self.sha256()?) } else { None };
                Source::Archive { path: (!path.is_empty()).then(|| path.into()), sha256, inside: self.inside() }
            }
            _ => Source::Basedir { path: self.needed("basedir", "the folder that holds the server")?.into() },
        })
    }

    fn inside(&mut self) -> Inside {
        Inside {
            archive: self.text("within"),
            root: self.text("root").unwrap_or_default(),
            keep: self.list("keep"),
            omit: self.list("omit"),
        }
    }

    fn sha256(&mut self) -> Option<Sha256> {
        let line = self.line("sha256");
        let text = self.needed("sha256", "the checksum of the download (sha256sum FILE)")?;
        let sum = Sha256::parse(&text);
        if sum.is_none() {
            self.problem(Some(("sha256", line)), "not a checksum", "write 64 digits of 0-9 and a-f (sha256sum FILE)");
        }
        sum
    }

    fn packages(&mut self) -> BTreeMap<String, Sha256> {
        let line = self.line("packages");
        let said = self.map("packages");
        if said.is_empty() {
            self.problem(None, "names no packages", "write packages = { mysql-server-core = \"SHA256\" }");
        }
        let (good, bad): (Vec<_>, Vec<_>) =
            said.into_iter().map(|(name, sum)| (name, Sha256::parse(&sum))).partition(|(_, sum)| sum.is_some());
        for (name, _) in bad {
            let what = format!("{name} has no checksum");
            self.problem(Some(("packages", line)), what, "write 64 digits of 0-9 and a-f (sha256sum FILE)");
        }
        good.into_iter().filter_map(|(name, sum)| Some((name, sum?))).collect()
    }

    fn endpoints(&mut self) -> Vec<Protocol> {
        let line = self.line("doors");
        let words = self.list("doors");
        let mut endpoints = Vec::new();
        for word in words {
            match PLUGINS_PAST_SQL.into_iter().find(|(protocol, _)| protocol.name() == word) {
                Some((protocol, _)) => endpoints.push(protocol),
                None => {
                    let mend =
                        format!("known are {}", PLUGINS_PAST_SQL.map(|(protocol, _)| protocol.name()).join(", "));
                    self.problem(Some(("doors", line)), format!("no protocol is called {word}"), mend);
                }
            }
        }
        endpoints
    }

    fn line(&self, key: &str) -> usize {
        self.values.get(key).map_or(self.at, |(line, _)| *line)
    }

    fn needed(&mut self, key: &str, what: &str) -> Option<String> {
        if !self.values.contains_key(key) {
            self.problem(None, format!("{key} is missing"), format!("write {key} = {what}"));
        }
        self.text(key)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let (line, value) = self.values.remove(key)?;
        let text = value.as_str().map(str::to_string);
        if text.is_none() {
            self.problem(Some((key, line)), "not a text", "write it between double quotes");
        }
        text
    }

    fn size(&mut self, key: &str) -> Bytes {
        let Some((line, value)) = self.values.remove(key) else { return Bytes(0) };
        let number = value.as_integer().and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
        number.map(Bytes).unwrap_or_else(|| {
            self.problem(Some((key, line)), "not a number of bytes", "write it as 18_408_530");
            Bytes(0)
        })
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        let Some((line, value)) = self.values.remove(key) else { return Vec::new() };
        let texts: Option<Vec<_>> =
            value.as_array().and_then(|a| a.iter().map(|v| v.get_ref().as_str().map(str::to_string)).collect());
        texts.unwrap_or_else(|| {
            self.problem(Some((key, line)), "not a list of texts", format!("write {key} = [\"…\"]"));
            Vec::new()
        })
    }

    fn map(&mut self, key: &str) -> BTreeMap<String, String> {
        let Some((line, value)) = self.values.remove(key) else { return BTreeMap::new() };
        let pair = |(k, v): (&toml::Spanned<std::borrow::Cow<str>>, &toml::Spanned<DeValue>)| {
            Some((k.get_ref().to_string(), v.get_ref().as_str()?.to_string()))
        };
        let pairs: Option<BTreeMap<_, _>> = value.as_table().and_then(|t| t.iter().map(pair).collect());
        pairs.unwrap_or_else(|| {
            self.problem(Some((key, line)), "not a table of texts", format!("write {key} = {{ name = \"…\" }}"));
            BTreeMap::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_told_at_once_with_line_and_mend() {
        let text = r#"
["mysql-8.0"]
kind = "mysql"
version = "8.0"
server = "bin/mysqld"
maven = "a:b:c"
sha256 = "abc"

["good-1"]
kind = "postgres"
version = "1.2.3"
server = 5
npm = "x@1"
maven = "a:b:c"
verison = "1"

["mine"]
kind = "mariadb"
version = "10.11.5"
server = "bin/mariadbd"
basedir = "/opt/x"
keep = ["bin/"]
doors = ["memcache"]
download = "2 GB"

["bare"]
"#;
        let problems: Vec<_> = read(text).unwrap_err().iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(problems.join("\n"));
    }

    #[test]
    fn a_file_that_is_no_toml_says_where() {
        let problems = read("[\"a\"]\nkind = mysql\n").unwrap_err();
        assert_eq!(problems[0].line, Some(2));
    }
}
