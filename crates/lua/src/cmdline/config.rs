//! A file of options: `name=value` in each line, as on the command line without its dashes. Comments, blanks and quotes
//! are taken off; a line that is none of these is an error, where sysbench would go on with another option than the one
//! that was meant.

use super::{Complaint, Given};

/// `path` is only for complaints.
pub fn read(text: &str, path: &str) -> Result<Vec<Given>, Complaint> {
    let mut given = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = || Complaint::Early(format!("{path}:{}: '{line}' is not name=value", number + 1));
        let (name, value) = line.split_once('=').map_or((line, None), |(name, value)| (name, Some(value)));
        let name = name.trim().trim_start_matches("--");
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !is_name {
            return Err(wrong());
        }
        let value = value.map(plain).transpose().map_err(|()| wrong())?;
        given.push(Given::new(name, value, &format!("--{}", line.trim_start_matches("--"))));
    }
    Ok(given)
}

/// Without its quotes, or without the comment behind it.
fn plain(value: &str) -> Result<&str, ()> {
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = &value[1..];
            inner.find(quote).map(|end| &inner[..end]).ok_or(())
        }
        Some(_) | None => Ok(value.split('#').next().unwrap_or("").trim_end()),
    }
}
