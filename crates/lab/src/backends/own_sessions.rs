//! Sessions that their user opens and closes itself, as scripts do: by number, through the endpoints of a driver in
//! turn. A user of this kind waits for one thing at a time, so one opening, one closing and one sleep are kept.

use super::endpoint::{Address, SqlEndpoint};
use super::mysql::session as mysql;
use super::opening::Opening;
use super::postgres::session as postgres;
use crate::executor::near::Part;
use crate::executor::{Handle, Sleep};
use crate::load::ledger::Ledger;
use crate::load::user::{Driver, User};
use crate::os::clock;
use model::units::Nanos;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use workload::life::ScriptLife;
use workload::session::{Fact, Fault, Sessions, Sql};
use workload::user::Memory;

type Coming<T> = Pin<Box<dyn Future<Output = T>>>;

/// Where sessions of each driver may be opened.
#[derive(Clone, Debug, Default)]
pub struct ScriptEndpoints {
    /// Taken by new sessions in turn, as the others are.
    pub mysql: Vec<SqlEndpoint>,
    pub postgres: Vec<SqlEndpoint>,
}

/// The same, with the way to each.
pub struct Openings {
    mysql: Vec<Rc<Opening>>,
    postgres: Vec<Rc<Opening>>,
}

/// A user of a load who opens its sessions itself.
pub(crate) fn live<D: Driver>(
    user: &User<D>,
    endpoints: &ScriptEndpoints,
    life: &dyn ScriptLife,
) -> impl Future<Output = Result<(), Fault>> {
    let openings = Rc::new(Openings::new(endpoints, &user.handle, user.deadline()));
    let sessions = || AtLarge::new(openings, user.number, user.ledger(), user.handle.clone());
    user.by_itself(sessions, life)
}

enum Either<L: Ledger> {
    MySql(Box<mysql::Session<L>>),
    Postgres(Box<postgres::Session<L>>),
}

impl<L: Ledger> Either<L> {
    fn memory(&self) -> Memory {
        match self {
            Self::MySql(session) => Memory::of(&**session),
            Self::Postgres(session) => Memory::of(&**session),
        }
    }
}

pub struct AtLarge<L: Ledger + Clone + 'static> {
    openings: Rc<Openings>,
    /// The endpoint of the next session.
    next: usize,
    ledger: L,
    handle: Handle,
    sessions: Vec<Option<Either<L>>>,
    opening: Option<Coming<Result<Either<L>, Fault>>>,
    closing: Option<Coming<()>>,
    sleep: Option<Sleep>,
}

impl Openings {
    pub fn new(endpoints: &ScriptEndpoints, handle: &Handle, deadline: Nanos) -> Self {
        let opening = |endpoint: &SqlEndpoint| {
            let connect = handle.connecting(&endpoint.address, deadline);
            Rc::new(Opening { endpoint: endpoint.clone(), connect, setup: Vec::new(), again: None })
        };
        Self {
            mysql: endpoints.mysql.iter().map(opening).collect(),
            postgres: endpoints.postgres.iter().map(opening).collect(),
        }
    }

    /// The `n`th opening of that driver, the first again after the last.
    fn nth(&self, driver: &str, n: usize) -> Option<&Rc<Opening>> {
        let openings = if driver == "mysql" { &self.mysql } else { &self.postgres };
        openings.get(n % openings.len().max(1))
    }
}

impl<L: Ledger + Clone + 'static> AtLarge<L> {
    /// The first session of user `number` is behind the endpoint of that number.
    pub fn new(openings: Rc<Openings>, number: u32, ledger: L, handle: Handle) -> Self {
        let next = number as usize;
        Self { openings, next, ledger, handle, sessions: Vec::new(), opening: None, closing: None, sleep: None }
    }
}

impl<L: Ledger + Clone + 'static> Sessions for AtLarge<L> {
    fn start_open(&mut self, driver: &str) {
        let Some(opening) = self.openings.nth(driver, self.next).cloned() else {
            let why = format!("no endpoint of {driver} is known here");
            self.opening = Some(Box::pin(async move { Err(Fault::Unopened(why)) }));
            return;
        };
        self.next += 1;
        let (is_mysql, ledger) = (driver == "mysql", self.ledger.clone());
        self.opening = Some(Box::pin(async move {
            Ok(match is_mysql {
                true => Either::MySql(Box::new(mysql::Session::open(opening, ledger).await?)),
                false => Either::Postgres(Box::new(postgres::Session::open(opening, ledger).await?)),
            })
        }));
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
            self.handle.touches(Part::Place, session.memory());
            self.sessions[at] = Some(session);
            at
        }))
    }

    #[inline]
    fn at(&mut self, session: usize) -> &mut (dyn Sql + '_) {
        match self.sessions[session].as_mut().expect("a session is used before it is closed") {
            Either::MySql(session) => &mut **session,
            Either::Postgres(session) => &mut **session,
        }
    }

    fn start_close(&mut self, session: usize) {
        let session = self.sessions[session].take().expect("a session is closed once");
        self.closing = Some(match session {
            Either::MySql(session) => Box::pin(session.quit()),
            Either::Postgres(session) => Box::pin(session.quit()),
        });
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let closing = self.closing.as_mut().expect("a closing was begun");
        if closing.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.closing = None;
        Poll::Ready(())
    }

    fn place(&self, driver: &str) -> String {
        let last = self.openings.nth(driver, self.next + self.openings.mysql.len().max(1) - 1);
        match last.map(|opening| &opening.endpoint.address) {
            Some(Address::Unix(path)) => format!("socket '{}'", path.display()),
            Some(Address::Tcp { host, port }) => format!("host '{host}', port {port}"),
            None => "no host".into(),
        }
    }

    fn schema(&self, driver: &str) -> Option<&str> {
        self.openings.nth(driver, self.next)?.endpoint.schema.as_deref()
    }

    fn start_sleep(&mut self, time: Nanos) {
        self.sleep = Some(match time {
            Nanos(0) => self.handle.give_way(),
            time => self.handle.sleep_until(Nanos(clock::now().0.saturating_add(time.0))),
        });
    }

    fn poll_sleep(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let sleep = self.sleep.as_mut().expect("a sleep was begun");
        if Pin::new(sleep).poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.sleep = None;
        Poll::Ready(())
    }

    fn look(&mut self) -> Nanos {
        self.handle.look();
        self.handle.moment()
    }

    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
    }
}
