//! `[load] search`: a level of the load that is looked for instead of named. Its keys are plain ones of the grammar;
//! here are the questions that only all of them together answer, and what they come to.

use super::get::Get;
use super::keys::MAX_USERS;
use super::reading::Reading;
use crate::search::{Goal, Keep, Search};
use crate::seed::Seed;
use crate::units::Share;
use crate::value::Value;

/// As near as a knee can be told from a few runs on a machine with a few per cent of noise.
const WITHIN_RATE: f64 = 0.05;
/// Around its peak throughput is flat: half as many users again often change nothing.
const WITHIN_USERS: f64 = 0.5;
/// Simulated searches over two decades end after 10 to 20 runs where noise is 3 % (docs/decisions/0005).
const RUNS_FOR_RATE: i64 = 24;
/// Eleven for a look at each power of two up to 1024, the rest for the top.
const RUNS_FOR_USERS: i64 = 36;

impl Reading<'_> {
    fn searches(&self) -> bool {
        self.entries.iter().any(|e| e.path.starts_with("load.search."))
    }

    /// What is looked for, in the words of the file.
    pub(super) fn sought(&self) -> Option<&str> {
        self.values.get("load.search.for").and_then(Value::text)
    }

    pub(super) fn check_search(&mut self) {
        if !self.searches() {
            return;
        }
        for (key, what) in [("for", "what is looked for"), ("from", "where the search begins"), ("to", "where it ends")]
        {
            let path = format!("load.search.{key}");
            if !self.said(&path) {
                self.problem(&path, format!("nobody says {what}"), format!("write {}", Search::EXAMPLE));
            }
        }
        if self.said("repeat.repetitions") {
            let mend = "leave it out: a search repeats where it is unsure; `runs` in the search says how many at most";
            self.problem("repeat.repetitions", "repetitions of a search", mend);
        }
        match self.sought() {
            Some("rate") => self.check_search_for_rate(),
            Some("users") => self.check_search_for_users(),
            Some(_) | None => {}
        }
        self.check_range();
    }

    fn check_search_for_rate(&mut self) {
        if !self.said("load.search.keep") {
            let mend = format!("add the limit that latency is to keep: keep = {}", Keep::FORMS);
            self.problem("load.search.keep", "a rate without a limit", mend);
        }
        self.refuse_all(&["load.rate", "axes.rate"], "the rate is looked for, and said as well");
    }

    fn check_search_for_users(&mut self) {
        self.refuse_all(&["load.search.keep"], "the peak of throughput needs no limit");
        self.refuse_all(&["load.users", "axes.users"], "the users are looked for, and said as well");
        self.refuse_all(
            &["load.rate", "axes.rate", "load.pace"],
            "users who begin at moments of their own reach no peak",
        );
        for key in ["load.search.from", "load.search.to"] {
            let number = self.values.get(key).and_then(Value::number);
            if number.is_some_and(|n| n.fract() != 0.0 || !(1.0..=MAX_USERS as f64).contains(&n)) {
                let mend = format!("a whole number between 1 and {MAX_USERS}");
                self.problem(key, "not a number of users", mend);
            }
        }
    }

    fn refuse_all(&mut self, keys: &[&str], what: &str) {
        for key in keys {
            if self.said(key) {
                self.problem(key, what, "leave it out, or the search");
            }
        }
    }

    fn check_range(&mut self) {
        let number = |key: &str| self.values.get(key).and_then(Value::number);
        if let (Some(from), Some(to)) = (number("load.search.from"), number("load.search.to"))
            && from >= to
        {
            let what = format!("{to} does not lie above {from}");
            self.problem("load.search.to", what, "name a range that surely holds the answer: it costs few runs");
        }
    }
}

pub(super) fn of(get: Get<'_>) -> Option<Search> {
    let sought = get.text("load.search.for")?;
    let number = |key: &str| get.0.get(key).and_then(Value::number);
    let goal = match get.text("load.search.keep") {
        Some(keep) => Goal::Rate { keep: Keep::parse(&keep).expect("checked") },
        None => Goal::Users,
    };
    let (within, runs) = if sought == "rate" { (WITHIN_RATE, RUNS_FOR_RATE) } else { (WITHIN_USERS, RUNS_FOR_USERS) };
    Some(Search {
        goal,
        from: number("load.search.from").expect("checked"),
        to: number("load.search.to").expect("checked"),
        within: Share(number("load.search.within").unwrap_or(within)),
        runs: u32::try_from(get.count("load.search.runs").unwrap_or(runs)).expect("bounded"),
        // Each cell gets its own in the plan.
        seed: Seed(0),
    })
}
