//! PostgreSQL as a kind: `initdb` and `postgres`, an option file in the words of the lab, a socket in the private
//! folder. It refuses to run as root: there it runs in a user namespace where root has another number, or, where none
//! can be had (in a chroot, in some containers), as nobody, who may write into root's folders. Whoever reaches the
//! socket is trusted, because the folder lets in nobody else; it listens on loopback only where users are to come so,
//! and asks them for a password.

use super::super::session::control::Control;
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::mysql::facts::written;
use crate::os::ports::LOOPBACK;
use crate::servers::process::certificates;
use crate::servers::{Build, Description, Kind, Listens, Site, Step};
use crate::trouble::Trouble;
use model::plan::Server;
use model::plan::served::{HEAP, POSTGRESQL, USUAL_ENGINE};
use model::value::Value;
use std::path::Path;
use std::time::Duration;

pub struct Postgres;

/// The database that every data directory has, for what is asked outside of datasets.
pub(crate) const HOME: &str = "postgres";
/// The account that `initdb` is told to make.
const ACCOUNT: &str = "root";
/// Part of the socket's name. Its folder is its own, so that no other is needed where nobody comes by TCP.
const PORT: u16 = 5432;
/// A server that is there lets the lab in within that.
const PATIENCE: Duration = Duration::from_secs(10);

/// Is root no more, by either way. Whose the data directory is depends on the way, and a copy of it may have come by
/// the other. Nobody passes root's folders by capabilities, and is told to die with the guard: a change of the account
/// makes the kernel forget that.
const NOT_AS_ROOT: &str = "if unshare --user true 2>/dev/null; then chown -R 0:0 \"$1\" && shift && \
     exec unshare --user --map-user=1000 --map-group=1000 --ipc -- \"$@\"; fi; \
     chown -R 65534:65534 \"$1\" && shift && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
     --inh-caps=+dac_override,+fowner,+chown --ambient-caps=+dac_override,+fowner,+chown --pdeathsig=KILL -- \"$@\"";

/// Lists at its end what a server has in its buffers, and reads it when it starts: a server on a copy of loaded data
/// begins as warm as the one that loaded them. In between it writes nothing.
const PREWARM: &str = "pg_prewarm.so";
const WARM: [&str; 2] = ["shared_preload_libraries = 'pg_prewarm'", "pg_prewarm.autoprewarm_interval = 0"];

/// What the lab decides itself; an experiment that moved these would leave the private folder.
const OURS: &[&str] = &[
    "config_file",
    "data_directory",
    "dynamic_shared_memory_type",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "listen_addresses",
    "log_destination",
    "logging_collector",
    "port",
    "unix_socket_directories",
    "unix_socket_permissions",
];

/// The lab's own way into the instance behind that socket.
pub(crate) fn endpoint(socket: &Path) -> SqlEndpoint {
    SqlEndpoint {
        address: Address::Unix(socket.to_path_buf()),
        user: ACCOUNT.into(),
        password: String::new(),
        schema: Some(HOME.into()),
        tls: None,
    }
}

