//! What a run of keys and values makes beside its rate: keys are not requests where one get names many, a miss is no
//! answer, and commits per get say what a get is to InnoDB. They are made only where the users counted values that they
//! compared.

use crate::checks::gets_agree::COMMITS;
use crate::frame::evidence::RunEvidence;

/// Facts of the workload.
const MISSES: &str = "misses";
const VERIFIED: &str = "values_verified";
const WRONG: &str = "values_wrong";

pub fn values(run: &RunEvidence) -> Vec<((&'static str, &'static str), f64)> {
    let sum = |fact: &str| run.tallies().filter_map(|t| t.facts.get(fact)).sum::<i64>() as f64;
    if run.tallies().all(|t| !t.facts.contains_key(VERIFIED)) {
        return Vec::new();
    }
    let keys = run.statements().map(|(_, s)| s.rows).sum::<u64>() as f64;
    let seconds = run.seconds();
    let names = ["rw_commits_per_get", "ro_commits_per_get", "nl_ro_commits_per_get"];
    let commits = names.into_iter().zip(COMMITS).filter_map(|(name, counter)| {
        let rate = run.rate(counter)?;
        (keys > 0.0).then_some(((name, "commits/get"), rate / (keys / seconds)))
    });
    let told = [
        (("keys_per_s", "keys/s"), keys / seconds),
        (("misses_per_s", "keys/s"), sum(MISSES) / seconds),
        (("values_verified_per_s", "values/s"), sum(VERIFIED) / seconds),
        (("values_wrong_per_s", "values/s"), sum(WRONG) / seconds),
    ];
    told.into_iter().chain(commits).collect()
}
