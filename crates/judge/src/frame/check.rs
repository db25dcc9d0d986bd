//! What a check is, and the frame around all of them: it decides where a check does not apply and where evidence is
//! missing, takes the worst of a cell's runs so that a cell has one verdict per check, and attaches where to look. A
//! check itself only looks at evidence that is there and says what it saw; it cannot pass for want of evidence.

use super::applies::Applies;
use super::evidence::{CellEvidence, Evidence, RunEvidence};
use super::limits::{Limit, Limits};
use super::naming;
use super::pairs::Pair;
use model::verdict::{Status, Verdict};
use std::collections::BTreeSet;

pub struct Check {
    /// As in a verdict: `client_had_headroom`.
    pub id: &'static str,
    /// One sentence that is true when the check passes, with its limit in it.
    pub claim: fn() -> String,
    /// The check's own file, of which `assay explain` prints the opening.
    pub source: &'static str,
    /// To what it can be put; anywhere else it is *not applicable*.
    pub applies: Applies,
    /// Counters without which nothing can be said: the frame looks for them before the check does.
    pub needs: &'static [Need],
    /// Declared in the check's own file, or in that of what it reads and shares with others.
    pub limits: &'static [Limit],
    /// What a failure makes doubtful.
    pub doubts: Doubts,
    /// A new check is told and strikes no number, until it is known how often it fails without a reason.
    pub quarantined: bool,
    pub advice: &'static str,
    pub look: Look,
}

/// Evidence that a check cannot do without.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// A counter read at both ends of every phase that measures.
    Counter(&'static str),
    /// A counter of the whole run.
    WholeCounter(&'static str),
}

/// What does not hold any more where a check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubts {
    /// The work itself, and with it every number.
    Work,
    /// How fast, how steadily or how undisturbed it went. What is counted per unit of work holds: a neighbour makes an
    /// order slower, and no page of it splits twice.
    Times,
}

/// What the check speaks about, and how it looks at it.
#[derive(Clone, Copy)]
pub enum Look {
    Run(fn(&RunEvidence) -> Sight),
    /// All runs of a cell.
    Cell(fn(&CellEvidence) -> Sight),
    Pairs(Pairs),
    Experiment(fn(&Evidence) -> Sight),
    /// All cells, one by one, with one verdict on the record: what speaks of the machine and of no cell.
    Once(Each),
}

/// What is looked at of each cell where all of them have one verdict (`once`).
#[derive(Clone, Copy)]
pub enum Each {
    Run(fn(&RunEvidence) -> Sight),
    Cell(fn(&CellEvidence) -> Sight),
}

/// Cells laid side by side, two by two.
#[derive(Clone, Copy)]
pub struct Pairs {
    pub of: for<'a> fn(&'a Evidence<'a>) -> Vec<Pair<'a>>,
    /// A sentence for an experiment without such a pair, to which the check does not apply.
    pub none: &'static str,
    pub look: fn(&Evidence, &[Pair]) -> Sight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Run,
    Cell,
    Pair,
    Experiment,
}

impl Scope {
    /// Whether each cell has a verdict of its own.
    pub fn is_of_cells(self) -> bool {
        match self {
            Self::Run | Self::Cell => true,
            Self::Pair | Self::Experiment => false,
        }
    }
    fn words(self) -> &'static str {
        match self {
            Self::Run => "each run of a cell",
            Self::Cell => "each cell",
            Self::Pair => "cells that are compared",
            Self::Experiment => "the experiment",
        }
    }
}

/// What was seen, or why it cannot be said.
pub type Sight = Result<Seen, String>;

#[derive(Clone, Debug)]
pub struct Seen {
    pub status: Status,
    pub measured: String,
    pub limit: String,
    pub sentence: String,
    /// Beside the paths of the runs looked at, which the frame adds.
    pub evidence: Vec<String>,
}

