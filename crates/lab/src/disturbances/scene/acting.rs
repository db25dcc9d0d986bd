//! Disturbances while they act: one thread each, begun with its phase and rung out at its end. The thread that conducts
//! the load never waits for one; what one is still clearing away is waited for when the run is over, before the last
//! counters are read. Whoever drops this rings them out.

use super::{Bell, Place, Scene};
use crate::disturbances::{Deed, by_name};
use crate::os::clock;
use crate::trouble::Trouble;
use model::record::disturbance::Asked;
use model::{Disturb, DisturbanceRecord, Nanos};
use std::thread::JoinHandle;

pub struct Acting {
    place: Place,
    under_way: Vec<Act>,
}

struct Act {
    phase: usize,
    what: String,
    bell: Bell,
    began: Nanos,
    /// Taken when it is joined.
    thread: Option<JoinHandle<Done>>,
}

struct Done {
    deed: Result<Deed, Trouble>,
    asked: Option<Asked>,
    ended: Nanos,
}

/// One that is over, on the lab's clock.
pub struct Over {
    /// The phase that it belonged to.
    pub phase: usize,
    pub record: DisturbanceRecord,
    /// It could not act at all, or not until it was told to end.
    pub trouble: Option<String>,
}

impl Acting {
    pub fn new(place: Place) -> Self {
        Self { place, under_way: Vec::new() }
    }

    pub fn begin(&mut self, phase: usize, disturb: &Disturb) {
        let disturbance = by_name(&disturb.name).expect("a plan names only known disturbances");
        let (place, bell, own) = (self.place.clone(), Bell::default(), disturb.clone());
        let theirs = bell.clone();
        let act = move || {
            let scene = Scene::new(place, own, theirs);
            let deed = (disturbance.act)(&scene);
            Done { deed, asked: scene.asked(), ended: clock::now() }
        };
        let thread = std::thread::Builder::new().name("disturbance".into()).spawn(act);
        let thread = Some(thread.expect("a machine that runs a load has room for one more thread"));
        self.under_way.push(Act { phase, what: disturb.to_string(), bell, began: clock::now(), thread });
    }

    /// The phase is over.
    pub fn end(&self, phase: usize) {
        self.under_way.iter().filter(|act| act.phase == phase).for_each(|act| act.bell.ring());
    }

    /// Those that are over by now.
    pub fn over(&mut self) -> Vec<Over> {
        let is_over = |act: &Act| act.thread.as_ref().is_none_or(JoinHandle::is_finished);
        self.under_way.extract_if(.., |act| is_over(act)).map(Act::over).collect()
    }

    /// Rings all of them out and waits.
    pub fn finish(&mut self) -> Vec<Over> {
        self.under_way.iter().for_each(|act| act.bell.ring());
        self.under_way.drain(..).map(Act::over).collect()
    }
}

impl Act {
    fn over(mut self) -> Over {
        let thread = self.thread.take().expect("joined once");
        let Done { deed, asked, ended } = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (deed, trouble) = match deed {
            Ok(deed) => (deed, None),
            Err(trouble) => (Deed::default(), Some(trouble.to_string())),
        };
        let sentence = trouble.as_ref().map_or(deed.sentence, |why| format!("It could not act: {why}."));
        let record = DisturbanceRecord {
            what: std::mem::take(&mut self.what),
            began: self.began,
            ended,
            sentence,
            facts: deed.facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
            failed: trouble.clone().or(deed.failed),
            asked,
        };
        Over { phase: self.phase, record, trouble }
    }
}

impl Drop for Act {
    fn drop(&mut self) {
        self.bell.ring();
        if let Some(thread) = self.thread.take() {
            // Whoever gives up the run has a reason of its own.
            let _ = thread.join();
        }
    }
}