impl Kind for Postgres {
    fn name(&self) -> &'static str {
        POSTGRESQL
    }

    fn socket(&self, tcp: Option<u16>) -> String {
        format!(".s.PGSQL.{}", tcp.unwrap_or(PORT))
    }

    /// Sessions are ended and a checkpoint is written. Told by SIGTERM it waits for its sessions to leave.
    fn ends_by_interrupt(&self) -> bool {
        true
    }

    fn check(&self, _: &Build, wanted: &Server) -> Result<(), Trouble> {
        if ![HEAP, USUAL_ENGINE].contains(&wanted.engine.as_str()) {
            let what = format!("PostgreSQL has no storage engine {}", wanted.engine);
            return Err(Trouble::new(what).mend(format!("leave the engine out, or write {HEAP}")));
        }
        for (name, value) in &wanted.native {
            if OURS.contains(&name.as_str()) {
                let what = format!("native.{name} is the lab's own: a private server stays in its folder");
                return Err(Trouble::new(what));
            }
            if name.contains(['\n', '=', ' ']) || written(value).contains(['\n', '\'']) {
                return Err(Trouble::new(format!("native.{name} does not fit on one line of an option file")));
            }
        }
        Ok(())
    }

    fn listens_past_sql(&self, _: &Server) -> Option<Listens> {
        None
    }

    fn serves(&self, site: &Site) -> bool {
        Control::connect(&endpoint(site.socket), PATIENCE).map(Control::quit).is_ok()
    }

    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description {
        let data = site.data().display().to_string();
        let (lines, not_applicable) = translated(wanted);
        let mut option_file = private(site);
        if certificates::wanted(wanted) {
            option_file.extend(encrypting(site));
        }
        if build.has_plugin(PREWARM) {
            option_file.extend(WARM.iter().map(ToString::to_string));
        }
        option_file.extend(lines);
        if !wanted.native.is_empty() {
            option_file.push("# native: as the experiment has it".into());
        }
        option_file.extend(wanted.native.iter().map(|(name, value)| format!("{name} = '{}'", written(value))));
        let options = format!("config_file={}", site.option_file().display());
        let start = [build.installed.binary.clone(), "-D".into(), data.clone(), "-c".into(), options];
        Description {
            option_file: option_file.join("\n") + "\n",
            folders: Vec::new(),
            initialise: vec![Step {
                command: owned(site, &data, initdb(build, &data, wanted)),
                head: String::new(),
                files: Vec::new(),
                tail: String::new(),
            }],
            start: owned(site, &data, start.to_vec()),
            not_applicable,
        }
    }
}

/// The command as an account that PostgreSQL runs under.
fn owned(site: &Site, data: &str, command: Vec<String>) -> Vec<String> {
    if !site.as_root {
        return command;
    }
    ["sh", "-c", NOT_AS_ROOT, "sh", data].map(String::from).into_iter().chain(command).collect()
}

/// Nothing of it is synced: what is kept of a data directory is synced when it is kept. The locale is one that every
/// Linux has, so that a text compares alike on each.
fn initdb(build: &Build, data: &str, wanted: &Server) -> Vec<String> {
    /// From here on checksums are there unless they are declined.
    const CHECKED: u32 = 18;
    let program = Path::new(&build.installed.binary).with_file_name("initdb").display().to_string();
    let fixed = [
        "-D",
        data,
        "-U",
        ACCOUNT,
        "--auth-local=trust",
        "--auth-host=scram-sha-256",
        "-E",
        "UTF8",
        "--locale=C.UTF-8",
        "--no-sync",
    ];
    let checksums = match wanted.settings.get("checksums").and_then(Value::text) {
        Some("none") if build.installed.version.0 >= CHECKED => Some("--no-data-checksums"),
        Some("none") | None => None,
        Some(_) => Some("--data-checksums"),
    };
    std::iter::once(program).chain(fixed.into_iter().chain(checksums).map(String::from)).collect()
}

/// Folders, socket, and nobody from outside. Memory that processes share beside the buffers lies in the data directory,
/// where it goes with the folder whatever kills the server.
fn private(site: &Site) -> Vec<String> {
    let room = site.socket.parent().expect("a socket lies in a folder");
    let lines = [
        format!("listen_addresses = '{}'", if site.tcp.is_some() { LOOPBACK } else { "" }),
        format!("port = {}", site.tcp.unwrap_or(PORT)),
        format!("unix_socket_directories = '{}'", room.display()),
        "unix_socket_permissions = 0700".into(),
        "dynamic_shared_memory_type = mmap".into(),
        "logging_collector = off".into(),
        "log_line_prefix = '%m [%p] '".into(),
        "log_checkpoints = on".into(),
    ];
    lines.to_vec()
}

/// What it shows to whoever wants TLS.
fn encrypting(site: &Site) -> Vec<String> {
    let folder = site.certificates();
    let file = |(name, file): (&str, &str)| format!("{name} = '{}'", folder.join(file).display());
    let files = [("ssl_cert_file", certificates::CERTIFICATE), ("ssl_key_file", certificates::KEY)];
    std::iter::once("ssl = on".to_string()).chain(files.map(file)).collect()
}

/// The option lines of all settings, and those that PostgreSQL has no use for.
fn translated(wanted: &Server) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut not_applicable) = (Vec::new(), Vec::new());
    for (word, value) in &wanted.settings {
        match line(word, value) {
            Ok(line) => lines.extend(line),
            Err(why) => not_applicable.push(format!("{word} = {value}: {why}")),
        }
    }
    (lines, not_applicable)
}

