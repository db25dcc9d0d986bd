//! A CPU that grows hot, a clock that steps down, a sibling of the core that wakes up: the machine itself is another,
//! and every number with it. Before each run and after it the lab takes the machine's pulse, an integer loop that is
//! always the same on every CPU at once, in CPU time so that neighbours do not enter. Each pulse is held against the
//! median of all of this record. A pulse alone may be of a moment: on a virtual machine 4 of 218 in four records were 7
//! to 9 % off, and no neighbour of theirs more than 4 %. So of each pulse and the ones taken before and after it the
//! middle one counts.
//!
//! 2 % off warns and 5 % off fails, as does a run with as much between its two pulses; but on a machine whose pulses
//! always scatter (a virtual one with busy neighbours: by 1.8 % in 51 runs) only what is further off than five times
//! their scatter. What half of a cell's runs or more had is in its number; what fewer had moves it by their share, is
//! in its interval, and fails only when it moves the number by 5 % or more. Copying through memory is told beside it,
//! and judged by nobody: it differs by more than that on machines where nothing is wrong.

use crate::frame::few::{self, Had};
use crate::frame::naming::{self, counted};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, Seen, Sight, graded};
use crate::stats::{median, robust_deviation};
use model::record::around::Pulse;
use model::units::round3;
use model::{RunId, Share};

pub const CHECK: Check = Check {
    id: "machine_kept_its_speed",
    claim: || format!("on average over a number's runs the machine's own speed was within {PULSE_FAIL} of its median"),
    source: include_str!("machine_kept_its_speed.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[PULSE_WARN, PULSE_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "let the machine cool, fix its clock (performance governor), leave its other threads idle, and run again",
    look: Look::Cell(look),
};

const PULSE_WARN: Limit = Limit::share(
    "pulse_warn",
    0.02,
    "off the median of the session, at which a machine that is left alone does not arrive",
)
.measured();
const PULSE_FAIL: Limit = Limit::share("pulse_fail", 0.05, "more than any difference that is claimed").measured();

/// Robust standard deviations of the record's pulses within which one says nothing: once in two million where they are
/// normal.
const SCATTERS: f64 = 5.0;

fn look(cell: &CellEvidence) -> Sight {
    let first = cell.runs.first().ok_or("there is no run")?;
    let pulses = |run: &model::record::run::RunRecord| run.around.as_ref().and_then(|a| a.pulses);
    let mut numbered: Vec<_> = first.record.runs.iter().filter(|run| !run.is_beside()).collect();
    numbered.sort_by_key(|run| (run.position, &run.id));
    let taken: Vec<(&RunId, [Pulse; 2])> =
        numbered.into_iter().filter_map(|run| Some((&run.id, pulses(run)?))).collect();
    let all: Vec<f64> = taken.iter().flat_map(|(_, pulses)| pulses).map(|p| p.integer_per_s).collect();
    if all.is_empty() {
        return Err("the machine's pulse was not taken".into());
    }
    let usual = median(&mut all.clone());
    let scatter = robust_deviation(&all) / usual;
    let borne_out = |at: usize| {
        let before = at.checked_sub(1).map_or(usual, |before| all[before]);
        median(&mut [before, all[at], all.get(at + 1).copied().unwrap_or(usual)]) / usual
    };
    let of_run = |place: usize| {
        let [before, after] = [borne_out(2 * place), borne_out(2 * place + 1)];
        // Of two pulses each scatters.
        let between = (after / before - 1.0).abs() / std::f64::consts::SQRT_2;
        let share = (before - 1.0).abs().max((after - 1.0).abs()).max(between);
        (place, share, before, after)
    };
    let ours = |id: &RunId| cell.runs.iter().any(|run| run.run.id == *id);
    let seen: Vec<_> = (0..taken.len()).filter(|place| ours(taken[*place].0)).map(of_run).collect();
    let worst = seen.iter().max_by(|a, b| a.1.total_cmp(&b.1)).ok_or("the machine's pulse was not taken")?;
    let (place, share, before, after) = *worst;
    let (id, [first_pulse, last_pulse]) = taken[place];
    let usually = SCATTERS * scatter;
    let [warn, fail] = [&PULSE_WARN, &PULSE_FAIL].map(|limit| Share(cell.limits.of(limit).max(usually)));
    let had =
        |share: f64| Had { status: graded(share, warn.0, fail.0), moved_by: if share > warn.0 { share } else { 0.0 } };
    let runs: Vec<Had> = seen.iter().map(|(_, share, ..)| had(*share)).collect();
    let status = few::status(&runs, fail.0);
    let off = runs.iter().filter(|run| run.status.is_open()).count();
    let first = if off == 0 { "The machine kept its speed" } else { "The machine changed its speed" };
    let at = cell.runs.iter().find(|run| run.run.id == *id).map_or_else(|| format!("run {id}"), naming::run);
    let rest = if off > 0 && off < seen.len() {
        let others = counted(seen.len() - off, "other run");
        format!(
            "; it kept its speed in {others} of this number, which is moved by {} at most",
            Share(few::moved(&runs))
        )
    } else {
        String::new()
    };
    let sentence = format!(
        "{first}: a fixed piece of work ran at {} of the usual speed before {at} and at {} after it ({} and {} GB/s through memory){rest}.",
        Share(before),
        Share(after),
        round3(first_pulse.memory_bytes_per_s / 1e9),
        round3(last_pulse.memory_bytes_per_s / 1e9)
    );
    Ok(Seen::new(status, format!("{} off", Share(share)), format!("{fail}; warns at {warn}"), sentence))
}
