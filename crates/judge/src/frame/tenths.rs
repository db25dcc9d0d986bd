//! The rate of a phase in points shorter than a second, for phases that have too few seconds: operations of each tenth,
//! summed over workers and taken together until a point counts enough of them that chance does not make its levels.

use model::PhaseRecord;
use model::record::course::Course;
use model::record::second::Second;

/// Operations in a point on average: Poisson's scatter is then a tenth of the rate, and of five such points less.
const ENOUGH: f64 = 100.0;
/// Widths of a point, in tenths.
const WIDTHS: [usize; 4] = [1, 2, 3, 5];

/// Rates per second, one for each `width` seconds.
pub struct Points {
    pub rates: Vec<f64>,
    pub width: f64,
}

/// `None` where tenths were not recorded, or the phase has fewer than so many points that count enough.
pub fn of(phase: &PhaseRecord, seconds: &[Second], fewest: usize) -> Option<Points> {
    let tenths = tenths(phase, seconds)?;
    let each = tenths.iter().sum::<f64>() / tenths.len().max(1) as f64;
    let width = WIDTHS.into_iter().find(|width| each * *width as f64 >= ENOUGH)?;
    let length = width as f64 * Course::TENTH.seconds();
    let rates: Vec<f64> = tenths.chunks_exact(width).map(|part| part.iter().sum::<f64>() / length).collect();
    (rates.len() >= fewest).then_some(Points { rates, width: length })
}

/// Operations in each whole tenth of the phase; the last may be cut, and is left out.
fn tenths(phase: &PhaseRecord, seconds: &[Second]) -> Option<Vec<f64>> {
    let tenth = Course::TENTH.0;
    let mut counts = vec![0.0; (phase.length().0 / tenth) as usize];
    for second in seconds.iter().filter(|second| second.phase == phase.name && second.to > second.from) {
        for (at, count) in second.course.as_ref()?.tenths.iter().enumerate() {
            // By its middle: workers cut their seconds some microseconds apart.
            let middle = (second.from.0 + at as u64 * tenth + tenth / 2).saturating_sub(phase.from.0);
            if let Some(sum) = counts.get_mut((middle / tenth) as usize) {
                *sum += f64::from(*count);
            }
        }
    }
    Some(counts).filter(|counts| counts.iter().any(|count| *count > 0.0))
}
