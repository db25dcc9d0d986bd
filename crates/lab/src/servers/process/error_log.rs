//! What a server's error log has to say to others: its last lines, where something went wrong, and the lines that mean
//! that an option was not honoured, which a server tells nowhere else.

use std::fs;
use std::path::Path;

/// How much of an error log a message shows.
const TAIL_LINES: usize = 15;
/// Lines of the error log that mean that an option was not honoured.
const COMPLAINTS: &[&str] =
    &["was removed", "unknown variable", "unknown option", "deprecated", "[ERROR]", "Changed limits"];

/// The last lines of the file; nothing where it cannot be read.
pub fn tail(path: &Path) -> String {
    let text = fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// The complaints of a file, as far as it can be read.
pub fn complaints_of(path: &Path) -> Vec<String> {
    complaints(&fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default())
}

/// The complaints of an error log without their times, each once.
fn complaints(log: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in log.lines().filter(|l| COMPLAINTS.iter().any(|c| l.contains(c))) {
        let text = line.find('[').map_or(line, |start| &line[start..]);
        if !found.iter().any(|f| f == text) {
            found.push(text.to_string());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_were_not_honoured_are_told_once() {
        let log = "2026-11-21 13:41:28 0 [Warning] 'innodb-change-buffering' was removed. It does nothing now\n\
                   2026-11-21 13:41:29 0 [Note] InnoDB: Using liburing\n\
                   2026-11-21 13:41:30 0 [Warning] 'innodb-change-buffering' was removed. It does nothing now\n\
                   /usr/sbin/mariadbd: unknown variable 'frobnicate=1'\n";
        assert_eq!(
            complaints(log),
            [
                "[Warning] 'innodb-change-buffering' was removed. It does nothing now",
                "/usr/sbin/mariadbd: unknown variable 'frobnicate=1'"
            ]
        );
    }
}
