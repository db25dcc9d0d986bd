//! Sessions that their user opens and closes itself, as scripts do: by number, through the doors of a driver in turn. A user
//! of this kind waits for one thing at a time, so one opening, one closing and one sleep are kept.

use super::address::{Address, Door};
use super::mysql::{Connecting, Ledger, Opening, Session};
use crate::clock;
use crate::load::executor::{Handle, Sleep};
use model::units::Nanos;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use workload::session::{Fact, Fault, Sessions, Sql};

type Coming<T> = Pin<Box<dyn Future<Output = T>>>;

pub struct AtLarge<L: Ledger + Clone + 'static> {
    openings: Vec<Rc<Opening>>,
    /// The door of the next session.
    next: usize,
    ledger: L,
    handle: Handle,
    sessions: Vec<Option<Box<Session<L>>>>,
    opening: Option<Coming<Result<Session<L>, Fault>>>,
    closing: Option<Coming<()>>,
    sleep: Option<Sleep>,
}

/// How to come in by each of these doors.
pub fn openings<'a>(doors: impl Iterator<Item = &'a Door>, handle: &Handle, deadline: Nanos) -> Vec<Rc<Opening>> {
    let opening = |door: &Door| {
        let (handle, address) = (handle.clone(), door.address.clone());
        let connect = Box::new(move || -> Connecting {
            let (handle, address) = (handle.clone(), address.clone());
            Box::pin(async move { handle.connect(&address, deadline).await })
        });
        Rc::new(Opening { door: door.clone(), connect, setup: Vec::new(), again: None })
    };
    doors.map(opening).collect()
}

impl<L: Ledger + Clone + 'static> AtLarge<L> {
    /// The first session of user `number` is behind the door of that number.
    pub fn new(openings: Vec<Rc<Opening>>, number: u32, ledger: L, handle: Handle) -> Self {
        let next = number as usize;
        Self { openings, next, ledger, handle, sessions: Vec::new(), opening: None, closing: None, sleep: None }
    }
}

impl<L: Ledger + Clone + 'static> Sessions for AtLarge<L> {
    fn start_open(&mut self, driver: &str) {
        let Some(opening) =
            (driver == "mysql").then(|| self.openings.get(self.next % self.openings.len().max(1))).flatten()
        else {
            let why = format!("no door of {driver} is known here");
            self.opening = Some(Box::pin(async move { Err(Fault::Unopened(why)) }));
            return;
        };
        self.next += 1;
        self.opening = Some(Box::pin(Session::open(Rc::clone(opening), self.ledger.clone())));
    }

    fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<Result<usize, Fault>> {
        let opening = self.opening.as_mut().expect("an opening was begun");
        let Poll::Ready(opened) = opening.as_mut().poll(cx) else { return Poll::Pending };
        self.opening = None;
        Poll::Ready(opened.map(|session| {
            let at = self.sessions.iter().position(Option::is_none).unwrap_or(self.sessions.len());
            if at == self.sessions.len() {
                self.sessions.push(None);
            }
            self.sessions[at] = Some(Box::new(session));
            at
        }))
    }

    #[inline]
    fn at(&mut self, session: usize) -> &mut (dyn Sql + '_) {
        &mut **self.sessions[session].as_mut().expect("a session is used before it is closed")
    }

    fn start_close(&mut self, session: usize) {
        let session = self.sessions[session].take().expect("a session is closed once");
        self.closing = Some(Box::pin(session.quit()));
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let closing = self.closing.as_mut().expect("a closing was begun");
        if closing.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.closing = None;
        Poll::Ready(())
    }

    fn place(&self, _driver: &str) -> String {
        let doors = self.openings.len().max(1);
        match self.openings.get((self.next + doors - 1) % doors).map(|opening| &opening.door.address) {
            Some(Address::Unix(path)) => format!("socket '{}'", path.display()),
            Some(Address::Tcp { host, port }) => format!("host '{host}', port {port}"),
            None => "no host".into(),
        }
    }

    fn start_sleep(&mut self, time: Nanos) {
        self.sleep = Some(self.handle.sleep_until(Nanos(clock::now().0.saturating_add(time.0))));
    }

    fn poll_sleep(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let sleep = self.sleep.as_mut().expect("a sleep was begun");
        if Pin::new(sleep).poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.sleep = None;
        Poll::Ready(())
    }

    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
    }
}
