//! A moment as other tools write it, `2026-11-21T10:00:00Z`: the civil date of a day number, after Howard Hinnant's
//! `civil_from_days`, so that no calendar has to be a dependency.

const MILLIS: u64 = 1000;
const DAY: u64 = 86_400;
/// Days of 400 years, which is how often the calendar repeats.
const ERA: u64 = 146_097;
/// From the first of March of the year 0 to 1970.
const TO_1970: u64 = 719_468;

pub fn utc(unix_ms: u64) -> String {
    let seconds = unix_ms / MILLIS;
    let (days, second) = (seconds / DAY + TO_1970, seconds % DAY);
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months of a year that begins in March.
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z", era * 400 + year + later)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_moment_is_written_as_its_date_leap_days_and_centuries_included() {
        for (seconds, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_255_200, "2026-11-21T10:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(super::utc(seconds * 1000), written);
        }
    }
}
