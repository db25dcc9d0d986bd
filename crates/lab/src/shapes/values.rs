//! Values of a column by their number: the same number is the same value, and different ones are different values as
//! far as the column's type has so many. Numbers and times lie evenly between the bounds; texts are letters that mean
//! nothing, as long as the originals were.

use super::Column;
use model::seed::split_mix;
use trace::calendar::{civil, days};

const SECONDS_PER_DAY: i128 = 86_400;
/// Where nobody knows the bounds, times begin here, which every type of time has: 2000-01-01 in seconds since 1970.
const BEGINNING: i128 = 946_684_800;
/// Digits behind the point where the type says none: as many as a FLOAT tells apart beside four before it.
const FRACTION: usize = 3;
/// A text of a type that says no length is never longer: TEXT holds 65,535 bytes.
const LONGEST: usize = 60_000;
const LETTERS: u64 = 26;

/// The value of that number, of so many different ones, as it is written in a statement.
pub fn literal(column: &Column, number: u64, of: u64) -> String {
    let kind = column.kind.to_ascii_lowercase();
    let word = kind.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let whole = |read: fn(&str) -> Option<i128>, first: i128| {
        let bound = |text: &Option<String>| text.as_deref().and_then(read);
        spread([bound(&column.least), bound(&column.most)], first, number, of)
    };
    match word {
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "year" => {
            whole(|text| text.parse().ok(), 1).to_string()
        }
        "decimal" | "numeric" => scaled(column, argument(&kind, 1).unwrap_or(0) as usize, number, of),
        "float" | "double" | "real" => scaled(column, FRACTION, number, of),
        "bit" => (number % (1 << argument(&kind, 0).unwrap_or(1).min(63))).to_string(),
        "date" => date(whole(moment, BEGINNING)),
        "datetime" | "timestamp" => {
            let at = whole(moment, BEGINNING);
            let day = date(at);
            format!("{} {}'", day.trim_end_matches('\''), clock(at.rem_euclid(SECONDS_PER_DAY)))
        }
        "time" => format!("'{}'", clock(whole(seconds, 0))),
        "enum" | "set" => member(&column.kind, number),
        "uuid" => {
            let hex = format!("{:016x}{:016x}", split_mix(number), split_mix(number ^ 1 << 63));
            format!("'{}-{}-{}-{}-{}'", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
        }
        "inet6" => format!("'fd00::{:x}:{:x}'", number >> 16 & 0xFFFF, number & 0xFFFF),
        "inet4" => format!("'10.{}.{}.{}'", number >> 16 & 0xFF, number >> 8 & 0xFF, number & 0xFF),
        "geometry" | "point" => format!("ST_GeomFromText('POINT({} {})')", number % 180, number / 180 % 90),
        _ if column.is_json || word == "json" => {
            let text = text(column, number, of, 8);
            format!("'{{\"v\":\"{text}\"}}'")
        }
        _ => format!("'{}'", text(column, number, of, 0)),
    }
}

/// Evenly between the bounds; beyond them where there are not so many whole numbers between.
fn spread([least, most]: [Option<i128>; 2], first: i128, number: u64, of: u64) -> i128 {
    let least = least.unwrap_or(first);
    let most = most.unwrap_or(least + i128::from(of) - 1).max(least);
    let (number, last) = (i128::from(number), i128::from(of.max(1)) - 1);
    if last > 0 && most - least >= last { least + (most - least) * number / last } else { least + number }
}

fn scaled(column: &Column, digits: usize, number: u64, of: u64) -> String {
    let scale = 10f64.powi(digits as i32);
    let bound = |text: &Option<String>| Some((text.as_deref()?.parse::<f64>().ok()? * scale).round() as i128);
    let value = spread([bound(&column.least), bound(&column.most)], 0, number, of);
    let (sign, value, scale) = (if value < 0 { "-" } else { "" }, value.unsigned_abs(), 10u128.pow(digits as u32));
    match digits {
        0 => format!("{sign}{value}"),
        _ => format!("{sign}{}.{:0digits$}", value / scale, value % scale),
    }
}

/// A number in the parentheses of a type.
fn argument(kind: &str, place: usize) -> Option<u32> {
    let inside = kind.split_once('(')?.1.split_once(')')?.0;
    inside.split(',').nth(place)?.trim().parse().ok()
}

/// `YYYY-MM-DD[ hh:mm:ss…]` as seconds since 1970.
fn moment(text: &str) -> Option<i128> {
    let (date, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    let mut parts = date.splitn(3, '-');
    let mut part = || parts.next()?.parse::<u32>().ok();
    let (year, month, day) = (part()?, part()?, part()?);
    (month > 0 && day > 0).then_some(())?;
    Some(i128::from(days(i64::from(year), month, day)) * SECONDS_PER_DAY + seconds(time)?)
}

/// `[-]h:mm:ss[.…]` as seconds.
fn seconds(text: &str) -> Option<i128> {
    let mut all = 0;
    for part in text.trim_start_matches('-').split('.').next()?.split(':') {
        all = all * 60 + part.parse::<i128>().ok()?;
    }
    Some(if text.starts_with('-') { -all } else { all })
}

fn date(at: i128) -> String {
    let (year, month, day) = civil(at.div_euclid(SECONDS_PER_DAY) as i64);
    format!("'{year:04}-{month:02}-{day:02}'")
}

fn clock(seconds: i128) -> String {
    let (sign, s) = (if seconds < 0 { "-" } else { "" }, seconds.abs());
    format!("{sign}{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

/// One of the members of an ENUM or SET, quoted as they are.
fn member(kind: &str, number: u64) -> String {
    let inside = kind.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(inside, _)| inside);
    let mut members: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in inside.chars() {
        if c == '\'' && !is_open && members.last().is_none_or(|last| !last.is_empty() && last.ends_with(',')) {
            members.push(String::new());
        }
        if let Some(last) = members.last_mut() {
            last.push(c);
        }
        is_open ^= c == '\'';
    }
    let all = members.iter().map(|member| member.trim_end_matches(',')).collect::<Vec<_>>();
    let chosen = all.get((number % all.len().max(1) as u64) as usize);
    chosen.map_or_else(|| "''".to_string(), ToString::to_string)
}

/// Letters that tell this number from `of` others, and behind them more letters, `around` fewer than the column's texts
/// are long.
fn text(column: &Column, number: u64, of: u64, around: usize) -> String {
    let most = argument(&column.kind.to_ascii_lowercase(), 0).map_or(LONGEST, |most| most as usize);
    // Fixed lengths stay; others differ by a quarter to either side.
    let mean = column.length.round() as usize;
    let is_fixed = column.kind.starts_with("char(") || column.kind.starts_with("binary(") || mean < 4;
    let about = if is_fixed { mean } else { mean * 3 / 4 + (split_mix(number) % (mean as u64 / 2 + 1)) as usize };
    let mut letters = Vec::with_capacity(about);
    let (mut rest, mut room) = (number, of.max(1) - 1);
    loop {
        letters.push(b'a' + (rest % LETTERS) as u8);
        (rest, room) = (rest / LETTERS, room / LETTERS);
        if room == 0 && rest == 0 {
            break;
        }
    }
    let long = about.saturating_sub(around).max(letters.len()).min(most.saturating_sub(around));
    let mut state = number;
    while letters.len() < long {
        state = split_mix(state);
        letters.push(b'a' + (state % LETTERS) as u8);
    }
    letters.truncate(long);
    String::from_utf8(letters).expect("letters")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn column(kind: &str, least: &str, most: &str, length: f64) -> Column {
        let bound = |text: &str| (!text.is_empty()).then(|| text.to_string());
        Column { kind: kind.into(), least: bound(least), most: bound(most), length, ..Column::default() }
    }

    #[test]
    fn values_lie_evenly_between_their_bounds() {
        for (kind, least, most, of, expected) in [
            ("int(11)", "1", "1000", 1000, ["1", "2", "1000"]),
            ("bigint unsigned", "10", "30", 3, ["10", "20", "30"]),
            ("tinyint", "5", "6", 9, ["5", "6", "13"]),
            ("decimal(12,2)", "-1.50", "2.50", 5, ["-1.50", "-0.50", "2.50"]),
            ("date", "2024-02-28", "2024-03-01", 3, ["'2024-02-28'", "'2024-02-29'", "'2024-03-01'"]),
            (
                "datetime(6)",
                "1969-12-31 23:59:59.5",
                "1970-01-01 00:00:01",
                3,
                ["'1969-12-31 23:59:59'", "'1970-01-01 00:00:00'", "'1970-01-01 00:00:01'"],
            ),
            ("time", "-00:00:01", "00:00:01", 3, ["'-00:00:01'", "'00:00:00'", "'00:00:01'"]),
            ("enum('a,b','it''s','c')", "", "", 3, ["'a,b'", "'it''s'", "'c'"]),
            ("year(4)", "", "", 3, ["1", "2", "3"]),
        ] {
            let column = column(kind, least, most, 0.0);
            assert_eq!([0, 1, of - 1].map(|number| literal(&column, number, of)), expected, "{kind}");
        }
    }

    #[test]
    fn texts_differ_as_often_as_is_asked_and_are_as_long_as_they_may_be() {
        for (kind, length, of) in [("varchar(40)", 20.0, 5_000), ("char(3)", 3.0, 5_000), ("longtext", 300.0, 100)] {
            let column = column(kind, "", "", length);
            let all: HashSet<String> = (0..of).map(|number| literal(&column, number, of)).collect();
            assert_eq!(all.len() as u64, of, "{kind}");
            let mean = all.iter().map(|text| text.len() as f64 - 2.0).sum::<f64>() / of as f64;
            assert!((mean - length).abs() <= length * 0.05, "{kind}: {mean}");
        }
        let json = Column { is_json: true, ..column("longtext", "", "", 20.0) };
        let text = literal(&json, 7, 10);
        assert!(serde_json::from_str::<serde_json::Value>(text.trim_matches('\'')).is_ok(), "{text}");
    }
}
