//! An experiment that takes a cause away (`[intervention]` of its file): the axis that removes the cause and the axis
//! of the placebo, each as it was and changed, every combination of them. The cause is confirmed when removing it
//! surely closes at least half of the time that its own cost claims (the lower end of what came back, over three
//! blocks or more), its indicator falls, and the placebo, a change of the same kind that the cause does not feel, is
//! equivalent to nothing: it is not seen to move the time by 2 %, and surely moves it by less than half of what came
//! back. A placebo so noisy that nobody knows holds nothing, and a cause that nobody counts cannot be seen to go. Both
//! effects are main effects: each block compares with and without over both values of the other axis.

use super::cause::{CLOSES, Case, Cause, Scene, Time, Trial};
use crate::compare::comparisons::MARGIN;
use crate::frame::account::cycle_us;
use crate::frame::{CellEvidence, RunEvidence};
use crate::stats::{Interval, average, mean};
use model::units::round3;
use model::{Finding, Intervention, Rung, Share};
use std::collections::BTreeMap;

/// At most this much of the indicator is left when the cause is gone.
const LEFT: f64 = 0.5;

/// The four arms, by whether the cause is removed and the placebo given.
struct Arms<'a> {
    cells: BTreeMap<(bool, bool), &'a CellEvidence<'a>>,
    blocks: Vec<u32>,
}

/// `None` where this record is of no intervention for the cause, or where it lacks an arm.
pub fn of(scene: &Scene, cause: &Cause, case: &Case) -> Option<Trial> {
    let intervention = scene.evidence.record.plan.intervention.as_ref().filter(|i| i.finding == cause.id)?;
    let arms = Arms::of(scene, intervention)?;
    if !matches!(case.place.time, Time::Operation | Time::Turn) || case.place.cell != arms.cell(false, false).cell.id {
        return None;
    }
    let time = |block: u32, removed, placebo| arms.of_block(block, removed, placebo, &cycle_us);
    let base = average(&arms.blocks.iter().filter_map(|b| time(*b, false, false)).collect::<Vec<_>>());
    // A cause that does not say how much it takes must answer for all of it.
    let gap = base * case.cost.as_ref().map_or(1.0, |c| c.share.value);
    let effect = |removes: bool| -> Option<Interval> {
        let of_block = |block: &u32| {
            let pairs = [false, true].map(|other| {
                let changed = if removes { time(*block, true, other) } else { time(*block, other, true) };
                let kept = if removes { time(*block, false, other) } else { time(*block, other, false) };
                Some(kept? - changed?)
            });
            Some((pairs[0]? + pairs[1]?) / 2.0)
        };
        mean::plain(&arms.blocks.iter().map(of_block).collect::<Option<Vec<f64>>>()?)
    };
    let of_gap = |i: Interval| Interval { value: i.value / gap, low: i.low / gap, high: i.high / gap };
    let (closed, placebo) = (of_gap(effect(true)?), effect(false)?);
    let margin = MARGIN.0 * base;
    let is_nothing = placebo.low <= margin && placebo.high >= -margin;
    let most = margin.max(CLOSES.0 * closed.low * gap);
    let control_held = is_nothing && placebo.low > -most && placebo.high < most;
    let (is_gone, indicator) = arms.indicator(cause);
    let sentence = format!(
        "Taken away by {}, it gives back {} of that time ({} to {}){indicator}; the placebo {} {} ({} to {} µs).{}",
        changed(&arms, &intervention.removes),
        Share(closed.value),
        Share(closed.low),
        Share(closed.high),
        changed(&arms, &intervention.placebo),
        match (control_held, placebo.low <= 0.0 && placebo.high >= 0.0) {
            (true, _) => "changes nothing",
            (false, true) => "may change as much, for all these repetitions say",
            (false, false) => "changes the time as well",
        },
        round3(-placebo.high),
        round3(-placebo.low),
        if closed.high < CLOSES.0 { " That is not the cause." } else { "" },
    );
    Some(Trial { closed, control_held, is_gone, sentence })
}

/// What an intervention says of its finding when the arm as it was does not even show the symptom.
pub fn without_symptom(scene: &Scene, causes: &[Cause], seen: &[(&Cause, Case)]) -> Vec<Finding> {
    let Some(intervention) = &scene.evidence.record.plan.intervention else { return Vec::new() };
    let Some(cause) = causes.iter().find(|c| c.id == intervention.finding) else { return Vec::new() };
    let Some(arms) = Arms::of(scene, intervention) else { return Vec::new() };
    let base = &arms.cell(false, false).cell.id;
    if seen.iter().any(|(c, case)| c.id == cause.id && case.place.cell == *base) {
        return Vec::new();
    }
    vec![Finding {
        name: cause.id.into(),
        rung: Rung::Unexplained,
        sentence: format!(
            "{} was to be taken away here and is not there: the arm as it was does not show its symptom ({}).",
            intervention.finding,
            (cause.symptom)()
        ),
        share: None,
        share_interval: None,
        rival: None,
        evidence: vec![base.to_string()],
        next_experiment: None,
        next_file: None,
    }]
}

/// `settings.buffer_pool = 512 MiB`.
fn changed(arms: &Arms, axis: &str) -> String {
    let value = &arms.cell(true, true).cell.axes[axis];
    format!("`{axis} = {}`", model::plan::axis_text(axis, value))
}

impl<'a> Arms<'a> {
    fn of(scene: &Scene<'a>, intervention: &Intervention) -> Option<Self> {
        let axes = &scene.evidence.record.plan.axes;
        let first = |key: &str| axes.iter().find(|a| a.key == key)?.values.first();
        let (removes, placebo) = (&intervention.removes, &intervention.placebo);
        let (as_it_was, without) = (first(removes)?, first(placebo)?);
        let mut cells = BTreeMap::new();
        for cell in scene.cells() {
            let (Some(a), Some(b)) = (cell.cell.axes.get(removes), cell.cell.axes.get(placebo)) else { continue };
            cells.entry((a != as_it_was, b != without)).or_insert(cell);
        }
        let every = cells.values().map(|c: &&CellEvidence| c.runs.iter().map(|r| r.run.block).collect::<Vec<_>>());
        let blocks = every.reduce(|a, b| a.into_iter().filter(|x| b.contains(x)).collect())?;
        (cells.len() == 4).then_some(Self { cells, blocks })
    }

    fn cell(&self, removed: bool, placebo: bool) -> &'a CellEvidence<'a> {
        self.cells[&(removed, placebo)]
    }

    fn of_block(
        &self,
        block: u32,
        removed: bool,
        placebo: bool,
        of: &dyn Fn(&RunEvidence) -> Option<f64>,
    ) -> Option<f64> {
        of(self.cell(removed, placebo).runs.iter().find(|r| r.run.block == block)?)
    }

    /// Whether there is less of the cause, and the two amounts in words; where nobody counts it, nobody saw it go.
    fn indicator(&self, cause: &Cause) -> (bool, String) {
        let uncounted = || (false, ", but how much of it there was is not counted here".to_string());
        let Some(indicator) = cause.indicator else { return uncounted() };
        let amount = |removed| {
            let each = self.blocks.iter().map(|b| self.of_block(*b, removed, false, &indicator));
            each.collect::<Option<Vec<f64>>>().map(|each| average(&each))
        };
        let (Some(before), Some(after)) = (amount(false), amount(true)) else { return uncounted() };
        (
            after <= LEFT * before,
            format!(" while its amount per operation falls from {} to {}", round3(before), round3(after)),
        )
    }
}
