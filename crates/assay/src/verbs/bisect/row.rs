//! The row of builds, oldest first, from the good end to the bad one: from a file, or from git where a command makes
//! what commits name.

use crate::arguments::said;
use crate::exit::{self, Exit};
use clap::ArgMatches;
use model::bisection::Bisected;
use std::collections::BTreeSet;
use std::process::Command;

/// What is started for a build: a name of the catalogue, or a path.
pub type Source = String;

/// More are no row that anybody bisects.
const MOST: usize = 100_000;

pub fn of(matches: &ArgMatches) -> Result<Vec<Bisected>, Exit> {
    let (good, bad) = (said(matches, "good"), said(matches, "bad"));
    if good == bad {
        return Err(exit::refused(format!("--good and --bad are both {good}: there is nothing between them")));
    }
    let is_made = matches.contains_id("build-command");
    let all = match matches.get_one::<String>("builds") {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|e| exit::refused(format!("{file}: {e}; name a file with a build per line, oldest first")))?;
            listed(&text, is_made).map_err(|why| exit::refused(format!("{file}: {why}")))?
        }
        None => of_git(good, bad)?,
    };
    between(all, good, bad, is_made).map_err(exit::refused)
}

/// Lines of `NAME` or `NAME BUILD`; what stands behind a `#` is for the reader. What a command makes has no build yet.
fn listed(text: &str, is_made: bool) -> Result<Vec<Bisected>, String> {
    let mut row = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(name) = words.next() else { continue };
        let build = words.next();
        if words.next().is_some() {
            return Err(format!("line {} has more than a name and a build", number + 1));
        }
        row.push(one(name, build, is_made)?);
    }
    let mut known = BTreeSet::new();
    match row.iter().find(|build| !known.insert(&build.name)) {
        Some(twice) => Err(format!("{} stands there twice", twice.name)),
        None if row.len() > MOST => Err(format!("it has more than {MOST} lines")),
        None => Ok(row),
    }
}

fn one(name: &str, build: Option<&str>, is_made: bool) -> Result<Bisected, String> {
    let build = match build {
        Some(build) => Some(place(build)?),
        None if is_made => None,
        None => Some(place(name)?),
    };
    Ok(Bisected { name: name.into(), build, ..Bisected::default() })
}

/// A path from the root on; a name of the catalogue as it is.
pub fn place(build: &str) -> Result<Source, String> {
    if !build.contains('/') {
        return Ok(build.into());
    }
    let path = std::fs::canonicalize(build).map_err(|e| format!("{build}: {e}"))?;
    path.to_str().map(str::to_string).ok_or_else(|| format!("{build} is not UTF-8"))
}

/// From the one end to the other; an end that the row lacks is put there.
fn between(mut row: Vec<Bisected>, good: &str, bad: &str, is_made: bool) -> Result<Vec<Bisected>, String> {
    let at = |row: &[Bisected], name: &str| row.iter().position(|build| build.name == name);
    if at(&row, good).is_none() {
        row.insert(0, one(good, None, is_made)?);
    }
    if at(&row, bad).is_none() {
        row.push(one(bad, None, is_made)?);
    }
    let (from, to) = (at(&row, good).expect("it is there"), at(&row, bad).expect("it is there"));
    if from > to {
        return Err(format!("{bad} stands before {good}: write the row oldest first, or exchange --good and --bad"));
    }
    Ok(row.drain(from..=to).collect())
}

/// The commits after the good one up to the bad one, along the first parents.
fn of_git(good: &str, bad: &str) -> Result<Vec<Bisected>, Exit> {
    let range = format!("{good}..{bad}");
    let arguments = ["rev-list", "--reverse", "--first-parent", "--abbrev-commit", &range, "--"];
    let said = Command::new("git").args(arguments).output();
    let refused = |why: String| {
        exit::refused(format!(
            "git could not list {range}: {why}; run this in the source's repository, or give --builds"
        ))
    };
    let said = said.map_err(|e| refused(e.to_string()))?;
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr);
        return Err(refused(why.lines().next().unwrap_or("it said nothing").into()));
    }
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let mut row = listed(&text, true).map_err(exit::refused)?;
    // The last of them is the bad end, under the name that it was given.
    match row.last_mut() {
        Some(last) => last.name = bad.into(),
        None => return Err(refused(format!("no commit lies between them; is {bad} the later one?"))),
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, good: &str, bad: &str) -> Result<Vec<String>, String> {
        let row = between(listed(text, true)?, good, bad, true)?;
        Ok(row.into_iter().map(|build| build.name).collect())
    }

    #[test]
    fn a_row_is_what_lies_between_its_ends() {
        let text = "a\nb # the second\n\n  c\nd\n";
        assert_eq!(names(text, "b", "d").unwrap(), ["b", "c", "d"]);
        assert_eq!(names(text, "0", "z").unwrap(), ["0", "a", "b", "c", "d", "z"]);
        assert!(names(text, "d", "b").unwrap_err().contains("oldest first"));
        assert!(names("a\na\n", "a", "b").unwrap_err().contains("twice"));
        assert!(names("a b c\n", "a", "b").unwrap_err().contains("line 1"));
    }

    #[test]
    fn a_build_is_a_name_or_lies_somewhere() {
        let row = listed("a mariadb-10.11\nb /\n", false).unwrap();
        assert_eq!(row[0].build.as_deref(), Some("mariadb-10.11"));
        assert_eq!(row[1].build.as_deref(), Some("/"));
        assert!(listed("a /not/there/at/all\n", false).unwrap_err().contains("/not/there/at/all"));
    }
}
