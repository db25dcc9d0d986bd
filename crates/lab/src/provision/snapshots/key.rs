//! The name of a snapshot: a digest of everything that shapes its bytes, and of nothing else, so that instances that
//! differ in memory or in how they flush share one load. The binary counts by its own digest, because a version does
//! not say who compiled it; a generator counts by what it generates, because nobody remembers to raise a number.
//! Settings that are passed as they are (`native`) all count: what they do is not known here.

use crate::backends::loading::LOADER;
use crate::os::digest::digest;
use model::{Server, settings};
use serde_json::json;

/// Raised when folders of snapshots are laid out in another way.
const LAYOUT: u32 = 1;
/// Hexadecimal digits of a name: 64 bits tell a thousand snapshots apart beyond doubt.
const DIGITS: usize = 16;

/// What a build is, for its data.
#[derive(Clone, Copy, Debug)]
pub struct Maker<'a> {
    pub kind: &'a str,
    /// As the binary says it, in full.
    pub version: &'a str,
    pub binary_sha256: &'a str,
}

pub fn key(maker: &Maker, server: &Server, datasets: &[(&str, String)]) -> String {
    let shape = json!({
        "layout": LAYOUT,
        "loader": LOADER,
        "kind": maker.kind,
        "version": maker.version,
        "binary": maker.binary_sha256,
        "server": shape(server),
        "datasets": datasets,
    });
    digest(shape.to_string().as_bytes())[..DIGITS].to_string()
}

/// What of a wanted server shapes the bytes of its data: equal shapes under one binary can share a snapshot.
pub fn shape(server: &Server) -> serde_json::Value {
    let settings: Vec<_> = server.settings.iter().filter(|(name, _)| settings::shapes_bytes(name)).collect();
    json!({ "build": server.build, "engine": server.engine, "settings": settings, "native": server.native })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::value::Value;

    const MAKER: Maker = Maker { kind: "mariadb", version: "10.11.19-MariaDB", binary_sha256: "ab" };

    fn server(settings: &[(&str, i64)]) -> Server {
        let settings = settings.iter().map(|(k, v)| (k.to_string(), Value::Count(*v))).collect();
        Server { build: "distribution".into(), engine: "innodb".into(), settings, ..Server::default() }
    }

    #[test]
    fn what_shapes_no_byte_is_not_in_the_key() {
        let data = [("oltp", "d1".to_string())];
        let of = |settings: &[(&str, i64)]| key(&MAKER, &server(settings), &data);
        let base = of(&[("redo", 1 << 30), ("buffer_pool", 1 << 30)]);
        assert_eq!(base, of(&[("redo", 1 << 30), ("buffer_pool", 1 << 20), ("flush_at_commit", 2)]));
        assert_ne!(base, of(&[("redo", 1 << 29), ("buffer_pool", 1 << 30)]));
    }

    #[test]
    fn another_binary_engine_native_option_or_dataset_is_another_snapshot() {
        let data = [("oltp", "d1".to_string())];
        let (one, base) = (server(&[]), key(&MAKER, &server(&[]), &data));
        let rocksdb = Server { engine: "rocksdb".into(), ..one.clone() };
        let native = Server { native: [("innodb_page_size".to_string(), Value::Count(4096))].into(), ..one.clone() };
        let others = [
            key(&Maker { binary_sha256: "cd", ..MAKER }, &one, &data),
            key(&Maker { version: "10.11.20-MariaDB", ..MAKER }, &one, &data),
            key(&MAKER, &rocksdb, &data),
            key(&MAKER, &native, &data),
            key(&MAKER, &one, &[("oltp", "d2".to_string())]),
            key(&MAKER, &one, &[]),
        ];
        for (n, other) in others.iter().enumerate() {
            assert!(*other != base && !others[..n].contains(other), "{n}");
        }
    }
}
