//! `assay capture`: real traffic, written down as a trace that can be replayed. One source at a time; the same trace
//! whatever it is. What a source cannot know is said at the end and stands in the trace. Beside it, where data may not
//! leave their house, the statistics that rows can be made of.

use super::Verb;
use crate::arguments::{flag, option, said};
use crate::exit::{self, Exit};
use crate::{interrupt, out};
use clap::{ArgGroup, ArgMatches, Command};
use lab::backends::dsn::{self, PASSWORD};
use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::capture::proxy::{Certificate, Proxy};
use lab::trouble::Trouble;
use model::Nanos;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use trace::mask::SHORTEST_KEY;
use trace::{Closing, Mask, Sieve};

pub const VERB: Verb = Verb { name: "capture", command, run };

/// Where the key of a mask is, if no file is named.
const KEY: &str = "ASSAY_MASK_KEY";

fn command(command: Command) -> Command {
    command
        .about("Write real traffic down as a trace: through a proxy, from a slow log, packets or digests")
        .args([
            option("proxy", "LISTEN", "Listen at HOST:PORT or a socket's path, and pass everything on").requires("to"),
            option("slow-log", "FILE", "A slow log that was written with long_query_time = 0"),
            option("packets", "FILE", "A packet file of traffic in the clear, as tcpdump -w writes it"),
            option(
                "digests",
                "DSN",
                "Only counts: the performance_schema of a server that may not be touched otherwise",
            ),
            option(
                "statistics",
                "DSN",
                "No traffic: the schema and the statistics of a server's tables, from which synthetic rows are made",
            ),
            option(
                "to",
                "DSN",
                "The server behind the proxy: mysql://localhost/?socket=PATH, mysql://host:port/?tls=required",
            )
            .requires("proxy"),
            flag("tls", "Offer TLS to the proxy's clients, by a certificate made for it").requires("proxy"),
            option("tls-cert", "FILE", "Offer it by this certificate (PEM)").requires_all(["proxy", "tls-key"]),
            option("tls-key", "FILE", "The certificate's key (PEM)").requires("tls-cert"),
            option("port", "PORT", "The server's port in the packet file [default: 3306]")
                .value_parser(clap::value_parser!(u16))
                .requires("packets"),
            option("for", "TIME", "How long digests are counted [default: 1m]").requires("digests"),
            option("out", "DIR", "The folder to make").required(true),
            flag("mask", "Replace values by others of the same type and length; needs a key"),
            option("mask-key", "FILE", "The key, at least 16 bytes [default: what ASSAY_MASK_KEY says]")
                .requires("mask"),
        ])
        .group(ArgGroup::new("source").args(["proxy", "slow-log", "packets", "digests", "statistics"]).required(true))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let (out, sieve) = (Path::new(said(matches, "out")), sieve(matches)?);
    let stop = interrupt::flag();
    let failed = |failed| match failed {
        Failed::Request(why) => exit::refused(why),
        Failed::World(trouble) => exit::failed(trouble),
    };
    let text = match matches.get_one::<String>("statistics") {
        Some(dsn) => statistics(dsn, out, &sieve, &stop).map_err(failed)?,
        None => told(out, &capture(matches, out, sieve, &stop).map_err(failed)?),
    };
    out!("{text}");
    Ok(Exit::Valid)
}

fn statistics(dsn: &str, out: &Path, sieve: &Sieve, stop: &AtomicBool) -> Result<String, Failed> {
    let shapes = lab::shapes::survey(&endpoint(dsn)?, out, sieve, stop, &|table| eprintln!("counting {table}"))?;
    let (tables, rows) = (shapes.tables.len(), shapes.tables.iter().map(|table| table.rows).sum::<u64>());
    let mut text = format!("{}: the schema and statistics of {tables} tables of {rows} rows", out.display());
    shapes.notes.iter().for_each(|note| text += &format!("\nnote: {note}"));
    Ok(text)
}

/// Where a server listens, if nobody says.
const PORT: u16 = 3306;
/// Long enough for the rare statements of most applications, short enough to wait for.
const LOOK: Nanos = Nanos::from_secs(60);

