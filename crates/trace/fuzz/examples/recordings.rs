//! Writes what is recorded as files into the folder that it is given, in the form of every target: the corpus that
//! `scripts/fuzz` starts from.

#[path = "../../../wire/tests/recorded/mod.rs"]
mod recorded;

use etherparse::PacketBuilder;
use model::Nanos;
use recorded::{Exchange, FILES, Turn, exchanges};
use trace::conversation::Conversation;
use trace::{Item, SessionId, Writer};

const LOGS: [&[u8]; 4] = [
    include_bytes!("../../tests/logs/mariadb-10.11.log"),
    include_bytes!("../../tests/logs/mysql-8.0.log"),
    include_bytes!("../../tests/logs/mysql-extra.log"),
    include_bytes!("../../tests/logs/percona-8.0.log"),
];
const STATEMENTS: [&str; 4] = [
    "SELECT /* c */ a, 'it''s', 0x1F, -1.5e3 FROM `t` WHERE b IN (1, 2, 3) AND c LIKE 'ab%' LIMIT 10, 20 -- end",
    "INSERT INTO t (a, b) VALUES (1, 'x'), (2, _utf8mb4'y' COLLATE utf8mb4_bin) ON DUPLICATE KEY UPDATE a = a + 1",
    "CREATE USER 'u'@'%' IDENTIFIED WITH caching_sha2_password BY 'secret' REQUIRE SSL",
    "/*!50000 SET */ @a := DATE '2024-02-29', SESSION sql_mode = \"ANSI_QUOTES\"; CALL p(?, X'00', NULL)",
];

/// Its turns, from the beginning of a connection on.
fn sides(exchange: &Exchange) -> impl Iterator<Item = (bool, &[u8])> {
    exchange.turns.iter().map(|turn| match turn {
        Turn::Client(bytes) => (true, &bytes[..]),
        Turn::Server(bytes) => (false, &bytes[..]),
    })
}

fn conversation(exchanges: &[Exchange]) -> Vec<u8> {
    let mut out = vec![0];
    for (is_clients, bytes) in exchanges.iter().flat_map(sides) {
        for piece in bytes.chunks(0x3FFF) {
            let [low, high] = (piece.len() as u16).to_le_bytes();
            out.extend([u8::from(is_clients) | high << 2, low]);
            out.extend_from_slice(piece);
        }
    }
    out
}

/// Raw IP packets in a file of the classic form.
fn packets(exchanges: &[Exchange]) -> Vec<u8> {
    let mut file = Vec::new();
    let heads = [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, 65_535, 101];
    heads.iter().for_each(|n| file.extend_from_slice(&n.to_le_bytes()));
    let mut sequence = [1_u32, 1];
    for (at, (is_clients, bytes)) in exchanges.iter().flat_map(sides).enumerate() {
        let (own, other) = if is_clients { (0, 1) } else { (1, 0) };
        let (from, to) = if is_clients { (50_000, 3306) } else { (3306, 50_000) };
        let builder = PacketBuilder::ipv4([10, 0, 0, own as u8], [10, 0, 0, other as u8], 64);
        let mut packet = Vec::new();
        builder.tcp(from, to, sequence[own], 65_535).ack(sequence[other]).write(&mut packet, bytes).expect("it fits");
        sequence[own] += bytes.len() as u32;
        let long = packet.len() as u32;
        [1_709_208_001, at as u32, long, long].iter().for_each(|n| file.extend_from_slice(&n.to_le_bytes()));
        file.extend(packet);
    }
    file
}

/// The inside of the block that holds what was heard.
fn block(exchanges: &[Exchange]) -> Vec<u8> {
    let (mut heard, mut items) = (Conversation::new(SessionId(1), "h"), Vec::new());
    for (at, (is_clients, bytes)) in exchanges.iter().flat_map(sides).enumerate() {
        let at = Nanos(at as u64);
        let _ = if is_clients { heard.client(at, bytes, &mut items) } else { heard.server(at, bytes, &mut items) };
    }
    heard.close(Nanos(u64::MAX), &mut items);
    let mut writer = Writer::new(Vec::new()).expect("a vector");
    let count = items.len() as u8;
    for item in items {
        match item {
            Item::Statement(statement) => writer.statement(statement),
            Item::Lost(lost) => writer.lost(lost),
        }
        .expect("a vector");
    }
    let (file, _) = writer.finish().expect("a vector");
    // Behind the file's head and the block's.
    let body = zstd::bulk::decompress(file.get(40..).unwrap_or_default(), 1 << 20).unwrap_or_default();
    [&[count], &body[..]].concat()
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).expect("a folder to write into");
    let mut seeds: Vec<Vec<u8>> = LOGS.iter().map(|log| log.to_vec()).collect();
    seeds.extend(STATEMENTS.iter().map(|sql| sql.as_bytes().to_vec()));
    for (file, _) in FILES {
        let all = exchanges(file);
        for some in std::iter::once(&all[..]).chain(all.chunks(1)) {
            seeds.extend([conversation(some), packets(some), block(some)]);
        }
    }
    for (index, seed) in seeds.iter().enumerate() {
        std::fs::write(format!("{folder}/{index}"), seed)?;
    }
    Ok(())
}
