//! SELECT DISTINCT and GROUP BY put their rows through a temporary table, made and dropped for each query. Where that
//! passes locks of the whole server (THR_LOCK_heap of the MEMORY engine; also BITMAP::mutex of temp_pool up to MySQL
//! 5.7 and MariaDB 10.4, LOCK_plugin and THR_LOCK_lock in MySQL 5.6), queries queue up there however many CPUs there
//! are. Its mark is a cost per query and not per row, so that the shortest ranges lose most. Ordered ranges are the
//! control: the same rows and the same sort without a table. MySQL 8.0 can make the table in either of two engines,
//! MEMORY and TempTable, which is the intervention; ordered ranges should not notice.
//!
//! What a table costs a query is seen on any host. Its serial section is not: on few CPUs too few queries are at its
//! locks at once.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, Place, SUFFICIENT, Scene, Time, Trial};
use crate::compare::comparisons::{MARGIN, ratio};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::stats::{average, mean};
use model::experiment::keys::{USERS, WORKLOAD};
use model::host::Version;
use model::units::{Share, Users, round3, rounded};
use model::value::Value;
use std::collections::{BTreeMap, BTreeSet};

const SUSPECT: &str = "oltp.distinct_ranges";
const CONTROL: &str = "oltp.ordered_ranges";
const SWITCH: &str = "native.internal_tmp_mem_storage_engine";
const MEMORY: &str = "MEMORY";
const TEMP_TABLE: &str = "TempTable";
/// The switch is there from this version of MySQL on.
const SWITCHES_FROM: Version = Version(8, 0, 2);

const RANGE: &str = "range_size";
/// What tells the cells of one lane apart, and nothing else may: where a lane looks a cell up (`Lane::at`).
const COORDINATES: [&str; 4] = [WORKLOAD, RANGE, USERS, SWITCH];

/// Told as none: what two digits would write as nothing.
const HARDLY_ANY: f64 = 0.005;
/// Temporary tables per query that mean one for each; readers of the status make a few more.
const ONE_EACH: f64 = 0.9;
/// And those that mean none.
const NONE: f64 = 0.1;
/// Fewer CPUs of the server do not bring enough queries to a lock at once for it to be the limit.
const ENOUGH_CPUS: usize = 8;
/// A ceiling that rises no more than this from long ranges to short ones is one of queries …
const FLAT: f64 = 1.5;
/// … where that of the control, per row, rises at least so much.
const STEEP: f64 = 3.0;

pub const CAUSE: Cause = Cause {
    id: "temporary_table_per_query",
    symptom: || {
        format!("ranges with DISTINCT answer at least {MARGIN} fewer queries than ordered ranges of as many rows")
    },
    necessary: || {
        format!(
            "at least {ONE_EACH} temporary tables for each query with DISTINCT and at most {NONE} on disk, at most {NONE} for \
             each without (`db.tmp_tables`, `db.tmp_disk_tables`)"
        )
    },
    test: || {
        format!(
            "fitted over two range sizes, t(rows) = a + b × rows, the difference in a covers {SUFFICIENT} of what a query of \
             the shorter range takes longer"
        )
    },
    intervention: || {
        format!(
            "`{SWITCH}` = {TEMP_TABLE} instead of {MEMORY} on MySQL {SWITCHES_FROM} or later closes {CLOSES} of the loss and \
             leaves ordered ranges as they are"
        )
    },
    source: include_str!("temporary_tables.rs"),
    indicator: None,
    within: &[],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    let mut lanes: BTreeMap<Vec<(&String, &Value)>, Vec<&CellEvidence>> = BTreeMap::new();
    let usable = |c: &&CellEvidence| {
        let cell = c.cell;
        let one = cell.repeats.is_none() && c.search.is_none() && cell.groups.is_empty();
        one && [SUSPECT, CONTROL].contains(&cell.workload.as_str())
            && !c.runs.is_empty()
            && !scene.struck.contains(&cell.id)
    };
    for cell in scene.evidence.cells.iter().filter(usable) {
        let varied = |key: &str| COORDINATES.contains(&key);
        lanes.entry(cell.cell.axes.iter().filter(|(k, _)| !varied(k)).collect()).or_default().push(cell);
    }
    let cases = lanes.into_iter().filter_map(|(place, cells)| {
        let place: Vec<String> = place.iter().map(|(_, value)| value.to_string()).collect();
        Lane::of(place.join(", "), cells)?.case()
    });
    cases.collect()
}