fn capture(matches: &ArgMatches, out: &Path, sieve: Sieve, stop: &AtomicBool) -> Result<Closing, Failed> {
    let given = |name: &str| matches.get_one::<String>(name);
    if let Some(log) = given("slow-log") {
        return Ok(lab::capture::slow_log(Path::new(log), out, sieve, stop)?);
    }
    if let Some(file) = given("packets") {
        let port = matches.get_one::<u16>("port").copied().unwrap_or(PORT);
        return Ok(lab::capture::packets(Path::new(file), port, out, sieve, stop)?);
    }
    if let Some(dsn) = given("digests") {
        let look = given("for").map_or(Some(LOOK), |time| Nanos::parse(time));
        let look = look.ok_or_else(|| Failed::Request("--for takes a time with its unit, as 40s or 10m".into()))?;
        return Ok(lab::capture::digests(&endpoint(dsn)?, look, out, &sieve, stop)?);
    }
    let proxy = proxy(matches)?;
    Ok(lab::capture::proxy::proxy(&proxy, out, sieve, stop, |address| {
        eprintln!("listening at {address} for {}; Ctrl-C ends the capture and its sessions", proxy.to.address);
    })?)
}

fn proxy(matches: &ArgMatches) -> Result<Proxy, Failed> {
    let listen = said(matches, "proxy");
    let listen = match listen.rsplit_once(':').map(|(host, port)| (host, port.parse())) {
        _ if listen.contains('/') => Address::Unix(listen.into()),
        Some((host, Ok(port))) => Address::Tcp { host: host.trim_matches(['[', ']']).into(), port },
        Some((_, Err(_))) | None => {
            return Err(Failed::Request(format!("--proxy {listen}: write HOST:PORT, as 127.0.0.1:3307, or /PATH")));
        }
    };
    let file = |name: &str| matches.get_one::<String>(name).map(PathBuf::from);
    let certificate = match (file("tls-cert"), file("tls-key")) {
        (Some(certificate), Some(key)) => Some(Certificate::Files { certificate, key }),
        (None, _) | (_, None) => matches.get_flag("tls").then_some(Certificate::Own),
    };
    Ok(Proxy { listen, to: endpoint(said(matches, "to"))?, certificate })
}

fn endpoint(dsn: &str) -> Result<SqlEndpoint, Failed> {
    if model::dsn::protocol(dsn) != model::Protocol::MySql {
        return Err(Failed::Request(format!("{dsn}: what is captured is MySQL's protocol; write mysql://host:port")));
    }
    let password = std::env::var(PASSWORD).unwrap_or_default();
    dsn::endpoint(dsn, password).map_err(|trouble| Failed::Request(trouble.to_string()))
}

/// Why nothing came of it: the request, or the world.
enum Failed {
    Request(String),
    World(Trouble),
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        Self::World(trouble)
    }
}

fn sieve(matches: &ArgMatches) -> Result<Sieve, Exit> {
    if !matches.get_flag("mask") {
        return Ok(Sieve::default());
    }
    let key = match matches.get_one::<String>("mask-key") {
        Some(file) => std::fs::read(file).map_err(|e| exit::refused(format!("{file} cannot be read: {e}")))?,
        None => std::env::var_os(KEY).map(|key| key.into_encoded_bytes()).unwrap_or_default(),
    };
    let key = key.trim_ascii();
    let long = key.len();
    let mask = Mask::new(key).ok_or_else(|| {
        exit::refused(format!(
            "the key of --mask has {long} bytes, and one of fewer than {SHORTEST_KEY} can be guessed: put a longer \
             one into a file for --mask-key or into {KEY}, as `head -c 32 /dev/urandom | base64` makes it"
        ))
    })?;
    Ok(Sieve::new(Some(mask)))
}

/// What came of it.
fn told(folder: &Path, closing: &Closing) -> String {
    let Closing { statements, sessions, lost, gaps, first, last, notes } = closing;
    let time = Nanos(last.0.saturating_sub(first.0));
    let mut text = format!("{}: {statements} statements of {sessions} sessions in {time}", folder.display());
    if *lost > 0 || *gaps > 0 {
        text += &format!("\n{lost} statements are known to be missing, and {gaps} places may hide more");
    }
    notes.iter().for_each(|note| text += &format!("\nnote: {note}"));
    text
}
