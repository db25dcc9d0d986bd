//! What a disturbance has to act with: endpoints into the instance, the data that the run uses, the CPUs of the server,
//! and the bell that ends it. Its statements are counted, because the server counts them, too (check `counts_agree`).

pub mod acting;
pub mod placebo;
pub mod target;
pub mod watched_row;

use crate::os::process::Guard;
use crate::samplers::Process;
use crate::servers::Build;
use crate::servers::process::folders::Folders;
use crate::servers::process::instance::Instance;
use crate::trouble::Trouble;
use model::Disturb;
use model::record::disturbance::Asked;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use target::{Session, Target};
use workload::session::{Answer, Fault};

/// Rings once, when the phase is over or nobody wants the disturbance any more.
#[derive(Clone, Default)]
pub struct Bell(Arc<(Mutex<bool>, Condvar)>);

impl Bell {
    pub fn ring(&self) {
        *self.0.0.lock().expect("no panic while held") = true;
        self.0.1.notify_all();
    }
    pub fn has_rung(&self) -> bool {
        *self.0.0.lock().expect("no panic while held")
    }
    /// Waits at most so long for it; whether it has rung.
    pub fn wait(&self, patience: Duration) -> bool {
        let held = self.0.0.lock().expect("no panic while held");
        *self.0.1.wait_timeout_while(held, patience, |rung| !*rung).expect("no panic while held").0
    }
}

/// Where a disturbance acts; the same for all phases of a run.
#[derive(Clone)]
pub struct Place {
    /// Outside any schema.
    pub target: Arc<dyn Target>,
    /// The schemas of the datasets that the run uses.
    pub schemas: Vec<String>,
    pub engine: String,
    /// CPUs of the server.
    pub cpus: Vec<u32>,
    /// `None` for a server that the lab did not start.
    pub build: Option<Build>,
    /// Likewise, and for a cluster.
    pub instance: Option<Arc<Mutex<Instance>>>,
    /// Its process, which samplers follow.
    pub process: Process,
    pub folders: Folders,
    pub guard: Guard,
}

pub struct Scene {
    pub place: Place,
    pub disturb: Disturb,
    pub bell: Bell,
    asked: Rc<RefCell<Asked>>,
    /// Somebody whom nobody counts asks the server, too.
    pub has_uncounted: RefCell<bool>,
}

/// A session of a disturbance. The server may be asked to give it up by its number.
pub struct Teller {
    session: Box<dyn Session>,
    asked: Rc<RefCell<Asked>>,
    number: String,
}

/// A table of the run's data, with its schema.
pub struct Table {
    pub name: String,
    pub rows: u64,
}

impl Scene {
    pub fn new(place: Place, disturb: Disturb, bell: Bell) -> Self {
        Self { place, disturb, bell, asked: Rc::default(), has_uncounted: RefCell::new(false) }
    }

    pub fn asked(&self) -> Option<Asked> {
        (!*self.has_uncounted.borrow()).then(|| *self.asked.borrow())
    }

    /// What somebody of its own thread asked for this disturbance.
    pub fn asked_more(&self, more: Asked) {
        let mut asked = self.asked.borrow_mut();
        asked.questions += more.questions;
        asked.commits += more.commits;
        asked.rollbacks += more.rollbacks;
        asked.writes += more.writes;
        asked.rows += more.rows;
    }

    /// A parameter that is a number.
    pub fn count(&self, parameter: &str) -> u32 {
        let value = self.disturb.parameters.get(parameter).and_then(model::value::Value::count);
        u32::try_from(value.expect("a plan fills in every parameter")).expect("bounded by the grammar")
    }

    pub fn session(&self) -> Result<Teller, Trouble> {
        let told = |e: Fault| Trouble::new("the server does not let the disturbance in").because(e);
        let session = self.place.target.session().map_err(told)?;
        let mut teller = Teller { session, asked: Rc::clone(&self.asked), number: String::new() };
        teller.number = teller.value(self.place.target.number())?.unwrap_or_default();
        Ok(teller)
    }

    /// The largest table of the run's data.
    pub fn table(&self) -> Result<Table, Trouble> {
        let none = || {
            let mend = "name it beside a workload that has tables";
            Trouble::new(format!("`{}` needs a table, and this run has no data", self.disturb.name)).mend(mend)
        };
        if self.place.schemas.is_empty() {
            return Err(none());
        }
        let sql = self.place.target.largest(&self.place.schemas);
        let mut teller = self.session()?;
        let row = teller.rows(&sql)?.into_iter().next().ok_or_else(none)?;
        teller.quit();
        let mut cells = row.into_iter().flatten();
        let name = cells.next().ok_or_else(none)?;
        Ok(Table { name, rows: cells.next().and_then(|n| n.parse().ok()).unwrap_or_default() })
    }

    /// Does something that ends only when the server is told to give it up, which it is when the scene is over.
    pub fn until_over<T>(&self, teller: &mut Teller, act: impl FnOnce(&mut Teller) -> T) -> T {
        let (bell, target, number) = (self.bell.clone(), &self.place.target, teller.number.clone());
        let done = Bell::default();
        let over = done.clone();
        std::thread::scope(|scope| {
            let killer = scope.spawn(move || {
                while !bell.wait(LOOK) && !over.has_rung() {}
                let mut told = 0_u64;
                // A statement that was about to begin when it was told off is told again.
                while bell.has_rung() && !over.wait(if told == 0 { Duration::ZERO } else { AGAIN }) {
                    if let Ok(mut session) = target.session() {
                        let _ = session.execute(&target.give_up(&number));
                        session.quit();
                        told += 1;
                    }
                }
                told
            });
            let outcome = act(teller);
            done.ring();
            self.asked.borrow_mut().questions += killer.join().expect("it does not panic");
            outcome
        })
    }
}

const LOOK: Duration = Duration::from_millis(20);
const AGAIN: Duration = Duration::from_millis(200);

impl Teller {
    fn count(&self, sql: &str, answer: &Answer) {
        let mut asked = self.asked.borrow_mut();
        asked.questions += 1;
        match sql.split_whitespace().next().unwrap_or_default() {
            "COMMIT" => asked.commits += 1,
            "ROLLBACK" => asked.rollbacks += 1,
            "INSERT" | "UPDATE" | "DELETE" => {
                asked.writes += 1;
                asked.rows += answer.affected;
            }
            _ => {}
        }
    }

    pub fn execute(&mut self, sql: &str) -> Result<Answer, Fault> {
        let answer = self.session.execute(sql);
        self.count(sql, answer.as_ref().unwrap_or(&Answer::default()));
        answer
    }

    /// Several, one after the other.
    pub fn say(&mut self, statements: &[&str]) -> Result<(), Trouble> {
        for sql in statements {
            self.execute(sql).map_err(|e| refused(sql, e))?;
        }
        Ok(())
    }

    pub fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Trouble> {
        let rows = self.session.rows(sql);
        self.asked.borrow_mut().questions += 1;
        rows.map_err(|e| refused(sql, e))
    }

    pub fn value(&mut self, sql: &str) -> Result<Option<String>, Trouble> {
        Ok(self.rows(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    pub fn quit(self) {
        self.session.quit();
    }
}

fn refused(sql: &str, fault: Fault) -> Trouble {
    Trouble::new(format!("the server does not carry out `{sql}` for the disturbance")).because(fault)
}

/// Seconds since then, to three digits, for sentences.
pub fn seconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e3).round() / 1e3
}
