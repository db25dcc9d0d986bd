//! What a word of the lab is in the options of one version: rows of facts, and their translation. A word that a version
//! has no use for comes back with the reason, so that nothing which was asked for vanishes without a line in the
//! record. The rows themselves stand with their kind.

use model::{Value, Version};

/// One fact that differs by version: in `from..until`, a word of the lab is written as these lines.
pub struct Fact {
    pub word: &'static str,
    pub from: Version,
    pub until: Version,
    pub lines: Lines,
}

pub enum Lines {
    /// `name=value`, flags as ON and OFF.
    Set(&'static [&'static str]),
    /// Fixed lines for on and for off.
    Switch { on: &'static [&'static str], off: &'static [&'static str] },
    /// The first name carries half of the value: redo in two files. `below` is the first size that is refused.
    Halves { size: &'static str, files: &'static str, below: Option<i64> },
    /// The first name carries the value, the second twice the value.
    Double { base: &'static str, double: &'static str },
    /// A line for each of these values; others are not possible, and why.
    Words { lines: &'static [(&'static str, &'static str)], why: &'static str },
    /// As `Switch`, but on is not possible; the reason.
    OffOnly { off: &'static [&'static str], why: &'static str },
    /// There is no such thing; since when, or why.
    Nothing(&'static str),
}

/// Counts every taking of an index's tree lock; the class of the instrument differs by version.
pub const INDEX_LOCK: &str = "performance_schema_instrument=wait/synch/%/innodb/index_tree_rw_lock=ON";

pub const ANY: Version = Version(0, 0, 0);
pub const NEVER: Version = Version(u32::MAX, 0, 0);

pub const fn fact(word: &'static str, from: Version, until: Version, lines: Lines) -> Fact {
    Fact { word, from, until, lines }
}

/// A line that every instance of `from..until` gets, whatever was asked for.
pub struct Always {
    pub from: Version,
    pub until: Version,
    pub line: &'static str,
}

pub const fn always(from: Version, until: Version, line: &'static str) -> Always {
    Always { from, until, line }
}

/// The option lines of all settings under a version, and the settings that it has no use for.
pub fn translate<'a>(
    tables: &[&[Fact]],
    version: Version,
    settings: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut not_applicable) = (Vec::new(), Vec::new());
    for (word, value) in settings {
        let mut known = false;
        let facts = tables.iter().copied().flatten();
        for fact in facts.filter(|f| f.word == word && f.from <= version && version < f.until) {
            known = true;
            match write(&fact.lines, value) {
                Ok(more) => lines.extend(more),
                Err(why) => not_applicable.push(format!("{word} = {value}: {why}")),
            }
        }
        if !known {
            not_applicable.push(format!("{word} = {value}: the engine has no such setting in version {version}"));
        }
    }
    (lines, not_applicable)
}

fn write(lines: &Lines, value: &Value) -> Result<Vec<String>, String> {
    let fixed = |l: &[&str]| Ok(l.iter().map(ToString::to_string).collect());
    let count = || value.count().ok_or_else(|| "not a number".to_string());
    match lines {
        Lines::Set(names) => Ok(names.iter().map(|n| format!("{n}={}", written(value))).collect()),
        Lines::Switch { on, off } => fixed(if value.flag() == Some(true) { on } else { off }),
        Lines::Halves { below: Some(below), .. } if count()? >= *below => {
            Err(format!("this version takes less than {below} bytes in all"))
        }
        Lines::Halves { size, files, .. } => Ok(vec![format!("{size}={}", count()? / 2), format!("{files}=2")]),
        Lines::Double { base, double } => {
            Ok(vec![format!("{base}={}", count()?), format!("{double}={}", count()? * 2)])
        }
        Lines::Words { lines, why } => {
            let line = lines.iter().find(|(word, _)| value.text() == Some(word));
            line.map_or_else(|| Err((*why).to_string()), |(_, line)| fixed(&[line]))
        }
        Lines::OffOnly { off, .. } if value.flag() == Some(false) => fixed(off),
        Lines::OffOnly { why, .. } | Lines::Nothing(why) => Err((*why).to_string()),
    }
}

/// A value as option files have it.
pub fn written(value: &Value) -> String {
    match value {
        Value::Flag(on) => if *on { "ON" } else { "OFF" }.to_string(),
        Value::Count(_) | Value::Real(_) | Value::Text(_) => value.to_string(),
    }
}
