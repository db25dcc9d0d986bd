//! One user of a load: how it waits for its turn to connect, sits down on its worker, and leaves. What it speaks is not
//! known here: a driver opens its sessions and lives its life in them. It is asked once per user and is no trait
//! object, so that nothing stands between an operation and its session.

use super::UserGroup;
use super::failure::{self, Cause};
use super::seat::UserSeat;
use super::worker_state::{StateLedger, WorkerState};
use crate::executor::near::Part;
use crate::executor::{Connecting, Handle};
use crate::os::address::Address;
use crate::os::clock;
use model::units::Nanos;
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use workload::Workload;
use workload::life::{Living, Place, ScriptLife};
use workload::session::{Fault, Sessions};
use workload::user::{Memory, Seat};

/// Users of one worker that may be connecting at a time: enough to keep a server busy with handshakes, and below the
/// accept backlog of every server.
const CONNECTING: u32 = 32;

/// How often a user looks for what it cannot compute: that others are connected, and that the run is over.
const GLANCE: Nanos = Nanos::from_millis(1);

/// How often a user looks whether a server that was killed is back.
const KNOCK: Nanos = Nanos::from_millis(10);

/// Waits until a server that is gone is worth another try, and says whether anybody wants one.
pub type Again = Pin<Box<dyn Future<Output = bool>>>;

/// How users come to their sessions, in whichever protocol, and live there.
pub trait Driver: Clone + Send + Sync + 'static {
    /// Opens what this user speaks through, and lives its life in it.
    fn live(&self, user: &User<Self>) -> impl Future<Output = Result<(), Fault>>;

    /// Whether a server answers all users of this workload with a few threads, which have batches to gather. One with a
    /// thread for each session has none: its rate is the same.
    fn has_few_threads(&self, workload: &dyn Workload) -> bool;
}

/// One user's place among those of its worker.
pub struct User<D> {
    pub(super) user_group: Rc<UserGroup<D>>,
    /// Its number in its group.
    pub number: u32,
    /// Its place among all users of its worker.
    pub(super) place: u32,
    pub(super) state: Rc<WorkerState>,
    pub handle: Handle,
    pub(super) connected: Rc<Cell<u32>>,
}

/// What a user's turn goes through, side by side.
struct Seated<S> {
    session: S,
    seat: UserSeat,
}

impl<D: Driver> User<D> {
    pub(super) async fn comes_and_goes(self) {
        while self.place >= self.connected.get() + CONNECTING && !self.state.over.get() {
            // Whoever is far behind looks less often: ten thousand who look each millisecond leave no CPU to connect
            // with.
            let behind = (self.place - self.connected.get()) / CONNECTING;
            self.handle.sleep_until(Nanos(clock::now().0 + GLANCE.0 * u64::from(behind))).await;
        }
        let outcome = self.user_group.access.live(&self).await;
        self.state.course.user_left();
        self.tell(&outcome);
    }

    /// Lives in one session, and leaves it when there is somebody to say goodbye to. What is done once lies in boxes of
    /// its own and is gone afterwards: a user's turn goes through this future, and a thousand users are to be small.
    pub async fn in_session<S>(
        &self,
        opening: Pin<Box<impl Future<Output = Result<S, Fault>>>>,
        life: impl for<'s> FnOnce(Place<'_>, &'s mut S, &'s mut (dyn Seat + 's)) -> Living<'s>,
        leave: impl AsyncFnOnce(S),
    ) -> Result<(), Fault> {
        let opened = opening.await;
        let mut seated = self.seated(opened)?;
        let Seated { session, seat } = &mut *seated;
        let living = life(self.own_place(), session, seat);
        self.handle.touches(Part::Life, Memory::of(&*living));
        let lived = living.await;
        if Box::pin(self.lingered(&lived)).await {
            Box::pin(leave(seated.session)).await;
        }
        lived
    }

    /// Lives with sessions that it opens and closes itself, and does not wait until the server's threads were read.
    pub async fn by_itself<S: Sessions>(
        &self,
        sessions: impl FnOnce() -> S,
        life: &dyn ScriptLife,
    ) -> Result<(), Fault> {
        let (mut sessions, mut seat) = (sessions(), self.seat());
        seat.counts_in(Rc::clone(&self.connected));
        let living = life.user(self.own_place(), &mut sessions, &mut seat);
        self.handle.touches(Part::Life, Memory::of(&*living));
        living.await
    }

    pub fn workload(&self) -> &dyn Workload {
        &*self.user_group.workload
    }

    /// How long each of its answers may take.
    pub fn deadline(&self) -> Nanos {
        self.user_group.deadline
    }

    /// Who counts what its sessions do.
    pub fn ledger(&self) -> StateLedger {
        StateLedger(Rc::clone(&self.state))
    }

    pub fn connecting(&self, address: &Address) -> Box<dyn Fn() -> Connecting> {
        self.handle.connecting(address, self.user_group.deadline)
    }

    /// What becomes of it while the server is gone; `None` where that ends the run.
    pub fn again(&self) -> Option<Box<dyn Fn() -> Again>> {
        self.user_group.outlasts.then(|| {
            let (handle, state) = (self.handle.clone(), Rc::clone(&self.state));
            Box::new(move || -> Again {
                let (handle, state) = (handle.clone(), Rc::clone(&state));
                Box::pin(async move {
                    handle.sleep_until(Nanos(clock::now().0 + KNOCK.0)).await;
                    !state.over.get() && !state.course.stopped()
                })
            }) as Box<dyn Fn() -> Again>
        })
    }

    fn own_place(&self) -> Place<'_> {
        let UserGroup { parameters, seed, users, .. } = &*self.user_group;
        Place { parameters, seed: *seed, number: self.number, users: *users }
    }

    fn seat(&self) -> UserSeat {
        UserSeat::new(Rc::clone(&self.state), self.handle.clone(), &self.user_group, self.number)
    }

    fn seated<S>(&self, opened: Result<S, Fault>) -> Result<Box<Seated<S>>, Fault> {
        if let Err(fault) = &opened {
            let course = &self.state.course;
            course.fail_by(Cause::of(fault), failure::not_let_in(self.number, &self.user_group, course.ready(), fault));
        }
        let seat = self.seat();
        let seated = Box::new(Seated { session: opened?, seat });
        self.handle.touches(Part::Place, Memory::of(&*seated));
        self.connected.set(self.connected.get() + 1);
        Ok(seated)
    }

    /// A user who could not go on ends the run, for the first reason that is told.
    fn tell(&self, lived: &Result<(), Fault>) {
        match lived {
            Ok(()) | Err(Fault::Stopped) => {}
            // After the end a broken conversation is no news: the run is being stopped.
            Err(_) if self.state.over.get() => {}
            Err(fault) => {
                let why = failure::gave_up(self.number, &self.user_group, fault);
                self.state.course.fail_by(Cause::of(fault), why);
            }
        }
    }

    /// Whether there is a session to say goodbye to. What the kernel counted of the server's thread is read while there
    /// is one. Who could not go on says so first: the others may wait for its being ready, and it for the end of the
    /// run.
    async fn lingered(&self, lived: &Result<(), Fault>) -> bool {
        self.tell(lived);
        if lived.as_ref().is_err_and(|fault| !fault.session_survives()) {
            return false;
        }
        while !self.state.course.is_released() {
            self.handle.sleep_until(Nanos(clock::now().0 + GLANCE.0 * u64::from(1 + self.place / CONNECTING))).await;
        }
        true
    }
}
