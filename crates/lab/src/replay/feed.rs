//! The statements of a script on their way from the disk to the sessions that ask them: one thread reads ahead of the
//! replay, so that no session waits for a disk, and no further than so far, so that memory is bounded.

use super::script::Script;
use crate::trouble::Trouble;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::Scope;
use trace::Statement;

/// So many statements lie ready at most: 13 s of 5,000 a second. What a statement waits for began before it, and so
/// lies before it here: sessions that are ahead of others wait, and none for ever.
pub const AHEAD: usize = 1 << 16;
/// Handed over together, so that waking the other thread costs a statement nothing; so many such chunks wait beside
/// what lies ready, as much as is asked while the disk is slow once.
const TOGETHER: usize = 256;
const CHUNKS: usize = 16;

/// A statement, its number and that of its session.
type Numbered = (u32, usize, Statement);
type Chunk = Result<Vec<Numbered>, Trouble>;

pub struct Feed {
    from: Receiver<Chunk>,
    /// By session.
    ready: Vec<RefCell<VecDeque<(usize, Statement)>>>,
    many: Cell<usize>,
    is_over: Cell<bool>,
}

impl Feed {
    /// Begins to read. The thread ends with the script, or with the feed.
    pub fn begin<'s>(script: &'s Script, scope: &'s Scope<'s, '_>) -> Self {
        let (to, from) = sync_channel(CHUNKS);
        std::thread::Builder::new()
            .name("trace".into())
            .spawn_scoped(scope, move || read(script, &to))
            .expect("a thread can be begun");
        let ready = script.sessions.iter().map(|_| RefCell::default()).collect();
        Self { from, ready, many: Cell::new(0), is_over: Cell::new(false) }
    }

    /// The next statement of a session, if it lies ready.
    pub fn next(&self, session: usize) -> Option<(usize, Statement)> {
        let next = self.ready[session].borrow_mut().pop_front();
        self.many.set(self.many.get() - usize::from(next.is_some()));
        next
    }

    /// All of the script is here, or was.
    pub fn is_over(&self) -> bool {
        self.is_over.get()
    }

    pub fn is_full(&self) -> bool {
        self.many.get() >= AHEAD
    }

    /// Takes what was read meanwhile, up to `AHEAD`; the sessions that have something new are told to `fed`. Whether
    /// there may be more.
    pub fn take(&self, mut fed: impl FnMut(usize)) -> Result<bool, Trouble> {
        while self.many.get() < AHEAD && !self.is_over.get() {
            match self.from.try_recv() {
                Ok(chunk) => self.lay(chunk?, &mut fed),
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => self.is_over.set(true),
            }
        }
        Ok(!self.is_over.get())
    }

    /// The same, and waits until it is as far ahead as it may be.
    pub fn fill(&self, mut fed: impl FnMut(usize)) -> Result<(), Trouble> {
        while self.many.get() < AHEAD
            && let Ok(chunk) = self.from.recv()
        {
            self.lay(chunk?, &mut fed);
        }
        Ok(())
    }

    fn lay(&self, chunk: Vec<Numbered>, fed: &mut impl FnMut(usize)) {
        self.many.set(self.many.get() + chunk.len());
        for (session, at, statement) in chunk {
            self.ready[session as usize].borrow_mut().push_back((at, statement));
            fed(session as usize);
        }
    }
}

fn read(script: &Script, to: &SyncSender<Chunk>) {
    let all = match script.statements() {
        Ok(all) => all,
        Err(trouble) => return drop(to.send(Err(trouble))),
    };
    let mut chunk = Vec::with_capacity(TOGETHER);
    for (at, item) in all.enumerate() {
        match item {
            Ok((session, statement)) => chunk.push((session, at, statement)),
            Err(trouble) => return drop(to.send(Err(trouble))),
        }
        // Nobody takes more once the replay has ended.
        if chunk.len() == TOGETHER && to.send(Ok(std::mem::take(&mut chunk))).is_err() {
            return;
        }
    }
    let _ = to.send(Ok(chunk));
}
