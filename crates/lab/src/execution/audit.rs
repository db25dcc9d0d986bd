//! Asks the data what their workload wants to know of them, before the users come and after they left, outside of
//! everything that is measured. What cannot be answered is noted with the reason and leaves its laws open; it never
//! ends a run.

use crate::backends::endpoint::Endpoint;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mongodb::session::{DocumentEndpoint, control as documents};
use crate::backends::mysql::control::Control;
use crate::load::{Counted, UserGroup};
use crate::provision::dataset::key;
use crate::provision::needs::identity;
use model::load::Group;
use model::record::audit::{Answer, Audit};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use workload::Workloads;
use workload::audit::Question;
use workload::session::Fault;

/// One question may read a whole table of a large dataset; who takes longer has no answer.
const PATIENCE: Duration = Duration::from_secs(900);

/// The questions of a run, by dataset.
pub(crate) struct Auditor {
    audits: Vec<Asked>,
    sessions: usize,
}

/// Where the data lie.
enum Room {
    Tables(SqlEndpoint),
    Documents(DocumentEndpoint),
}

/// Who is asked.
enum Witness {
    Tables(Box<Control>),
    Documents(Box<documents::Control>),
}

struct Asked {
    endpoint: Room,
    asks: workload::audit::Audit,
    user_groups: Vec<usize>,
    audit: Audit,
}

impl Auditor {
    /// What the groups of a run want to know, each question of a dataset once.
    pub fn of(
        workloads: &Workloads,
        (instance, engine): (&str, &str),
        user_groups: &[UserGroup],
        groups: &[Group],
        sessions: usize,
    ) -> Self {
        let mut audits: Vec<Asked> = Vec::new();
        for (number, (user_group, group)) in user_groups.iter().zip(groups).enumerate() {
            let asks = user_group.workload.audit(&user_group.parameters);
            let disclosures = user_group.workload.disclosures(&user_group.parameters);
            if asks.questions.is_empty() && asks.laws.is_empty() && disclosures.is_empty() {
                continue;
            }
            let dataset = key(instance, &identity(workloads, &group.work, engine).0);
            match audits
                .iter_mut()
                .find(|a| a.audit.dataset == dataset && a.asks == asks && a.audit.disclosures == disclosures)
            {
                Some(same) => {
                    same.user_groups.push(number);
                    if !same.audit.groups.contains(&group.name) {
                        same.audit.groups.push(group.name.clone());
                    }
                }
                None => {
                    let audit = Audit {
                        dataset,
                        groups: vec![group.name.clone()],
                        laws: asks.laws.clone(),
                        disclosures,
                        ..Audit::default()
                    };
                    let documents = user_group.past_sql.as_ref().and_then(Endpoint::documents).cloned();
                    let endpoint = documents.map_or_else(|| Room::Tables(user_group.endpoint.clone()), Room::Documents);
                    audits.push(Asked { endpoint, asks, user_groups: vec![number], audit });
                }
            }
        }
        Self { audits, sessions }
    }

    /// The questions that are asked at the ends of phases, too: those of the first dataset that has any.
    pub fn watched(&self) -> Vec<Question> {
        let watched = |a: &Asked| a.asks.questions.iter().filter(|q| q.watched).cloned().collect::<Vec<_>>();
        self.audits.iter().map(watched).find(|questions| !questions.is_empty()).unwrap_or_default()
    }

    pub fn before(&mut self) {
        for asked in &mut self.audits {
            let answers = ask(&asked.endpoint, &asked.asks, self.sessions);
            let pairs = asked.asks.questions.iter().zip(answers);
            asked.audit.answers = pairs
                .map(|(question, answer)| {
                    let (before, unanswered) = told(answer);
                    Answer { name: question.name.clone(), sql: question.sql.clone(), before, after: None, unanswered }
                })
                .collect();
        }
    }

    pub fn after(mut self, counted: &[Counted]) -> Vec<Audit> {
        for asked in &mut self.audits {
            let answers = ask(&asked.endpoint, &asked.asks, self.sessions);
            for (place, answer) in asked.audit.answers.iter_mut().zip(answers) {
                let (after, unanswered) = told(answer);
                place.after = after;
                place.unanswered = place.unanswered.take().or(unanswered);
            }
            // A stage that was not reached counted nothing.
            for user_group in asked.user_groups.iter().filter_map(|number| counted.get(*number)) {
                user_group.facts.iter().for_each(|(name, n)| *asked.audit.facts.entry(name.clone()).or_default() += n);
                asked.audit.uncertain += user_group.uncertain;
            }
        }
        self.audits.into_iter().map(|asked| asked.audit).collect()
    }
}

fn told(answer: Result<i64, String>) -> (Option<i64>, Option<String>) {
    match answer {
        Ok(number) => (Some(number), None),
        Err(why) => (None, Some(why)),
    }
}

/// The answers in the order of the questions, asked side by side.
fn ask(endpoint: &Room, audit: &workload::audit::Audit, sessions: usize) -> Vec<Result<i64, String>> {
    let parts: Vec<(usize, &String)> =
        audit.questions.iter().enumerate().flat_map(|(n, q)| q.sql.iter().map(move |sql| (n, sql))).collect();
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..sessions.min(parts.len()) {
            scope.spawn(|| {
                let mut witness = prepared(endpoint, &audit.setup);
                while let Some((question, sql)) = parts.get(next.fetch_add(1, Relaxed)) {
                    let part = match &mut witness {
                        Ok(Witness::Tables(control)) => number(control, sql),
                        Ok(Witness::Documents(control)) => control.question(sql),
                        Err(why) => Err(why.clone()),
                    };
                    let mut answers = answers.lock().expect("no panic while held");
                    let sum = answers.entry(*question).or_insert(Ok(0));
                    *sum = sum.clone().and_then(|sum: i64| Ok(sum + part?));
                }
            });
        }
    });
    let mut answers = answers.into_inner().expect("no panic while held");
    let answer = |n| answers.remove(&n).unwrap_or_else(|| Err("nothing was asked".into()));
    (0..audit.questions.len()).map(answer).collect()
}

fn prepared(endpoint: &Room, setup: &[String]) -> Result<Witness, String> {
    let told = |e: Fault| e.to_string();
    let mut control = match endpoint {
        Room::Tables(endpoint) => Control::connect_with(endpoint, PATIENCE).map_err(told)?,
        Room::Documents(endpoint) => {
            return documents::Control::connect(endpoint, PATIENCE)
                .map(|control| Witness::Documents(Box::new(control)))
                .map_err(told);
        }
    };
    for sql in setup {
        // A switch that only some servers have.
        let _ = control.rows(sql);
    }
    Ok(Witness::Tables(Box::new(control)))
}

/// A sum over nothing is NULL, and none.
fn number(control: &mut Control, sql: &str) -> Result<i64, String> {
    match control.value(sql).map_err(|e| e.to_string())? {
        None => Ok(0),
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no whole number")),
    }
}
