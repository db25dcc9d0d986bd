//! A cell's number is the mean of its runs. What half of them or more had is in the number as it was in each. What
//! fewer had moves the mean by their share, and its interval includes it: an interval grows with what few runs differ
//! by at least twice as fast as the mean moves (Student). So it is told and not held against the number, until it moved
//! the number further than a run alone may be moved.

use model::Status;

/// What one run had, and by which share of itself its own number is moved by it.
#[derive(Clone, Copy, Debug)]
pub struct Had {
    pub status: Status,
    pub moved_by: f64,
}

/// By how much the mean of these runs is moved.
pub fn moved(runs: &[Had]) -> f64 {
    runs.iter().map(|run| run.moved_by).sum::<f64>() / runs.len().max(1) as f64
}

/// How bad it is for the number of all of them, of which a run alone fails when moved by `fail`.
pub fn status(runs: &[Had], fail: f64) -> Status {
    let is_so = |least: Status| {
        let worse = runs.iter().filter(|run| run.status >= least).count();
        worse > 0 && (worse * 2 >= runs.len() || moved(runs) > fail)
    };
    [Status::Fail, Status::Warn].into_iter().find(|least| is_so(*least)).unwrap_or(Status::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_runs_count_by_their_share_and_half_of_them_as_all() {
        let of = |runs: &[(Status, f64)]| {
            let runs: Vec<Had> = runs.iter().map(|&(status, moved_by)| Had { status, moved_by }).collect();
            status(&runs, 0.05)
        };
        let calm = (Status::Pass, 0.0);
        assert_eq!(of(&[calm; 5]), Status::Pass);
        assert_eq!(of(&[(Status::Fail, 0.06)]), Status::Fail, "a run alone is the number");
        assert_eq!(of(&[(Status::Fail, 0.06), calm, calm, calm, calm]), Status::Pass, "1.2 % of five runs");
        assert_eq!(of(&[(Status::Fail, 0.12), calm, calm, calm, calm]), Status::Pass, "2.4 %");
        assert_eq!(of(&[(Status::Fail, 0.30), calm, calm, calm, calm]), Status::Fail, "6 %");
        assert_eq!(of(&[(Status::Warn, 0.30), calm, calm, calm, calm]), Status::Warn, "never worse than the worst");
        assert_eq!(of(&[(Status::Fail, 0.001), (Status::Fail, 0.001), calm, calm]), Status::Fail, "half of them");
    }
}
