//! What the mean statement of a run took, against which checks hold times that are in every statement.

use super::evidence::RunEvidence;
use model::units::Nanos;

/// Over all statements that were answered without error; `None` where there are none.
pub fn mean(run: &RunEvidence) -> Option<Nanos> {
    let (sum, count) = run
        .statements()
        .filter_map(|(_, s)| Some((s.service.mean()?.0 as f64 * s.calls as f64, s.calls)))
        .fold((0.0, 0), |(a, b), (x, n)| (a + x, b + n));
    (count > 0).then(|| Nanos((sum / count as f64) as u64))
}
