//! Several ranks as one load, within one process: they do as many operations as one would, ask for the same rows, and
//! what they timed is merged to the last bucket; who falls silent ends the load by its name.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::execution::ranks::{Led, RankPlace};
use lab::executor::{Handle, Sleep};
use lab::follow;
use lab::load::beside::{Own, deal};
use lab::load::failure::Cause;
use lab::load::follower::Follower;
use lab::load::leader::{Leader, Seen};
use lab::load::ledger::{Ledger, Opened};
use lab::load::user::{Driver, User};
use lab::load::worker_state::StateLedger;
use lab::load::{self, Outcome, Witness, drive_beside};
use lab::os::clock;
use lab::ranks::hello::Hello;
use lab::ranks::message::Message;
use lab::ranks::peers::Peers;
use lab::ranks::within::Within;
use lab::ranks::{Port, Ranks};
use lab::servers::sham::Sham;
use model::load::{Io, Phase, PhaseKind, Until};
use model::{Histogram, Nanos, Seed, Tally};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll};
use workload::life::Life;
use workload::rows::{Cell, KeptRows};
use workload::session::key_value::KeyValue;
use workload::session::{Answer, Class, Fact, Fault, Want};
use workload::{Workload, Workloads, kv::value};

/// Keys in the order in which each user asked.
type Asked = Arc<Mutex<BTreeMap<u32, Vec<u64>>>>;

/// Users whose answers are there at once, and take as long as their key says.
#[derive(Clone)]
struct Canned(Asked);

struct Session {
    number: u32,
    asked: Asked,
    ledger: StateLedger,
    handle: Handle,
    waits: Option<Sleep>,
    batch: Vec<(Class, u64)>,
    kept: KeptRows,
}

fn service(key: u64) -> Nanos {
    Nanos(10_000 + key * 997)
}

impl Driver for Canned {
    async fn live(&self, user: &User<Self>) -> Result<(), Fault> {
        let Life::KeyValue(life) = user.workload().life() else { panic!("it asks by key") };
        let session = Session {
            number: user.number,
            asked: Arc::clone(&self.0),
            ledger: user.ledger(),
            handle: user.handle.clone(),
            waits: None,
            batch: Vec::new(),
            kept: KeptRows::default(),
        };
        session.ledger.connected(Nanos(1_000), Opened::ByWish);
        user.in_session(
            Box::pin(async move { Ok(session) }),
            |place, session, seat| life.user(place, session, seat),
            async |session| drop(session),
        )
        .await
    }
    fn has_few_threads(&self, _: &dyn Workload) -> bool {
        false
    }
}

impl KeyValue for Session {
    fn get(&mut self, class: Class, keys: &[u64], want: Want) {
        let mut asked = self.asked.lock().unwrap();
        asked.entry(self.number).or_default().extend(keys);
        self.batch.extend(keys.iter().map(|key| (class, *key)));
        for key in keys.iter().filter(|_| want == Want::Keep) {
            let mut text = Vec::new();
            value::write(&mut text, *key, value::LOADED, 119);
            self.kept.push(Cell::UInt(*key));
            self.kept.push(Cell::Bytes(&text));
        }
    }
    fn set(&mut self, _: Class, _: u64, _: &[u8]) {
        panic!("it only reads");
    }
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        let handle = &self.handle;
        if Pin::new(self.waits.get_or_insert_with(|| handle.give_way())).poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.waits = None;
        let rows = self.batch.len() as u64;
        for (class, key) in self.batch.drain(..) {
            let answer = Answer { rows: 1, ..Answer::default() };
            self.ledger.asked();
            self.ledger.answered(class, &answer, 119, service(key));
        }
        Poll::Ready(Ok(Answer { rows, ..Answer::default() }))
    }
    fn kept(&self) -> &KeptRows {
        &self.kept
    }
    fn unexpected(&mut self, class: Class, _: u64) {
        self.ledger.unexpected(class);
    }
    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
        self.kept.clear(2);
    }
    fn start_reconnect(&mut self) {}
    fn poll_reconnect(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }
}

/// Sums by phase.
#[derive(Default)]
struct Sums(BTreeMap<usize, Tally>);

