//! What a workload wants to know of its data at the ends of phases, as how many orders lie there: read by the sampler's
//! session at marks only, so that a rate of the server's own can be laid beside the client's. Asked before and after
//! the run, too, where laws tie it to what the users counted.

use super::source::{Asker, Available, Occasion, Owner, Reading, Sampler, Source, Turn};
use model::record::series::{Shape, Unit};
use std::cell::RefCell;
use std::rc::Rc;
use workload::audit::Question;

pub(crate) const SAMPLER: Sampler = Sampler { name: "data", turn: Turn::Between, owner: Owner::Host, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(Data::new(available.asker.clone()?, available.questions.clone())))
}

pub(crate) struct Data {
    asker: Rc<RefCell<Asker>>,
    questions: Vec<Question>,
}

impl Data {
    pub(crate) fn new(asker: Rc<RefCell<Asker>>, questions: Vec<Question>) -> Self {
        Self { asker, questions }
    }
}

impl Source for Data {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, occasion: Occasion, reading: &mut Reading) {
        if occasion == Occasion::Second {
            return;
        }
        let mut asker = self.asker.borrow_mut();
        for question in &self.questions {
            let parts: Result<Vec<f64>, String> = question.sql.iter().map(|sql| number(&mut asker, sql)).collect();
            let name = format!("data.{}", question.name);
            match parts {
                Ok(parts) => reading.add(&name, Unit::Count, Shape::Counter, parts.iter().sum()),
                Err(why) => reading.missing(&name, why),
            }
        }
    }
}

fn number(asker: &mut Asker, sql: &str) -> Result<f64, String> {
    let cell = asker.rows(sql)?.into_iter().next().and_then(|row| row.into_iter().next()).flatten();
    cell.and_then(|text| text.parse().ok()).ok_or_else(|| "the answer is no number".into())
}
