//! Versions that are no longer current stay in the tables, and in every index of an unpartitioned one: a range by
//! primary key passes the versions between its rows, and a secondary key holds all that ever were. Its mark is rows:
//! the handler is asked for more of them per operation than on the plain table, more with each iteration, while the
//! statements return the same. What one row costs more is another question (`implicit_time_condition`), so the time is
//! taken apart into the two. The cause is taken away by a partition of its own for the history, into which no current
//! row's query looks; before there is any history the partition must change nothing, which is the control. Where
//! history is deleted in the run (DELETE HISTORY), the same step before and after tells it, too, with the plain table
//! as the control. Each update writes its old version as a row of its own beside.
//!
//! A step that takes longer without a row more is not explained by history, and said to be so.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, Place, SUFFICIENT, Scene, Time, Trial};
use crate::compare::comparisons::MARGIN;
use crate::families::versioning::{Told, When, beside_plain, gone, steps, told};
use crate::frame::CellEvidence;
use crate::frame::account::per_operation;
use crate::stats::{Interval, average, mean};
use model::units::round3;
use model::{Bytes, Share, Users, Work};
use std::collections::BTreeMap;

const VARIANTS: &[&str] = &["timestamp", "transaction", "timestamp_partitioned"];
const IN_THE_PATH: &str = "timestamp";
const APART: &str = "timestamp_partitioned";
/// Rows looked at, from which the work is another one.
const MORE: f64 = 1.2;
/// As large a share of the rows that history adds may be left where it lies apart.
const LEFT: f64 = 0.5;
/// The step that takes history away.
const FORGETS: &str = "versioned.delete_history";
const WRITES: &str = "db.handler_writes";
const POOL: &str = "buffer_pool";

pub const CAUSE: Cause = Cause {
    id: "history_in_the_path",
    symptom: || format!("a step takes at least {MARGIN} longer on versioned tables than on plain ones"),
    necessary: || format!("its operations look at more than {MORE} times the rows (`db.handler_reads`)"),
    test: || format!("rows × what a row costs the plain table cover {SUFFICIENT} of the time that it takes longer"),
    intervention: || {
        format!(
            "the history in a partition of its own, or deleted, closes {CLOSES} of the gap and takes the rows away; the partition \
             changes less than that before there is any history, and the plain table moves less meanwhile"
        )
    },
    source: include_str!("history_rows.rs"),
    indicator: None,
    within: &[],
    look,
};

/// Steps that do not ask for current rows: what min and max or the past cost is told by their plans.
const OTHER: &[&str] = &["versioned.access", "versioned.history"];

/// A versioned cell, the plain one, and the one with its history apart, all else equal.
struct Beside<'a> {
    cell: &'a CellEvidence<'a>,
    plain: &'a CellEvidence<'a>,
    apart: Option<&'a CellEvidence<'a>>,
}

/// A step of a variant beside the same step of the plain one, by place, repetition and iteration.
struct Step<'a> {
    name: &'a str,
    both: BTreeMap<(usize, When), (Told, Told)>,
}

impl Step<'_> {
    fn ratios(&self, of: impl Fn(&Told) -> Option<f64>) -> Vec<f64> {
        self.both.values().filter_map(|(v, p)| Some(of(v)? / of(p)?)).filter(|r| r.is_finite() && *r > 0.0).collect()
    }
    fn slower(&self) -> Option<Interval> {
        mean::of_logs(&self.ratios(|told| Some(told.us)))
    }
    fn more_rows(&self) -> f64 {
        let ratios = self.ratios(|told| told.rows);
        if ratios.is_empty() { 1.0 } else { average(&ratios) }
    }
}

/// One case for each variant, over all its places: builds and pools are told by their own numbers, and rows are rows.
fn look(scene: &Scene) -> Vec<Case> {
    let cells = beside_plain(scene, VARIANTS);
    let apart = |plain: &CellEvidence| {
        cells.iter().find(|(name, _, p)| name == APART && p.cell.id == plain.cell.id).map(|(_, c, _)| *c)
    };
    let of_variant = |variant: &&str| {
        let here = cells.iter().filter(|(name, ..)| name == variant);
        let places: Vec<Beside> = here.map(|(_, cell, plain)| Beside { cell, plain, apart: apart(plain) }).collect();
        case(scene, variant, &places)
    };
    VARIANTS.iter().filter_map(of_variant).collect()
}