impl Seen {
    pub fn new(
        status: Status,
        measured: impl Into<String>,
        limit: impl Into<String>,
        sentence: impl Into<String>,
    ) -> Self {
        let (measured, limit, sentence) = (measured.into(), limit.into(), sentence.into());
        Self { status, measured, limit, sentence, evidence: Vec::new() }
    }
    /// With why the check cannot be asked here.
    fn not_applicable(why: String) -> Self {
        Self::new(Status::NotApplicable, "", "", why)
    }
    pub fn at(mut self, evidence: Vec<String>) -> Self {
        self.evidence = evidence;
        self
    }
}

/// What a file says first: the page that `assay explain` prints.
pub fn opening(source: &str) -> String {
    let lines = source.lines().map_while(|l| l.strip_prefix("//!")).map(|l| l.strip_prefix(' ').unwrap_or(l));
    lines.collect::<Vec<_>>().join("\n")
}

/// Fail from one limit on, warn from another.
pub fn graded(value: f64, warn: f64, fail: f64) -> Status {
    if value > fail {
        Status::Fail
    } else if value > warn {
        Status::Warn
    } else {
        Status::Pass
    }
}

impl Check {
    pub fn scope(&self) -> Scope {
        match self.look {
            Look::Run(_) => Scope::Run,
            Look::Cell(_) => Scope::Cell,
            Look::Pairs(_) => Scope::Pair,
            Look::Experiment(_) | Look::Once(_) => Scope::Experiment,
        }
    }

    /// What `assay explain` prints: claim, of what, the opening of the check's file, what it needs, its limits, the
    /// advice.
    pub fn page(&self) -> String {
        let needs: Vec<&str> = self.needs.iter().map(|n| n.name()).collect();
        let needs = if needs.is_empty() { "nothing beside the runs".into() } else { needs.join(", ") };
        let basis = |l: &Limit| l.basis.map_or(String::new(), |basis| format!(" ({})", basis.words()));
        let limit = |l: &Limit| format!("  {} = {l}{}: {}\n", l.name, basis(l), l.why);
        let limits = match self.limits {
            [] => String::new(),
            limits => format!("\nLimits, which [limits] may set:\n{}", limits.iter().map(limit).collect::<String>()),
        };
        let quarantine = if self.quarantined { "\nIn quarantine: it is told, and strikes no number.\n" } else { "" };
        format!(
            "{}\n\nClaim: {}.\nOf: {}.\n\n{}\n\nNeeds: {needs}.\n{limits}{quarantine}\nWhen it does not pass: {}.\n",
            self.id,
            (self.claim)(),
            self.scope().words(),
            opening(self.source),
            self.advice
        )
    }

    /// The verdict on one cell that has runs; `None` for a check of several cells.
    pub fn on_cell(&self, cell: &CellEvidence) -> Option<Verdict> {
        let verdict = self.of_cell(cell)?;
        Some(self.beside_ours(verdict, cell.limits, || self.of_cell(&cell.by(Limits::OURS))))
    }

    /// What the limits that the experiment sets have changed. A number that fails by ours is never more than a warning.
    fn beside_ours(&self, verdict: Verdict, set: Limits, ours: impl FnOnce() -> Option<Verdict>) -> Verdict {
        let told = |l: &Limit| set.set(l).map(|value| format!("`{}` is {} (ours is {l})", l.name, l.shown(value)));
        let told: Vec<String> = self.limits.iter().filter_map(told).collect();
        if told.is_empty() || verdict.verdict == Status::NotApplicable {
            return verdict;
        }
        let (Some(ours), told) = (ours(), told.join(", ")) else { return verdict };
        let limit = format!("{}; set by the experiment: {told}", verdict.limit);
        if ours.verdict != Status::Fail || verdict.verdict == Status::Fail {
            return Verdict { limit, ..verdict };
        }
        let sentence = format!(
            "{} By our own limits this fails; it passes by the limits of the experiment: {told}.",
            verdict.sentence
        );
        let advice = self.advice.to_string();
        Verdict { verdict: verdict.verdict.max(Status::Warn), sentence, limit, advice, ..verdict }
    }

