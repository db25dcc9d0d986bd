//! The checks, one file each: the claim, why it matters, what it needs, its limits with their reasons, the advice. The
//! opening of a check's file is the page that `assay explain` prints. Adding a check is adding its file and its line here.

mod aa_pairs_agree;
mod answers_were_expected;
pub(crate) mod client_had_headroom;
mod counts_agree;
mod data_as_generated;
mod data_obeyed_its_laws;
mod disturbances_acted;
mod errors_were_told;
mod latency_was_honest;
mod littles_law;
mod machine_was_quiet;
mod measured_work_agrees;
pub(crate) mod operations_succeeded;
mod parameters_agree;
mod percentiles_have_samples;
mod regime_was_cached;
mod repetitions_agree;
mod scaling_follows_a_law;
mod schema_as_declared;
mod starting_states_agree;
mod timers_were_fine;
mod transports_agree;

use crate::check::Check;

/// In the order in which a reader should doubt: comparability, work, load, data, surroundings, noise.
pub const ALL: &[Check] = &[
    parameters_agree::CHECK,
    measured_work_agrees::CHECK,
    transports_agree::CHECK,
    operations_succeeded::CHECK,
    errors_were_told::CHECK,
    counts_agree::CHECK,
    answers_were_expected::CHECK,
    data_obeyed_its_laws::CHECK,
    client_had_headroom::CHECK,
    littles_law::CHECK,
    latency_was_honest::CHECK,
    timers_were_fine::CHECK,
    schema_as_declared::CHECK,
    data_as_generated::CHECK,
    starting_states_agree::CHECK,
    disturbances_acted::CHECK,
    regime_was_cached::CHECK,
    machine_was_quiet::CHECK,
    repetitions_agree::CHECK,
    aa_pairs_agree::CHECK,
    scaling_follows_a_law::CHECK,
    percentiles_have_samples::CHECK,
];