/// One place with both workloads, at the range sizes that both have.
struct Lane<'a> {
    place: String,
    cells: Vec<&'a CellEvidence<'a>>,
    /// The longest only where there are two.
    shortest: i64,
    longest: Option<i64>,
    /// The most at which both were measured.
    users: Users,
    /// The engine of temporary tables that is suspected, where that is varied.
    engine: Option<&'static str>,
}

/// What one query takes at one range size and two.
struct Times {
    /// By block: what the suspect takes longer at the shorter range, and how much of it whatever the range.
    more: Vec<(f64, f64)>,
}

impl<'a> Lane<'a> {
    fn of(place: String, cells: Vec<&'a CellEvidence<'a>>) -> Option<Self> {
        let engine = cells.iter().any(|c| c.cell.axes.contains_key(SWITCH)).then_some(MEMORY);
        let places = |workload: &str| -> BTreeSet<(i64, u32)> {
            let of = cells.iter().filter(|c| c.cell.workload == workload && is_engine(c, engine));
            of.filter_map(|c| Some((rows(c)?, c.cell.load.users.0))).collect()
        };
        let both: BTreeSet<(i64, u32)> = places(SUSPECT).intersection(&places(CONTROL)).copied().collect();
        let shortest = both.first()?.0;
        let users = both.iter().filter(|(rows, _)| *rows == shortest).map(|(_, users)| *users).max()?;
        let longest = both.iter().filter(|(rows, at)| *rows > shortest && *at == users).map(|(rows, _)| *rows).max();
        Some(Self { place, cells, shortest, longest, users: Users(users), engine })
    }

    fn at(&self, workload: &str, range: i64, users: Users, engine: Option<&str>) -> Option<&'a CellEvidence<'a>> {
        let wanted = |c: &&&CellEvidence| {
            c.cell.workload == workload && rows(c) == Some(range) && c.cell.load.users == users && is_engine(c, engine)
        };
        self.cells.iter().find(wanted).copied()
    }

    fn case(&self) -> Option<Case> {
        let cell = |workload| self.at(workload, self.shortest, self.users, self.engine);
        let (suspect, control) = (cell(SUSPECT)?, cell(CONTROL)?);
        let loss = ratio(control, suspect)?;
        if loss.high? >= 1.0 - MARGIN.0 {
            return None;
        }
        let place = if self.place.is_empty() { String::new() } else { format!(" of {}", self.place) };
        let symptom = format!(
            "DISTINCT costs ranges of {} rows{place} {} of the {} queries/s that ordered ranges answer at {} (ratio {:.2}, {:.2}–{:.2}).",
            self.shortest,
            Share(1.0 - loss.value),
            rounded(rate(control)),
            self.users,
            loss.value,
            loss.low?,
            loss.high?,
        );
        let crowd = self.times(self.users);
        Some(Case {
            place: Place { cell: suspect.cell.id.clone(), time: Time::Loss(control.cell.id.clone()) },
            symptom,
            necessary: necessary(suspect, control),
            cost: crowd.as_ref().and_then(Times::cost),
            trial: self.trial(suspect, control),
            unseen: self.serial(suspect, control),
            evidence: [control, suspect].map(|c| c.cell.id.to_string()).to_vec(),
            next_experiment: self.next_experiment(suspect),
        })
    }

