//! The ranks of a run, where several processes drove it: the worst of them by some sign, and how it is called. What is
//! summed over ranks hides which of them was ill.

use super::applies::Absence;
use super::evidence::RunEvidence;
use model::Share;
use model::record::ranks::RankRecord;

/// For what can only be asked of several.
pub fn several(run: &RunEvidence) -> Absence {
    run.run.ranks.is_empty().then(|| "One process drove the load.".into())
}

/// The rank for which this is largest, with it; ranks that do not have it are left out.
pub fn worst<'r>(run: &'r RunEvidence, of: impl Fn(&RankRecord) -> Option<f64>) -> Option<(&'r RankRecord, f64)> {
    let all = run.run.ranks.iter().filter_map(|rank| Some((rank, of(rank)?)));
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The ranks on other machines than the leader's, which is sampled once a second.
pub fn elsewhere<'r>(run: &'r RunEvidence) -> impl Iterator<Item = &'r RankRecord> {
    run.run.ranks.iter().filter(|rank| rank.rank > 0 && !rank.is_beside_leader)
}

/// The share of the time, between the first user's connect and the last one's leave, that its busiest worker used; of a
/// rank whose workers have CPUs of their own.
pub fn busiest(rank: &RankRecord) -> Option<f64> {
    let is_alone = !rank.cpus.is_empty() || !rank.is_beside_leader;
    (is_alone && rank.lived.0 > 0).then(|| rank.busiest_worker.seconds() / rank.lived.seconds())
}

/// CPUs that the other ranks used on the leader's machine.
pub fn used_beside_the_leader(run: &RunEvidence) -> f64 {
    let beside = run.run.ranks.iter().filter(|rank| rank.rank > 0 && rank.is_beside_leader && rank.lived.0 > 0);
    beside.map(|rank| rank.worker_cpu.seconds() / rank.lived.seconds()).sum()
}

/// The leader's part of all operations; all of them where it was alone.
pub fn leaders_share(run: &RunEvidence) -> f64 {
    let done = |rank: &RankRecord| rank.latency.count() as f64;
    let all: f64 = run.run.ranks.iter().map(done).sum();
    run.run.ranks.first().filter(|_| all > 0.0).map_or(1.0, |leader| done(leader) / all)
}

/// Its share of stolen CPU time.
pub fn stolen(rank: &RankRecord) -> Option<f64> {
    rank.stolen.map(|Share(share)| share)
}