/// A server with less does not start.
const LEAST_LOG_MIB: i64 = 32;

/// A word of the lab as a line; none where nothing is to be set, and why where nothing can.
fn line(word: &str, value: &Value) -> Result<Option<String>, &'static str> {
    let count = value.count().unwrap_or(0);
    let is_on = value.flag() == Some(true);
    let switch = |name: &str| Ok(Some(format!("{name} = {}", if is_on { "on" } else { "off" })));
    // Where off is all that there is.
    let only_off = |why: &'static str| if is_on { Err(why) } else { Ok(None) };
    match word {
        "buffer_pool" => Ok(Some(format!("shared_buffers = {}kB", count >> 10))),
        "redo" if count >> 20 < LEAST_LOG_MIB => Err("its log has two segments of 16 MiB at the least"),
        "redo" => Ok(Some(format!("max_wal_size = {}MB", count >> 20))),
        "flush_at_commit" => match count {
            0 => Ok(Some("synchronous_commit = off".into())),
            1 => Ok(Some("synchronous_commit = on".into())),
            _ => Err("a commit of PostgreSQL is on the disk, or left to the writer of the log"),
        },
        "doublewrite" => switch("full_page_writes"),
        "huge_pages" => switch("huge_pages"),
        "performance_schema" => switch("track_io_timing"),
        "max_connections" => Ok(Some(format!("max_connections = {count}"))),
        // `initdb` is told of it.
        "checksums" => Ok(None),
        "direct_io" => only_off("PostgreSQL reads and writes through the page cache"),
        "binlog" => only_off("the log that PostgreSQL has is the one that it recovers from"),
        "query_cache" => only_off("PostgreSQL keeps no results"),
        "adaptive_hash_index" => only_off("PostgreSQL has no such index"),
        "change_buffer" => only_off("PostgreSQL changes its indexes at once"),
        // Certificates and lines of their own.
        "tls" => Ok(None),
        // Nothing limits them.
        "prepared_statement_limit" => Ok(None),
        "io_capacity" => Err("a checkpoint is spread over its time, not held to a rate"),
        _ => Err("of other servers"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::golden::{described, durable, wanting};
    use model::host::Version;

    #[test]
    fn a_private_server_is_a_folder_an_option_file_and_two_commands() {
        for version in [Version(15, 18, 0), Version(18, 1, 0)] {
            insta::assert_snapshot!(format!("durable-{version}"), described(&Postgres, version, &durable(HEAP)));
        }
    }

    #[test]
    fn what_it_lacks_is_told_and_native_comes_last() {
        let settings = [
            ("flush_at_commit", 2.into()),
            ("checksums", "none".into()),
            ("doublewrite", false.into()),
            ("huge_pages", true.into()),
            ("query_cache", true.into()),
            ("memtable", 1.into()),
        ];
        let native = [("work_mem", Value::Text("64MB".into())), ("jit", Value::Flag(false))];
        insta::assert_snapshot!("lacking", described(&Postgres, Version(18, 1, 0), &wanting(HEAP, &settings, &native)));
    }

    #[test]
    fn what_would_leave_the_private_folder_is_refused() {
        let build = Build {
            installed: model::InstalledBuild {
                name: "b".into(),
                kind: POSTGRESQL.into(),
                version: Version(15, 18, 0),
                binary: "/b/postgres".into(),
                basedir: "/b".into(),
                engines: vec![HEAP.into()],
            },
            launcher: Vec::new(),
            share: "/s".into(),
            plugins: None,
        };
        let refused = |wanted: &Server| Postgres.check(&build, wanted).unwrap_err().to_string();
        let native = |name: &'static str, value: &'static str| wanting(HEAP, &[], &[(name, Value::Text(value.into()))]);
        assert!(refused(&native("port", "1")).starts_with("native.port is the lab's own"));
        assert!(refused(&native("work_mem", "1'\n")).contains("one line"));
        assert!(refused(&wanting("rocksdb", &[], &[])).starts_with("PostgreSQL has no storage engine rocksdb"));
    }
}
