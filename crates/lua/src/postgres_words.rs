//! What PostgreSQL refuses in the words of its client library, which scripts and sysbench's readers know: the bare
//! message, or all of it with the line that it points at. A refusal comes here as `SEVERITY: message at character N`,
//! then lines of detail.

/// Behind a message that points at a place in its statement.
const PLACE: &str = " at character ";

/// As much of a line is shown.
const SHOWN: usize = 60;
/// As much of it is kept before the place, where the line is longer.
const BEFORE: usize = 40;

/// The message, the character of the statement that it points at (the first is 1), and the lines behind it.
fn parts(refusal: &str) -> (&str, Option<usize>, &str) {
    let more = ["\nDETAIL:  ", "\nHINT:  "].iter().filter_map(|name| refusal.find(name)).min().unwrap_or(refusal.len());
    let (first, more) = refusal.split_at(more);
    let pointed = first.rsplit_once(PLACE).and_then(|(message, place)| Some((message, place.parse().ok()?)));
    let (message, place) = pointed.map_or((first, None), |(message, place)| (message, Some(place)));
    (message, place, more)
}

/// The message without its severity, its place and its details.
pub fn message(refusal: &str) -> &str {
    let (message, ..) = parts(refusal);
    message.split_once(":  ").map_or(message, |(_, bare)| bare)
}

/// All of it, with the line of the statement that it points at; ends as the library ends it, in a new line.
pub fn whole(refusal: &str, sql: &str) -> String {
    let (message, place, more) = parts(refusal);
    let line = place.and_then(|place| pointed_at(sql, place)).unwrap_or_default();
    format!("{message}{line}{more}\n")
}

fn pointed_at(sql: &str, place: usize) -> Option<String> {
    let at = place.checked_sub(1)?;
    let before: String = sql.chars().take(at).collect();
    let number = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count());
    let line: Vec<char> = sql.split('\n').nth(number - 1)?.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    let from = if line.len() <= SHOWN { 0 } else { column.saturating_sub(BEFORE).min(line.len() - SHOWN) };
    let to = line.len().min(from + SHOWN);
    let (left, right) = (if from > 0 { "..." } else { "" }, if to < line.len() { "..." } else { "" });
    let head = format!("LINE {number}: {left}");
    let shown: String = line[from..to].iter().collect();
    Some(format!("\n{head}{shown}{right}\n{}^", " ".repeat(head.len() + column - from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_bare_or_with_the_line_that_it_points_at() {
        let refusal = "ERROR:  column \"b\" does not exist at character 12\nHINT:  Perhaps you meant \"a\".";
        assert_eq!(message(refusal), "column \"b\" does not exist");
        let told = whole(refusal, "SELECT a,\n b FROM t");
        assert_eq!(
            told,
            "ERROR:  column \"b\" does not exist\nLINE 2:  b FROM t\n         ^\nHINT:  Perhaps you meant \"a\".\n"
        );
        let plain = "ERROR:  duplicate key value\nDETAIL:  Key (id)=(1) already exists.";
        assert_eq!((message(plain), whole(plain, "INSERT")), ("duplicate key value", format!("{plain}\n")));
        assert_eq!(message("no refusal at all"), "no refusal at all");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let sql = format!("SELECT {} x FROM t", "1,".repeat(100));
        let place = sql.chars().count() - 7;
        let told = whole(&format!("ERROR:  no x at character {place}"), &sql);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[1].len(), "LINE 1: ...".len() + SHOWN);
        assert_eq!(lines[1].as_bytes()[lines[2].len() - 1], b'x');
        assert!(whole("ERROR:  beyond at character 99", "SELECT").starts_with("ERROR:  beyond\n"));
    }
}