impl Witness for Sums {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, phase: usize, _: Nanos, _: Nanos, tally: Tally) {
        self.0.entry(phase).or_default().merge(&tally);
    }
    fn progress(&mut self, _: f64) {}
}

fn phase(name: &str, until: Until) -> Phase {
    Phase::new(name, PhaseKind::Measure, until)
}

const USERS: u32 = 7;
const COUNTS: [u64; 2] = [1_000, 777];

fn reads(asked: &Asked, workers: u32) -> load::LoadPlan<Canned> {
    let workload = Workloads::built_in().by_name("kv.memcached").unwrap();
    let own = [("keys".to_string(), 5_000.into()), ("value_bytes".to_string(), 119.into())];
    let parameters = Arc::new(workload.words().defaults().into_iter().chain(own).collect());
    let asking = load::UserGroup::asking(workload, parameters, Canned(Arc::clone(asked)));
    load::LoadPlan {
        user_groups: vec![load::UserGroup { seed: Seed(42), users: USERS, ..asking }],
        io: Io::Auto,
        phases: vec![phase("first", Until::Count(COUNTS[0])), phase("then", Until::Count(COUNTS[1]))],
        workers,
        cpus: Vec::new(),
    }
}

/// What so many ranks with a worker each, or one process alone, do and ask.
fn driven(ranks: u32) -> (Outcome, Sums, BTreeMap<u32, Vec<u64>>) {
    let (asked, stop, mut sums) = (Asked::default(), AtomicBool::new(false), Sums::default());
    let plan = reads(&asked, ranks);
    let dealt = deal(&vec![1; ranks as usize], plan.workers());
    let seen = |workers: &Vec<u32>| Seen::new(plan.users_on(workers), workers.clone(), Vec::new(), Default::default());
    let seen: Vec<Seen> = dealt.iter().map(seen).collect();
    let mut all = Within::together(ranks);
    let (first, begin) = (all.remove(0), Barrier::new(ranks as usize));
    let outcome = std::thread::scope(|scope| {
        for (rank, own) in all.into_iter().zip(&dealt[1..]) {
            let (plan, stop, begin) = (&plan, &stop, &begin);
            scope.spawn(move || {
                let port = Port::new(Box::new(rank));
                port.send(0, &Message::Hello(Box::default()));
                begin.wait();
                let own = Own { workers: own.clone(), share: (port.rank(), ranks) };
                let mut follower = Follower::new(&port, own, plan.phases.len());
                drive_beside(plan, None, stop, &mut Sums::default(), Some(&mut follower)).unwrap();
                port.send(0, &Message::Ended(Box::default()));
            });
        }
        let mut peers = Peers::gather(Box::new(first), Hello::default()).unwrap();
        let mut leader = Leader::new(&mut peers, &plan.phases, seen);
        begin.wait();
        drive_beside(&plan, None, &stop, &mut sums, Some(&mut leader)).unwrap()
    });
    assert_eq!(outcome.failure, None);
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    (outcome, sums, asked)
}

#[test]
fn three_ranks_do_what_one_does_and_nothing_is_lost_or_rounded_between_them() {
    let [(_, _, alone), (_, _, together)] = [1, 3].map(|ranks| {
        let (outcome, sums, asked) = driven(ranks);
        let whole = &outcome.whole;
        assert_eq!(whole.done(), COUNTS.iter().sum::<u64>(), "a count is exact over {ranks} ranks");
        // An operation that ends in the instant between the count and its cut may be noted one phase late, never lost.
        let first = sums.0[&0].done();
        assert!(first <= COUNTS[0] && first + u64::from(USERS) >= COUNTS[0], "{first} over {ranks} ranks");
        assert_eq!(asked.len() as u32, USERS);
        let mut expected = Histogram::default();
        asked.values().flatten().for_each(|key| expected.record(service(*key)));
        let measured = &whole.statements["get"].service;
        assert_eq!(measured.buckets().collect::<Vec<_>>(), expected.buckets().collect::<Vec<_>>());
        (outcome, sums, asked)
    });
    for (user, keys) in &alone {
        let both = keys.len().min(together[user].len());
        assert!(both > 50, "user {user} had {} and {} turns", keys.len(), together[user].len());
        assert_eq!(keys[..both], together[user][..both], "user {user} asks for other rows where there are ranks");
    }
}

