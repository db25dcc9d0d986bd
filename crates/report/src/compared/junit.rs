//! JUnit XML, which every build server draws: a test case per row. A broken limit is a failure; a refused row is an
//! error, because its evidence is invalid; an undecided one is skipped, with what would decide it.

use super::{Broken, ratio, word};
use model::compared::Row;
use model::{Compared, Outcome};

pub fn junit(compared: &Compared, broken: &Broken) -> String {
    let of = |outcome: Outcome| compared.rows.iter().filter(|r| r.outcome == outcome).count();
    let skipped =
        compared.rows.iter().enumerate().filter(|(i, r)| r.outcome == Outcome::Undecided && !broken.contains_key(i));
    let cases: String = compared.rows.iter().enumerate().map(|(i, row)| case(row, broken.get(&i))).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{cases}</testsuite>\n",
        safe(&format!("{} → {}", compared.base, compared.candidate)),
        compared.rows.len(),
        broken.len(),
        of(Outcome::Refused),
        skipped.count(),
    )
}

fn case(row: &Row, broken: Option<&String>) -> String {
    let message = format!(
        "{}: ratio {}{}",
        word(row.outcome),
        ratio(&row.ratio),
        if row.why.is_empty() { String::new() } else { format!(", {}", row.why) }
    );
    let inside = match (broken, row.outcome) {
        (Some(limit), _) => format!("<failure message=\"{}\"/>", safe(&format!("breaks {limit}; {message}"))),
        (None, Outcome::Refused) => format!("<error message=\"{}\"/>", safe(&message)),
        (None, Outcome::Undecided) => format!("<skipped message=\"{}\"/>", safe(&message)),
        (None, Outcome::Better | Outcome::Worse | Outcome::Equivalent) => {
            format!("<system-out>{}</system-out>", safe(&message))
        }
    };
    format!("  <testcase classname=\"{}\" name=\"{}\">{inside}</testcase>\n", safe(&row.cell), safe(&row.metric))
}

fn safe(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\n', " ")
}