    /// In microseconds, as the users together see them.
    fn times(&self, users: Users) -> Option<Times> {
        let longest = self.longest?;
        let blocks = |workload, range| Some(by_block(self.at(workload, range, users, self.engine)?));
        let [short, long] = [blocks(SUSPECT, self.shortest)?, blocks(SUSPECT, longest)?];
        let [short_control, long_control] = [blocks(CONTROL, self.shortest)?, blocks(CONTROL, longest)?];
        let (s, l) = (self.shortest as f64, longest as f64);
        let fixed = |short: f64, long: f64| short - (long - short) * s / (l - s);
        let more = short.iter().filter_map(|(block, rate)| {
            let time = |of: &BTreeMap<u32, f64>| of.get(block).map(|rate| 1e6 / rate);
            let (d, c) = (1e6 / rate, time(&short_control)?);
            Some((d - c, fixed(d, time(&long)?) - fixed(c, time(&long_control)?)))
        });
        Some(Times { more: more.collect() })
    }

    /// The engine of the table exchanged.
    fn trial(&self, suspect: &CellEvidence, control: &CellEvidence) -> Option<Trial> {
        self.engine?;
        let other = |workload| self.at(workload, self.shortest, self.users, Some(TEMP_TABLE));
        let (suspect_after, control_after) = (other(SUSPECT)?, other(CONTROL)?);
        let (before, after, whole) = (by_block(suspect), by_block(suspect_after), by_block(control));
        let closed = before.iter().filter_map(|(block, before)| {
            let (after, whole) = (after.get(block)?, whole.get(block)?);
            (whole > before).then(|| (after - before) / (whole - before))
        });
        let closed = mean::plain(&closed.collect::<Vec<_>>())?;
        let moved = ratio(control, control_after)?;
        let control_held = moved.low? <= 1.0 + MARGIN.0 && moved.high? >= 1.0 - MARGIN.0;
        let held = if control_held { "did not notice" } else { "moved as well" };
        let read = if closed.high < CLOSES.0 { ": it is not this engine that they cost" } else { "" };
        let sentence = format!(
            "Made in {TEMP_TABLE} instead of {MEMORY}, the tables give back {} of the loss ({} to {}){read}; ordered ranges {held} \
             (ratio {:.2}).",
            Share(closed.value),
            Share(closed.low),
            Share(closed.high),
            moved.value
        );
        Some(Trial { closed, control_held, is_gone: true, sentence })
    }

    /// What the curves say of a serial section, or why they cannot.
    fn serial(&self, suspect: &CellEvidence, control: &CellEvidence) -> Option<String> {
        let cpus = suspect.runs.first()?.server_cpus().len();
        if cpus < ENOUGH_CPUS {
            let alone = self.times(Users(1)).map(|t| average(&t.more.iter().map(|m| m.1).collect::<Vec<_>>()));
            let bound = alone.filter(|fixed| *fixed > 0.0).map_or(String::new(), |fixed| {
                format!(
                    " One user alone waits {} µs for the table; were all of that serial, no number of CPUs would bring more \
                     than {} such queries/s (an extrapolation).",
                    round3(fixed),
                    round3(1e6 / fixed)
                )
            });
            return Some(format!(
                "The server's {cpus} CPUs cannot show a serial section: it takes {ENOUGH_CPUS}.{bound}"
            ));
        }
        let longest = self.longest?;
        let rise = |short: &CellEvidence, workload| {
            Some(rate(short) / rate(self.at(workload, longest, self.users, self.engine)?))
        };
        let (ours, theirs) = (rise(suspect, SUSPECT)?, rise(control, CONTROL)?);
        (ours <= FLAT && theirs >= STEEP).then(|| {
            format!(
                "From {longest} rows to {} the ceiling rises {}-fold, that of ordered ranges {}-fold: it is one of queries, \
                 and at most {} µs of each are serial.",
                self.shortest,
                round3(ours),
                round3(theirs),
                round3(1e6 / rate(suspect))
            )
        })
    }

