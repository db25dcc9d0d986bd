//! Numbers as a reader of text wants them: three significant digits, thousands apart, half of the interval beside them.
//! Every text of a report writes them so, and the page does the same in its own language (`page/src/format.ts`).

use model::Estimate;
use model::units::round3;

/// `12 300 ± 1.2 %`.
pub fn with_interval(e: &Estimate) -> String {
    let value = three(e.value);
    match (e.low, e.high) {
        (Some(low), Some(high)) if e.value != 0.0 => {
            format!("{value} ± {}", percent(((high - low) / 2.0 / e.value * 100.0).abs()))
        }
        (Some(_) | None, Some(_) | None) => value,
    }
}

/// Tenths where they say something. Beyond the value itself an interval says only that nothing is known.
fn percent(half: f64) -> String {
    match half {
        half if half > 100.0 => "over 100 %".into(),
        half if half >= 10.0 => format!("{half:.0} %"),
        half => format!("{half:.1} %"),
    }
}

/// Three significant digits; thousands apart.
pub fn three(x: f64) -> String {
    if !(1000.0..1e15).contains(&x.abs()) {
        return round3(x);
    }
    let step = 10_f64.powi(x.abs().log10().floor() as i32 - 2);
    let digits = format!("{:.0}", (x / step).round() * step);
    let first = digits.len() % 3;
    let groups = digits.as_bytes()[first..].chunks(3).map(|g| std::str::from_utf8(g).expect("digits"));
    [&digits[..first]].into_iter().filter(|s| !s.is_empty()).chain(groups).collect::<Vec<_>>().join(" ")
}