/// The noop workload against a sham, by orders, as `assay run` drives it; `last` is what the last rank does.
fn by_orders(until: Until, last: fn(&Port, &AtomicBool)) -> (Outcome, Sums) {
    const RANKS: u32 = 3;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let _sham = Sham::start(&socket, &[]).unwrap();
    let workload = Workloads::built_in().by_name("noop").unwrap();
    let asking = UserGroup::asking(workload, Arc::default(), Access::to(SqlEndpoint::root(socket)));
    let plan = LoadPlan {
        user_groups: vec![UserGroup { users: 8, ..asking }],
        io: Io::Auto,
        phases: vec![phase("measure", until)],
        workers: RANKS,
        cpus: Vec::new(),
    };
    let (stop, mut sums, mut all) = (AtomicBool::new(false), Sums::default(), Within::together(RANKS));
    let first = all.remove(0);
    let outcome = std::thread::scope(|scope| {
        let stop = &stop;
        for rank in all {
            let does = if rank.rank() + 1 == RANKS { last } else { follows };
            scope.spawn(move || does(&Port::new(Box::new(rank)), stop));
        }
        let mut peers = Peers::gather(Box::new(first), Hello { host: "here".into(), ..Hello::default() }).unwrap();
        let places = vec![RankPlace { room: 1, cpus: Vec::new() }; RANKS as usize];
        let outcome = Led::new(&mut peers, places).drive(&plan, None, stop, &mut sums).unwrap();
        peers.end();
        stop.store(true, SeqCst);
        outcome
    });
    (outcome, sums)
}

fn follows(port: &Port, stop: &AtomicBool) {
    follow(port, Hello { host: "there".into(), ..Hello::default() }, |_| Ok(Workloads::built_in()), stop).unwrap();
}

#[test]
fn what_ranks_are_told_they_do_and_say_what_their_part_came_to() {
    let (outcome, sums) = by_orders(Until::Count(900), follows);
    assert_eq!((outcome.failure.clone(), outcome.whole.done()), (None, 900));
    assert_eq!(sums.0[&0].done(), 900);
    let ranks = &outcome.ranks;
    assert_eq!(ranks.iter().map(|rank| (rank.rank, rank.users)).collect::<Vec<_>>(), [(0, 3), (1, 3), (2, 2)]);
    let done: Vec<u64> = ranks.iter().map(|rank| rank.latency.count()).collect();
    // Each has as many turns as users: 112 rounds of eight, and the first four places of another.
    assert_eq!(done, [338, 337, 225]);
    for rank in &ranks[1..] {
        let clock = rank.clock.unwrap();
        // Threads of one process have one clock.
        assert!(clock.ahead_before_ns.unsigned_abs() <= clock.within_before.0, "{clock:?}");
        assert!(rank.worker_cpu > Nanos(0) && rank.lived >= rank.worker_cpu, "{rank:?}");
    }
}

#[test]
fn a_rank_that_falls_silent_ends_the_load_by_its_name() {
    let (outcome, sums) = by_orders(Until::Time(Nanos::from_secs(3_600)), |port, stop| {
        // It takes its order, lets its users in and is never heard of again.
        let mut says = vec![Message::Ready, Message::Hello(Box::default())];
        while !stop.load(SeqCst) {
            match port.receive() {
                None if says.len() == 2 => port.send(0, &says.pop().unwrap()),
                Some((_, Message::Ping(number))) => port.send(0, &Message::Pong(number, clock::now())),
                Some((_, Message::Order(_))) => says.pop().iter().for_each(|ready| port.send(0, ready)),
                Some(_) | None => std::thread::yield_now(),
            }
        }
    });
    let failure = outcome.failure.unwrap();
    assert!(failure.starts_with("rank 2 on  (process 0) has not been heard of for 5 s"), "{failure}");
    assert_eq!(outcome.cause, Cause::Lost);
    assert!(sums.0[&0].done() > 0, "what the others counted is kept");
    assert_eq!(outcome.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [0, 1], "the last has no last word");
}