/// The step with the most rows among those that are slower; the slowest, where none has a row more.
fn case(scene: &Scene, variant: &str, places: &[Beside]) -> Option<Case> {
    let Beside { cell, plain, .. } = places.first()?;
    let slower = |step: &Step| step.slower().is_some_and(|i| i.low > 1.0 + MARGIN.0);
    let current = steps(cell).into_iter().filter(|(_, work, _)| !OTHER.contains(&work.workload.as_str()));
    let all: Vec<Step> = current.map(|(name, ..)| step(scene, name, places)).filter(slower).collect();
    let with_rows = all.iter().filter(|s| s.more_rows() > MORE);
    let worst = with_rows.max_by(|a, b| a.more_rows().total_cmp(&b.more_rows()));
    let time = |s: &Step| s.slower().map_or(1.0, |i| i.value);
    let step = worst.or_else(|| all.iter().max_by(|a, b| time(a).total_cmp(&time(b))))?;
    let (slower, more) = (step.slower()?, step.more_rows());
    let written = written(cell, plain);
    let symptom = format!(
        "Versioned by {}, `{}` takes {} times as long as on plain tables ({} to {}), over all that was in memory (n = {}).",
        variant.replace('_', ", "),
        step.name,
        round3(slower.value),
        round3(slower.low),
        round3(slower.high),
        step.both.len(),
    );
    let is_history = more > MORE;
    let necessary = if is_history {
        let row = round3(slower.value / more);
        Necessary::Present(format!(
            "It looks at × {} rows at × {row} time per row.{}{written}",
            round3(more),
            grows(step)
        ))
    } else {
        Necessary::NotMeasured(format!(
            "it looks at × {} rows only, so history in its path is not why{written}",
            round3(more)
        ))
    };
    Some(Case {
        place: Place { cell: cell.cell.id.clone(), time: Time::Loss(plain.cell.id.clone()) },
        cost: if is_history { cost(step) } else { None },
        trial: if is_history { trial(scene, variant, step, places) } else { None },
        evidence: places.iter().flat_map(|p| [p.cell, p.plain].map(|c| c.cell.id.to_string())).collect(),
        next_experiment: Some(next(cell)),
        ..Case::of(cell, symptom, necessary)
    })
}

fn step<'a>(scene: &Scene, name: &'a str, places: &[Beside]) -> Step<'a> {
    let of_place = |(at, place): (usize, &Beside)| {
        let (ours, theirs) = (told(scene, place.cell, name), told(scene, place.plain, name));
        let both = ours.into_iter().filter_map(move |(when, told)| Some(((at, when), (told, *theirs.get(&when)?))));
        both.collect::<Vec<_>>()
    };
    Step { name, both: places.iter().enumerate().flat_map(of_place).collect() }
}

/// How the rows change from the first iteration to the last.
fn grows(step: &Step) -> String {
    let of = |iteration: u32| {
        let here = step.both.iter().filter(|((_, (_, i)), _)| *i == iteration);
        let ratios: Vec<f64> = here.filter_map(|(_, (v, p))| Some(v.rows? / p.rows?)).collect();
        (!ratios.is_empty()).then(|| average(&ratios))
    };
    let iterations: Vec<u32> = step.both.keys().map(|(_, (_, iteration))| *iteration).collect();
    let (Some(first), Some(last)) = (iterations.iter().min(), iterations.iter().max()) else { return String::new() };
    match (of(*first), of(*last)) {
        (Some(a), Some(b)) if first != last => {
            format!(" From iteration {first} to {last} the rows go from × {} to × {}.", round3(a), round3(b))
        }
        _ => String::new(),
    }
}

/// What an update writes beside its row.
fn written(cell: &CellEvidence, plain: &CellEvidence) -> String {
    let of = |cell: &CellEvidence| {
        let updates = steps(cell).into_iter().find(|(_, work, _)| work.workload.starts_with("versioned.update"))?;
        let each = updates.1.parameters.get("per_transaction")?.count()? as f64;
        let phase = cell.cell.phases.iter().find(|p| p.step().0 == updates.0)?;
        let runs = cell.of_phase(&phase.name).runs;
        let values: Option<Vec<f64>> = runs.iter().map(|run| Some(per_operation(run, WRITES)? / each)).collect();
        values.filter(|v| !v.is_empty()).map(|v| average(&v))
    };
    match (of(cell), of(plain)) {
        (Some(ours), Some(theirs)) => format!(
            " An update inserts {} rows by the handler beside the one it changes, and {} on plain tables.",
            round3(ours),
            round3(theirs)
        ),
        _ => String::new(),
    }
}

