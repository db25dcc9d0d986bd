//! Where in the server's binary log data were taken, as a dump (`--master-data`, `--source-data`) or a physical backup
//! says itself. A trace that begins later needs what was written between the two: nothing is brought forward here, but
//! it is told, because otherwise it shows as answers that differ for no reason of the builds.

use super::data::Data;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use trace::calendar;

/// Dumps say it in front of their first table.
const HEADER_BYTES: u64 = 1 << 20;
/// What XtraBackup and mariadb-backup leave beside the tables: file, position and GTIDs between tabs.
const BACKUPS: [&str; 2] = ["xtrabackup_binlog_info", "mariadb_backup_binlog_info"];

/// A sentence, where the data say it. `first` is the trace's beginning, in nanoseconds since 1970.
pub(super) fn told(data: &Data, first: u64) -> Option<String> {
    let position = match data {
        Data::Dump(files) => files.iter().find_map(|file| of_dump(&header(file)?)),
        Data::Directory(folder) => BACKUPS.iter().find_map(|name| of_backup(&text(folder, name)?)),
        Data::Statistics(_) => None,
    }?;
    Some(format!(
        "The data were taken at {position} of the binary log, and the trace begins on {}: what was written in between has to \
         be in the data (mysqlbinlog brings them forward), or answers differ from the trace's.",
        calendar::moment((first / 1_000_000_000) as i64)
    ))
}

fn header(file: &PathBuf) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(HEADER_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn text(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

/// `-- CHANGE MASTER TO MASTER_LOG_FILE='binlog.000012', MASTER_LOG_POS=1234;`, in a comment or not, and what newer
/// versions call it.
fn of_dump(header: &str) -> Option<String> {
    header.lines().find_map(|line| {
        let after = |word: &str| line.split_once(word).map(|(_, rest)| rest.trim_start_matches([' ', '=']));
        let file = after("_LOG_FILE")?.strip_prefix('\'')?.split_once('\'')?.0;
        let position: String = after("_LOG_POS")?.chars().take_while(char::is_ascii_digit).collect();
        (!position.is_empty()).then(|| format!("{file}, position {position}"))
    })
}

fn of_backup(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let (file, position) = (words.next()?, words.next()?.parse::<u64>().ok()?);
    Some(format!("{file}, position {position}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_and_backups_say_their_position_in_the_words_of_their_time() {
        for text in [
            "-- CHANGE MASTER TO MASTER_LOG_FILE='binlog.000012', MASTER_LOG_POS=1234;",
            "-- Host: db\n\nCHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='binlog.000012', SOURCE_LOG_POS=1234;\n",
            "-- CHANGE MASTER 'main' TO MASTER_LOG_FILE = 'binlog.000012', MASTER_LOG_POS = 1234, MASTER_USE_GTID=no;",
        ] {
            assert_eq!(of_dump(text).as_deref(), Some("binlog.000012, position 1234"), "{text}");
        }
        assert_eq!(of_dump("CREATE TABLE t (MASTER_LOG_FILE int);\n-- position 7"), None);
        assert_eq!(of_backup("binlog.000012\t1234\t0-1-7\n").as_deref(), Some("binlog.000012, position 1234"));
        assert_eq!(of_backup(""), None);
    }
}
