//! The command that measures a record's question again, as a reader may paste it into a shell: the file, the scale, and
//! what was set beside the file, without which it would be another question.

use model::plan::Plan;

/// What `--on` sets, and says shorter.
const SERVERS: [&str; 2] = ["server.build", "server.on"];

pub fn command(plan: &Plan) -> String {
    let scale = plan.scale.iter().map(|scale| format!(" --scale {}", quoted(scale)));
    let sets = plan.sets.iter().map(|set| match on(set) {
        Some(server) => format!(" --on {}", quoted(server)),
        None => format!(" --set {}", quoted(set)),
    });
    format!("assay run {}{}", quoted(&format!("{}.toml", plan.name)), scale.chain(sets).collect::<String>())
}

/// The build or DSN, where it stands between quotes and needs them for nothing.
fn on(set: &str) -> Option<&str> {
    let (key, value) = set.split_once('=')?;
    let server = value.strip_prefix('"')?.strip_suffix('"')?;
    (SERVERS.contains(&key) && !server.contains(['"', '\\'])).then_some(server)
}

/// A word of a shell: between quotes, unless nothing in it means anything there.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_each_word_as_it_was() {
        assert_eq!(quoted("load.measure=20s"), "load.measure=20s");
        assert_eq!(quoted("axes.users=[1, 8]"), "'axes.users=[1, 8]'");
        assert_eq!(quoted("question=\"it's\""), r#"'question="it'\''s"'"#);
    }

    #[test]
    fn a_server_is_named_as_on_does() {
        assert_eq!(on("server.build=\"mariadb-10.11\""), Some("mariadb-10.11"));
        assert_eq!(on("server.on=\"mysql://root@localhost/?socket=/a\""), Some("mysql://root@localhost/?socket=/a"));
        assert_eq!((on("load.users=8"), on("server.engine=\"rocksdb\"")), (None, None));
    }
}
