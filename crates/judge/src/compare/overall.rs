//! Two cells over all of their tests at once: the median of the ratios. A slowdown of every statement by 2 % is lost
//! in each of fifty tests and shows in the one in the middle, which a test that went wrong does not move. It is taken
//! block by block, because tests of one run share their server's start and its minutes: a block is one value, however
//! many tests it has. What is struck on either side is left out of both. It is a family of its own, decided apart
//! from the single tests, so that neither makes the other less sure.
//!
//! A change of one kind of statement may leave that median where it is. So the tests of each group in which studies
//! publish are summed up likewise, and are a family for themselves.
//!
//! Phases are tests where each has work of its own and users who go as fast as they can. Of a server to which
//! something was done, of steps that repeat and of rates that are given, a median says nothing.

use super::comparisons::{self, Side, is_noisy, outcome};
use super::costs;
use super::decide::{self, Asked, Decision, MARGIN};
use super::values::Values;
use crate::frame::naming::value as name;
use crate::frame::{CellEvidence, Evidence, Pair, pairs};
use crate::stats::ratio::{self, Ratio};
use crate::stats::{average, bootstrap, median};
use model::estimate::QPS;
use model::record::kind::{self, GROUPS};
use model::{CellJudgement, Comparison, Estimate, Outcome, Overall, Phase, PhaseKind, Seed, Share};
use std::collections::BTreeMap;

/// The median of fewer is that of no suite.
const FEWEST_TESTS: usize = 3;
/// What suites are summed up by. The second shows what something else than the server's CPU hides from the first.
const METRICS: [&str; 2] = [QPS, "server_cpu_us_per_op"];

/// One metric of two cells before it is decided.
struct Open<'a> {
    pair: Pair<'a>,
    metric: &'static str,
    /// The group whose tests these are; `None`: all.
    group: Option<&'static str>,
    middle: Middle,
    of: usize,
}

/// The median of the tests' ratios, block by block.
struct Middle {
    by_block: Vec<f64>,
    ratio: Option<Ratio>,
    tests: usize,
}

impl Middle {
    /// Over the blocks that every test has; `None` for too few tests.
    fn of(tests: &[&(Values, Values)], metric: &str) -> Option<Self> {
        let of_test = |(base, candidate): &&(Values, Values)| candidate.by_shared_block(base, metric);
        let tests: Vec<BTreeMap<u32, f64>> = tests.iter().filter_map(of_test).collect();
        let first = tests.first().filter(|_| tests.len() >= FEWEST_TESTS)?;
        let of_block = |block: &u32| {
            let mut ratios: Vec<f64> = tests.iter().map(|test| test.get(block).copied()).collect::<Option<_>>()?;
            Some(median(&mut ratios))
        };
        let by_block: Vec<f64> = first.keys().filter_map(of_block).collect();
        let ratio = ratio::paired(&by_block.iter().map(|ratio| (1.0, *ratio)).collect::<Vec<_>>());
        (!by_block.is_empty()).then_some(Self { by_block, ratio, tests: tests.len() })
    }

    fn point(&self) -> f64 {
        average(&self.by_block.iter().map(|ratio| ratio.ln()).collect::<Vec<_>>()).exp()
    }
}

