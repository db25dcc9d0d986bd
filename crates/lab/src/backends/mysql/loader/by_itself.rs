//! Data that a program of its author makes: its pieces run side by side through sessions that they open, and what they
//! left is counted as it lies there. Nobody knows what should: the counts are the record's, and no row is compared.

use super::number;
use crate::backends::alone::{Work, alone};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::interrupting::{DEADLINE, watched};
use crate::backends::loading::{LoadFault, finish_all, world};
use crate::backends::mysql::control::Control;
use crate::backends::own_sessions::ScriptEndpoints;
use model::load::Io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use workload::dataset::{ByItself, Table};
use workload::session::Fault;

/// Makes the data, and says which tables there are then.
pub(crate) fn fill(
    endpoint: &SqlEndpoint,
    data: &dyn ByItself,
    sessions: usize,
    stop: &AtomicBool,
) -> Result<Vec<Table>, LoadFault> {
    let endpoints = ScriptEndpoints { mysql: vec![endpoint.clone()], postgres: Vec::new() };
    let (over, failure) = (AtomicBool::new(false), Mutex::new(None));
    let fail = |fault: LoadFault| {
        failure.lock().expect("no panic while held").get_or_insert(fault);
        over.store(true, Relaxed);
    };
    let workers = data.pieces().min(std::thread::available_parallelism().map_or(1, |n| n.get() as u32));
    let share = |worker: u32| {
        let piece = |number: u32| -> Work<Result<(), Fault>> {
            let making = data.piece(number);
            Box::new(move |sessions| making(sessions))
        };
        let works = (worker..data.pieces()).step_by(workers as usize).map(piece).collect();
        match alone(&endpoints, DEADLINE, Io::Auto, &over, works) {
            Ok(ends) => ends.into_iter().for_each(|end| match end {
                Some(Ok(())) => {}
                Some(Err(fault)) => fail(world(fault)),
                None => fail(LoadFault::Stopped),
            }),
            Err(e) => fail(LoadFault::World(format!("the sessions cannot be driven: {e}"))),
        }
    };
    let look = || {
        if stop.load(Relaxed) {
            over.store(true, Relaxed);
        }
        over.load(Relaxed)
    };
    watched(&|| data.interrupt(), &look, || {
        std::thread::scope(|scope| (0..workers).for_each(|worker| drop(scope.spawn(move || share(worker)))));
    });
    if let Some(fault) = failure.into_inner().expect("no panic while held") {
        return Err(if stop.load(Relaxed) { LoadFault::Stopped } else { fault });
    }
    let mut control = Control::for_load(endpoint).map_err(world)?;
    let tables = lying(&mut control).map_err(world)?;
    control.quit();
    finish_all::<Control>(endpoint, &tables, sessions, stop)?;
    Ok(tables)
}

/// The tables of the schema that the session is in, with the rows that they have.
pub fn lying(control: &mut Control) -> Result<Vec<Table>, Fault> {
    let names = control.rows("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'")?;
    let names: Vec<String> = names.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect();
    let counted = |name: String| -> Result<Table, Fault> {
        let rows = control.value(&format!("SELECT COUNT(*) FROM `{name}`"))?;
        Ok(Table { name, create: String::new(), rows: number(rows), after: Vec::new() })
    };
    names.into_iter().map(counted).collect()
}