/// The rows that are more, each at what a row costs the plain table.
fn cost(step: &Step) -> Option<Cost> {
    let shares = step.both.values().filter_map(|(ours, plain)| {
        let (rows, base) = (ours.rows?, plain.rows.filter(|rows| *rows > 0.0)?);
        (ours.us > plain.us).then(|| ((rows - base) * plain.us / base / (ours.us - plain.us)).min(1.0))
    });
    let share = mean::plain(&shares.collect::<Vec<_>>())?;
    let sentence = format!(
        "At what a row costs the plain table, the rows cover {} of the time that it takes longer ({} to {}).",
        Share(share.value),
        Share(share.low.max(0.0)),
        Share(share.high.min(1.0))
    );
    Some(Cost { share, open: Share(0.0), sentence })
}

/// A step with its history in the path, without, and on the plain table.
type Three = (Told, Told, Told);

/// The history apart, and where it was deleted, without.
fn trial(scene: &Scene, variant: &str, step: &Step, places: &[Beside]) -> Option<Trial> {
    let apart = if variant == IN_THE_PATH { apart(scene, step, places) } else { None };
    match (apart, forgotten(scene, step, places)) {
        (Some(apart), Some(forgotten)) => {
            Some(Trial { sentence: format!("{} {}", apart.sentence, forgotten.sentence), ..apart })
        }
        (apart, forgotten) => apart.or(forgotten),
    }
}

/// The same step before and after DELETE HISTORY, beside what the plain table did meanwhile.
fn forgotten(scene: &Scene, step: &Step, places: &[Beside]) -> Option<Trial> {
    let of_place = |(at, place): (usize, &Beside)| -> Vec<(Three, f64)> {
        let all = steps(place.cell);
        let Some(own) = all.iter().position(|(name, ..)| *name == step.name) else { return Vec::new() };
        let (_, work, users) = all[own];
        let behind = all.iter().skip(own).skip_while(|(_, other, _)| other.workload != FORGETS);
        let Some((again, ..)) = behind.into_iter().find(|(_, other, at)| (*other, *at) == (work, users)) else {
            return Vec::new();
        };
        let (ours, theirs) = (told(scene, place.cell, again), told(scene, place.plain, again));
        let here = step.both.iter().filter(|((of, _), _)| *of == at);
        here.filter_map(|((_, when), (with, base))| {
            let (without, base_after) = (ours.get(when)?, theirs.get(when)?);
            // What the plain table gained or lost meanwhile is nobody's.
            let moved = base_after.us - base.us;
            let rows = without.rows.zip(base_after.rows).zip(base.rows).map(|((w, after), before)| w - after + before);
            Some(((*with, Told { us: without.us - moved, rows }, *base), moved))
        })
        .collect()
    };
    let all: Vec<(Three, f64)> = places.iter().enumerate().flat_map(of_place).collect();
    let moved = average(&all.iter().map(|(_, moved)| *moved).collect::<Vec<_>>());
    let three: Vec<Three> = all.into_iter().map(|(three, _)| three).collect();
    let Taken { closed, gap, added, left } = taken(&three)?;
    let sentence = format!(
        "After DELETE HISTORY {}, and {} of the {} rows more are left; the plain table moved by {} µs meanwhile.",
        gone("that", closed),
        round3(left.max(0.0)),
        round3(added),
        round3(moved),
    );
    Some(Trial { closed, control_held: moved.abs() < CLOSES.0 * gap, is_gone: left <= LEFT * added, sentence })
}

/// What a change took of the time and of the rows that an operation needs more than on the plain table.
struct Taken {
    closed: Interval,
    /// Microseconds.
    gap: f64,
    added: f64,
    left: f64,
}