pub fn all(evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Overall> {
    let failed = comparisons::strikes(cells);
    let is_sound =
        |side: &Side| [&side.base, &side.candidate].into_iter().all(|cell| failed(&cell.cell.id, side.phase).is_none());
    let twins: Vec<Open> = pairs::twins(evidence).into_iter().flat_map(|pair| middles(pair, &is_sound)).collect();
    let open = comparisons::laid_beside(evidence).flat_map(|pair| middles(pair, &is_sound));
    let (whole, parts): (Vec<Open>, Vec<Open>) = open.partition(|open| open.group.is_none());
    let seed = evidence.record.plan.seed.child("bootstrap").child("overall");
    [whole, parts].iter().flat_map(|family| decided(family, &twins, seed)).collect()
}

/// One family: each makes the others less sure.
fn decided(family: &[Open], twins: &[Open], seed: Seed) -> Vec<Overall> {
    let asked =
        |o: &Open| Some(Asked { metric: o.metric, ratio: o.middle.ratio?, floor: floor(twins, o), lends: true });
    let mut decisions = decide::of(&family.iter().filter_map(asked).collect::<Vec<_>>()).into_iter();
    let one = |open: &Open| {
        let mut decision = open.middle.ratio.and_then(|_| decisions.next());
        if let Some(decision) = &mut decision {
            let seed = open.group.map_or(seed, |group| seed.child(group));
            decision.widen(bootstrap::ratio(&open.middle.by_block, seed.child(open.metric)));
            if costs::is_cost(open.metric) {
                decision.outcome = decide::of_cost(decision.outcome);
            }
        }
        told(open, decision)
    };
    family.iter().map(one).collect()
}

/// One test of two cells.
struct Test {
    group: &'static str,
    is_sound: bool,
    values: (Values, Values),
}

impl Test {
    fn of(side: &Side, is_sound: bool) -> Self {
        let measured = side.base.runs.iter().flat_map(|run| &run.phases).copied();
        Self { group: kind::group(measured), is_sound, values: (Values::of(&side.base), Values::of(&side.candidate)) }
    }
}

fn is_test(phase: &Phase) -> bool {
    phase.work.is_some() && phase.disturb.is_none() && phase.groups.is_empty() && phase.step().1.is_none()
}

fn middles<'a>(pair: Pair<'a>, is_sound: &dyn Fn(&Side) -> bool) -> Vec<Open<'a>> {
    let has_tests =
        |cell: &CellEvidence| cell.cell.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure).all(is_test);
    if !has_tests(pair.base) || !has_tests(pair.candidate) {
        return Vec::new();
    }
    let Pair { axis, base, candidate } = pair;
    let sides = comparisons::by_phase(Pair { axis, base, candidate });
    let tests: Vec<Test> = sides.iter().map(|side| Test::of(side, is_sound(side))).collect();
    let is_there = |group: &&str| tests.iter().any(|test| test.group == *group);
    let groups: Vec<&str> = GROUPS.into_iter().filter(is_there).collect();
    // One group alone is all of them.
    let groups = groups.iter().filter(|_| groups.len() > 1).map(|group| Some(*group));
    let of_group = |group: Option<&'static str>| {
        let own: Vec<&Test> = tests.iter().filter(|test| group.is_none_or(|group| test.group == group)).collect();
        let sound: Vec<&(Values, Values)> = own.iter().filter(|t| t.is_sound).map(|t| &t.values).collect();
        let open = |metric| {
            let middle = Middle::of(&sound, metric)?;
            Some(Open { pair: Pair { axis, base, candidate }, metric, group, middle, of: own.len() })
        };
        METRICS.into_iter().filter_map(open).collect::<Vec<_>>()
    };
    std::iter::once(None).chain(groups).flat_map(of_group).collect()
}

/// By how much twins differ over the same tests.
fn floor(twins: &[Open], of: &Open) -> Share {
    let same = twins.iter().filter(|twin| twin.metric == of.metric && twin.group == of.group);
    Share(same.filter_map(|twin| Some(twin.middle.ratio?.log.abs().exp_m1())).fold(0.0, f64::max))
}

fn told(open: &Open, decision: Option<Decision>) -> Overall {
    let Open { pair, metric, group, middle, of } = open;
    let interval = decision.as_ref().map(|d| d.interval);
    let ratio = Estimate {
        value: interval.map_or_else(|| middle.point(), |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: middle.by_block.len() as u32,
        unit: "ratio".into(),
    };
    let noisy = middle.ratio.is_some_and(|ratio| is_noisy(&ratio));
    let (outcome, why) = outcome(pair, &ratio, decision.as_ref(), noisy, |_| None);
    Overall {
        group: group.map(Into::into),
        tests: middle.tests as u32,
        of: *of as u32,
        comparison: Comparison {
            metric: (*metric).into(),
            base: pair.base.cell.id.to_string(),
            candidate: pair.candidate.cell.id.to_string(),
            axis: pair.axis.into(),
            phase: None,
            sentence: sentence(open, &ratio, outcome, &why),
            more: decision.and_then(|d| d.more).filter(|_| outcome == Outcome::Undecided),
            ratio,
            outcome,
        },
    }
}

fn sentence(open: &Open, ratio: &Estimate, outcome: Outcome, why: &str) -> String {
    let Open { pair, metric, group, middle, of } = open;
    let value = |cell: &CellEvidence| name(pair.axis, &cell.cell.axes[pair.axis]);
    let (base, candidate) = (value(pair.base), value(pair.candidate));
    let count = if middle.tests == *of { format!("{of}") } else { format!("{} of {of}", middle.tests) };
    let group = group.map_or(String::new(), |group| format!(" {group}"));
    let place = format!("in the median of {count}{group} tests{}", comparisons::others(pair));
    let what = costs::cost(metric).map_or("QPS", |cost| cost.words);
    let numbers = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("ratio {:.3}, {low:.3}–{high:.3}, n={}", ratio.value, ratio.n),
        (None | Some(_), _) => format!("ratio {:.3}, n={}", ratio.value, ratio.n),
    };
    let by = Share((ratio.value - 1.0).abs());
    match outcome {
        Outcome::Better | Outcome::Worse => {
            let more = if ratio.value > 1.0 { "more" } else { "less" };
            let verb = if costs::is_cost(metric) { "needs" } else { "reaches" };
            format!("{candidate} {verb} {place} {by} {more} {what} than {base} ({numbers}).")
        }
        Outcome::Equivalent => {
            format!("{candidate} and {base} have the same {what} within {MARGIN} {place} ({numbers}).")
        }
        Outcome::Undecided => {
            format!("Whether the {what} of {candidate} and {base} differ {place} is undecided ({numbers}): {why}")
        }
        Outcome::Refused => format!("The {what} of {candidate} and {base} are not compared {place}: {why}"),
    }
}
