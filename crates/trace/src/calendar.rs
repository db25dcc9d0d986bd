//! Dates of the Gregorian calendar as numbers of days, and back: for times in logs, and for dates that are moved. Both
//! ways are Howard Hinnant's (days_from_civil, civil_from_days).

/// Days from 1970-01-01 to a date.
pub fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * i64::from((month + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day that so many days from 1970-01-01 are.
pub fn civil(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days - era * 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A moment as people read it, of seconds since 1970 (UTC).
pub fn moment(unix_s: i64) -> String {
    let ((year, month, day), s) = (civil(unix_s.div_euclid(86_400)), unix_s.rem_euclid(86_400));
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", s / 3600, s / 60 % 60, s % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days_are_each_others_inverse() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1)), (0, 11_017));
        assert!((-800_000..3_000_000).step_by(97).all(|day| {
            let (year, month, date) = civil(day);
            days(year, month, date) == day
        }));
        assert_eq!(
            (moment(0), moment(1_795_694_461)),
            ("1970-01-01 00:00:00 UTC".into(), "2026-11-26 12:01:01 UTC".into())
        );
    }
}