    /// The same queries with either engine, where this server has both.
    fn next_experiment(&self, suspect: &CellEvidence) -> Option<String> {
        let instance = suspect.runs.first()?.instance?;
        if self.engine.is_some() || instance.kind != "mysql" || instance.version < SWITCHES_FROM {
            return None;
        }
        let cell = suspect.cell;
        let fixed = cell.parameters.iter().filter(|(key, _)| **key != RANGE);
        let data: String = fixed.map(|(key, value)| format!("{key} = {}\n", value.written())).collect();
        let ranges: Vec<String> =
            [Some(self.shortest), self.longest].into_iter().flatten().map(|r| r.to_string()).collect();
        Some(format!(
            "question = \"Is it the MEMORY engine that DISTINCT costs on {build}?\"\n\n[axes]\n{SWITCH} = [\"{MEMORY}\", \
             \"{TEMP_TABLE}\"]\nworkload = [\"{CONTROL}\", \"{SUSPECT}\"]\nrange_size = [{}]\nusers = [1, {}]\n\n[server]\nbuild = \
             \"{build}\"\nprofile = \"{}\"\n\n[workload.oltp]\n{data}\n[load]\nwarm_up = \"1s\"\nmeasure = \"5s\"\n\n[repeat]\n\
             repetitions = 5\n",
            ranges.join(", "),
            self.users.0,
            cell.server.profile,
            build = cell.server.build,
        ))
    }
}

impl Times {
    fn cost(&self) -> Option<Cost> {
        let (more, fixed): (Vec<f64>, Vec<f64>) = self.more.iter().copied().unzip();
        if more.iter().any(|more| *more <= 0.0) {
            return None;
        }
        let share = mean::plain(&more.iter().zip(&fixed).map(|(more, fixed)| fixed / more).collect::<Vec<_>>())?;
        let sentence = format!(
            "Of the {} µs that a query takes longer {} are there whatever the range ({}, {} to {}): a cost of the query, as that \
             of a table is, and not of its rows.",
            round3(average(&more)),
            round3(average(&fixed)),
            Share(share.value),
            Share(share.low),
            Share(share.high)
        );
        Some(Cost { share, open: Share(0.0), sentence })
    }
}

fn rows(cell: &CellEvidence) -> Option<i64> {
    cell.cell.parameters.get(RANGE).and_then(Value::count)
}

fn is_engine(cell: &CellEvidence, engine: Option<&str>) -> bool {
    match (cell.cell.axes.get(SWITCH).and_then(Value::text), engine) {
        (Some(is), Some(wanted)) => is.eq_ignore_ascii_case(wanted),
        (is, wanted) => is == wanted,
    }
}

fn by_block(cell: &CellEvidence) -> BTreeMap<u32, f64> {
    cell.runs.iter().map(|r| (r.run.block, r.qps())).collect()
}

fn rate(cell: &CellEvidence) -> f64 {
    average(&cell.runs.iter().map(RunEvidence::qps).collect::<Vec<_>>())
}

fn necessary(suspect: &CellEvidence, control: &CellEvidence) -> Necessary {
    let per_query = |cell: &CellEvidence, counter| {
        let each = cell.runs.iter().map(|r| Some(r.rate(counter)? / r.qps())).collect::<Option<Vec<f64>>>();
        each.map(|each| average(&each))
    };
    let tables = |cell| per_query(cell, "db.tmp_tables");
    let (Some(ours), Some(theirs)) = (tables(suspect), tables(control)) else {
        return Necessary::NotMeasured("the server's temporary tables were not counted (`db.tmp_tables`)".into());
    };
    let disk = per_query(suspect, "db.tmp_disk_tables");
    if ours < ONE_EACH || theirs > NONE || disk.is_some_and(|disk| disk > NONE) {
        return Necessary::Contradicted;
    }
    let disk = disk.map_or(String::new(), |disk| {
        if disk < HARDLY_ANY { ", none of them on disk".into() } else { format!(", {disk:.2} of them on disk") }
    });
    let theirs = if theirs < HARDLY_ANY { "none".into() } else { format!("{theirs:.2}") };
    Necessary::Present(format!("Each query makes {ours:.2} temporary tables{disk}; an ordered range makes {theirs}."))
}