    pub(super) fn of_cell(&self, cell: &CellEvidence) -> Option<Verdict> {
        let paths = |runs: &[RunEvidence]| runs.iter().map(RunEvidence::path).collect();
        if let Some(why) = self.applies.absent_in(cell) {
            return Some(self.verdict(Ok(Seen::not_applicable(why)), Vec::new()));
        }
        let phases = cell.by_phase();
        match self.look {
            Look::Pairs(_) | Look::Experiment(_) | Look::Once(_) => None,
            Look::Cell(look) => {
                let look = |part: &CellEvidence| match self.applies.absent_of(&part.runs) {
                    Some(why) => Ok(Seen::not_applicable(why)),
                    None => part.runs.iter().try_for_each(|run| self.complete(run)).and_then(|()| look(part)),
                };
                let phases: Vec<_> = phases.iter().map(|(phase, part)| (*phase, look(part))).collect();
                let places = PLACES.map(|least| in_phases(&phases, least));
                let verdict = self.verdict(worst_phase(phases)?, paths(&cell.runs));
                Some(placed(verdict, places))
            }
            Look::Run(look) => {
                let of_run = |run: &RunEvidence| {
                    let sight = |part: &CellEvidence| {
                        let run = part.runs.iter().find(|r| r.run.id == run.run.id)?;
                        Some(match self.applies.absent_of(std::slice::from_ref(run)) {
                            Some(why) => Ok(Seen::not_applicable(why)),
                            None => self.complete(run).and_then(|()| look(run)),
                        })
                    };
                    let phases: Vec<_> =
                        phases.iter().filter_map(|(phase, part)| Some((*phase, sight(part)?))).collect();
                    let places = PLACES.map(|least| in_phases(&phases, least));
                    Some((worst_phase(phases)?, places))
                };
                let sights: Vec<_> = cell.runs.iter().filter_map(|run| Some((run, of_run(run)?))).collect();
                // A run that failed as a whole strikes as a whole.
                let over_runs = |least: Status, at: usize| {
                    let open: Vec<_> = sights.iter().filter(|(_, (sight, _))| status(sight) >= least).collect();
                    let is_whole = open.iter().any(|(_, (_, places))| places[at].is_empty());
                    let names: BTreeSet<String> =
                        open.iter().flat_map(|(_, (_, places))| places[at].iter().cloned()).collect();
                    if is_whole { Vec::new() } else { names.into_iter().collect() }
                };
                let places = [0, 1, 2].map(|at| over_runs(PLACES[at], at));
                let (run, (sight, _)) = sights
                    .into_iter()
                    .reduce(|worst, next| if status(&next.1.0) > status(&worst.1.0) { next } else { worst })?;
                let mut verdict = placed(self.verdict(sight, vec![run.path()]), places);
                if cell.runs.len() > 1 && verdict.verdict.is_open() {
                    verdict.sentence = format!("{}: {}", naming::run(run), verdict.sentence);
                }
                Some(verdict)
            }
        }
    }

    /// Whether a run has what the check needs.
    fn complete(&self, run: &RunEvidence) -> Result<(), String> {
        let missing = self.needs.iter().find(|need| match need {
            Need::Counter(name) => run.growth(name).is_none(),
            Need::WholeCounter(name) => !run.run.whole.counters.contains_key(*name),
        });
        missing.map_or(Ok(()), |need| Err(format!("{} was not measured in run {}", need.name(), run.run.id)))
    }

    fn verdict(&self, sight: Sight, paths: Vec<String>) -> Verdict {
        let seen = sight.unwrap_or_else(|why| {
            Seen::new(Status::NotEvaluable, "", "", format!("It cannot be said whether {}: {why}.", (self.claim)()))
        });
        Verdict {
            check: self.id.into(),
            verdict: seen.status,
            sentence: seen.sentence,
            measured: seen.measured,
            limit: seen.limit,
            advice: if seen.status.is_open() { self.advice.into() } else { String::new() },
            evidence: seen.evidence.into_iter().chain(paths).collect(),
            quarantined: self.quarantined,
            phases: Vec::new(),
            open_in: Vec::new(),
        }
    }
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::Counter(name) | Self::WholeCounter(name) => name,
        }
    }
}

/// How bad a check is in the phases that its verdict names, the worst first.
const PLACES: [Status; 3] = [Status::Fail, Status::Warn, Status::NotEvaluable];

