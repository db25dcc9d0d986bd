//! Why a number does not stand, in the few words that follow *because*. Several checks look for one illness, so this is
//! a table from checks to reasons and not a field of each; a check that has no row here is told by its own claim.

use model::verdict::OF_CLIENT;

const REASONS: &[(&str, &[&str])] = &[
    ("other processes used the CPU", &["machine_was_quiet"]),
    ("other machines took CPU time", &["cpu_was_not_stolen"]),
    ("the machine changed its speed", &["machine_kept_its_speed"]),
    ("the client was the limit", &OF_CLIENT),
    ("the network was the limit", &["network_had_room"]),
    ("others used the disk", &["disk_was_ours"]),
    ("memory was short", &["memory_was_enough"]),
    ("reading the counters took part in them", &["observer_was_cheap"]),
    ("operations failed", &["operations_succeeded"]),
    ("the server refused statements that nobody counted", &["errors_were_told"]),
    ("the data do not hold what was done", &["data_obeyed_its_laws"]),
    ("somebody else used the server", &["nobody_else_asked"]),
    ("client and server count different work", &["counts_agree", "gets_agree"]),
    ("answers were not the expected ones", &["answers_were_expected"]),
    ("answers were out of date", &["answers_were_fresh"]),
    ("the rows were not those that were loaded", &["data_as_generated"]),
    ("tables were not as declared", &["schema_as_declared"]),
    ("answers came from a cache of results", &["server_did_the_work"]),
    ("the build is not what its name says", &["labels_are_true"]),
    ("users did not spend their time in operations", &["littles_law"]),
    ("more operations arrived than were answered", &["latency_was_honest"]),
    ("the clock was too coarse", &["timers_were_fine"]),
    ("the clock was slewed", &["clock_kept_its_rate"]),
    ("a statement's plan changed during the run", &["plans_were_stable"]),
    ("runs began in different states", &["starting_states_agree"]),
    ("something was changed while it ran", &["held_throughout"]),
    ("something was changed between its runs", &["runs_alike"]),
    ("the server was stopped or held back meanwhile", &["server_ran_throughout"]),
    ("the way to the server was too long for it, or changed", &["way_was_short"]),
    ("commits were not on the disk when they were answered", &["commits_were_durable"]),
    ("what was to be done to the server was not done", &["disturbances_acted"]),
    ("data did not stay in memory", &["regime_was_cached", "regimes_agree"]),
    ("the rate never held still", &["throughput_was_steady"]),
    ("purge did not keep up", &["purge_kept_up"]),
    ("flushing was still owed", &["flushing_was_settled"]),
    ("compaction did not keep up", &["compaction_kept_up"]),
    ("the window was shorter than a cycle of the server", &["window_covers_cycles"]),
    ("its repetitions did different work", &["repetitions_worked_alike"]),
    ("repetitions differ too much", &["repetitions_agree", "outliers_are_explained"]),
    ("too few operations were measured for it", &["percentiles_have_samples"]),
];

/// The reason that a check stands for.
pub fn of(check: &str) -> String {
    let row = REASONS.iter().find(|(_, checks)| checks.contains(&check));
    row.map_or_else(|| format!("the check {check} failed"), |(because, _)| (*because).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;

    #[test]
    fn every_reason_is_of_checks_that_there_are() {
        for (because, named) in REASONS {
            for check in *named {
                assert!(checks::ALL.iter().any(|known| known.id == *check), "{because}: no check is called {check}");
            }
        }
    }

    #[test]
    fn what_holds_of_a_whole_run_is_told_in_words_of_its_own() {
        let whole = ["held_throughout", "runs_alike", "server_ran_throughout", "way_was_short", "commits_were_durable"];
        for check in whole {
            assert!(!of(check).contains(check), "{check}");
        }
        assert_eq!(of("no_such_check"), "the check no_such_check failed");
    }
}
