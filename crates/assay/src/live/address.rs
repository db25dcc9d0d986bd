//! Where a lab is watched: loopback, unless the user says otherwise and says the word that others must know. A word
//! that this program made up is printed on the user's own terminal; for other machines it is the user's own, from the
//! environment, so that it stands in no history of a shell.

use clap::Arg;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Where nobody says: any port that is free.
const DEFAULT: &str = "127.0.0.1:0";
/// Where the word for other machines is said.
const TOKEN: &str = "ASSAY_LIVE_TOKEN";
/// Letters of it, at least: what is shorter is guessed.
const SHORTEST: usize = 16;

pub struct Place {
    pub address: SocketAddr,
    /// What the environment says.
    pub token: Option<String>,
}

/// `--live` or `--live=ADDR`.
pub fn argument() -> Arg {
    Arg::new("live")
        .long("live")
        .value_name("ADDR")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value(DEFAULT)
        .help("Show it on a page while it runs: at a free port of this machine, or --live=ADDR")
}

pub fn metrics_argument() -> Arg {
    crate::arguments::option("metrics", "ADDR", "Serve how it goes as OpenMetrics text at ADDR/metrics, as 9464")
}

/// `8080`, `127.0.0.1:8080`, `[::1]:8080`.
pub fn parse(option: &str, text: &str) -> Result<Place, String> {
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    let address = address(text).ok_or_else(|| {
        format!("{option} {text}: it is no address; write a port, or ADDRESS:PORT with an address in numbers, as 127.0.0.1:8080")
    })?;
    let is_word = |token: &str| {
        token.len() >= SHORTEST && token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    match &token {
        Some(token) if !is_word(token) => {
            Err(format!("{TOKEN} is to have at least {SHORTEST} letters, digits, `-` or `_`, and nothing else"))
        }
        None if !address.ip().is_loopback() => Err(format!(
            "{option} {text}: other machines could read it there; set {TOKEN} to a word that its readers are told, or \
             name a port of loopback, as 127.0.0.1:{}",
            address.port()
        )),
        Some(_) | None => Ok(Place { address, token }),
    }
}

fn address(text: &str) -> Option<SocketAddr> {
    let of_port = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    text.parse::<u16>().map(of_port).ok().or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_one_of_loopback_and_other_machines_need_a_word() {
        let shown = |text: &str| address(text).map(|address| address.to_string());
        assert_eq!(shown("8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(shown("[::1]:80").as_deref(), Some("[::1]:80"));
        assert_eq!((shown("here"), shown("70000"), shown("")), (None, None, None));
        assert!(parse("--live", "here").is_err_and(|why| why.contains("is no address")));
    }
}