/// With the phases in which it failed, and those in which it is open; where it is nowhere worse than unknown, those in
/// which it is.
fn placed(verdict: Verdict, [failed, open, unknown]: [Vec<String>; 3]) -> Verdict {
    let open_in = if verdict.verdict == Status::NotEvaluable { unknown } else { open };
    Verdict { phases: failed, open_in, ..verdict }
}

/// The worst that is seen of several groups, which then says of which.
pub fn worst_of(groups: Vec<(String, Sight)>) -> Sight {
    let all = groups.len();
    worst_among(groups, all)
}

/// The same where only some of `all` groups are looked at.
pub fn worst_among(groups: Vec<(String, Sight)>, all: usize) -> Sight {
    let several = all > 1;
    let worst = groups.into_iter().reduce(|worst, next| if status(&next.1) > status(&worst.1) { next } else { worst });
    let (name, sight) = worst.expect("a run has users");
    match sight {
        Ok(mut seen) if several => {
            seen.sentence = format!("{name}: {}", seen.sentence);
            Ok(seen)
        }
        Err(why) if several => Err(format!("{name}: {why}")),
        alone => alone,
    }
}

/// The phases in which it is so bad or worse, where others are better; none where all are.
fn in_phases(phases: &[(Option<&str>, Sight)], least: Status) -> Vec<String> {
    let is_so = |sight: &Sight| status(sight) >= least;
    let so: Vec<String> =
        phases.iter().filter(|(_, sight)| is_so(sight)).filter_map(|(p, _)| Some((*p)?.into())).collect();
    if so.len() == phases.len() { Vec::new() } else { so }
}

/// The worst that is seen of several phases, which says of which where they do not all look alike.
fn worst_phase(phases: Vec<(Option<&str>, Sight)>) -> Option<Sight> {
    let words = |sight: &Sight| sight.as_ref().map_or_else(Clone::clone, |seen| seen.sentence.clone());
    let alike = phases.windows(2).all(|w| words(&w[0].1) == words(&w[1].1));
    let (phase, sight) =
        phases.into_iter().reduce(|worst, next| if status(&next.1) > status(&worst.1) { next } else { worst })?;
    let named = |text: String| match phase.filter(|_| !alike) {
        Some(phase) => format!("in phase `{phase}` {text}"),
        None => text,
    };
    Some(match sight {
        Ok(seen) => {
            let sentence = match phase.filter(|_| seen.status.is_open() && !alike) {
                Some(phase) => format!("Phase `{phase}`: {}", seen.sentence),
                None => seen.sentence,
            };
            Ok(Seen { sentence, ..seen })
        }
        Err(why) => Err(named(why)),
    })
}

fn status(sight: &Sight) -> Status {
    sight.as_ref().map_or(Status::NotEvaluable, |seen| seen.status)
}

/// The verdicts on all cells together.
pub fn on_experiment(checks: &[Check], evidence: &Evidence) -> Vec<Verdict> {
    checks.iter().filter_map(|check| check.on_all(evidence)).collect()
}

impl Check {
    fn on_all(&self, evidence: &Evidence) -> Option<Verdict> {
        let by = |evidence: &Evidence| {
            let absent = |why: String| Ok(Seen::not_applicable(why));
            let none = || self.verdict(absent("There is no number of which it could be asked.".into()), Vec::new());
            let sight = match (self.applies.absent_from(evidence), self.look) {
                (Some(why), _) => absent(why),
                (None, Look::Experiment(look)) => look(evidence),
                (None, Look::Pairs(pairs)) => match (pairs.of)(evidence) {
                    none if none.is_empty() => absent(pairs.none.into()),
                    all => (pairs.look)(evidence, &all),
                },
                (None, Look::Once(each)) => return Some(self.once(each, evidence).unwrap_or_else(none)),
                (None, Look::Run(_) | Look::Cell(_)) => return None,
            };
            Some(self.verdict(sight, Vec::new()))
        };
        Some(self.beside_ours(by(evidence)?, evidence.limits, || by(&evidence.by(Limits::OURS))))
    }
}
