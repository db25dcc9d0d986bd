//! What a server of this family is, as it says itself, and what is known of one because the lab started it.

use super::control::Control;
use crate::backends::described::{self, blank};
use crate::servers::process::instance::Instance;
use model::host::InstalledBuild;
use model::plan::Server;
use model::plan::served::kind_said;
use model::record::answer::InstanceRecord;
use std::collections::BTreeMap;
use workload::session::Fault;

/// What the server says of itself.
pub(crate) fn describe(key: &str, wanted: &Server, control: &mut Control) -> Result<InstanceRecord, Fault> {
    let pairs = |rows: Vec<Vec<Option<String>>>| -> BTreeMap<String, String> {
        rows.into_iter()
            .filter_map(|mut r| match (r.first_mut()?.take(), r.get_mut(1)?.take()) {
                (Some(name), value) => Some((name, value.unwrap_or_default())),
                (None, _) => None,
            })
            .collect()
    };
    let variables = pairs(control.rows("SHOW GLOBAL VARIABLES")?);
    let version_text = control.value("SELECT VERSION()")?.unwrap_or_default();
    let engines = control
        .rows("SHOW ENGINES")?
        .into_iter()
        .filter(|r| r.get(1).and_then(Option::as_deref).is_some_and(|s| s == "YES" || s == "DEFAULT"))
        .filter_map(|mut r| r[0].take())
        .collect();
    let version_comment = variables.get("version_comment").cloned().unwrap_or_default();
    let kind = kind_said(&format!("{} {version_comment}", control.version()));
    Ok(InstanceRecord { version_comment, variables, engines, ..blank(key, wanted, kind, &version_text) })
}

/// Names that servers give themselves with each data directory, and clusters with each start; they say nothing.
const UUIDS: &[&str] =
    &["server_uuid", "wsrep_start_position", "handlersocket_plain_secret", "handlersocket_plain_secret_wr"];

/// The same with what is known of a server because the lab started it.
pub(crate) fn of_ours(
    asked: InstanceRecord,
    build: &InstalledBuild,
    instance: &Instance,
    port: Option<u16>,
) -> InstanceRecord {
    let port = port.map(|port| port.to_string()).unwrap_or_default();
    let at_home = |text: &str| at_home(text, instance);
    let option_file =
        at_home(&instance.description().option_file).replace(&format!("\nport={port}\n"), "\nport={port}\n");
    let variable = |name: &str, value: &str| match (name, value == port) {
        ("port" | "report_port", true) => "{port}".to_string(),
        _ => at_home(value),
    };
    InstanceRecord {
        kind: build.kind.clone(),
        option_file,
        variables: asked
            .variables
            .iter()
            .filter(|(name, _)| !UUIDS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), variable(name, value)))
            .collect(),
        ..described::of_ours(asked, build, instance)
    }
}

/// Its folders and its ports are new at every start; what else differs between two starts is worth a note.
pub(super) fn at_home(text: &str, instance: &Instance) -> String {
    let room = instance.socket().parent().expect("a socket lies in a folder");
    let (data, run) = (instance.folder().to_string_lossy(), room.to_string_lossy());
    let text = hide_ports(text.replace(&*data, "{data}").replace(&*run, "{run}"), instance);
    instance.gates().iter().zip(1..).fold(text, |text, (gates, number)| gates.hidden_in(&text, number))
}

/// Ports of key endpoint are new at every start, too.
fn hide_ports(text: String, instance: &Instance) -> String {
    let ports = instance.key_listener().and_then(|key_addresses| key_addresses.ports).unwrap_or_default();
    ports.iter().filter(|port| **port != 0).fold(text, |text, port| hide_number(&text, &port.to_string()))
}

/// Wherever it stands as a number, and is no part of a longer one.
fn hide_number(text: &str, number: &str) -> String {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (mut hidden, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(number) {
        let (before, after) = (&rest[..at], &rest[at + number.len()..]);
        let is_part = is_digit(before.chars().last().or(hidden.chars().last())) || is_digit(after.chars().next());
        hidden = hidden + before + if is_part { number } else { "{endpoint}" };
        rest = after;
    }
    hidden + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_hidden_where_it_is_a_number_of_its_own() {
        for (text, hidden) in [
            ("44073", "{endpoint}"),
            ("-p 44073 -l ::1:44073", "-p {endpoint} -l ::1:{endpoint}"),
            ("18446744073709547520", "18446744073709547520"),
            ("4407344073", "4407344073"),
            ("440730", "440730"),
            ("", ""),
        ] {
            assert_eq!(hide_number(text, "44073"), hidden, "{text}");
        }
    }
}
