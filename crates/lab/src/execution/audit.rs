//! Asks the data what their workload wants to know of them, before the users come and after they left, outside of
//! everything that is measured. What cannot be answered is noted with the reason and leaves its laws open; it never
//! ends a run.

use crate::backends::access::{LoadPlan, UserGroup};
use crate::backends::needs::{identity, key};
use crate::backends::{Backend, of_work};
use crate::load::Counted;
use model::plan::Stage;
use model::plan::served::sql_of;
use model::record::audit::{Answer, Audit};
use model::{Protocol, Server};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use workload::Workloads;
use workload::audit::Question;

/// The questions of a run, by dataset.
pub(crate) struct Auditor {
    audits: Vec<Asked>,
    sessions: usize,
}

struct Asked {
    /// Who come to the data, and what speaks their protocol.
    users: UserGroup,
    backend: &'static dyn Backend,
    asks: workload::audit::Audit,
    user_groups: Vec<usize>,
    audit: Audit,
}

impl Auditor {
    /// What the groups of a run want to know, each question of a dataset once.
    pub fn of(
        workloads: &Workloads,
        instance: &str,
        server: &Server,
        stages: &[(Stage, LoadPlan)],
        sessions: usize,
    ) -> Self {
        let mut audits: Vec<Asked> = Vec::new();
        let user_groups = stages.iter().flat_map(|(_, load_plan)| &load_plan.user_groups);
        let groups = stages.iter().flat_map(|(stage, _)| &stage.groups);
        for (number, (user_group, group)) in user_groups.zip(groups).enumerate() {
            let dialect = sql_of(server).unwrap_or(Protocol::MySql);
            let asks = user_group.workload.audit_in(dialect, &user_group.parameters);
            let disclosures = user_group.workload.disclosures(&user_group.parameters);
            if asks.questions.is_empty() && asks.laws.is_empty() && disclosures.is_empty() {
                continue;
            }
            let dataset = key(instance, &identity(workloads, &group.work, &server.engine).0);
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
                    let (users, backend) = (user_group.clone(), of_work(workloads, &group.work, server));
                    audits.push(Asked { users, backend, asks, user_groups: vec![number], audit });
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
            let answers = ask(asked, self.sessions);
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
            let answers = ask(asked, self.sessions);
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
fn ask(asked: &Asked, sessions: usize) -> Vec<Result<i64, String>> {
    let audit = &asked.asks;
    let parts: Vec<(usize, &String)> =
        audit.questions.iter().enumerate().flat_map(|(n, q)| q.sql.iter().map(move |sql| (n, sql))).collect();
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..sessions.min(parts.len()) {
            scope.spawn(|| {
                let mut witness = asked.backend.witness(&asked.users, &audit.setup);
                while let Some((question, sql)) = parts.get(next.fetch_add(1, Relaxed)) {
                    let part = match &mut witness {
                        Ok(witness) => witness.number(sql),
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