fn taken(all: &[Three]) -> Option<Taken> {
    if all.is_empty() {
        return None;
    }
    let gap = average(&all.iter().map(|(ours, _, base)| ours.us - base.us).collect::<Vec<_>>());
    let closed = mean::plain(&all.iter().map(|(ours, other, _)| (ours.us - other.us) / gap).collect::<Vec<_>>())?;
    let mean_of = |values: Option<Vec<f64>>| values.map(|v| average(&v));
    let added = mean_of(all.iter().map(|(ours, _, base)| Some(ours.rows? - base.rows?)).collect())?;
    let left = mean_of(all.iter().map(|(_, other, base)| Some(other.rows? - base.rows?)).collect())?;
    Some(Taken { closed, gap, added, left })
}

/// The history in a partition of its own.
fn apart(scene: &Scene, step: &Step, places: &[Beside]) -> Option<Trial> {
    let of_apart: Vec<_> =
        places.iter().map(|place| place.apart.map(|apart| told(scene, apart, step.name)).unwrap_or_default()).collect();
    let three =
        |((at, when), (ours, base)): (&(usize, When), &(Told, Told))| Some((*ours, *of_apart[*at].get(when)?, *base));
    let all: Vec<Three> = step.both.iter().filter_map(three).collect();
    let Taken { closed, gap, added, left } = taken(&all)?;
    let before = before_history(scene, step.name, places);
    let control_held = before.is_some_and(|us| us.abs() < CLOSES.0 * gap);
    let sentence = format!(
        "With the history in a partition of its own {}, and {} of the {} rows that an operation looks at more are left; {}.",
        gone("that", closed),
        round3(left.max(0.0)),
        round3(added),
        match before {
            Some(us) => format!("before there was any, the partition changed {} µs of {} µs", round3(us), round3(gap)),
            None => "what it changes before there is any was not measured".to_string(),
        }
    );
    Some(Trial { closed, control_held, is_gone: left <= LEFT * added, sentence })
}

/// What the partition takes away while nothing lies in it: the same work, the first time it is done.
fn before_history(scene: &Scene, name: &str, places: &[Beside]) -> Option<f64> {
    let of_place = |place: &Beside| -> Vec<f64> {
        let all = steps(place.cell);
        let Some((_, work, users)) = all.iter().find(|(step, ..)| *step == name) else { return Vec::new() };
        let same = |(_, other, at): &&(&str, &Work, Users)| (&other.workload, *at) == (&work.workload, *users);
        let (Some((first, ..)), Some(apart)) = (all.iter().find(same), place.apart) else { return Vec::new() };
        let of_first = |cell: &CellEvidence| -> BTreeMap<When, Told> {
            told(scene, cell, first).into_iter().filter(|((_, iteration), _)| *iteration == 1).collect()
        };
        let (ours, theirs, base) = (of_first(place.cell), of_first(apart), of_first(place.plain));
        base.keys().filter_map(|when| Some(ours.get(when)?.us - theirs.get(when)?.us)).collect()
    };
    let each: Vec<f64> = places.iter().flat_map(of_place).collect();
    (!each.is_empty()).then(|| average(&each))
}

/// The same tables with one set of history, and without: a set loaded, and the same set updated once.
fn next(cell: &CellEvidence) -> String {
    let server = &cell.cell.server;
    let pool = server.settings.get(POOL).and_then(|size| size.count()).map_or(256 << 20, i64::unsigned_abs);
    let of = |name: &str| {
        let works = cell.cell.phases.iter().filter_map(|p| p.work.as_ref());
        works.filter_map(|work| work.parameters.get(name)?.count()).next().unwrap_or(1)
    };
    format!(
        "question = \"Is it the history in the path, or what a row costs?\"\n\n[axes]\nvariant = [\"plain\", \"timestamp\", \
         \"transaction\", \"timestamp_partitioned\"]\nbegin = [\"filled\", \"aged\"]\nworkload = [\"versioned.point_selects\", \
         \"versioned.range_queries\", \"versioned.secondary_selects\"]\n\n[server]\nbuild = \"{}\"\nsettings = {{ buffer_pool = \
         \"{}\" }}\n\n[workload.versioned]\ntables = {}\nrows = {}\n\n[load]\nusers = {}\nwarm_up = \"5s\"\nmeasure = \
         \"30s\"\n\n[repeat]\nrepetitions = 5\naa = false\n",
        server.build,
        Bytes(pool),
        of("tables"),
        of("rows"),
        cell.cell.load.users.0
    )
}
