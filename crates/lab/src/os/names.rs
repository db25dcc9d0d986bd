//! The addresses of a host's name, with a bound: the system's resolver may ask a network that does not answer, and has
//! a patience of its own that no caller can cut. So it is asked in a thread, which is left to end with it where the
//! answer comes too late. What is written as an address asks nobody.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use workload::session::NO_ADDRESS;

/// The system's resolver asks again after 5 s, and who has no answer after the second question seldom gets one.
pub const RESOLVING: Duration = Duration::from_secs(10);

/// How long a worker's users share an answer. A question takes 0.1 ms in its thread, and 0.02 ms without one (measured
/// with a name of the hosts file on a busy machine): much beside a connect, and nothing once a second.
const FRESH: Duration = Duration::from_secs(1);

/// Answers that one worker had lately; a load comes to few hosts.
#[derive(Default)]
pub struct Recent(Vec<(String, u16, Instant, Vec<SocketAddr>)>);

impl Recent {
    /// As `addresses`, asked at most once a second.
    pub fn addresses(&mut self, host: &str, port: u16, patience: Duration) -> io::Result<Vec<SocketAddr>> {
        self.kept_or(host, port, Instant::now(), || addresses(host, port, patience))
    }

    fn kept_or(
        &mut self,
        host: &str,
        port: u16,
        now: Instant,
        ask: impl FnOnce() -> io::Result<Vec<SocketAddr>>,
    ) -> io::Result<Vec<SocketAddr>> {
        self.0.retain(|(_, _, asked, _)| now.saturating_duration_since(*asked) < FRESH);
        if let Some((_, _, _, known)) = self.0.iter().find(|known| known.0 == host && known.1 == port) {
            return Ok(known.clone());
        }
        let found = ask()?;
        self.0.push((host.to_string(), port, now, found.clone()));
        Ok(found)
    }
}

/// All addresses of a host, at least one; a failure names the host.
pub fn addresses(host: &str, port: u16, patience: Duration) -> io::Result<Vec<SocketAddr>> {
    by_name(host, port, patience, |host, port| Ok((host, port).to_socket_addrs()?.collect()))
}

fn by_name(
    host: &str,
    port: u16,
    patience: Duration,
    resolver: impl FnOnce(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + 'static,
) -> io::Result<Vec<SocketAddr>> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let patience = patience.min(RESOLVING);
    let (tell, told) = mpsc::channel();
    let name = host.to_string();
    // Nobody hears an answer that comes too late.
    let ask = move || drop(tell.send(resolver(&name, port)));
    thread::Builder::new().name("resolver".into()).spawn(ask)?;
    let unknown = |why: String| io::Error::other(format!("{NO_ADDRESS}{host}: {why}"));
    match told.recv_timeout(patience) {
        Ok(Ok(addresses)) if addresses.is_empty() => Err(unknown("there is none".into())),
        Ok(answer) => answer.map_err(|e| unknown(e.to_string())),
        Err(RecvTimeoutError::Timeout) => Err(unknown(format!(
            "this system's resolver says nothing for {} s; name the server by its address, or see that the name servers \
             in /etc/resolv.conf answer",
            patience.as_secs_f64()
        ))),
        Err(RecvTimeoutError::Disconnected) => panic!("the resolver's thread died"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn a_resolver_that_never_answers_is_told_with_the_host_and_the_bound() {
        // Held until the end of the test, so that the resolver has not answered when the wait is over.
        let (answer, silent) = mpsc::channel();
        let told = by_name("db.example", 3306, SHORT, move |_, _| silent.recv().map_err(io::Error::other));
        let why = told.unwrap_err().to_string();
        assert!(why.starts_with("no address is known of the host db.example: "), "{why}");
        assert!(why.contains("says nothing for 0.02 s; name the server by its address"), "{why}");
        drop(answer);
    }

    #[test]
    fn an_answer_is_handed_on_as_the_resolver_gave_it() {
        let address: SocketAddr = "192.0.2.7:3306".parse().unwrap();
        let known = by_name("db.example", 3306, RESOLVING, move |_, _| Ok(vec![address]));
        assert_eq!(known.unwrap(), [address]);
        let none = by_name("db.example", 3306, RESOLVING, |_, _| Ok(vec![]));
        assert_eq!(none.unwrap_err().to_string(), "no address is known of the host db.example: there is none");
        let refused = by_name("db.example", 3306, RESOLVING, |_, _| Err(io::Error::other("no such name")));
        assert_eq!(refused.unwrap_err().to_string(), "no address is known of the host db.example: no such name");
    }

    #[test]
    fn users_of_a_worker_share_an_answer_for_a_while_and_no_failure() {
        let (address, begun): (SocketAddr, _) = ("192.0.2.7:3306".parse().unwrap(), Instant::now());
        let mut recent = Recent::default();
        let mut asked = 0;
        let mut ask = |millis, answer: io::Result<Vec<SocketAddr>>| {
            let now = begun + Duration::from_millis(millis);
            let found = recent.kept_or("db.example", 3306, now, || {
                asked += 1;
                answer
            });
            (found.is_ok(), asked)
        };
        assert_eq!(ask(0, Err(io::Error::other("no such name"))), (false, 1));
        assert_eq!(ask(1, Ok(vec![address])), (true, 2));
        assert_eq!(ask(900, Err(io::Error::other("not asked"))), (true, 2));
        assert_eq!(ask(1001, Ok(vec![address])), (true, 3));
    }

    #[test]
    fn an_address_asks_no_resolver() {
        for host in ["127.0.0.1", "::1"] {
            let found = by_name(host, 3306, RESOLVING, |_, _| Err(io::Error::other("it was asked")));
            assert_eq!(found.unwrap(), [SocketAddr::new(host.parse().unwrap(), 3306)]);
        }
    }
}
