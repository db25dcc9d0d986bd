//! No wait of the lab is silent: whoever waits for the world says what for and how long at most, and when it has lasted
//! a while a thread of its own says it aloud. Here stands only what is said; each wait keeps its own bound. Not for
//! what a load does per operation, and not for what is shown as it goes on.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Who looks at a screen takes a second for work and begins to wonder in the next.
pub const SAID_AFTER: Duration = Duration::from_secs(2);

type Teller = Box<dyn Fn(&str) + Send>;

struct Waiting {
    since: Instant,
    what: String,
    is_said: bool,
}

#[derive(Default)]
struct Waits {
    next: u64,
    under_way: BTreeMap<u64, Waiting>,
    /// `None` says it on standard error.
    teller: Option<Teller>,
    is_watched: bool,
    /// Nobody waits, or all is said: the watch must be woken for the next.
    is_idle: bool,
}

static WAITS: Mutex<Option<Waits>> = Mutex::new(None);
static NEWS: Condvar = Condvar::new();

fn held() -> MutexGuard<'static, Option<Waits>> {
    let mut waits = WAITS.lock().unwrap_or_else(PoisonError::into_inner);
    waits.get_or_insert_default();
    waits
}

/// From now on it is said so, as by a terminal that shows a bar.
pub fn told_by(teller: impl Fn(&str) + Send + 'static) {
    held().get_or_insert_default().teller = Some(Box::new(teller));
}

/// Does something that waits for `what` at most so long; `work` keeps to the bound.
pub fn during<T>(what: &str, at_most: Duration, work: impl FnOnce() -> T) -> T {
    let _said = Said::begin(what, at_most);
    work()
}

fn shown(bound: Duration) -> String {
    match bound.as_secs() {
        0 => format!("{} ms", bound.as_millis()),
        seconds @ ..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// A wait that is under way as long as this value lives.
pub struct Said(u64);

impl Said {
    pub fn begin(what: &str, at_most: Duration) -> Self {
        let what = format!("waiting for {what}, at most {}", shown(at_most));
        let mut held = held();
        let waits = held.get_or_insert_default();
        let number = waits.next;
        waits.next += 1;
        waits.under_way.insert(number, Waiting { since: Instant::now(), what, is_said: false });
        if !waits.is_watched {
            // A process without room for one more thread waits in silence, and says why when it ends.
            waits.is_watched = std::thread::Builder::new().name("waits".into()).spawn(watch).is_ok();
        } else if waits.is_idle {
            NEWS.notify_one();
        }
        Self(number)
    }
}

impl Drop for Said {
    fn drop(&mut self) {
        held().get_or_insert_default().under_way.remove(&self.0);
    }
}

fn watch() {
    let mut held = held();
    loop {
        let waits = held.get_or_insert_default();
        let (due, next) = waits.look(Instant::now());
        for line in due {
            match &waits.teller {
                Some(tell) => tell(&line),
                None => eprintln!("{line}"),
            }
        }
        waits.is_idle = next.is_none();
        held = match next {
            Some(next) => NEWS.wait_timeout(held, next).unwrap_or_else(PoisonError::into_inner).0,
            None => NEWS.wait(held).unwrap_or_else(PoisonError::into_inner),
        };
    }
}

impl Waits {
    /// What is to be said now, each wait once, and how long until there may be more.
    fn look(&mut self, now: Instant) -> (Vec<String>, Option<Duration>) {
        let (mut due, mut next) = (Vec::new(), None::<Duration>);
        for waiting in self.under_way.values_mut().filter(|waiting| !waiting.is_said) {
            match SAID_AFTER.checked_sub(now.saturating_duration_since(waiting.since)) {
                Some(left) if !left.is_zero() => next = Some(next.map_or(left, |next| next.min(left))),
                Some(_) | None => {
                    waiting.is_said = true;
                    due.push(waiting.what.clone());
                }
            }
        }
        (due, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_once_when_it_has_lasted_a_while() {
        let since = Instant::now();
        let mut waits = Waits::default();
        let what = "waiting for a lock, at most 10 s".to_string();
        waits.under_way.insert(0, Waiting { since, what: what.clone(), is_said: false });
        let at = |millis| since + Duration::from_millis(millis);
        assert_eq!(waits.look(at(500)), (vec![], Some(Duration::from_millis(1500))));
        assert_eq!(waits.look(at(2000)), (vec![what], None));
        assert_eq!(waits.look(at(5000)), (vec![], None), "it is said once");
    }

    #[test]
    fn a_wait_says_its_bound_in_the_unit_of_a_person() {
        let bounds = [300, 10_000, 3_600_000].map(|millis| shown(Duration::from_millis(millis)));
        assert_eq!(bounds, ["300 ms", "10 s", "60 min"]);
    }
}
