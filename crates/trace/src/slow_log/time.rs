//! The two ways in which slow logs write a time: `2024-01-01T12:00:00.123456Z` (MySQL since 5.7, in UTC or with its
//! offset) and `240101 12:00:00` (before, and MariaDB: local time of a zone that the log does not name, and so only a
//! mark).

use crate::calendar::days;
use model::Nanos;

/// Reads the first form; `None` for anything else.
pub fn precise(text: &str) -> Option<Nanos> {
    let (date, rest) = text.split_once('T')?;
    let mut date = date.splitn(3, '-');
    let (year, month, day) = (number(date.next()?)?, number(date.next()?)?, number(date.next()?)?);
    let zone = rest.find(['Z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut clock = clock.splitn(3, ':');
    let (hour, minute, second) = (number(clock.next()?)?, number(clock.next()?)?, number(clock.next()?)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = match zone.split_at(1) {
        ("Z", _) => 0,
        (sign, offset) => {
            let (hours, minutes) = offset.split_once(':')?;
            let seconds = i64::from(number(hours)?) * 3600 + i64::from(number(minutes)?) * 60;
            if sign == "-" { -seconds } else { seconds }
        }
    };
    let clock = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    let seconds = days(i64::from(year), month, day) * 86_400 + clock - offset;
    nanos(u64::try_from(seconds).ok()?, fraction)
}

/// Seconds since 1970, with a fraction or without, as `SET timestamp=` has them.
pub fn unix(text: &str) -> Option<Nanos> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    nanos(seconds.parse().ok()?, fraction)
}

/// A span in seconds, as `Query_time:` has it.
pub fn span(text: &str) -> Option<Nanos> {
    unix(text)
}

fn nanos(seconds: u64, fraction: &str) -> Option<Nanos> {
    let digits = fraction.get(..fraction.len().min(9))?;
    let parsed: u64 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let below = parsed * 10_u64.pow(9 - digits.len() as u32);
    Some(Nanos(seconds.checked_mul(1_000_000_000)?.checked_add(below)?))
}

fn number(text: &str) -> Option<u32> {
    (!text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_their_zone() {
        let utc = precise("2024-02-29T12:00:00.123456Z").unwrap();
        assert_eq!(utc, Nanos(1_709_208_000_123_456_000));
        assert_eq!(precise("2024-02-29T14:00:00.123456+02:00"), Some(utc));
        assert_eq!(unix("1709208000.123456"), Some(utc));
        let wrong = ["2024-02-29 12:00:00Z", "2024-13-01T00:00:00Z", "T::Z", "-T", "", "2024-02-29T12:00:00+ü:1"];
        assert!(wrong.iter().all(|text| precise(text).is_none()));
        assert_eq!(unix("99999999999999999999"), None);
    }
}
