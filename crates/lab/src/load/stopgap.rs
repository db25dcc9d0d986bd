//! stopgap executor so that integration can go on (replaced by executor/)
use crate::clock;
use crate::sessions::address::Address;
use model::load::Io;
use model::units::Nanos;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use std::cell::{Cell, RefCell};
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

type Task = Pin<Box<dyn Future<Output = ()>>>;
struct Inner { ep: OwnedFd, current: Cell<u64>, ready: RefCell<Vec<u64>>, timers: RefCell<BinaryHeap<std::cmp::Reverse<(u64, u64)>>>, spawned: RefCell<Vec<Task>> }
#[derive(Clone)]
pub struct Handle(Rc<Inner>);
pub struct Executor { inner: Rc<Inner>, tasks: Vec<Option<Task>> }
#[derive(Clone)]
pub struct Gate(Rc<Inner>, Rc<RefCell<Vec<u64>>>, Rc<Cell<u64>>, Rc<RefCell<std::collections::HashMap<u64,u64>>>);
impl Gate {
    pub fn poll_pass(&self, _cx: &mut Context<'_>) -> Poll<()> {
        let me = self.0.current.get();
        let mut seen = self.3.borrow_mut();
        match seen.get(&me) { Some(e) if *e < self.2.get() => { seen.remove(&me); Poll::Ready(()) } Some(_) => { self.1.borrow_mut().push(me); Poll::Pending } None => { seen.insert(me, self.2.get()); self.1.borrow_mut().push(me); Poll::Pending } }
    }
    pub fn open(&self) { self.2.set(self.2.get() + 1); self.0.ready.borrow_mut().append(&mut self.1.borrow_mut()); }
}
impl Executor {
    pub fn new(_io: Io) -> io::Result<Self> {
        Ok(Self { inner: Rc::new(Inner { ep: epoll::create(CreateFlags::CLOEXEC)?, current: Cell::new(0), ready: RefCell::default(), timers: RefCell::default(), spawned: RefCell::default() }), tasks: Vec::new() })
    }
    pub fn io(&self) -> &'static str { "epoll" }
    pub fn handle(&self) -> Handle { Handle(Rc::clone(&self.inner)) }
    pub fn run(&mut self, stopped: impl Fn() -> bool) -> io::Result<()> {
        let mut events = Vec::with_capacity(256);
        loop {
            for t in self.inner.spawned.borrow_mut().drain(..) { self.inner.ready.borrow_mut().push(self.tasks.len() as u64); self.tasks.push(Some(t)); }
            let ready = std::mem::take(&mut *self.inner.ready.borrow_mut());
            for n in ready { self.poll(n); }
            if !self.inner.spawned.borrow().is_empty() || !self.inner.ready.borrow().is_empty() { continue }
            if self.tasks.iter().all(Option::is_none) { return Ok(()) }
            if stopped() { self.tasks.clear(); return Ok(()) }
            let now = clock::now().0;
            let next = self.inner.timers.borrow().peek().map_or(20_000_000, |t| t.0.0.saturating_sub(now).min(20_000_000));
            let ts = rustix::time::Timespec { tv_sec: 0, tv_nsec: next as i64 };
            match epoll::wait(&self.inner.ep, rustix::buffer::spare_capacity(&mut events), Some(&ts)) { Err(rustix::io::Errno::INTR) => {} r => { r?; for e in events.iter() { let n = e.data.u64(); self.poll(n) } } }
            events.clear();
            let now = clock::now().0;
            loop { let due = { let mut t = self.inner.timers.borrow_mut(); match t.peek() { Some(x) if x.0.0 <= now => t.pop().map(|x| x.0.1), _ => None } }; match due { Some(n) => self.poll(n), None => break } }
        }
    }
    fn poll(&mut self, n: u64) {
        self.inner.current.set(n);
        let Some(slot) = self.tasks.get_mut(n as usize) else { return };
        if let Some(task) = slot { if task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() { *slot = None } }
    }
}
impl Handle {
    pub fn gate(&self) -> Gate { Gate(Rc::clone(&self.0), Rc::default(), Rc::default(), Rc::default()) }
    pub fn spawn(&self, t: Task) { self.0.spawned.borrow_mut().push(t) }
    pub async fn sleep_until(&self, at: Nanos) {
        let mut armed = false;
        poll_fn(|_| { if clock::now() >= at { return Poll::Ready(()) } if !armed { armed = true; self.0.timers.borrow_mut().push(std::cmp::Reverse((at.0, self.0.current.get()))) } Poll::Pending }).await
    }
    pub async fn connect(&self, address: &Address, _deadline: Nanos) -> io::Result<Line> {
        let fd: OwnedFd = match address { Address::Unix(p) => std::os::unix::net::UnixStream::connect(p)?.into(), Address::Tcp { host, port } => { let s = std::net::TcpStream::connect((host.as_str(), *port))?; s.set_nodelay(true)?; s.into() } };
        rustix::io::ioctl_fionbio(&fd, true)?;
        epoll::add(&self.0.ep, &fd, EventData::new_u64(self.0.current.get()), EventFlags::IN)?;
        Ok(Line { fd, out: Vec::new(), inc: vec![0; 4096], from: 0, to: 0, sent: 0 })
    }
}
pub struct Line { fd: OwnedFd, out: Vec<u8>, inc: Vec<u8>, from: usize, to: usize, sent: usize }
impl Line {
    pub fn blocking(fd: OwnedFd) -> Self { Line { fd, out: Vec::new(), inc: vec![0; 4096], from: 0, to: 0, sent: 0 } }
    pub fn outgoing(&mut self) -> &mut Vec<u8> { &mut self.out }
    pub fn incoming(&self) -> &[u8] { &self.inc[self.from..self.to] }
    pub fn consume(&mut self, n: usize) { self.from += n; if self.from == self.to { self.from = 0; self.to = 0 } }
    pub fn poll_exchange(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        while self.sent < self.out.len() {
            match rustix::net::send(self.fd.as_fd(), &self.out[self.sent..], rustix::net::SendFlags::NOSIGNAL) { Ok(n) => self.sent += n, Err(rustix::io::Errno::INTR) => {}, Err(e) => return Poll::Ready(Err(e.into())) }
        }
        match self.poll_receive(cx) { Poll::Ready(r) => { self.out.clear(); self.sent = 0; Poll::Ready(r) } Poll::Pending => Poll::Pending }
    }
    pub fn poll_receive(&mut self, _cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.to == self.inc.len() { if self.from > 0 { self.inc.copy_within(self.from..self.to, 0); self.to -= self.from; self.from = 0 } else { let n = self.inc.len() * 2; self.inc.resize(n, 0) } }
        loop { match rustix::net::recv(self.fd.as_fd(), &mut self.inc[self.to..], rustix::net::RecvFlags::empty()) { Ok((0, _)) => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())), Ok((n, _)) => { self.to += n; return Poll::Ready(Ok(n)) } Err(rustix::io::Errno::INTR) => {}, Err(rustix::io::Errno::AGAIN) => return Poll::Pending, Err(e) => return Poll::Ready(Err(e.into())) } }
    }
    pub async fn exchange(&mut self) -> io::Result<usize> { poll_fn(|cx| self.poll_exchange(cx)).await }
    pub async fn receive(&mut self) -> io::Result<usize> { poll_fn(|cx| self.poll_receive(cx)).await }
}
pub fn block_on<F: Future>(f: F) -> F::Output { let mut f = std::pin::pin!(f); loop { if let Poll::Ready(r) = f.as_mut().poll(&mut Context::from_waker(Waker::noop())) { return r } } }
