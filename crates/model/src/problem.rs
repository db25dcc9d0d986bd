//! A mistake of the author of an experiment or a command line: where it is, what is wrong, and how to mend it. All
//! problems of a file are collected and shown at once, because being told one per attempt is a way of wasting a day.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// 1-based line of the file; `None` for the command line.
    pub line: Option<usize>,
    /// The key path, as `workload.oltp.range_size`.
    pub path: String,
    pub what: String,
    /// The mend: what to write in its place, with the nearest known word where there is one.
    pub mend: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.path, self.what)?;
        if self.mend.is_empty() { Ok(()) } else { write!(f, "\n    {}", self.mend) }
    }
}

/// The known word nearest to a misspelt one, within two edits or a third of its length.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.len() / 3).max(2);
    known
        .into_iter()
        .map(|k| (strsim::osa_distance(word, k), k))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_slip_of_the_finger_finds_its_word() {
        let known = ["range_size", "rows", "tables"];
        assert_eq!(super::nearest("rnage_size", known), Some("range_size"));
        assert_eq!(super::nearest("zebra", known), None);
    }
}
