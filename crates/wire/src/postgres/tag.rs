//! Hot path: the tag of CommandComplete, which is all that tells how many rows a statement changed: its last word,
//! where the first is one of those that change rows.

/// Rows that the command wrote; 0 for those that write none.
#[inline]
pub fn affected(tag: &[u8]) -> u64 {
    let mut words = tag.split(|byte| *byte == b' ');
    match words.next() {
        Some(b"INSERT" | b"UPDATE" | b"DELETE" | b"MERGE" | b"COPY") => {
            words.next_back().and_then(|count| crate::decimal::read(count).ok()).unwrap_or(0)
        }
        Some(_) | None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_writes_rows_has_affected_any() {
        let count = |tag: &str| affected(tag.as_bytes());
        assert_eq!((count("INSERT 0 5"), count("UPDATE 3"), count("DELETE 0"), count("MERGE 2")), (5, 3, 0, 2));
        assert_eq!(
            (count("SELECT 10"), count("BEGIN"), count("CREATE TABLE"), count("INSERT"), count("")),
            (0, 0, 0, 0, 0)
        );
    }
}
