//! Work with sessions outside of any load: what a script's commands do before and after a run. Each piece of work is a
//! task of its own on the calling thread's executor, so that pieces wait side by side; nothing is measured.

use super::own_sessions::{AtLarge, Openings, ScriptEndpoints};
use crate::executor::Executor;
use model::Nanos;
use model::load::Io;
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use workload::session::Sessions;

/// A piece of work, given its sessions.
pub type Work<T> = Box<dyn for<'a> FnOnce(&'a mut (dyn Sessions + 'a)) -> Working<'a, T>>;
pub type Working<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Does all of it on this thread; `None` for what a stop cut off.
pub fn alone<T: 'static>(
    endpoints: &ScriptEndpoints,
    deadline: Nanos,
    io: Io,
    stop: &AtomicBool,
    works: Vec<Work<T>>,
) -> std::io::Result<Vec<Option<T>>> {
    let mut executor = Executor::new(io)?;
    let handle = executor.handle();
    let done: Rc<RefCell<Vec<Option<T>>>> = Rc::new(RefCell::new(works.iter().map(|_| None).collect()));
    let openings = Rc::new(Openings::new(endpoints, &handle, deadline));
    for (number, work) in works.into_iter().enumerate() {
        let mut sessions = AtLarge::new(Rc::clone(&openings), number as u32, (), handle.clone());
        let done = Rc::clone(&done);
        handle.spawn(Box::pin(async move {
            let value = work(&mut sessions).await;
            done.borrow_mut()[number] = Some(value);
        }));
    }
    executor.run(|| stop.load(Relaxed))?;
    drop(executor);
    Ok(std::mem::take(&mut *done.borrow_mut()))
}
