//! The checks, one file each: the claim, why it matters, what it needs, its limits with their reasons, the advice. The
//! opening of a check's file is the page that `assay explain` prints. Adding a check is adding its file and its line
//! here.

mod aa_pairs_agree;
mod answers_agree;
mod answers_were_expected;
mod answers_were_fresh;
pub(crate) mod client_had_headroom;
mod client_was_not_in_the_way;
mod clock_kept_its_rate;
mod commits_were_durable;
mod compaction_kept_up;
mod counts_agree;
mod cpu_was_not_stolen;
mod data_as_generated;
mod data_obeyed_its_laws;
mod disk_was_ours;
mod disturbances_acted;
mod errors_were_told;
pub(crate) mod flushing_was_settled;
pub(crate) mod gets_agree;
mod held_throughout;
mod labels_are_true;
mod latency_was_honest;
mod littles_law;
mod machine_kept_its_speed;
mod machine_was_quiet;
mod measured_work_agrees;
mod memory_was_enough;
mod mix_follows_its_parts;
mod network_had_room;
mod nobody_else_asked;
mod observer_moved_nothing;
mod observer_was_cheap;
pub(crate) mod operations_succeeded;
mod outliers_are_explained;
mod parameters_agree;
mod percentiles_have_samples;
mod plans_agree;
mod plans_were_stable;
mod purge_kept_up;
mod ranks_agree;
mod ranks_were_one_load;
mod rate_was_reached;
mod regime_was_cached;
mod regimes_agree;
mod repetitions_agree;
mod repetitions_worked_alike;
mod runs_alike;
mod scaling_follows_a_law;
mod schema_as_declared;
mod server_came_to_rest;
mod server_did_the_work;
mod server_ran_throughout;
mod stalls_were_few;
mod starting_states_agree;
mod statements_warned_nothing;
mod throughput_was_steady;
mod timers_were_fine;
mod transports_agree;
mod way_was_short;
pub(crate) mod window_covers_cycles;

use crate::frame::{Check, Limit};
use std::collections::BTreeMap;

/// In the order in which a reader should doubt: comparability, work, load, data, state,
/// surroundings, noise.
pub const ALL: &[Check] = &[
    parameters_agree::CHECK,
    measured_work_agrees::CHECK,
    mix_follows_its_parts::CHECK,
    transports_agree::CHECK,
    labels_are_true::CHECK,
    commits_were_durable::CHECK,
    held_throughout::CHECK,
    runs_alike::CHECK,
    operations_succeeded::CHECK,
    errors_were_told::CHECK,
    counts_agree::CHECK,
    nobody_else_asked::CHECK,
    gets_agree::CHECK,
    answers_were_expected::CHECK,
    statements_warned_nothing::CHECK,
    answers_were_fresh::CHECK,
    data_obeyed_its_laws::CHECK,
    answers_agree::CHECK,
    server_did_the_work::CHECK,
    client_had_headroom::CHECK,
    client_was_not_in_the_way::CHECK,
    network_had_room::CHECK,
    way_was_short::CHECK,
    ranks_were_one_load::CHECK,
    ranks_agree::CHECK,
    littles_law::CHECK,
    latency_was_honest::CHECK,
    rate_was_reached::CHECK,
    stalls_were_few::CHECK,
    timers_were_fine::CHECK,
    clock_kept_its_rate::CHECK,
    schema_as_declared::CHECK,
    plans_were_stable::CHECK,
    plans_agree::CHECK,
    data_as_generated::CHECK,
    starting_states_agree::CHECK,
    disturbances_acted::CHECK,
    regime_was_cached::CHECK,
    regimes_agree::CHECK,
    throughput_was_steady::CHECK,
    server_came_to_rest::CHECK,
    purge_kept_up::CHECK,
    flushing_was_settled::CHECK,
    compaction_kept_up::CHECK,
    window_covers_cycles::CHECK,
    machine_was_quiet::CHECK,
    cpu_was_not_stolen::CHECK,
    server_ran_throughout::CHECK,
    machine_kept_its_speed::CHECK,
    memory_was_enough::CHECK,
    disk_was_ours::CHECK,
    observer_was_cheap::CHECK,
    observer_moved_nothing::CHECK,
    repetitions_agree::CHECK,
    repetitions_worked_alike::CHECK,
    aa_pairs_agree::CHECK,
    outliers_are_explained::CHECK,
    scaling_follows_a_law::CHECK,
    percentiles_have_samples::CHECK,
];

/// Every limit once, of whatever checks judge by it.
pub fn limits() -> impl Iterator<Item = &'static Limit> {
    let named: BTreeMap<&str, &Limit> = ALL.iter().flat_map(|check| check.limits).map(|l| (l.name, l)).collect();
    named.into_values()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_limit() {
        for limit in ALL.iter().flat_map(|check| check.limits) {
            assert!(limits().any(|one| one == limit), "{} is two limits", limit.name);
        }
    }

    #[test]
    fn every_limit_says_where_it_comes_from() {
        let silent: Vec<&str> = limits().filter(|limit| limit.basis.is_none()).map(|limit| limit.name).collect();
        assert!(silent.is_empty(), "by law, as measured or by convention? {silent:?}");
    }

    #[test]
    fn what_a_file_declares_as_a_limit_its_checks_can_be_judged_by() {
        for check in ALL {
            let declared = check.source.split("= Limit::").skip(1).filter_map(|rest| rest.split('"').nth(1));
            for name in declared {
                assert!(check.limits.iter().any(|limit| limit.name == name), "{} keeps {name} to itself", check.id);
            }
        }
    }
}
