//! One value, read as its kind demands. Whole numbers and switches are strict; a number that goes on after its digits
//! is read as far as it goes, as sysbench does, and that is said, because `--table-size=10K` is ten rows there and
//! nobody tells.

use super::{Complaint, Given};
use crate::option::{Kind, Value};

pub struct Read {
    pub value: Value,
    pub warning: Option<String>,
}

pub fn read(kind: Kind, given: &Given) -> Result<Read, Complaint> {
    let text = given.value.as_deref().unwrap_or("");
    let invalid =
        || Complaint::Early(format!("Invalid value for the '{}' option: '{text}'", given.name.replace('_', "-")));
    let mut warning = None;
    let value = match kind {
        Kind::Bool => match given.value.as_deref() {
            None | Some("" | "on" | "true" | "1") => Value::Bool(true),
            Some("off" | "false" | "0") => Value::Bool(false),
            Some(_) => return Err(Complaint::Late(format!("invalid option: {}", given.typed))),
        },
        Kind::Int if text.is_empty() => Value::Number(0.0),
        Kind::Int => Value::Number(text.trim_start().parse::<i64>().map_err(|_| invalid())? as f64),
        Kind::Size if text.is_empty() => Value::Number(0.0),
        Kind::Size => Value::Number(size(text).ok_or_else(invalid)?),
        Kind::Double => {
            let digits = number_of(text);
            let number = digits.parse().unwrap_or(0.0);
            if digits.len() < text.len() {
                warning = Some(format!("WARNING: {} is read as {number}", given.typed));
            }
            Value::Number(number)
        }
        Kind::Null | Kind::String => Value::Text(text.to_string()),
        Kind::List => Value::List(list(text)),
        Kind::File => Value::File,
    };
    Ok(Read { value, warning })
}

/// The value of an option that nobody gave.
pub fn default(kind: Kind, text: Option<&str>) -> Value {
    // A switch that is declared without a default is on, as one that is given without a value.
    let is_on = text.is_none_or(|text| matches!(text, "" | "on" | "true" | "1"));
    let text = text.unwrap_or("");
    match kind {
        Kind::Bool => Value::Bool(is_on),
        Kind::Int | Kind::Double => Value::Number(number_of(text).parse().unwrap_or(0.0)),
        Kind::Size => Value::Number(size(text).unwrap_or(0.0)),
        Kind::Null | Kind::String => Value::Text(text.to_string()),
        Kind::List => Value::List(list(text)),
        Kind::File => Value::File,
    }
}

fn list(text: &str) -> Vec<String> {
    if text.is_empty() { Vec::new() } else { text.split(',').map(|part| part.trim().to_string()).collect() }
}

/// A whole number, and K, M, G or T for powers of 1024.
fn size(text: &str) -> Option<f64> {
    let (digits, power) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1),
        (at, 'm' | 'M') => (&text[..at], 2),
        (at, 'g' | 'G') => (&text[..at], 3),
        (at, 't' | 'T') => (&text[..at], 4),
        _ => (text, 0),
    };
    digits.trim_start().parse::<u64>().ok().map(|n| n as f64 * 1024_f64.powi(power))
}

/// The longest beginning that is a number.
fn number_of(text: &str) -> &str {
    let ends = (1..=text.len()).rev().filter(|end| text.is_char_boundary(*end));
    let is_number =
        |text: &str| text.ends_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok();
    ends.map(|end| &text[..end]).find(|text| is_number(text)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_and_nothing_else() {
        assert_eq!(
            (size("64K"), size("2m"), size("3G"), size("1T")),
            (Some(65536.0), Some(2097152.0), Some(3221225472.0), Some(1099511627776.0))
        );
        assert_eq!((size("10"), size("10X"), size("K"), size(""), size("-1")), (Some(10.0), None, None, None, None));
    }

    #[test]
    fn a_number_is_read_as_far_as_it_goes() {
        assert_eq!(
            (number_of("10K"), number_of("2.5"), number_of("1e3"), number_of("abc"), number_of("-3x")),
            ("10", "2.5", "1e3", "", "-3")
        );
    }
}
