//! Every check on a record that is healthy, on one with the illness it looks for, and on one that lacks its evidence.
//! What is missing must never read as passed. Each check has a file of its own.

#[path = "../bench/mod.rs"]
mod bench;

mod aa_pairs_agree;
mod answers_agree;
mod answers_were_expected;
mod answers_were_fresh;
mod client_had_headroom;
mod client_was_not_in_the_way;
mod clock_kept_its_rate;
mod commits_were_durable;
mod compaction_kept_up;
mod counts_agree;
mod cpu_was_not_stolen;
mod data_as_generated;
mod disk_was_ours;
mod flushing_was_settled;
mod gets_agree;
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
mod operations_succeeded;
mod outliers_are_explained;
mod parameters_agree;
mod percentiles_have_samples;
mod plans_agree;
mod plans_were_stable;
mod purge_kept_up;
mod ranks;
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
mod window_covers_cycles;

use aa_pairs_agree::add_twin;
use bench::*;
use model::verdict::Status::{NotApplicable, NotEvaluable, Pass};

/// Two levels are no curve that a law could describe, a second has no states, one statement is no mix, a dozen runs do
/// not tell what distances are usual, nobody measured other ways of waiting or without sampling, wrote anything, or
/// came past SQL or over a network or at a rate or by several ranks, and nothing is done to this InnoDB on purpose, nor is it brought to
/// rest.
const BEYOND: &[&str] = &[
    "mix_follows_its_parts",
    "commits_were_durable",
    "gets_agree",
    "answers_were_fresh",
    "data_obeyed_its_laws",
    "client_was_not_in_the_way",
    "network_had_room",
    "ranks_were_one_load",
    "ranks_agree",
    "latency_was_honest",
    "rate_was_reached",
    "disturbances_acted",
    "server_came_to_rest",
    "throughput_was_steady",
    "purge_kept_up",
    "flushing_was_settled",
    "compaction_kept_up",
    "window_covers_cycles",
    "observer_moved_nothing",
    "outliers_are_explained",
    "scaling_follows_a_law",
];

#[test]
fn a_healthy_record_passes_every_check_that_applies_to_it() {
    let mut record = record();
    add_twin(&mut record);
    let judgement = judge(&record);
    let judged = |v: &&model::verdict::Verdict| !BEYOND.contains(&v.check.as_str());
    let experiment = judgement.verdicts.iter().filter(judged);
    for verdict in experiment.chain(judgement.cells.iter().flat_map(|c| &c.verdicts).filter(judged)) {
        assert_eq!(verdict.verdict, Pass, "{}: {}", verdict.check, verdict.sentence);
        assert!(
            !verdict.measured.is_empty() && !verdict.limit.is_empty() && !verdict.sentence.is_empty(),
            "{verdict:?}"
        );
        assert_eq!(verdict.advice, "", "a pass needs no advice");
    }
    let per_cell = judge::checks::ALL.iter().filter(|c| c.scope().is_of_cells()).count();
    assert!(judgement.cells.iter().all(|c| c.verdicts.len() == per_cell), "one verdict per check and cell");
}

#[test]
fn what_a_check_does_not_apply_to_neither_passes_nor_reads_as_unknown() {
    let mut record = record();
    add_twin(&mut record);
    let judgement = judge(&record);
    let all = judgement.verdicts.iter().chain(judgement.cells.iter().flat_map(|c| &c.verdicts));
    for verdict in all.filter(|v| BEYOND.contains(&v.check.as_str())) {
        assert_eq!(verdict.verdict, NotApplicable, "{}: {}", verdict.check, verdict.sentence);
        assert!(verdict.sentence.ends_with('.') && verdict.measured.is_empty(), "{verdict:?}");
        assert_eq!((verdict.advice.as_str(), verdict.limit.as_str()), ("", ""), "nothing is to be done about it");
    }
    assert!(judgement.cells.iter().all(|c| c.status == Pass), "what does not apply makes no cell worse");
}

#[test]
fn counters_that_are_missing_never_read_as_passed() {
    let record = all_runs(|r| {
        r.phases[0].counters.clear();
        r.whole.counters.clear();
    });
    for check in judge::checks::ALL.iter().filter(|c| !c.needs.is_empty()) {
        let verdict = verdict(&record, check.id);
        assert_eq!(verdict.verdict, NotEvaluable, "{}", check.id);
        assert!(verdict.sentence.contains("was not measured"), "{}", verdict.sentence);
    }
}
